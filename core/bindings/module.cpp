#include <nanobind/nanobind.h>

#include "bindings/convnet.hpp"
#include "bindings/games.hpp"
#include "bindings/search.hpp"
#include "game.hpp"

NB_MODULE(_core, m) {
  // At exit Python may still hold games and states in modules and notebooks: nothing to tell a user about.
  nanobind::set_leak_warnings(false);

  m.doc() = "Tengen's compiled core. Programs use tengen.games and tengen.search, which stand on it.";

  // What actor() answers besides a player.
  m.attr("CHANCE") = tengen::kChance;
  m.attr("EVERYONE") = tengen::kEveryone;
  m.attr("NOBODY") = tengen::kNobody;

  tengen::bind_search(m);
  tengen::bind_convnet(m);
  tengen::bind_connect_four(m);
  tengen::bind_go(m);
  tengen::bind_go_network(m);
  tengen::bind_kuhn_poker(m);
  tengen::bind_matgo(m);
  tengen::bind_pig(m);
  tengen::bind_pyrga(m);
  tengen::bind_rock_paper_scissors(m);
  tengen::bind_python_pool(m);
}
