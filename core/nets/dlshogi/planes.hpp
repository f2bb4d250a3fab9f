#pragma once

#include <span>

#include "games/shogi/shogi.hpp"

// What networks in dlshogi's format see of a position. Their moves are shogi::policy_index().
namespace tengen::dlshogi {

inline constexpr int kBoardPlanes = 62;
inline constexpr int kHandPlanes = 57;
inline constexpr int kEnteringPlanes = 62;  // follow those of the hands in newer networks

// Fill [planes][file][rank] in the frame of the side to move. `hands` has kHandPlanes, or kEnteringPlanes more.
void encode(const shogi::Position& position, std::span<float> board, std::span<float> hands);

}  // namespace tengen::dlshogi
