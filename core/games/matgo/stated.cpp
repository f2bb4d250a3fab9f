#include <bit>
#include <stdexcept>
#include <string>

#include "games/matgo/matgo.hpp"

// Positions that were not dealt but described, by what one seat sees.
namespace tengen {

using namespace matgo;

namespace {

void require(bool holds, const std::string& text) {
  if (!holds) throw std::invalid_argument(text);
}

// Numbers that a state keeps in a byte or two, checked.
template <class T>
void copy(std::array<T, 2>& to, const std::array<int, 2>& from, int most, const char* name) {
  for (std::size_t seat = 0; seat < 2; ++seat) {
    require(from[seat] >= 0 && from[seat] <= most,
            std::string(name) + " is " + std::to_string(from[seat]) + " and must be from 0 to " + std::to_string(most));
    to[seat] = static_cast<T>(from[seat]);
  }
}

}  // namespace

void Matgo::check(const Stated& stated) const {
  for (const int seat : {stated.viewer, stated.starter, stated.mover}) require(seat == 0 || seat == 1, "no such seat");
  require(stated.gukjin >= kUndecided && stated.gukjin <= kAsPi, "gukjin is undecided, yeol or pi");
  require(stated.carry >= 1 && stated.carry <= kMostCarry, "carry must be from 1 to " + std::to_string(kMostCarry));
  for (const auto gold : stated.funds) require(gold >= 0 && gold <= kUnlimited, "a seat's gold must not be below 0");
  Cards named = stated.floor;
  for (const auto& sets : {stated.hand, stated.captured, stated.shown, stated.played}) named |= sets[0] | sets[1];
  require(stated.stock.size() <= kMostStock, "too many cards are in stock");
  for (const int card : stated.stock) require(card >= 0 && card < deck_size(), "the deck has no such card");
  require(named < bit(deck_size()), "the deck has no such card");
}

Matgo::State Matgo::compose(const Stated& stated) const {
  check(stated);
  State state;
  state.stated_by = static_cast<std::uint8_t>(1 + stated.viewer);
  state.starter = static_cast<std::uint8_t>(stated.starter);
  state.mover = static_cast<std::uint8_t>(stated.mover);
  state.phase = static_cast<Phase>(stated.phase);
  state.gukjin = static_cast<Reading>(stated.gukjin);
  state.carry = stated.carry;
  state.funds = stated.funds;
  state.hand = stated.hand;
  state.captured = stated.captured;
  state.shown = stated.shown;
  state.played = stated.played;
  state.floor = stated.floor;
  for (const int card : stated.stock) state.stock[state.stock_size++] = static_cast<std::uint8_t>(card);
  copy(state.turns, stated.turns, kTurns, "a number of turns");
  copy(state.gos, stated.gos, kTurns, "a number of gos");
  copy(state.last_go_base, stated.last_go_base, 100, "points at a go");
  copy(state.ppuks, stated.ppuks, 2, "a number of ppuks");
  copy(state.bombs, stated.bombs, 3, "a number of bombs");
  copy(state.shaken, stated.shaken, (1 << kMonths) - 1, "a set of months");
  copy(state.piles, stated.piles, (1 << kMonths) - 1, "a set of months");
  copy(state.held, stated.held, 1, "held");
  for (std::size_t i = 0; i < state.bonus_month.size(); ++i) {
    const bool lies = (stated.floor >> (kFirstBonus + static_cast<int>(i)) & 1) != 0;
    if (!lies || settings_.bonus_stuck) continue;
    require(stated.bonus_month >= 0 && stated.bonus_month < kMonths, "a bonus card lies on the floor with no pile");
    state.bonus_month[i] = static_cast<std::uint8_t>(stated.bonus_month);
  }
  for (int seat = 0; seat < 2; ++seat) derive(state, seat, seat == stated.viewer);
  check_question(state);
  require(is_sound(state), "the cards do not add up");
  return state;
}

// What a seat's cards and turns say.
void Matgo::derive(State& state, int seat, bool is_viewer) const {
  const std::size_t s = at(seat);
  state.dealt[s] = state.hand[s] | state.played[s];
  state.checked[s] = state.turns[s] > 0 || state.mover == seat || !settings_.president_choice ? 1 : 0;
  // Whoever had four of a month was asked and has shown them.
  const Cards known = is_viewer ? state.dealt[s] : state.shown[s] | state.played[s];
  if (state.checked[s] != 0) state.declared[s] = static_cast<std::uint16_t>(month_bits(full_months(known)));
  state.cards[s] = static_cast<std::uint8_t>(std::popcount(state.hand[s]));
  const int due = kTurns - state.turns[s] - state.cards[s];
  require(due >= 0, "a seat has more cards than turns left");
  state.dummies[s] = static_cast<std::uint8_t>(due);
  // Under eat_next_capture a stated ppuk counts as eaten.
  state.streak[s] = state.ppuks[s] == state.turns[s] && !settings_.eat_next_capture ? state.ppuks[s] : 0;
  for (Cards rest = state.captured[s]; rest != 0; rest &= rest - 1) state.tally[s] += tally_of(std::countr_zero(rest));
  const bool has_gukjin = (state.captured[s] >> kGukjinCard & 1) != 0;
  if (has_gukjin && state.gukjin == kAsPi) state.tally[s] += kGukjinAsPi;
}

void Matgo::check_question(const State& state) const {
  const int points = base(state, state.mover);
  const bool has_cards = hand_size(state, state.mover) > 0;
  const bool owns_gukjin = (state.captured[state.mover] >> kGukjinCard & 1) != 0;
  switch (state.phase) {
    case kPlay:
      return require(has_cards, "who is to play has no card and no dummy");
    case kPresident:
      return require(full_months(state.hand[state.mover]) != 0,
                     "four of a month are asked about, but no hand has them");
    case kGoStop:
      return require(has_cards && can_go(state, state.mover, points),
                     "go or stop is not asked with " + std::to_string(points) + " points");
    case kGukjin:
      return require(owns_gukjin && gukjin_matters(state),
                     "gukjin is not asked about: it is not captured, or it makes no difference");
    default:
      throw std::invalid_argument("no such question");
  }
}

}  // namespace tengen
