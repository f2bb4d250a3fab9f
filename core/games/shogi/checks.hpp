#pragma once

#include <vector>

#include "games/shogi/movegen.hpp"
#include "games/shogi/repetition.hpp"

namespace tengen::shogi {

// Replaces `out` with the legal moves that give check. None if the opponent has no king.
void checking_moves(const Position& position, std::vector<Move>& out);

// Does the side to move mate within that many plies (1, 3, 5 …), giving check with every move, whatever is answered?
// All checks and all answers are tried. `past` are the positions of the game up to this one: a position that has come
// three times ends it without a mate.
bool mates_within(const Position& position, int plies, const Repetition& past);

// How, where mates_within() says so and not with fewer plies; the defender holds out as long as possible.
std::vector<Move> short_mate_line(const Position& position, int plies, const Repetition& past);

}  // namespace tengen::shogi
