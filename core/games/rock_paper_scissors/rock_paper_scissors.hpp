#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <span>

#include "game.hpp"

namespace tengen {

// One round of biased rock-paper-scissors, both players choosing at once: 0 rock, 1 paper, 2 scissors. The stakes
// differ from pair to pair, so that the equilibrium is not the even mix but (1, 10, 5) / 16, with value 0.
class RockPaperScissors {
 public:
  static constexpr int kChoices = 3;
  static constexpr Facts kFacts{.simultaneous = true};
  // What seat 0 wins: rows are seat 0's choice, columns are seat 1's.
  static constexpr std::array<std::array<int, kChoices>, kChoices> kStakes{{{0, -25, 50}, {25, 0, -5}, {-50, 5, 0}}};

  struct State {
    std::array<std::int8_t, 2> choices{-1, -1};

    friend bool operator==(const State&, const State&) = default;
  };

  constexpr Facts facts() const { return kFacts; }
  constexpr int action_count() const { return kChoices; }
  // Planes: 0 the choice is still open; 1-3 the viewer's choice; 4-6 the opponent's.
  constexpr Shape shape() const { return {1 + 2 * kChoices, 1, 1}; }
  constexpr double payoff_scale() const { return 50.0; }
  constexpr int aux_count() const { return 0; }

  State start(Rng&) const { return {}; }

  int actor(const State& state) const { return state.choices[0] < 0 ? kEveryone : kNobody; }

  void legal(const State& state, int player, Actions& out) const {
    assert(actor(state) == kEveryone && (player == 0 || player == 1));
    static_cast<void>(state);
    static_cast<void>(player);
    out.assign({0, 1, 2});
  }

  // The contract asks for it, but nobody ever acts alone here.
  void apply(State&, Action) const { assert(false); }

  void apply(State& state, std::span<const Action> joint) const {
    assert(actor(state) == kEveryone && joint.size() == 2);
    state.choices = {static_cast<std::int8_t>(joint[0]), static_cast<std::int8_t>(joint[1])};
  }

  void payoff(const State& state, std::span<double> out) const {
    assert(actor(state) == kNobody);
    out[0] = kStakes[static_cast<std::size_t>(state.choices[0])][static_cast<std::size_t>(state.choices[1])];
    out[1] = -out[0];
  }

  void encode(const State& state, int viewer, std::span<float> out) const {
    assert(static_cast<int>(out.size()) == shape().size());
    std::fill(out.begin(), out.end(), 0.0F);
    if (actor(state) == kEveryone) {
      out[0] = 1.0F;
      return;
    }
    const auto own = static_cast<std::size_t>(viewer);
    out[1 + static_cast<std::size_t>(state.choices[own])] = 1.0F;
    out[1 + kChoices + static_cast<std::size_t>(state.choices[1 - own])] = 1.0F;
  }

  std::uint64_t key(const State& state) const {
    return mix64(static_cast<std::uint64_t>((state.choices[0] + 1) * 4 + state.choices[1] + 1));
  }
};

static_assert(Game<RockPaperScissors>);

}  // namespace tengen
