#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace tengen {

// Mixes 64 bits well enough that consecutive inputs give unrelated outputs.
constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// xoshiro256++ with its own distributions: the standard library's differ between implementations, and a search must be
// reproducible everywhere.
class Rng {
 public:
  explicit Rng(std::uint64_t seed = 0) {
    for (auto& word : state_) {
      word = mix64(seed);
      seed += 0x9e3779b97f4a7c15ULL;
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  // Uniform in 0 … bound-1. The bias is below bound / 2^32: bounds here are at most a few thousand.
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }

  // Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // Standard Gumbel.
  double gumbel() { return -std::log(-std::log(positive())); }

  double normal() { return std::sqrt(-2.0 * std::log(positive())) * std::cos(2.0 * std::numbers::pi * uniform()); }

  // Gamma(shape, 1), Marsaglia and Tsang's method.
  double gamma(double shape) {
    if (shape < 1.0) return gamma(shape + 1.0) * std::pow(positive(), 1.0 / shape);
    const double d = shape - 1.0 / 3.0;
    const double c = 1.0 / std::sqrt(9.0 * d);
    for (;;) {
      const double x = normal();
      const double root = 1.0 + c * x;
      if (root <= 0.0) continue;
      const double v = root * root * root;
      if (std::log(positive()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
    }
  }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  double positive() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1.0p-53; }

  std::uint64_t state_[4];
};

}  // namespace tengen
