#pragma once

#include <optional>

#include "games/shogi/position.hpp"

namespace tengen::miniosl {

struct Mate {
  shogi::Move move;
  shogi::Kind kind;  // of the piece after the move
};

// A mate in one move by `attacker`, as if it were to move, as miniosl's planes show it: checks from squares beside the
// king and by knights; never a pawn drop, a distant or a discovered check. Some mates are missed. Which of several
// moves is found is part of what the network sees; among pieces of a kind the package goes by the history of the game,
// this by ranks from the top, then files from the left.
std::optional<Mate> find_mate(const shogi::Position& position, shogi::Color attacker);

}  // namespace tengen::miniosl
