#include <bit>
#include <cassert>

#include "games/matgo/matgo.hpp"

// A turn: a card from the hand, a card from the stock, what they take, and the questions that follow.
namespace tengen {

using namespace matgo;

namespace {

constexpr std::array<std::uint8_t, 16> kCount{0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

int count_of_month(Cards cards, int month) { return kCount[cards >> (4 * month) & 15]; }

int lowest(Cards cards) { return std::countr_zero(cards); }

// Of two floor cards of one kind: the one worth more, else the first.
Cards better_of(Cards two) {
  const Cards first = two & -two;
  const Cards second = two ^ first;
  return pi_value(lowest(second)) > pi_value(lowest(first)) ? second : first;
}

void add_steals(Matgo::State& state, int count) { state.steals = static_cast<std::uint8_t>(state.steals + count); }

}  // namespace

void Matgo::apply(State& state, Action action) const {
  assert(state.phase != kOver && action >= 0 && action < action_count());
  switch (state.phase) {
    case kPlay:
      return play(state, action);
    case kMatchHand:
      return take_with_hand(state, bit(action - kTake));
    case kMatchFlip:
      if (!settings_.flip_choice_keeps_hand_event) add_steals(state, -state.hand_eat);
      return flip_takes(state, bit(action - kTake));
    case kGoStop:
      if (action == kStop) return stop(state);
      ++state.gos[state.mover];
      state.last_go_base[state.mover] = static_cast<std::uint8_t>(base(state, state.mover));
      return go_on(state);
    case kPresident:
      if (action == kPresidentStop) {
        pay(state, state.mover, std::int64_t{settings_.president_points} * state.carry);
        return finish(state, state.mover, kByPresident);
      }
      state.held[state.mover] = 1;
      state.phase = kPlay;
      return;
    case kGukjin:
      if (action == kGukjinPi && state.gukjin != kAsPi) state.tally[state.mover] += kGukjinAsPi;
      if (action == kGukjinYeol && state.gukjin == kAsPi) state.tally[state.mover] -= kGukjinAsPi;
      state.gukjin = action == kGukjinPi ? kAsPi : kAsYeol;
      return settle(state, true);
    case kOver:
      return;
  }
}

void Matgo::clear_turn(State& state) {
  state.table = 0;
  state.hand_card = kNoCard;
  state.flipped = kNoCard;
  state.matches = 0;
  state.steals = 0;
  state.hand_eat = 0;
  state.took = 0;
  state.last_hand = 0;
  state.paid_ppuk = 0;
}

void Matgo::play(State& state, Action action) const {
  state.last_hand = hand_size(state, state.mover) == 1 ? 1 : 0;
  if (action == kDummy) {
    --state.dummies[state.mover];
    return flip(state);
  }
  if (action == kThirdBonus) return play_bonus(state, kFirstBonus + 2);
  if (action < kDummy) return action < kFirstBonus ? play_card(state, action) : play_bonus(state, action);
  if (action < kShake) return play_bomb(state, action - kBomb);
  const int card = action - kShake;
  state.shaken[state.mover] = static_cast<std::uint16_t>(state.shaken[state.mover] | 1U << month_of(card));
  state.shown[state.mover] |= state.hand[state.mover] & month_set(month_of(card));
  play_card(state, card);
}

void Matgo::play_card(State& state, int card) const {
  const std::size_t p = state.mover;
  state.hand[p] ^= bit(card);
  state.shown[p] &= ~bit(card);
  state.played[p] |= bit(card);
  --state.cards[p];
  const int month = month_of(card);
  const Cards there = state.floor & month_set(month);
  state.hand_card = static_cast<std::uint8_t>(card);
  state.matches = static_cast<std::uint8_t>(count_of_month(state.floor, month));
  switch (state.matches) {
    case 0:
      state.floor |= bit(card);
      return flip(state);
    case 1:
      // Not taken before the flip: a third card of the month would leave all three.
      state.floor ^= there;
      state.table = there | bit(card);
      return flip(state);
    case 2:
      state.table = bit(card);
      if (settings_.ask_same_kind || !are_one_kind(there)) {
        state.phase = kMatchHand;
        return;
      }
      return take_with_hand(state, better_of(there));
    default:
      capture(state, there | bit(card), month);
      eat_pile(state, month, true);
      return flip(state);
  }
}

void Matgo::take_with_hand(State& state, Cards taken) const {
  const Cards both = taken | state.table;
  state.table = 0;
  capture(state, both, month_of(lowest(both)));
  flip(state);
}

void Matgo::play_bonus(State& state, int card) const {
  const std::size_t p = state.mover;
  state.hand[p] ^= bit(card);
  state.played[p] |= bit(card);
  --state.cards[p];
  state.captured[p] |= bit(card);
  state.tally[p] += tally_of(card);
  if (state.last_hand == 0) steal(state, settings_.bonus_steal);
  clear_turn(state);
  if (state.stock_next == state.stock_size) return;
  const std::size_t draw = state.draws++;
  state.draw_seat[draw] = state.mover;
  state.draw_at[draw] = state.stock_next;
  state.draw_played[draw] = state.played[p];
  state.draw_shown[draw] = state.shown[p];
  state.hand[p] |= bit(state.stock[state.stock_next++]);
  ++state.cards[p];
  const Cards four = full_months(state.hand[p]);
  state.draw_declared[draw] = static_cast<std::uint16_t>(month_bits(four));
  state.shown[p] |= whole_months(four);
  if (four != 0) state.phase = kPresident;
}

// Three of a month with the fourth on the floor; with two_card_bomb also two and two, which doubles nothing.
void Matgo::play_bomb(State& state, int month) const {
  const std::size_t p = state.mover;
  const Cards own = state.hand[p] & month_set(month);
  const int count = count_of_month(own, month);
  state.hand[p] ^= own;
  state.shown[p] &= ~own;
  state.played[p] |= own;
  state.cards[p] = static_cast<std::uint8_t>(state.cards[p] - count);
  if (count == 3) ++state.bombs[p];
  state.last_hand = settings_.bomb_last_hand && hand_size(state, state.mover) == 0 ? 1 : 0;
  capture(state, own | (state.floor & month_set(month)), month);
  add_steals(state, 1);
  flip(state);
}

// The month's four cards are already captured.
void Matgo::eat_pile(State& state, int month, bool by_hand) const {
  if (settings_.eat_next_capture) {
    if (by_hand && state.paid_ppuk == 0) {
      add_steals(state, settings_.eat_pile);
      state.hand_eat = state.steals;
    }
  } else {
    const bool is_own = (state.piles[state.mover] >> month & 1) != 0;
    add_steals(state, is_own ? settings_.self_ppuk_eat : settings_.eat_pile);
    if (by_hand) state.hand_eat = state.steals;
  }
  const auto others = static_cast<std::uint16_t>(~(1U << month));
  state.piles[0] &= others;
  state.piles[1] &= others;
  for (std::size_t i = 0; i < state.bonus_month.size(); ++i) {
    if (state.bonus_month[i] != month) continue;
    state.bonus_month[i] = kNoCard;
    capture(state, bit(kFirstBonus + static_cast<int>(i)), kMonths);
    add_steals(state, settings_.bonus_steal);
  }
}

void Matgo::flip(State& state) const {
  Cards bonus = 0;
  state.flipped = kNoCard;
  while (state.stock_next < state.stock_size) {
    const std::uint8_t card = state.stock[state.stock_next++];
    if (card < kFirstBonus) {
      state.flipped = card;
      break;
    }
    bonus |= bit(card);
  }
  const bool has_card = state.flipped != kNoCard;
  const int month = has_card ? month_of(state.flipped) : 0;
  const Cards there = has_card ? state.floor & month_set(month) : 0;
  if (state.table != 0) {
    const int own_month = month_of(state.hand_card);
    if (has_card && own_month == month && state.last_hand == 0) {
      state.table |= bonus;
      return ppuk(state);
    }
    const Cards pair = state.table;
    state.table = 0;
    capture(state, pair, own_month);
  }
  state.table = bonus;
  if (there == 0) {
    if (has_card) state.floor |= bit(state.flipped);
    return end_flip(state);
  }
  switch (count_of_month(there, month)) {
    case 1:
      return flip_takes(state, there);
    case 2:
      if (settings_.ask_same_kind || !are_one_kind(there)) {
        state.table |= bit(state.flipped);
        state.phase = kMatchFlip;
        return;
      }
      return flip_takes(state, better_of(there));
    default:
      capture(state, there | bit(state.flipped), month);
      eat_pile(state, month, false);
      return end_flip(state);
  }
}

void Matgo::flip_takes(State& state, Cards taken) const {
  const int month = month_of(state.flipped);
  state.table &= ~bit(state.flipped);
  if (state.hand_card != kNoCard && month_of(state.hand_card) == month) {
    // A pair with the card just played, or with the one that it left.
    add_steals(state, 1);
    const bool is_ddadak = state.matches == 2;
    if (is_ddadak && state.turns[state.mover] == 0 && state.last_hand == 0) {
      pay(state, state.mover, settings_.first_ddadak_points);
    }
  }
  capture(state, taken | bit(state.flipped), month);
  end_flip(state);
}

void Matgo::ppuk(State& state) const {
  const std::size_t p = state.mover;
  const int month = month_of(state.flipped);
  for (std::size_t i = 0; i < state.bonus_month.size(); ++i) {
    const bool is_held = (state.table >> (kFirstBonus + static_cast<int>(i)) & 1) != 0;
    if (is_held && !settings_.bonus_stuck) state.bonus_month[i] = static_cast<std::uint8_t>(month);
  }
  state.floor |= state.table | bit(state.flipped);
  state.piles[p] = static_cast<std::uint16_t>(state.piles[p] | 1U << month);
  state.ppuk_unpaid[p] = settings_.eat_next_capture ? 1 : 0;
  if (state.streak[p] == state.turns[p]) {
    ++state.streak[p];
    pay(state, state.mover, std::int64_t{settings_.first_ppuk_points} * state.streak[p]);
  }
  if (++state.ppuks[p] == 3) {
    pay(state, state.mover, std::int64_t{settings_.three_ppuk_points} * state.carry);
    return finish(state, state.mover, kByThreePpuks);
  }
  end_turn(state);
}

// What is left on the table are bonus cards from the stock.
void Matgo::end_flip(State& state) const {
  if (state.table != 0) {
    for (Cards rest = state.table; rest != 0; rest &= rest - 1) add_steals(state, settings_.bonus_steal);
    capture(state, state.table, kMonths);
  }
  end_turn(state);
}

void Matgo::end_turn(State& state) const {
  if (state.floor == 0 && state.took != 0) add_steals(state, 1);
  if (state.last_hand == 0) steal(state, state.steals);
  ++state.turns[state.mover];
  clear_turn(state);
  settle(state, false);
}

void Matgo::capture(State& state, Cards cards, int month) const {
  state.captured[state.mover] |= cards;
  state.tally[state.mover] += tally_of_month(cards, month);
  state.floor &= ~cards;
  state.took = 1;
  if (settings_.eat_next_capture) pay_unpaid_ppuks(state);
}

void Matgo::pay_unpaid_ppuks(State& state) const {
  for (std::size_t seat = 0; seat < state.ppuk_unpaid.size(); ++seat) {
    if (state.ppuk_unpaid[seat] == 0) continue;
    state.ppuk_unpaid[seat] = 0;
    state.streak[seat] = 0;
    state.paid_ppuk = 1;
    add_steals(state, 1);
  }
}

void Matgo::steal(State& state, int count) const {
  const std::size_t to = state.mover;
  const std::size_t from = 1 - to;
  for (; count > 0; --count) {
    Cards pool = state.captured[from] & kSinglePi;
    if (pool == 0) pool = state.captured[from] & kDoublePi;
    if (pool == 0 && state.gukjin == kAsPi) pool = state.captured[from] & bit(kGukjinCard);
    if (pool == 0) pool = state.captured[from] & kTriplePi;
    if (pool == 0) return;
    const int card = lowest(pool);
    const Tally worth = tally_of(card) + (card == kGukjinCard ? kGukjinAsPi : 0);
    state.captured[from] ^= bit(card);
    state.captured[to] |= bit(card);
    state.tally[from] -= worth;
    state.tally[to] += worth;
  }
}

}  // namespace tengen
