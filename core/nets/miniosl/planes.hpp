#pragma once

#include <span>

#include "games/shogi/shogi.hpp"

// What miniosl's networks see of a position, and where they have its moves.
namespace tengen::miniosl {

inline constexpr int kPlanes = 176;
inline constexpr int kInputs = kPlanes * shogi::kSquares;
inline constexpr int kLabels = 27 * shogi::kSquares;

// Fills [kPlanes][rank][file] in the frame of the side to move. The networks were trained on games and break without a
// last move: where a state does not know all seven, `fill_history` shows what can be said of the others. Not filled in,
// inputs are those of the package.
void encode(const shogi::State& state, bool fill_history, std::span<float> out);

// Of a move by `mover`.
int label(shogi::Color mover, shogi::Move move);

}  // namespace tengen::miniosl
