#include "games/kuhn_poker/kuhn_poker.hpp"

#include "bindings/bound_game.hpp"

namespace tengen {

void bind_kuhn_poker(nb::module_& m) {
  bind_game<KuhnPoker>(m, "KuhnPoker")
      .def(
          "start_with",
          [](const BoundGame<KuhnPoker>& rules, int card0, int card1) {
            return rules.give(KuhnPoker::start_with(card0, card1));
          },
          nb::arg("card0"), nb::arg("card1"), "0 jack, 1 queen, 2 king.");
}

}  // namespace tengen
