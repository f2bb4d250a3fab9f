#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <tuple>

#include "game.hpp"

namespace tengen {

// Pig: roll a die as often as you dare, adding up the turn's total; hold to bank it. A one loses the total and the
// turn. Who first banks the target wins. Holding with nothing in the total is no move, so every turn starts with a
// roll.
class Pig {
 public:
  static constexpr Action kHold = 0;
  static constexpr Action kRoll = 1;
  static constexpr int kFaces = 6;  // outcome i is the face i + 1
  static constexpr int kLargestTarget = 10000;
  static constexpr Facts kFacts{.chance = true};

  struct State {
    std::array<std::int16_t, 2> scores{};
    // Never more than the player still needs: further rolls could not add to a win, and positions stay finite in
    // number.
    std::int16_t total = 0;
    std::uint8_t turn = 0;
    bool rolling = false;

    friend bool operator==(const State&, const State&) = default;
  };

  struct Settings {
    int target = 20;
  };
  static constexpr std::tuple kSettings{Setting{"target", &Settings::target}};

  Pig() : Pig(Settings{}) {}
  explicit Pig(const Settings& settings) : target_(settings.target) {
    if (target_ < 1 || target_ > kLargestTarget) throw std::invalid_argument("Pig's target must be 1 to 10000");
  }

  int target() const { return target_; }
  constexpr Facts facts() const { return kFacts; }
  constexpr int action_count() const { return 2; }
  // Planes: 0 the viewer's score, 1 the opponent's, 2 the turn's total, each over the target; 3 it is the viewer's
  // turn; 4 the die is rolling.
  constexpr Shape shape() const { return {5, 1, 1}; }
  constexpr double payoff_scale() const { return 1.0; }
  constexpr int aux_count() const { return 0; }

  State start(Rng&) const { return {}; }

  int actor(const State& state) const {
    if (state.rolling) return kChance;
    return is_over(state) ? kNobody : state.turn;
  }

  void legal(const State& state, int player, Actions& out) const {
    assert(player == actor(state));
    if (player == kChance) {
      out.assign({0, 1, 2, 3, 4, 5});
    } else if (state.total == 0) {
      out.assign({kRoll});
    } else {
      out.assign({kHold, kRoll});
    }
  }

  void apply(State& state, Action action) const {
    if (state.rolling) {
      assert(action >= 0 && action < kFaces);
      state.rolling = false;
      if (action == 0) {
        pass_turn(state);
      } else {
        const int needed = target_ - state.scores[state.turn];
        state.total = static_cast<std::int16_t>(std::min(state.total + action + 1, needed));
      }
    } else if (action == kRoll) {
      assert(!is_over(state));
      state.rolling = true;
    } else {
      assert(action == kHold && state.total > 0);
      state.scores[state.turn] = static_cast<std::int16_t>(state.scores[state.turn] + state.total);
      pass_turn(state);
    }
  }

  Action outcome(const State& state, Rng& rng) const {
    assert(state.rolling);
    static_cast<void>(state);
    return static_cast<Action>(rng.below(kFaces));
  }

  void payoff(const State& state, std::span<double> out) const {
    assert(is_over(state));
    out[0] = state.scores[0] > state.scores[1] ? 1.0 : -1.0;
    out[1] = -out[0];
  }

  void encode(const State& state, int viewer, std::span<float> out) const {
    assert(static_cast<int>(out.size()) == shape().size());
    const auto own = static_cast<std::size_t>(viewer);
    const auto part = [this](int points) { return static_cast<float>(points) / static_cast<float>(target_); };
    out[0] = part(state.scores[own]);
    out[1] = part(state.scores[1 - own]);
    out[2] = part(state.total);
    out[3] = !is_over(state) && state.turn == viewer ? 1.0F : 0.0F;
    out[4] = state.rolling ? 1.0F : 0.0F;
  }

  std::uint64_t key(const State& state) const {
    const auto word = [](int value, int shift) { return static_cast<std::uint64_t>(value) << shift; };
    return mix64(word(state.scores[0], 0) | word(state.scores[1], 16) | word(state.total, 32) | word(state.turn, 48) |
                 word(state.rolling ? 1 : 0, 49));
  }

 private:
  bool is_over(const State& state) const { return std::max(state.scores[0], state.scores[1]) >= target_; }

  static void pass_turn(State& state) {
    state.total = 0;
    state.turn = state.turn ^ 1U;
  }

  int target_;
};

static_assert(Game<Pig>);

}  // namespace tengen
