#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "bindings/any_game.hpp"
#include "game.hpp"

// How states and arrays cross the border, and the checks on what Python hands over.
namespace tengen {

// A game whose states are objects of Python, held by a table of the game's; a copy of it holds none. Every call needs
// Python's lock.
template <class G>
concept InPython = requires(const G& game, const nb::object& position, const typename G::State& state) {
  { game.hold(position) } -> std::same_as<typename G::State>;
  { game.give(state) } -> std::same_as<nb::object>;
};

// What one call from Python works with: a native game and its state are where they are, of a game in Python a copy.
template <Game G>
using Local = std::conditional_t<InPython<G>, G, const G&>;
template <Game G>
using TakenState = std::conditional_t<InPython<G>, typename G::State, const typename G::State&>;

template <Game G>
const typename G::State& state_of(const RulesId& rules, const AnyState& state) {
  if (state.rules().game != rules.game) throw nb::type_error("the state belongs to another game");
  if (state.rules() != rules) throw nb::value_error("the state belongs to a game with other settings");
  if (state.size() != sizeof(typename G::State)) throw nb::value_error("not a state of this game: wrong size");
  return state.as<typename G::State>();
}

template <Game G>
TakenState<G> take_state([[maybe_unused]] const G& game, [[maybe_unused]] const RulesId& rules, nb::handle given) {
  if constexpr (InPython<G>) {
    return game.hold(nb::borrow(given));
  } else {
    const AnyState* state = nullptr;
    if (!nb::try_cast(given, state) || state == nullptr) {
      throw nb::type_error((nb::cast<std::string>(nb::repr(given)) + " is no state").c_str());
    }
    return state_of<G>(rules, *state);
  }
}

template <Game G>
nb::object give_state([[maybe_unused]] const G& game, [[maybe_unused]] const RulesId& rules,
                      const typename G::State& state) {
  if constexpr (InPython<G>) {
    return game.give(state);
  } else {
    return nb::cast(AnyState(rules, state));
  }
}

// Without Python's lock, where the game can do without it.
template <Game G, class Job>
auto unlocked(const Job& job) {
  if constexpr (InPython<G>) {
    return job();
  } else {
    const nb::gil_scoped_release released;
    return job();
  }
}

// To be called now and then by long work, with or without Python's lock.
inline void hear_interrupts() {
  const nb::gil_scoped_acquire held;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();
}

inline std::size_t extent(int count) { return static_cast<std::size_t>(count); }

inline void check_index(int index, int count, const char* what) {
  if (index >= 0 && index < count) return;
  throw nb::index_error(
      (std::string(what) + " " + std::to_string(index) + " is not in 0 … " + std::to_string(count - 1)).c_str());
}

template <Game G>
void check_player(const G& game, int player) {
  check_index(player, game.facts().players, "player");
}

// Players act alone or with everyone; chance acts as kChance.
template <Game G>
void check_acts(const G& game, const typename G::State& state, int player) {
  if (player != kChance) check_player(game, player);
  const int actor = game.actor(state);
  if (actor == player || (actor == kEveryone && player != kChance)) return;
  if (actor == kNobody) throw nb::value_error("the game is over: nobody acts any more");
  const auto say = [](int who) { return who == kChance ? std::string("chance") : "player " + std::to_string(who); };
  throw nb::value_error(
      (say(player) + " is not to act" + (actor == kEveryone ? "" : ", " + say(actor) + " is")).c_str());
}

template <Game G>
void check_legal(const G& game, const typename G::State& state, int player, Action action) {
  if (player != kChance) check_index(action, game.action_count(), "action");
  Actions actions;
  game.legal(state, player, actions);
  if (std::binary_search(actions.begin(), actions.end(), action)) return;
  const std::string who = player == kChance ? "chance" : "player " + std::to_string(player);
  throw nb::value_error(("action " + std::to_string(action) + " is illegal for " + who).c_str());
}

template <Game G>
void check_joint(const G& game, const typename G::State& state, const Actions& actions) {
  const auto players = game.facts().players;
  if (actions.size() != extent(players)) {
    throw nb::value_error(
        (std::to_string(actions.size()) + " actions for " + std::to_string(players) + " players").c_str());
  }
  for (int player = 0; player < players; ++player) check_legal(game, state, player, actions[extent(player)]);
}

template <Game G>
void check_over(const G& game, const typename G::State& state, const char* what) {
  if (game.actor(state) != kNobody)
    throw nb::value_error((std::string("the game is not over: no ") + what + " yet").c_str());
}

// Memory that becomes a NumPy array without a copy.
template <class T>
class OwnedArray {
 public:
  OwnedArray(std::size_t size, T fill) : data_(new T[size]), size_(size) { std::fill_n(data_.get(), size, fill); }

  std::span<T> span() { return {data_.get(), size_}; }

  template <class Array>
  Array release(std::initializer_list<std::size_t> shape) {
    T* data = data_.release();
    const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Array(data, shape, owner);
  }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_;
};

}  // namespace tengen
