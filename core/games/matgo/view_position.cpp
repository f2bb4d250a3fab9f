#include <bit>
#include <stdexcept>
#include <string>

#include "games/matgo/matgo.hpp"
#include "games/matgo/require.hpp"

// Positions that were not dealt but described, by what one seat sees.
namespace tengen {

using namespace matgo;

namespace {

// Numbers that a state keeps in a byte or two, checked.
template <class T>
void copy(std::array<T, 2>& to, const std::array<int, 2>& from, int maximum, const char* name) {
  for (std::size_t seat = 0; seat < 2; ++seat) {
    require(from[seat] >= 0 && from[seat] <= maximum, std::string(name) + " is " + std::to_string(from[seat]) +
                                                          " and must be from 0 to " + std::to_string(maximum));
    to[seat] = static_cast<T>(from[seat]);
  }
}

}  // namespace

void Matgo::check(const ViewPosition& given) const {
  for (const int seat : {given.viewer, given.starter, given.mover}) require(seat == 0 || seat == 1, "no such seat");
  require(given.gukjin >= kUndecided && given.gukjin <= kAsPi, "gukjin is undecided, yeol or pi");
  require(given.carry >= 1 && given.carry <= kMaxCarry, "carry must be from 1 to " + std::to_string(kMaxCarry));
  for (const auto gold : given.funds) require(gold >= 0 && gold <= kUnlimited, "a seat's gold must not be below 0");
  Cards named = given.floor;
  for (const auto& sets : {given.hand, given.captured, given.shown, given.played}) named |= sets[0] | sets[1];
  require(given.stock.size() <= kMaxStock, "too many cards are in stock");
  for (const int card : given.stock) require(card >= 0 && card < deck_size(), "the deck has no such card");
  require(named < bit(deck_size()), "the deck has no such card");
}

Matgo::State Matgo::compose(const ViewPosition& given) const {
  check(given);
  State state;
  state.viewed_by = static_cast<std::uint8_t>(1 + given.viewer);
  state.starter = static_cast<std::uint8_t>(given.starter);
  state.mover = static_cast<std::uint8_t>(given.mover);
  state.phase = static_cast<Phase>(given.phase);
  state.gukjin = static_cast<Reading>(given.gukjin);
  state.carry = given.carry;
  state.funds = given.funds;
  state.hand = given.hand;
  state.captured = given.captured;
  state.shown = given.shown;
  state.played = given.played;
  state.floor = given.floor;
  for (const int card : given.stock) state.stock[state.stock_size++] = static_cast<std::uint8_t>(card);
  copy(state.turns, given.turns, kTurns, "a number of turns");
  copy(state.gos, given.gos, kTurns, "a number of gos");
  copy(state.last_go_base, given.last_go_base, 100, "points at a go");
  copy(state.ppuks, given.ppuks, 2, "a number of ppuks");
  copy(state.bombs, given.bombs, 3, "a number of bombs");
  copy(state.shaken, given.shaken, (1 << kMonths) - 1, "a set of months");
  copy(state.piles, given.piles, (1 << kMonths) - 1, "a set of months");
  copy(state.held, given.held, 1, "held");
  for (std::size_t i = 0; i < state.bonus_month.size(); ++i) {
    const bool lies = (given.floor >> (kFirstBonus + static_cast<int>(i)) & 1) != 0;
    if (!lies || settings_.bonus_stuck) continue;
    require(given.bonus_month >= 0 && given.bonus_month < kMonths, "a bonus card lies on the floor with no pile");
    state.bonus_month[i] = static_cast<std::uint8_t>(given.bonus_month);
  }
  for (int seat = 0; seat < 2; ++seat) derive(state, seat, seat == given.viewer);
  check_question(state);
  require(is_valid(state), "the cards do not add up");
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
  // Under eat_next_capture a ppuk that is told counts as eaten.
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
