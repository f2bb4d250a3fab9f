#pragma once

#include "convnet/kernels.hpp"

namespace tengen::convnet {

extern const Kernels kGenericKernels;
extern const Kernels kAvx2Kernels;  // only where TENGEN_X86 is defined, as is the next
extern const Kernels kAvx512Kernels;

}  // namespace tengen::convnet
