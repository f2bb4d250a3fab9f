#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <mutex>
#include <tuple>
#include <vector>

#include "bindings/bound_game.hpp"
#include "games/shogi/mate.hpp"
#include "games/shogi/shogi.hpp"

namespace tengen {

namespace {

struct BoundMateSolver {
  explicit BoundMateSolver(int megabytes) : solver(static_cast<std::size_t>(megabytes) << 20) {}

  shogi::MateSolver solver;
  std::mutex busy;
};

std::tuple<int, std::vector<Action>, std::uint64_t> solve(BoundMateSolver& self, const BoundGame<Shogi>& rules,
                                                          const AnyState& given, std::uint64_t nodes) {
  const shogi::State& state = rules.checked(given);
  shogi::MateAnswer answer;
  {
    const nb::gil_scoped_release release;
    const std::lock_guard lock(self.busy);
    answer = self.solver.solve(state.position, state.repetition, {nodes, rules.game.settings().max_plies});
  }
  std::vector<Action> line;
  for (const shogi::Move move : answer.line) line.push_back(shogi::action_of(move));
  return {static_cast<int>(answer.mate), line, answer.nodes};
}

}  // namespace

void bind_shogi_mate(nb::module_& m);
void bind_shogi_mate(nb::module_& m) {
  nb::class_<BoundMateSolver>(m, "ShogiMateSolver", "Looks for mates by checks alone, one solve() after the other.")
      .def(
          "__init__",
          [](BoundMateSolver* self, int megabytes) {
            if (megabytes < 1 || megabytes > 65536) throw nb::value_error("the table takes 1 to 65536 megabytes");
            new (self) BoundMateSolver(megabytes);
          },
          nb::arg("megabytes") = 64)
      .def("solve", &solve, nb::arg("rules"), nb::arg("state"), nb::arg("nodes"),
           "Whether the side to move mates (0 unknown, 1 yes, 2 no), the actions up to the mate, positions looked at.")
      .def(
          "stop", [](BoundMateSolver& self) { self.solver.stop(); },
          "Ends a solve() of another thread soon, or the next one at once.");
}

}  // namespace tengen
