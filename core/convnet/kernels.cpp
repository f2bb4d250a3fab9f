#include "convnet/kernels.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "convnet/kernel_sets.hpp"
#include "convnet/winograd.hpp"

namespace tengen::convnet {

namespace {

std::vector<const Kernels*> find_usable() {
  std::vector<const Kernels*> found{&kGenericKernels};
#ifdef TENGEN_X86
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found.push_back(&kAvx2Kernels);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw")) {
    found.push_back(&kAvx512Kernels);
  }
#endif
  const char* limit = std::getenv("TENGEN_MAX_CPU_ISA");
  if (limit == nullptr || *limit == '\0') return found;
  constexpr std::array kKnown{"generic", "avx2", "avx512"};
  for (std::size_t i = 0; i < kKnown.size(); ++i) {
    if (std::strcmp(limit, kKnown[i]) == 0) {
      found.resize(std::min(found.size(), i + 1));
      return found;
    }
  }
  throw std::invalid_argument("TENGEN_MAX_CPU_ISA is '" + std::string(limit) + "': expected generic, avx2 or avx512");
}

template <std::size_t M>
std::vector<float> transform_filters(const float* filters, std::size_t outputs, std::size_t inputs) {
  constexpr std::size_t kPatch = M + 2;
  constexpr auto& by = kTransforms<M>.filter;
  std::vector<float> found(kPatch * kPatch * inputs * outputs);
  for (std::size_t output = 0; output < outputs; ++output) {
    for (std::size_t input = 0; input < inputs; ++input, filters += 9) {
      for (std::size_t i = 0; i < kPatch; ++i) {
        for (std::size_t j = 0; j < kPatch; ++j) {
          double sum = 0;
          for (std::size_t y = 0; y < 3; ++y) {
            for (std::size_t x = 0; x < 3; ++x) sum += by[i][y] * static_cast<double>(filters[y * 3 + x]) * by[j][x];
          }
          found[((i * kPatch + j) * inputs + input) * outputs + output] = static_cast<float>(sum);
        }
      }
    }
  }
  return found;
}

}  // namespace

std::span<const Kernels* const> usable_kernels() {
  static const std::vector<const Kernels*> kUsable = find_usable();
  return kUsable;
}

const Kernels& best_kernels() { return *usable_kernels().back(); }

std::vector<float> transform_filters(const float* filters, std::size_t outputs, std::size_t inputs, int m) {
  switch (m) {
    case 2:
      return transform_filters<2>(filters, outputs, inputs);
    case 3:
      return transform_filters<3>(filters, outputs, inputs);
    case 4:
      return transform_filters<4>(filters, outputs, inputs);
    default:
      throw std::invalid_argument("no tiles of " + std::to_string(m));
  }
}

}  // namespace tengen::convnet
