#ifdef TENGEN_X86

#include <cstddef>
#include <utility>

#include "convnet/kernel_sets.hpp"
#include "convnet/kernels.hpp"
#include "convnet/winograd.hpp"

namespace tengen::convnet {

namespace {

constexpr std::size_t kWidth = 8;
constexpr std::size_t kVectors = 3;
constexpr std::size_t kRows = 4;

#include "convnet/kernels.inl"

}  // namespace

const Kernels kAvx2Kernels = make_kernels("avx2");

}  // namespace tengen::convnet

#endif
