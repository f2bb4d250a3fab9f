#include <cstddef>
#include <utility>

#include "convnet/kernel_sets.hpp"
#include "convnet/kernels.hpp"
#include "convnet/winograd.hpp"

namespace tengen::convnet {

namespace {

constexpr std::size_t kWidth = 4;
constexpr std::size_t kVectors = 4;
constexpr std::size_t kRows = 2;

#include "convnet/kernels.inl"

}  // namespace

const Kernels kGenericKernels = make_kernels("generic");

}  // namespace tengen::convnet
