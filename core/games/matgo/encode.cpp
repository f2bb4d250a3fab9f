#include <algorithm>
#include <bit>

#include "games/matgo/matgo.hpp"

namespace tengen {

using namespace matgo;

namespace {

constexpr int kCells = 13 * 4;

class Planes {
 public:
  explicit Planes(std::span<float> out) : next_(out.data()) {}

  void cards(Cards set) {
    for (int card = 0; card < kCells; ++card) *next_++ = static_cast<float>(set >> card & 1);
  }
  // Numbers follow the planes of cards, one a cell.
  void number(float value) { *next_++ = value; }
  // From 0 to 1.
  void part(int count, int maximum) {
    number(static_cast<float>(std::min(count, maximum)) / static_cast<float>(maximum));
  }
  void flag(bool is_set) { number(is_set ? 1.0F : 0.0F); }
  void fill_up(std::span<float> out) { std::fill(next_, out.data() + out.size(), 0.0F); }

 private:
  float* next_;
};

Cards months_set(std::uint32_t months) {
  Cards set = 0;
  for (; months != 0; months &= months - 1) set |= month_set(std::countr_zero(months));
  return set;
}

Cards one(std::uint8_t card) { return card == Matgo::kNoCard ? 0 : bit(card); }

}  // namespace

void Matgo::encode(const State& state, int viewer, std::span<float> out) const {
  assert(static_cast<int>(out.size()) == shape().size());
  const State view = seen(state, viewer);
  const auto own = static_cast<std::size_t>(viewer);
  const auto other = 1 - own;
  Planes planes(out);
  const Cards placed = view.floor | view.table | view.captured[0] | view.captured[1];
  const bool is_choosing = view.phase == kMatchHand || view.phase == kMatchFlip;
  planes.cards(view.hand[own]);
  planes.cards(view.hand[other]);
  planes.cards(view.floor);
  planes.cards(view.captured[own]);
  planes.cards(view.captured[other]);
  planes.cards(view.table);
  planes.cards((bit(deck_size()) - 1) & ~(placed | view.hand[own] | view.hand[other]));
  planes.cards(view.played[own]);
  planes.cards(view.played[other]);
  planes.cards(months_set(view.piles[own]) & view.floor);
  planes.cards(months_set(view.piles[other]) & view.floor);
  planes.cards(months_set(view.shaken[own]));
  planes.cards(months_set(view.shaken[other]));
  planes.cards(one(view.hand_card));
  planes.cards(one(view.flipped));
  planes.cards(is_choosing ? floor_choices(view) : 0);
  for (int phase = kPlay; phase <= kOver; ++phase) planes.flag(view.phase == phase);
  planes.flag(actor(view) == viewer);
  planes.flag(view.starter == viewer);
  for (const std::size_t seat : {own, other}) {
    const Tally tally = view.tally[seat];
    const Multipliers times = multipliers(view, static_cast<int>(seat), false);
    planes.part(hand_size(view, static_cast<int>(seat)), kTurns);
    planes.part(view.dummies[seat], 8);
    planes.part(view.turns[seat], kTurns);
    planes.part(view.gos[seat], 8);
    planes.part(base(view, static_cast<int>(seat)), 32);
    planes.part(view.last_go_base[seat], 32);
    planes.part(gwang_count(tally), 5);
    planes.part(yeol_count(tally), 9);
    planes.part(ribbon_count(tally), 10);
    planes.part(pi_count(tally), 36);
    for (const int field : {kHongAt, kCheongAt, kChoAt, kGodoriAt})
      planes.part(static_cast<int>(tally >> field & 3), 3);
    planes.part(view.ppuks[seat], 3);
    planes.part(times.shakes, 3);
    planes.part(view.bombs[seat], 3);
    planes.flag(view.held[seat] != 0);
    planes.flag(view.ppuk_unpaid[seat] != 0);
    planes.flag(times.gwang_bak);
    planes.flag(times.pi_bak);
    planes.flag(times.mong_bak);
    // Gold in points: won so far, and what the seat can pay, where 100 is half of the scale.
    const double points = static_cast<double>(seat == 0 ? view.net : -view.net) / settings_.gold_per_point;
    planes.number(static_cast<float>(std::clamp(points / 100.0, 0.0, 1.0)));
    const double left = static_cast<double>(gold(view, static_cast<int>(seat))) / settings_.gold_per_point;
    planes.number(view.funds[seat] == kUnlimited ? 1.0F : static_cast<float>(left / (left + 100.0)));
  }
  planes.part(view.stock_size - view.stock_next, kMaxStock);
  planes.flag(view.gukjin == kAsYeol);
  planes.flag(view.gukjin == kAsPi);
  planes.part(static_cast<int>(std::bit_width(static_cast<std::uint32_t>(view.carry))) - 1, 16);
  planes.fill_up(out);
}

void Matgo::hidden_labels(const State& state, int viewer, std::span<float> out) const {
  const auto other = at(1 - viewer);
  const Cards unseen = state.hand[other] & ~state.shown[other];
  for (std::size_t card = 0; card < out.size(); ++card) out[card] = static_cast<float>(unseen >> card & 1);
}

}  // namespace tengen
