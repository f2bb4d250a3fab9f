#include <bit>

#include "games/matgo/matgo.hpp"

namespace tengen {

using namespace matgo;

namespace {

Tally tally_of_all(Cards cards) {
  Tally sum = 0;
  for (; cards != 0; cards &= cards - 1) sum += tally_of(std::countr_zero(cards));
  return sum;
}

}  // namespace

bool Matgo::is_valid(const State& state) const {
  Cards stock = 0;
  for (std::size_t i = state.stock_next; i < state.stock_size; ++i) stock |= bit(state.stock[i]);
  Cards all = 0;
  int count = 0;
  for (const Cards part :
       {state.hand[0], state.hand[1], state.captured[0], state.captured[1], state.floor, state.table, stock}) {
    all |= part;
    count += std::popcount(part);
  }
  bool holds = all == bit(deck_size()) - 1 && count == deck_size();
  holds = holds && (full_months(state.floor) != 0) == (state.ending == kByFloorFour);
  for (int seat = 0; seat < 2; ++seat) {
    const std::size_t s = at(seat);
    const bool has_gukjin = (state.captured[s] >> kGukjinCard & 1) != 0;
    const Tally tally = tally_of_all(state.captured[s]) + (has_gukjin && state.gukjin == kAsPi ? kGukjinAsPi : 0);
    Cards had = state.dealt[s];
    for (std::size_t draw = 0; draw < state.draws; ++draw) {
      if (state.draw_seat[draw] == s) had |= bit(state.stock[state.draw_at[draw]]);
    }
    holds = holds && tally == state.tally[s] && std::popcount(state.hand[s]) == state.cards[s] &&
            state.hand[s] == (had & ~state.played[s]) && (state.shown[s] & ~state.hand[s]) == 0 &&
            is_consistent(state, seat);
    holds = holds && (state.funds[s] == kUnlimited || gold(state, seat) >= 0);
    for (int month = 0; month < kMonths; ++month) {
      const bool is_pile = (state.piles[s] >> month & 1) != 0;
      holds = holds && (!is_pile || std::popcount(state.floor & month_set(month)) == 3);
    }
  }
  if (state.phase == kPlay) holds = holds && hand_size(state, state.mover) == kTurns - state.turns[state.mover];
  return holds;
}

Matgo::Audit Matgo::audit(std::uint64_t seed, std::uint64_t games) const {
  Rng rng(seed);
  Audit result;
  for (; result.games < games; ++result.games) {
    State state = start(rng);
    for (;;) {
      if (!is_valid(state)) ++result.invalid;
      if (actor(state) == kNobody) break;
      apply(state, random_action(state, state.mover, rng));
      ++result.plies;
    }
    if (state.winner == kDrawn) ++result.nagaris;
    if (state.winner == state.starter) ++result.starter_wins;
  }
  return result;
}

}  // namespace tengen
