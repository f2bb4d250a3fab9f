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

constexpr std::size_t kWidth = 16;
constexpr std::size_t kVectors = 2;
constexpr std::size_t kRows = 12;

#include "convnet/kernels.inl"

constexpr std::size_t kInt16Rows = 8;

using Sums __attribute__((vector_size(kWidth * sizeof(int)))) = int;

inline Sums add_pairs(Sums sums, Sums a, Sums b) {
  return sums + reinterpret_cast<Sums>(_mm512_madd_epi16(reinterpret_cast<__m512i>(a), reinterpret_cast<__m512i>(b)));
}

#include "convnet/kernels_int16.inl"

}  // namespace

const Kernels kAvx512Kernels = make_kernels("avx512", kInt16Products);

}  // namespace tengen::convnet

#endif
