#include "games/kuhn_poker/kuhn_poker.hpp"

#include "bindings/bind_game.hpp"
#include "bindings/games.hpp"

void tengen::bind_kuhn_poker(nb::module_& m) {
  bind_game<KuhnPoker>(m, "KuhnPoker")
      .def(
          "start_with",
          [](const Rules<KuhnPoker>& rules, int card0, int card1) {
            return Position<KuhnPoker>{KuhnPoker::start_with(card0, card1), rules.id};
          },
          nb::arg("card0"), nb::arg("card1"), "0 jack, 1 queen, 2 king.");
}
