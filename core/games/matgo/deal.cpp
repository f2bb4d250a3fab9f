#include <algorithm>
#include <numeric>
#include <string>

#include "games/matgo/matgo.hpp"
#include "games/matgo/require.hpp"

// The deal, the actions that it leaves open, and the start of a turn.
namespace tengen {

using namespace matgo;

namespace {

void require_range(int value, int low, int high, const char* name) {
  require(value >= low && value <= high, std::string(name) + " is " + std::to_string(value) + ", not " +
                                             std::to_string(low) + " to " + std::to_string(high));
}

// The index-th card of a set.
int pick(Cards cards, std::uint32_t index) {
  for (; index > 0; --index) cards &= cards - 1;
  return std::countr_zero(cards);
}

}  // namespace

Matgo::Matgo(const MatgoSettings& settings) : settings_(settings) {
  const MatgoSettings& s = settings_;
  require(s.bonus_cards == 0 || s.bonus_cards == 2 || s.bonus_cards == 3,
          "bonus_cards is " + std::to_string(s.bonus_cards) + ", not 0, 2 or 3");
  require_range(s.bonus_steal, 0, 5, "bonus_steal");
  require_range(s.president_points, 0, 100, "president_points");
  require_range(s.president_hold_mult, 1, 16, "president_hold_mult");
  require_range(s.first_ppuk_points, 0, 100, "first_ppuk_points");
  require_range(s.three_ppuk_points, 0, 100, "three_ppuk_points");
  require_range(s.eat_pile, 0, 5, "eat_pile");
  require_range(s.self_ppuk_eat, 0, 5, "self_ppuk_eat");
  require_range(s.first_ddadak_points, 0, 100, "first_ddadak_points");
  require_range(s.go_min, 1, 50, "go_min");
  require_range(s.pi_bak_max, 0, 9, "pi_bak_max");
  require_range(s.exhaustion_min, 0, 50, "exhaustion_min");
  require_range(s.gold_per_point, 1, 1'000'000, "gold_per_point");
}

Matgo::State Matgo::start(Rng& rng) const {
  std::array<int, kMaxCards> deck{};
  const auto size = static_cast<std::size_t>(deck_size());
  std::iota(deck.begin(), deck.end(), 0);
  for (std::size_t i = size - 1; i > 0; --i) std::swap(deck[i], deck[rng.below(static_cast<std::uint32_t>(i + 1))]);
  const auto starter = static_cast<int>(rng.below(2));
  return deal({deck.data(), size}, starter, 1, {kUnlimited, kUnlimited});
}

Matgo::State Matgo::start_with(std::span<const int> deck, int starter, std::int32_t carry,
                               std::array<std::int64_t, 2> funds) const {
  const int size = deck_size();
  require(static_cast<int>(deck.size()) == size,
          "the deck has " + std::to_string(deck.size()) + " cards, not " + std::to_string(size));
  Cards seen = 0;
  for (const int card : deck) {
    require(card >= 0 && card < size,
            "the deck holds " + std::to_string(card) + ": cards are 0 to " + std::to_string(size - 1));
    require((seen & bit(card)) == 0, "the deck holds card " + std::to_string(card) + " twice");
    seen |= bit(card);
  }
  require_range(starter, 0, 1, "starter");
  require_range(carry, 1, kMaxCarry, "carry");
  for (const auto gold : funds) {
    require(gold == kUnlimited || (gold >= 0 && gold <= kUnlimited / 4), "a seat's gold must not be below 0 or absurd");
  }
  return deal(deck, starter, carry, funds);
}

Matgo::State Matgo::deal(std::span<const int> deck, int starter, std::int32_t carry,
                         std::array<std::int64_t, 2> funds) const {
  State state;
  for (int i = 0; i < kTurns; ++i) state.dealt[0] |= bit(deck[at(i)]);
  for (int i = kTurns; i < 2 * kTurns; ++i) state.dealt[1] |= bit(deck[at(i)]);
  for (int i = 2 * kTurns; i < 2 * kTurns + kFloorCards; ++i) state.floor |= bit(deck[at(i)]);
  for (const int card : deck.subspan(2 * kTurns + kFloorCards)) {
    state.stock[state.stock_size++] = static_cast<std::uint8_t>(card);
  }
  state.hand = state.dealt;
  state.starter = static_cast<std::uint8_t>(starter);
  state.mover = state.starter;
  state.carry = carry;
  state.funds = funds;
  open(state);
  return state;
}

std::vector<int> Matgo::deck(const State& state) const {
  std::vector<int> cards;
  Cards floor = bit(deck_size()) - 1;
  const auto add = [&](Cards set) {
    floor &= ~set;
    for (; set != 0; set &= set - 1) cards.push_back(std::countr_zero(set));
  };
  add(state.dealt[0]);
  add(state.dealt[1]);
  for (int i = 0; i < state.stock_size; ++i) floor &= ~bit(state.stock[at(i)]);
  add(floor);
  cards.insert(cards.end(), state.stock.begin(), state.stock.begin() + state.stock_size);
  return cards;
}

void Matgo::open(State& state) const {
  const std::size_t starter = state.starter;
  while ((state.floor & kBonusCards) != 0) {
    Cards bonus = state.floor & kBonusCards;
    state.floor ^= bonus;
    for (; bonus != 0; bonus &= bonus - 1) {
      const int card = std::countr_zero(bonus);
      state.captured[starter] |= bit(card);
      state.tally[starter] += tally_of(card);
      state.floor |= bit(state.stock[state.stock_next++]);
    }
  }
  if (full_months(state.floor) != 0) {
    if (!settings_.floor_four_wins) return finish(state, kDrawn, kByFloorFour);
    const std::int64_t carry = settings_.floor_four_carry ? state.carry : 1;
    pay(state, state.starter, settings_.president_points * carry);
    return finish(state, state.starter, kByFloorFour);
  }
  if (settings_.president_choice) return begin_turn(state);
  for (const std::size_t seat : {starter, 1 - starter}) {
    state.checked[seat] = 1;
    const Cards four = full_months(state.hand[seat]);
    if (four == 0) continue;
    state.declared[seat] = static_cast<std::uint16_t>(month_bits(four));
    state.shown[seat] |= whole_months(four);
    pay(state, static_cast<int>(seat), std::int64_t{settings_.president_points} * state.carry);
    return finish(state, static_cast<int>(seat), kByPresident);
  }
  begin_turn(state);
}

void Matgo::begin_turn(State& state) const {
  const std::size_t p = state.mover;
  // A bomb leaves fewer cards than turns.
  const int due = kTurns - state.turns[p] - state.cards[p];
  if (state.dummies[p] < due) state.dummies[p] = static_cast<std::uint8_t>(due);
  state.phase = kPlay;
  if (state.checked[p] != 0) return;
  state.checked[p] = 1;
  const Cards four = full_months(state.hand[p]);
  if (four == 0) return;
  state.declared[p] = static_cast<std::uint16_t>(month_bits(four));
  state.shown[p] |= whole_months(four);
  state.phase = kPresident;
}

Matgo::Choices Matgo::choices(const State& state) const {
  const std::size_t p = state.mover;
  Choices result{state.hand[p], 0, 0, state.dummies[p] > 0};
  const Cards three = at_least_three(state.hand[p]);
  if (three != 0) {
    const Cards there = at_least_one(state.floor);
    result.bombs = three & there;
    for (Cards rest = three & ~there; rest != 0; rest &= rest - 1) {
      const int first = std::countr_zero(rest);
      if ((state.shaken[p] >> month_of(first) & 1) == 0) result.shakes |= bit(first);
    }
    result.shakes = whole_months(result.shakes) & state.hand[p];
  }
  if (settings_.two_card_bomb) result.bombs |= at_least_two(state.hand[p]) & at_least_two(state.floor);
  return result;
}

Matgo::Cards Matgo::floor_choices(const State& state) const {
  const int card = state.phase == kMatchHand ? state.hand_card : state.flipped;
  return state.floor & month_set(month_of(card));
}

void Matgo::legal(const State& state, int player, Actions& out) const {
  assert(player == actor(state));
  static_cast<void>(player);
  out.clear();
  const auto add = [&out](Cards cards, Action first, int step) {
    for (; cards != 0; cards &= cards - 1) out.push_back(first + std::countr_zero(cards) / step);
  };
  switch (state.phase) {
    case kPlay: {
      const Choices open = choices(state);
      add(open.cards & (bit(kDummy) - 1), 0, 1);
      if (open.dummy) out.push_back(kDummy);
      add(open.bombs, kBomb, 4);
      add(open.shakes, kShake, 1);
      if ((open.cards >> (kFirstBonus + 2) & 1) != 0) out.push_back(kThirdBonus);
      return;
    }
    case kMatchHand:
    case kMatchFlip:
      return add(floor_choices(state), kTake, 1);
    case kGoStop:
      return out.assign({kGo, kStop});
    case kPresident:
      return out.assign({kPresidentStop, kPresidentHold});
    case kGukjin:
      return out.assign({kGukjinYeol, kGukjinPi});
    case kOver:
      return;
  }
}

Action Matgo::random_action(const State& state, int, Rng& rng) const {
  switch (state.phase) {
    case kPlay: {
      const Choices open = choices(state);
      const std::uint32_t cards = state.cards[state.mover];
      const std::uint32_t plain = cards + (open.dummy ? 1U : 0U);
      std::uint32_t count = plain;
      if ((open.bombs | open.shakes) != 0) {
        count += static_cast<std::uint32_t>(std::popcount(open.bombs) + std::popcount(open.shakes));
      }
      std::uint32_t index = rng.below(count);
      if (index < cards) return card_action(pick(open.cards, index));
      if (index < plain) return kDummy;
      index -= plain;
      const auto bombs = static_cast<std::uint32_t>(std::popcount(open.bombs));
      if (index < bombs) return kBomb + month_of(pick(open.bombs, index));
      return kShake + pick(open.shakes, index - bombs);
    }
    case kMatchHand:
    case kMatchFlip:
      return kTake + pick(floor_choices(state), rng.below(2));
    case kGoStop:
      return kGo + static_cast<Action>(rng.below(2));
    case kPresident:
      return kPresidentStop + static_cast<Action>(rng.below(2));
    default:
      return kGukjinYeol + static_cast<Action>(rng.below(2));
  }
}

}  // namespace tengen
