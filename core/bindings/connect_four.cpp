#include "games/connect_four/connect_four.hpp"

#include "bindings/bind_game.hpp"
#include "bindings/games.hpp"

void tengen::bind_connect_four(nb::module_& m) { bind_game<ConnectFour>(m, "ConnectFour"); }
