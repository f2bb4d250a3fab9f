#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <stdexcept>

#include "game.hpp"

namespace tengen {

// Kuhn poker: three cards (0 jack, 1 queen, 2 king), one to each of two players, an ante of 1 chip and one bet of 1.
// Payoffs are in chips.
class KuhnPoker {
 public:
  static constexpr Action kPass = 0;  // check, or fold to a bet
  static constexpr Action kBet = 1;   // bet, or call one
  static constexpr int kCards = 3;
  static constexpr int kLongest = 3;  // actions in the longest game
  static constexpr Facts kFacts{.hidden = true};

  struct State {
    std::array<std::int8_t, 2> cards{};
    std::uint8_t plies = 0;
    std::uint8_t bets = 0;  // bit i: the i-th action was a bet

    friend bool operator==(const State&, const State&) = default;
  };

  constexpr Facts facts() const { return kFacts; }
  constexpr int action_count() const { return 2; }
  // Planes: 0-2 the viewer's card; 3-5 the opponent's card once shown; 6-8 the first, second, third action was a pass;
  // 9-11 it was a bet; 12 the viewer acts first; 13 the viewer is to act.
  constexpr Shape shape() const { return {14, 1, 1}; }
  constexpr double payoff_scale() const { return 2.0; }
  constexpr int aux_count() const { return 0; }

  State start(Rng& rng) const {
    const auto first = static_cast<int>(rng.below(kCards));
    const auto step = static_cast<int>(rng.below(kCards - 1)) + 1;
    return start_with(first, (first + step) % kCards);
  }

  static State start_with(int card0, int card1) {
    if (card0 < 0 || card0 >= kCards || card1 < 0 || card1 >= kCards || card0 == card1) {
      throw std::invalid_argument("Kuhn poker deals two different cards out of 0 (jack), 1 (queen), 2 (king)");
    }
    State state;
    state.cards = {static_cast<std::int8_t>(card0), static_cast<std::int8_t>(card1)};
    return state;
  }

  int actor(const State& state) const { return is_over(state) ? kNobody : state.plies & 1; }

  void legal(const State& state, int player, Actions& out) const {
    assert(player == actor(state));
    static_cast<void>(state);
    static_cast<void>(player);
    out.assign({kPass, kBet});
  }

  void apply(State& state, Action action) const {
    assert(!is_over(state) && (action == kPass || action == kBet));
    state.bets = static_cast<std::uint8_t>(state.bets | action << state.plies);
    ++state.plies;
  }

  void payoff(const State& state, std::span<double> out) const {
    assert(is_over(state));
    const int raised = state.bets == 0 ? 0 : 1;
    if (is_shown(state)) {
      out[0] = state.cards[0] > state.cards[1] ? 1.0 + raised : -1.0 - raised;
    } else {
      // The last to act folded.
      const int folder = (state.plies - 1) & 1;
      out[0] = folder == 0 ? -1.0 : 1.0;
    }
    out[1] = -out[0];
  }

  void encode(const State& state, int viewer, std::span<float> out) const {
    assert(static_cast<int>(out.size()) == shape().size());
    std::fill(out.begin(), out.end(), 0.0F);
    const auto own = static_cast<std::size_t>(viewer);
    out[static_cast<std::size_t>(state.cards[own])] = 1.0F;
    if (is_shown(state)) out[3 + static_cast<std::size_t>(state.cards[1 - own])] = 1.0F;
    for (std::size_t i = 0; i < state.plies; ++i) out[((state.bets >> i & 1) != 0 ? 9 : 6) + i] = 1.0F;
    out[12] = viewer == 0 ? 1.0F : 0.0F;
    out[13] = actor(state) == viewer ? 1.0F : 0.0F;
  }

  State redeal(const State& state, int viewer, Rng& rng) const {
    if (is_shown(state)) return state;
    const auto own = static_cast<std::size_t>(viewer);
    const auto step = static_cast<int>(rng.below(kCards - 1)) + 1;
    State dealt = state;
    dealt.cards[1 - own] = static_cast<std::int8_t>((state.cards[own] + step) % kCards);
    return dealt;
  }

  std::uint64_t key(const State& state) const { return pack(state, state.cards[0], state.cards[1]); }

  std::uint64_t view_key(const State& state, int viewer) const {
    const bool shown = is_shown(state);
    return pack(state, shown || viewer == 0 ? state.cards[0] : kCards, shown || viewer == 1 ? state.cards[1] : kCards);
  }

 private:
  static bool is_over(const State& state) {
    if (state.plies < 2) return false;
    // Only a pass answered by a bet leaves the first player to speak again.
    return state.plies == kLongest || state.bets != 0b10;
  }

  // Both passed, or a bet was called.
  static bool is_shown(const State& state) {
    if (!is_over(state)) return false;
    return state.bets == 0 || (state.bets >> (state.plies - 1) & 1) != 0;
  }

  static std::uint64_t pack(const State& state, int card0, int card1) {
    return mix64(static_cast<std::uint64_t>(card0 | card1 << 2 | state.plies << 4 | state.bets << 6));
  }
};

static_assert(Game<KuhnPoker>);

}  // namespace tengen
