#pragma once

#include "games/shogi/position.hpp"
#include "rng.hpp"

namespace tengen::shogi {

// A legal move, each as likely as another, faster than by listing them; there is one. With `extra` no move at all
// (Move::is_none()) is one more choice.
Move random_move(const Position& position, bool extra, Rng& rng);

}  // namespace tengen::shogi
