#pragma once

// What is odd about the processor that this runs on.
namespace tengen {

// Whether it claims to multiply matrices by tiles (AMX) and does not say how large these are, as some virtual machines
// have it.
bool has_undescribed_tiles();

}  // namespace tengen
