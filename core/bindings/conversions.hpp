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

// What needs no game is compiled once, in conversions.cpp.

// The state itself, if it is of these rules and has that many bytes.
const AnyState& check_state(const RulesId& rules, const AnyState& state, std::size_t size);
// The same of an object of Python.
const AnyState& take_any_state(const RulesId& rules, nb::handle given, std::size_t size);

template <Game G>
const typename G::State& state_of(const RulesId& rules, const AnyState& state) {
  return check_state(rules, state, sizeof(typename G::State)).template as<typename G::State>();
}

template <Game G>
TakenState<G> take_state([[maybe_unused]] const G& game, [[maybe_unused]] const RulesId& rules, nb::handle given) {
  if constexpr (InPython<G>) {
    return game.hold(nb::borrow(given));
  } else {
    return take_any_state(rules, given, sizeof(typename G::State)).template as<typename G::State>();
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
void hear_interrupts();

inline std::size_t extent(int count) { return static_cast<std::size_t>(count); }

void check_index(int index, int count, const char* what);
// Whether `player` is among who acts, `actor` being whom the game names. Players act alone or with everyone; chance
// acts as kChance.
void check_actor(int player, int actor, int players);
// Whether `action` is among the legal ones.
void check_among(const Actions& legal, int player, Action action);
void check_joint_size(const Actions& actions, int players);
[[noreturn]] void refuse_unfinished(const char* what);

template <Game G>
void check_player(const G& game, int player) {
  check_index(player, game.facts().players, "player");
}

template <Game G>
void check_acts(const G& game, const typename G::State& state, int player) {
  check_actor(player, game.actor(state), game.facts().players);
}

template <Game G>
void check_legal(const G& game, const typename G::State& state, int player, Action action) {
  if (player != kChance) check_index(action, game.action_count(), "action");
  Actions actions;
  game.legal(state, player, actions);
  check_among(actions, player, action);
}

template <Game G>
void check_joint(const G& game, const typename G::State& state, const Actions& actions) {
  const auto players = game.facts().players;
  check_joint_size(actions, players);
  for (int player = 0; player < players; ++player) check_legal(game, state, player, actions[extent(player)]);
}

template <Game G>
void check_over(const G& game, const typename G::State& state, const char* what) {
  if (game.actor(state) != kNobody) refuse_unfinished(what);
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
