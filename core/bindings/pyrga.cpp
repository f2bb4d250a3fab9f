#include "games/pyrga/pyrga.hpp"

#include "bindings/bind_game.hpp"
#include "bindings/games.hpp"

void tengen::bind_pyrga(nb::module_& m) {
  const auto make = [](bool arrows_stay_on_board, bool second_square_ban, bool tie_break) {
    return Pyrga({arrows_stay_on_board, second_square_ban, tie_break});
  };
  bind_game<Pyrga>(m, "Pyrga", make, Setting{"arrows_stay_on_board", false}, Setting{"second_square_ban", false},
                   Setting{"tie_break", false});
}
