#pragma once

#include <span>

#include "games/pokemon/state.hpp"

// Both teams as rows of numbers, for networks: what a viewer knows and nothing else.
namespace tengen::pokemon {

// The viewer's team by slot, the other's in the order it was met, then the field of the viewer's side and the other's.
inline constexpr int kRows = 2 * kTeam + 2;
// Numbers in a row, those of the four moves last; docs/games/pokemon.md lists them. The rows of fields have fewer, and
// zeros behind them.
inline constexpr int kMoveFeatures = 34;
inline constexpr int kRowFeatures = 65 + kMoveSlots * kMoveFeatures;

// [kRowFeatures][kRows]
void encode(const State& state, int viewer, std::span<float> out);

}  // namespace tengen::pokemon
