#pragma once

#include <array>

#include "games/shogi/piece.hpp"

// Directions as miniosl numbers them: eight steps, then the knight's two, as seen by the side whose piece it is.
namespace tengen::miniosl {

struct Step {
  int files = 0;  // towards file 9
  int ranks = 0;  // towards rank i
};

inline constexpr int kSteps = 8;
inline constexpr int kUp = 1;
inline constexpr int kLeftJump = 8;
inline constexpr int kRightJump = 9;
inline constexpr std::array<Step, 10> kDirections{
    {{1, -1}, {0, -1}, {-1, -1}, {1, 0}, {-1, 0}, {1, 1}, {0, 1}, {-1, 1}, {1, -2}, {-1, -2}}};

constexpr Step operator-(Step step) { return {-step.files, -step.ranks}; }

constexpr Step step_of(shogi::Color color, int direction) {
  const Step step = kDirections[static_cast<std::size_t>(direction)];
  return color == shogi::kBlack ? step : -step;
}

constexpr Step from_to(shogi::Square from, shogi::Square to) {
  return {shogi::file_of(to) - shogi::file_of(from), shogi::rank_of(to) - shogi::rank_of(from)};
}

// kNoSquare: off the board.
constexpr shogi::Square moved(shogi::Square square, Step step) {
  const int file = shogi::file_of(square) + step.files;
  const int rank = shogi::rank_of(square) + step.ranks;
  if (file < 0 || file > 8 || rank < 0 || rank > 8) return shogi::kNoSquare;
  return shogi::make_square(file, rank);
}

}  // namespace tengen::miniosl
