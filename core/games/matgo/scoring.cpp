#include <algorithm>

#include "games/matgo/matgo.hpp"

// Go or stop, what a win is worth, and how a round ends.
namespace tengen {

using namespace matgo;

namespace {

bool owns_gukjin(const Matgo::State& state, int seat) {
  return (state.captured[static_cast<std::size_t>(seat)] >> kGukjinCard & 1) != 0;
}

}  // namespace

// `asked`: the gukjin question of this turn has been answered.
void Matgo::settle(State& state, bool asked) const {
  if (!asked && owns_gukjin(state, state.mover) && gukjin_matters(state)) {
    state.phase = kGukjin;
    return;
  }
  if (can_go(state, state.mover, base(state, state.mover))) {
    if (hand_size(state, state.mover) == 0) return stop(state);
    state.phase = kGoStop;
    return;
  }
  if (hand_size(state, 0) + hand_size(state, 1) == 0) return exhaust(state);
  go_on(state);
}

bool Matgo::can_go(const State& state, int seat, int base) const {
  return base >= settings_.go_min && base > state.last_go_base[at(seat)];
}

bool Matgo::gukjin_matters(const State& state) const {
  if (settings_.gukjin_mode == MatgoSettings::kBestForWinner) return false;
  if (settings_.gukjin_mode == MatgoSettings::kAskWhenMatters && state.gukjin != kUndecided) return false;
  const int p = state.mover;
  const bool has_cards = hand_size(state, p) > 0;
  const bool are_empty = !has_cards && hand_size(state, 1 - p) == 0;
  // An automatic stop without a go before takes the cards as they lie.
  const bool may_stop = has_cards || state.gos[at(p)] > 0;
  if (!may_stop && !are_empty) return false;
  const Tally yeol = reading(state, p, false);
  const Tally pi = reading(state, p, true);
  const bool goes_as_yeol = can_go(state, p, base_score(yeol));
  if (may_stop && goes_as_yeol != can_go(state, p, base_score(pi))) return true;
  if (!are_empty && !goes_as_yeol) return false;
  return base_score(yeol) != base_score(pi) || multipliers(state, p, true, yeol) != multipliers(state, p, true, pi);
}

void Matgo::go_on(State& state) const {
  state.mover ^= 1;
  begin_turn(state);
}

int Matgo::base(const State& state, int seat) const {
  const int points = base_score(state.tally[at(seat)]);
  if (settings_.gukjin_mode != MatgoSettings::kBestForWinner || !owns_gukjin(state, seat)) return points;
  if (state.gukjin == kAsPi) return points;
  return std::max(points, base_score(reading(state, seat, true)));
}

Matgo::Tally Matgo::reading(const State& state, int seat, bool as_pi) const {
  const Tally tally = state.tally[at(seat)];
  if (as_pi == (state.gukjin == kAsPi)) return tally;
  return as_pi ? tally + kGukjinAsPi : tally - kGukjinAsPi;
}

Matgo::Multipliers Matgo::multipliers(const State& state, int winner, bool stopped, Tally own) const {
  const std::size_t w = at(winner);
  const Tally other = state.tally[1 - w];
  Multipliers result;
  result.gos = std::max(0, state.gos[w] - 2);
  result.shakes = std::popcount(state.shaken[w]);
  result.bombs = state.bombs[w];
  result.gwang_bak = gwang_count(own) >= 3 && gwang_count(other) == 0;
  result.pi_bak = pi_count(own) >= 10 && pi_count(other) <= settings_.pi_bak_max &&
                  (pi_count(other) > 0 || !settings_.pi_bak_zero_exempt);
  result.mong_bak = yeol_count(own) >= 7 && (yeol_count(other) == 0 || !settings_.mong_needs_zero);
  result.go_bak = stopped && state.gos[1 - w] > 0;
  result.hold = state.held[w] != 0 && result.shakes + result.bombs > 0;
  const int doublings =
      result.gos + result.shakes + result.bombs + result.gwang_bak + result.pi_bak + result.mong_bak + result.go_bak;
  result.product = std::int64_t{result.hold ? settings_.president_hold_mult : 1} << doublings;
  return result;
}

Matgo::Multipliers Matgo::multipliers(const State& state, int winner, bool stopped) const {
  return multipliers(state, winner, stopped, state.tally[at(winner)]);
}

// In points, the carry included.
std::int64_t Matgo::best_payout(const State& state, int winner, bool stopped) const {
  const auto payout = [&](Tally tally) {
    const std::int64_t total = base_score(tally) + state.gos[at(winner)];
    return total * multipliers(state, winner, stopped, tally).product * state.carry;
  };
  const std::int64_t plain = payout(state.tally[at(winner)]);
  const bool is_free = settings_.gukjin_mode == MatgoSettings::kBestForWinner && owns_gukjin(state, winner) &&
                       state.gukjin == kUndecided;
  return is_free ? std::max(plain, payout(reading(state, winner, true))) : plain;
}

void Matgo::pay(State& state, int to, std::int64_t points) const {
  const int from = 1 - to;
  std::int64_t due = points * settings_.gold_per_point;
  if (state.funds[at(from)] != kUnlimited) due = std::min(due, gold(state, from));
  state.net += to == 0 ? due : -due;
}

void Matgo::finish(State& state, int winner, Ending ending) const {
  state.phase = kOver;
  state.winner = static_cast<std::uint8_t>(winner);
  state.ending = ending;
  clear_turn(state);
}

void Matgo::stop(State& state) const {
  const int loser = 1 - state.mover;
  const bool is_free = state.gukjin == kUndecided || settings_.gukjin_rescue_always ||
                       settings_.gukjin_mode == MatgoSettings::kFreeToggle;
  if (owns_gukjin(state, loser) && state.gukjin != kAsPi && is_free && multipliers(state, state.mover, true).pi_bak) {
    state.gukjin = kAsPi;
    state.tally[at(loser)] += kGukjinAsPi;
  }
  pay(state, state.mover, best_payout(state, state.mover, true));
  finish(state, state.mover, kByStop);
}

void Matgo::exhaust(State& state) const {
  std::array<int, 2> bases{};
  std::array<int, 2> totals{};
  std::array<bool, 2> failed{};
  for (std::size_t seat = 0; seat < 2; ++seat) {
    bases[seat] = base(state, static_cast<int>(seat));
    totals[seat] = bases[seat] + state.gos[seat];
    failed[seat] = state.gos[seat] > 0 && bases[seat] <= state.last_go_base[seat];
  }
  int winner = kDrawn;
  if (failed[0] != failed[1]) {
    const std::size_t other = failed[0] ? 1 : 0;
    if (bases[other] >= settings_.go_min) winner = static_cast<int>(other);
  } else if (!failed[0] && totals[0] != totals[1]) {
    const std::size_t higher = totals[0] > totals[1] ? 0 : 1;
    if (bases[higher] >= settings_.exhaustion_min) winner = static_cast<int>(higher);
  }
  if (winner != kDrawn) pay(state, winner, best_payout(state, winner, false));
  finish(state, winner, kByExhaustion);
}

}  // namespace tengen
