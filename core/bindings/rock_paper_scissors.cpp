#include "games/rock_paper_scissors/rock_paper_scissors.hpp"

#include "bindings/bind_game.hpp"
#include "bindings/games.hpp"

void tengen::bind_rock_paper_scissors(nb::module_& m) { bind_game<RockPaperScissors>(m, "RockPaperScissors"); }
