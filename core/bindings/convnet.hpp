#pragma once

#include <nanobind/nanobind.h>

namespace tengen {

void bind_convnet(nanobind::module_& m);

}  // namespace tengen
