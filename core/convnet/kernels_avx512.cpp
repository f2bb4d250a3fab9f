#ifdef TENGEN_X86

#include <cstddef>
#include <utility>

#include "convnet/kernel_sets.hpp"
#include "convnet/kernels.hpp"
#include "convnet/winograd.hpp"

namespace tengen::convnet {

namespace {

constexpr std::size_t kWidth = 16;
constexpr std::size_t kVectors = 2;
constexpr std::size_t kRows = 12;

#include "convnet/kernels.inl"

}  // namespace

const Kernels kAvx512Kernels = make_kernels("avx512");

}  // namespace tengen::convnet

#endif
