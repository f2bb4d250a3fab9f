#include <nanobind/nanobind.h>

#include "bindings/any_game.hpp"
#include "game.hpp"
#include "processor.hpp"

namespace tengen {

void bind_search(nb::module_& m);
void bind_convnet(nb::module_& m);
void bind_python_game(nb::module_& m);

// One function and one file a game, so that they compile side by side: CMake writes the file of a game that has nothing
// beyond the contract.
#define GAME(folder, Class) void bind_##folder(nb::module_& m);
#include "games/games.inc"
#undef GAME

}  // namespace tengen

NB_MODULE(_core, m) {
  // At exit Python may still hold games and states in modules and notebooks: nothing to tell a user about.
  nanobind::set_leak_warnings(false);

  m.doc() = "Tengen's compiled core. Programs use tengen.games and tengen.search, which stand on it.";

  // What actor() answers besides a player.
  m.attr("CHANCE") = tengen::kChance;
  m.attr("EVERYONE") = tengen::kEveryone;
  m.attr("NOBODY") = tengen::kNobody;

  m.def("has_undescribed_tiles", &tengen::has_undescribed_tiles,
        "Whether the processor claims matrix tiles (AMX) without saying how large they are.");

  tengen::bind_search(m);
  tengen::bind_convnet(m);
  tengen::bind_any_game(m);
  tengen::bind_python_game(m);
  // Games compiled from Python would be bound here, once for all of them: their rules are a table of C functions that
  // the constructor is given, so they need no line in games.inc.
#define GAME(folder, Class) tengen::bind_##folder(m);
#include "games/games.inc"
#undef GAME
}
