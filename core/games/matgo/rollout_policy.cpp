#include "games/matgo/rollout_policy.hpp"

#include <algorithm>
#include <bit>

#include "games/matgo/matgo.hpp"
#include "games/matgo/rollout_weights.hpp"

namespace tengen {

using namespace matgo;

namespace {

constexpr std::array<Cards, 5> kSets{kHong, kCheong, kCho, kGodori, kGwang};
constexpr std::uint8_t kNoSet = 5;

// The set that a card belongs to, if any.
constexpr std::array<std::uint8_t, kMaxCards> kSetOf = [] {
  std::array<std::uint8_t, kMaxCards> sets{};
  for (std::size_t card = 0; card < sets.size(); ++card) {
    sets[card] = kNoSet;
    for (std::uint8_t set = 0; set < kSets.size(); ++set) {
      if ((kSets[set] >> card & 1) != 0) sets[card] = set;
    }
  }
  return sets;
}();

// How many cards of each set a seat has captured, at most 3.
std::array<std::uint8_t, 6> progress(Tally tally) {
  const auto part = [tally](int at) { return static_cast<std::uint8_t>(tally >> at & 3); };
  return {part(kHongAt),
          part(kCheongAt),
          part(kChoAt),
          part(kGodoriAt),
          static_cast<std::uint8_t>(std::min(3, gwang_count(tally))),
          0};
}

int count(Cards cards) { return std::popcount(cards); }

std::size_t in(int value, int maximum) { return static_cast<std::size_t>(std::clamp(value, 0, maximum)); }

// Sets for which one seat lacks one card that the other has not captured.
int one_away(const std::array<std::uint8_t, 6>& own, const std::array<std::uint8_t, 6>& other) {
  int sets = own[4] == 2 && other[4] < 3 ? 1 : 0;
  for (std::size_t set = 0; set < 4; ++set) sets += own[set] == 2 && other[set] == 0 ? 1 : 0;
  return sets;
}

// Cards in the mover's hand that match a floor card.
int takes(const Matgo::State& state) {
  int cards = 0;
  for (Cards rest = state.hand[state.mover]; rest != 0; rest &= rest - 1) {
    const int card = std::countr_zero(rest);
    cards += card < kFirstBonus && (state.floor & month_set(month_of(card))) != 0 ? 1 : 0;
  }
  return cards;
}

// Adds up what speaks for a card.
class Adder {
 public:
  Adder(const Matgo::State& state, const RolloutWeights& weights)
      : state_(state),
        w_(weights),
        mover_(state.mover),
        own_(progress(state.tally[mover_])),
        other_(progress(state.tally[1 - mover_])),
        points_(base_score(state.tally[mover_])),
        pi_(w_[kRolloutPi + in(pi_count(state.tally[mover_]), 15)] +
            w_[kRolloutOtherPi + in(pi_count(state.tally[1 - mover_]), 15)]) {
    const std::size_t stage = kRolloutStage + 4 * in(Matgo::hand_size(state, state.mover), 10);
    const std::size_t near = kRolloutNear + 4 * in(base_score(state.tally[1 - mover_]), 7);
    const std::size_t went = kRolloutWent + 4 * (state.gos[mover_] > 0 ? 1 : state.gos[1 - mover_] > 0 ? 2 : 0);
    for (std::size_t matches = 0; matches < 4; ++matches) {
      now_[matches] = w_[stage + matches] + w_[near + matches] + w_[went + matches];
    }
  }

  float taken(int card) const {
    return w_[kRolloutTaken + static_cast<std::size_t>(card)] + of_set(kRolloutCatch, card) +
           pi_ * static_cast<float>(pi_value(card));
  }

  // The card of the floor that is worth most to take.
  int best_taken(Cards there) const {
    int best = std::countr_zero(there);
    float best_value = taken(best);
    for (there &= there - 1; there != 0; there &= there - 1) {
      const float value = taken(std::countr_zero(there));
      if (value > best_value) best_value = value, best = std::countr_zero(there);
    }
    return best;
  }

  float played(int card) const {
    const int month = month_of(card);
    const Cards family = month_set(month);
    const Cards there = state_.floor & family;
    const auto matches = static_cast<std::size_t>(count(there));
    const auto mine = static_cast<std::size_t>(count(state_.hand[mover_] & family)) - 1;
    const Cards seen = state_.floor | state_.table | state_.captured[0] | state_.captured[1] | state_.hand[mover_];
    const auto unseen = static_cast<std::size_t>(4 - count(seen & family));
    float value = w_[kRolloutCard + 4 * static_cast<std::size_t>(card) + matches] +
                  w_[kRolloutHand + 4 * mine + matches] + now_[matches];
    if (matches == 0)
      return value + of_set(kRolloutLay, card) + w_[kRolloutUnseen + 4 + std::min<std::size_t>(unseen, 3)];
    value += w_[kRolloutUnseen + std::min<std::size_t>(unseen, 3)] + of_set(kRolloutCatch, card) +
             pi_ * static_cast<float>(pi_value(card));
    Cards caught = bit(card);
    if (matches == 3) {
      value += w_[kRolloutPile + (state_.piles[mover_] >> month & 1)];
      caught |= there;
      for (Cards rest = there; rest != 0; rest &= rest - 1) value += taken(std::countr_zero(rest));
    } else {
      const int best = best_taken(there);
      caught |= bit(best);
      value += taken(best);
    }
    const int gained = base_score(state_.tally[mover_] + tally_of_month(caught, month)) - points_;
    return value + w_[kRolloutPoints + static_cast<std::size_t>(std::clamp(gained, 0, 7))];
  }

