#include "games/matgo/matgo.hpp"
namespace tengen {
using namespace matgo;
Action Matgo::greedy_action(const State& state, Rng& rng) const { return random_action(state, rng); }
}  // namespace tengen
