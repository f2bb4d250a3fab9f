#ifdef TENGEN_X86

#include <immintrin.h>

#include <cstddef>
#include <cstdint>
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

constexpr std::size_t kInt16Rows = 3;

using Sums __attribute__((vector_size(kWidth * sizeof(int)))) = int;

inline Sums add_pairs(Sums sums, Sums a, Sums b) {
  return sums + reinterpret_cast<Sums>(_mm256_madd_epi16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
}

#include "convnet/kernels_int16.inl"

}  // namespace

const Kernels kAvx2Kernels = make_kernels("avx2", kInt16Products);

}  // namespace tengen::convnet

#endif
