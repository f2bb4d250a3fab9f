#include <algorithm>
#include <bit>

#include "games/matgo/matgo.hpp"

// A simple player. It looks at its own hand, the floor and what is captured, and one card ahead.
namespace tengen {

using namespace matgo;

namespace {

// What a card is worth to take, in fourths of a point.
constexpr int worth_of(int card) {
  const auto in = [card](Cards set) { return (set >> card & 1) != 0; };
  if (in(kGwang)) return card == kRainGwang ? 7 : 9;
  if (in(kYeol)) return in(kGodori) || card == kGukjinCard ? 6 : 3;
  if (in(kRibbons)) return in(kHong | kCheong | kCho) ? 5 : 3;
  return 3 * pi_value(card);
}

constexpr int kPointWorth = 6;
constexpr int kStealWorth = 4;
// To go on: at most so many points of the opponent, at least so many turns.
constexpr int kSafeBase = 2;
constexpr int kSafeTurns = 3;

// By a set of one month's cards.
struct Some {
  std::int8_t count;
  std::int8_t worth;
  std::uint8_t best;  // the set of the card worth most
};

using Month = std::array<Some, 16>;

constexpr std::array<Month, kMonths> kSome = [] {
  std::array<Month, kMonths> all{};
  for (std::size_t month = 0; month < kMonths; ++month) {
    for (std::size_t set = 1; set < 16; ++set) {
      Some& some = all[month][set];
      int best_value = -1;
      for (std::size_t k = 0; k < 4; ++k) {
        if ((set >> k & 1) == 0) continue;
        const int worth = worth_of(static_cast<int>(4 * month + k));
        ++some.count;
        some.worth = static_cast<std::int8_t>(some.worth + worth);
        if (worth > best_value) some.best = static_cast<std::uint8_t>(1U << k);
        best_value = std::max(best_value, worth);
      }
    }
  }
  return all;
}();

constexpr std::size_t part(Cards cards, int month) { return cards >> (4 * month) & 15; }

}  // namespace

Action Matgo::greedy_action(const State& state, Rng& rng) const {
  switch (state.phase) {
    case kPlay:
      return greedy_play(state);
    case kMatchHand:
    case kMatchFlip:
      return greedy_take(state);
    case kGoStop: {
      // Another go pays if the opponent is far from an answer and there is time.
      const bool is_safe = base(state, 1 - state.mover) <= kSafeBase && hand_size(state, state.mover) >= kSafeTurns;
      return is_safe ? kGo : kStop;
    }
    case kPresident:
      return kPresidentStop;
    case kGukjin: {
      const int yeol = base_score(reading(state, state.mover, false));
      return base_score(reading(state, state.mover, true)) >= yeol ? kGukjinPi : kGukjinYeol;
    }
    case kOver:
      break;
  }
  return random_action(state, state.mover, rng);
}

Action Matgo::greedy_take(const State& state) const {
  const Cards there = floor_choices(state);
  const int month = month_of(std::countr_zero(there));
  const unsigned best = kSome[at(month)][part(there, month)].best;
  return kTake + 4 * month + std::countr_zero(best);
}

Action Matgo::greedy_play(const State& state) const {
  const Choices open = choices(state);
  if ((open.cards & kBonusCards) != 0) return card_action(std::countr_zero(open.cards & kBonusCards));
  if (open.bombs != 0) return kBomb + month_of(std::countr_zero(open.bombs));
  const Tally before = state.tally[state.mover];
  const int points = base_score(before);
  Action best = kDummy;
  int best_value = open.dummy ? -1 : -1000;
  for (Cards rest = open.cards; rest != 0; rest &= rest - 1) {
    const int card = std::countr_zero(rest);
    const int month = month_of(card);
    const Month& some = kSome[at(month)];
    const std::size_t there = part(state.floor, month);
    const std::size_t own = std::size_t{1} << (card & 3);
    int value = 0;
    if (there == 0) {
      // What is laid down may be taken by the opponent, less likely so if its other cards are in this hand.
      value = 2 * some[part(state.hand[state.mover], month)].count - some[own].worth - 8;
    } else {
      const bool is_pile = some[there].count == 3;
      const std::size_t taken = own | (is_pile ? there : some[there].best);
      const Tally after = before + kTallies[at(month)][taken];
      value = some[taken].worth + kPointWorth * (base_score(after) - points) + (is_pile ? kStealWorth : 0);
    }
    if (value > best_value) {
      best_value = value;
      best = card;
    }
  }
  if (best != kDummy && (open.shakes >> best & 1) != 0) return kShake + best;
  return best;
}

}  // namespace tengen
