#include "games/connect_four/connect_four.hpp"

#include <algorithm>
#include <cmath>

namespace tengen {

namespace {

constexpr std::uint64_t kBoard = 0x3fULL * 0x40810204081ULL;

// Lines of four that hold stones of `own` and none of `other`, weighted by how near to complete they are.
double open_lines(std::uint64_t own, std::uint64_t other) {
  constexpr double kTwo = 0.03;
  constexpr double kThree = 0.2;
  const std::uint64_t free = kBoard & ~other;
  double worth = 0.0;
  for (const int step : {1, 6, 7, 8}) {
    const std::uint64_t lines = free & free >> step & free >> (2 * step) & free >> (3 * step);
    const std::uint64_t a = own;
    const std::uint64_t b = own >> step;
    const std::uint64_t c = own >> (2 * step);
    const std::uint64_t d = own >> (3 * step);
    const std::uint64_t threes = lines & ((a & b & (c ^ d)) | ((a ^ b) & c & d));
    const std::uint64_t twos = lines & ((a & b & ~(c | d)) | (~(a | b) & c & d) | ((a ^ b) & (c ^ d)));
    worth += kThree * std::popcount(threes) + kTwo * std::popcount(twos);
  }
  return worth;
}

}  // namespace

void ConnectFour::encode(const State& state, int viewer, std::span<float> out) const {
  assert(static_cast<int>(out.size()) == shape().size());
  const auto own = static_cast<std::size_t>(viewer);
  std::size_t at = 0;
  for (const std::uint64_t stones : {state.stones[own], state.stones[1 - own]}) {
    for (int row = kRows - 1; row >= 0; --row) {
      for (int column = 0; column < kColumns; ++column) {
        out[at++] = static_cast<float>(stones >> (7 * column + row) & 1U);
      }
    }
  }
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(at), out.end(), actor(state) == viewer ? 1.0F : 0.0F);
}

void ConnectFour::heuristic(const State& state, std::span<double> out) const {
  const double lead = open_lines(state.stones[0], state.stones[1]) - open_lines(state.stones[1], state.stones[0]);
  out[0] = lead / (1.0 + std::abs(lead));
  out[1] = -out[0];
}

ConnectFour::State ConnectFour::transform(const State& state, int symmetry) const {
  if (symmetry == 0) return state;
  State transformed = state;
  for (std::size_t player = 0; player < 2; ++player) {
    transformed.stones[player] = 0;
    for (int column = 0; column < kColumns; ++column) {
      const std::uint64_t stones = state.stones[player] >> (7 * column) & kColumn;
      transformed.stones[player] |= stones << (7 * (kColumns - 1 - column));
    }
  }
  return transformed;
}

}  // namespace tengen
