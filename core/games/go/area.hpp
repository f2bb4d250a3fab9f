#pragma once

#include <array>

#include "games/go/chains.hpp"
#include "games/go/grid.hpp"

namespace tengen::go {

// Who owns each place of a grid; kEmpty: nobody, and around the board.
using Area = std::array<Color, kGridSize>;

// What belongs to whom when both only pass from now on. Always: pass-alive stones (Benson) and pass-alive territory,
// which is a region with at most one point away from its owner's stones, all of them pass-alive; stones of the opponent
// in it are dead. Besides that, if asked for:
//   non_pass_alive_stones   every other stone that isn't dead, for its color
//   safe_big_territories    empty regions that only pass-alive stones of one color surround
//   unsafe_big_territories  empty regions that only stones of one color surround
// Where suicide of several stones is legal, an eye needs to touch its chain with every point, not only the empty ones.
void area(const Grid& grid, bool non_pass_alive_stones, bool safe_big_territories, bool unsafe_big_territories,
          bool multi_stone_suicide_legal, Area& out);

// The same where the grid's chains are known.
void area(const Grid& grid, const Chains& chains, bool non_pass_alive_stones, bool safe_big_territories,
          bool unsafe_big_territories, bool multi_stone_suicide_legal, Area& out);

// The area (with everything above) of groups that live independently: those without a dame next to them and without a
// stone in atari. Of the other groups, the seki, keep_stones keeps the stones and keep_territories the rest. Each
// independent group counts 1 for White or -1 for Black in `white_minus_black`: group tax takes 2 points for each.
void independent_life_area(const Grid& grid, bool keep_territories, bool keep_stones, bool multi_stone_suicide_legal,
                           Area& out, int& white_minus_black);

// Stones, and empty regions that touch one color only: no stone is dead.
void tromp_taylor_area(const Grid& grid, Area& out);

// White's places minus Black's.
int white_minus_black(const Area& area);

// The grid without the stones that stand in an area of the other color.
Grid without_dead_stones(const Grid& grid, const Area& area);

}  // namespace tengen::go
