#include "bindings/conversions.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>

namespace tengen {

const AnyState& check_state(const RulesId& rules, const AnyState& state, std::size_t size) {
  if (state.rules().game != rules.game) throw nb::type_error("the state belongs to another game");
  if (state.rules() != rules) throw nb::value_error("the state belongs to a game with other settings");
  if (state.size() != size) throw nb::value_error("not a state of this game: wrong size");
  return state;
}

const AnyState& take_any_state(const RulesId& rules, nb::handle given, std::size_t size) {
  const AnyState* state = nullptr;
  if (!nb::try_cast(given, state) || state == nullptr) {
    throw nb::type_error((nb::cast<std::string>(nb::repr(given)) + " is no state").c_str());
  }
  return check_state(rules, *state, size);
}

void hear_interrupts() {
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

void check_index(int index, int count, const char* what) {
  if (index >= 0 && index < count) return;
  throw nb::index_error(
      (std::string(what) + " " + std::to_string(index) + " is not in 0 … " + std::to_string(count - 1)).c_str());
}

void check_actor(int player, int actor, int players) {
  if (player != kChance) check_index(player, players, "player");
  if (actor == player || (actor == kEveryone && player != kChance)) return;
  if (actor == kNobody) throw nb::value_error("the game is over: nobody acts any more");
  const auto say = [](int who) { return who == kChance ? std::string("chance") : "player " + std::to_string(who); };
  throw nb::value_error(
      (say(player) + " is not to act" + (actor == kEveryone ? "" : ", " + say(actor) + " is")).c_str());
}

void check_among(const Actions& legal, int player, Action action) {
  if (std::binary_search(legal.begin(), legal.end(), action)) return;
  const std::string who = player == kChance ? "chance" : "player " + std::to_string(player);
  throw nb::value_error(("action " + std::to_string(action) + " is illegal for " + who).c_str());
}

void check_joint_size(const Actions& actions, int players) {
  if (actions.size() == extent(players)) return;
  throw nb::value_error(
      (std::to_string(actions.size()) + " actions for " + std::to_string(players) + " players").c_str());
}

void refuse_unfinished(const char* what) {
  throw nb::value_error((std::string("the game is not over: no ") + what + " yet").c_str());
}

}  // namespace tengen