 private:
  float of_set(std::size_t at, int card) const {
    const std::size_t set = kSetOf[static_cast<std::size_t>(card)];
    if (set == kNoSet) return 0.0F;
    return w_[at + 16 * set + 4 * own_[set] + other_[set]];
  }

  const Matgo::State& state_;
  const RolloutWeights& w_;
  std::size_t mover_;
  std::array<std::uint8_t, 6> own_;
  std::array<std::uint8_t, 6> other_;
  int points_;
  float pi_;                    // what a captured pi is worth now
  std::array<float, 4> now_{};  // what speaks now for a card with so many floor cards of its month
};

}  // namespace

Action Matgo::weighted_action(const State& state, const RolloutWeights& weights, Rng& rng) const {
  switch (state.phase) {
    case kPlay:
      return weighted_play(state, weights);
    case kMatchHand:
    case kMatchFlip:
      return kTake + Adder(state, weights).best_taken(floor_choices(state));
    case kGoStop:
      return weighted_goes(state, weights) ? kGo : kStop;
    default:
      return greedy_action(state, rng);
  }
}

bool Matgo::weighted_goes(const State& state, const RolloutWeights& weights) const {
  const std::size_t mover = state.mover;
  const Tally own = state.tally[mover];
  const Tally other = state.tally[1 - mover];
  const auto mine = progress(own);
  const auto theirs = progress(other);
  const auto times = static_cast<std::uint64_t>(multipliers(state, state.mover, true).product);
  const float value =
      weights[kRolloutGo + 11 * in(base(state, 1 - state.mover), 7) + in(hand_size(state, state.mover), 10)] +
      weights[kRolloutGos + in(state.gos[mover], 5)] +
      weights[kRolloutLead + in(base(state, state.mover) - settings_.go_min, 7)] +
      weights[kRolloutThreats + in(one_away(theirs, mine), 5)] +
      weights[kRolloutHopes + in(one_away(mine, theirs), 5)] +
      weights[kRolloutTimes + in(static_cast<int>(std::bit_width(times)) - 1, 5)] +
      weights[kRolloutGoPi + in(pi_count(own), 15)] + weights[kRolloutGoOtherPi + in(pi_count(other), 15)] +
      weights[kRolloutGoYeol + in(yeol_count(other), 7)] + weights[kRolloutGoRibbons + in(ribbon_count(other), 7)] +
      weights[kRolloutGoTakes + in(takes(state), 5)];
  return value > 0.0F;
}

Action Matgo::weighted_play(const State& state, const RolloutWeights& weights) const {
  const Choices open = choices(state);
  const Adder adder(state, weights);
  Action best = kDummy;
  float best_value = open.dummy ? weights[kRolloutDummy] : -1e9F;
  const auto offer = [&](Action action, float value) {
    if (value > best_value) best_value = value, best = action;
  };
  for (Cards rest = open.bombs; rest != 0; rest &= rest - 1) {
    const int month = month_of(std::countr_zero(rest));
    const Cards mine = state.hand[state.mover] & month_set(month);
    offer(kBomb + month, weights[kRolloutBomb] + adder.played(std::countr_zero(mine)));
  }
  for (Cards rest = open.cards; rest != 0; rest &= rest - 1) {
    const int card = std::countr_zero(rest);
    if (card >= kFirstBonus) {
      offer(card_action(card), weights[kRolloutBonus]);
      continue;
    }
    const float value = adder.played(card);
    offer(card, value);
    if ((open.shakes >> card & 1) != 0) offer(kShake + card, value + weights[kRolloutShake]);
  }
  return best;
}

Action Matgo::rollout_action(const State& state, int, int policy, Rng& rng) const {
  return policy == kGreedy ? greedy_action(state, rng) : weighted_action(state, kRolloutWeights, rng);
}

Matgo::Match Matgo::match(const RolloutWeights& first, const RolloutWeights& second, std::uint64_t seed,
                          std::uint64_t deals, double payoff_cap) const {
  Rng rng(seed);
  Match sums;
  for (std::uint64_t deal = 0; deal < deals; ++deal) {
    const State start = this->start(rng);
    for (int seat = 0; seat < 2; ++seat) {
      State state = start;
      while (state.phase != kOver) apply(state, weighted_action(state, state.mover == seat ? first : second, rng));
      const auto net = static_cast<double>(state.net);
      sums.payoff += std::clamp(seat == 0 ? net : -net, -payoff_cap, payoff_cap);
      for (int player = 0; player < 2; ++player) {
        const int its = player == 0 ? seat : 1 - seat;
        sums.risks[at(player)] += penalty(state, state, its);
        sums.gos[at(player)] += state.gos[at(its)];
      }
    }
  }
  return sums;
}

}  // namespace tengen
