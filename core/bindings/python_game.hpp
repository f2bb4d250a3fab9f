#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>

#include <string>
#include <vector>

#include "bindings/conversions.hpp"
#include "game.hpp"

namespace tengen {

// A game written in Python (tengen.games.Game), meeting the core's contract. Every call needs Python's lock. What the
// hooks answer is checked: a mistake there becomes an exception, never a crash.
class PythonGame {
 public:
  // A position is a Python object. The table below keeps it alive, so that a state stays a plain value.
  struct State {
    PyObject* position = nullptr;
  };

  // The most that a game in Python can be; facts() is what this one is.
  static constexpr Facts kFacts{.players = 8, .hidden = true, .chance = true, .simultaneous = true, .zero_sum = false};

  explicit PythonGame(nb::object game);

  const Facts& facts() const { return facts_; }
  int action_count() const { return action_count_; }
  Shape shape() const { return shape_; }
  double payoff_scale() const { return payoff_scale_; }
  int aux_count() const { return aux_count_; }
  bool has_heuristic() const { return has_heuristic_; }

  State start(Rng& rng) const;
  int actor(const State& state) const;
  void legal(const State& state, int player, Actions& out) const;
  void apply(State& state, Action action) const;
  void apply(State& state, std::span<const Action> joint) const;
  Action outcome(const State& state, Rng& rng) const;
  void payoff(const State& state, std::span<double> out) const;
  void encode(const State& state, int viewer, std::span<float> out) const;
  State redeal(const State& state, int viewer, Rng& rng) const;
  std::uint64_t key(const State& state) const;
  std::uint64_t view_key(const State& state, int viewer) const;
  void heuristic(const State& state, std::span<double> out) const;
  void final_aux(const State& state, std::span<float> out) const;

  State hold(nb::object position) const;
  nb::object give(const State& state) const { return nb::borrow(state.position); }
  // Lets go of every position but these.
  void sweep(const std::vector<State>& held) const;

 private:
  // The positions that states point to; a copy of the game holds none.
  struct Table {
    Table() = default;
    Table(const Table&) {}
    std::vector<nb::object> positions;
  };

  nb::object player_name(int player) const;
  [[noreturn]] void blame(const char* hook, const State& state, const std::string& what) const;
  void read_numbers(const char* hook, const State& state, nb::handle answer, std::span<double> out) const;
  std::uint64_t read_key(const char* hook, const State& state, nb::handle answer) const;
  nb::object random(Rng& rng) const;

  nb::object game_;
  nb::object random_;  // random.Random
  mutable Table table_;
  Facts facts_;
  int action_count_ = 0;
  Shape shape_;
  double payoff_scale_ = 1.0;
  int aux_count_ = 0;
  bool has_heuristic_ = false;
};

static_assert(Game<PythonGame>);

}  // namespace tengen
