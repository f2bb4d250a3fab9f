#include "games/pig/pig.hpp"

#include "bindings/bind_game.hpp"
#include "bindings/games.hpp"

void tengen::bind_pig(nb::module_& m) {
  bind_game<Pig>(m, "Pig", [](int target) { return Pig(target); }, Setting{"target", 20});
}
