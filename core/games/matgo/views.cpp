#include <algorithm>
#include <bit>
#include <utility>

#include "games/matgo/matgo.hpp"

// What a player sees, and what may lie behind it.
namespace tengen {

using namespace matgo;

namespace {

using Words = std::array<std::uint64_t, sizeof(Matgo::State) / sizeof(std::uint64_t)>;

template <class T>
void shuffle(std::span<T> items, Rng& rng) {
  for (std::size_t i = items.size(); i > 1; --i) {
    std::swap(items[i - 1], items[rng.below(static_cast<std::uint32_t>(i))]);
  }
}

int random_card(Cards cards, Rng& rng) {
  for (auto index = rng.below(static_cast<std::uint32_t>(std::popcount(cards))); index > 0; --index) cards &= cards - 1;
  return std::countr_zero(cards);
}

}  // namespace

std::uint64_t Matgo::key(const State& state) const {
  std::uint64_t hash = 0;
  for (const std::uint64_t word : std::bit_cast<Words>(state)) {
    hash = (hash ^ word) * 0x9e3779b97f4a7c15ULL;
    hash ^= hash >> 32;
  }
  return mix64(hash);
}

Matgo::State Matgo::seen(const State& state, int viewer) const {
  const auto other = static_cast<std::size_t>(1 - viewer);
  State view = state;
  view.hand[other] &= state.shown[other];
  view.dealt[other] = 0;
  for (std::size_t i = state.stock_next; i < state.stock_size; ++i) view.stock[i] = kNoCard;
  for (std::size_t draw = 0; draw < state.draws; ++draw) {
    if (state.draw_seat[draw] == other) view.stock[state.draw_at[draw]] = kNoCard;
  }
  return view;
}

// Deals that led to what the viewer has seen are all equally likely: whatever the opponent chose to do tells nothing.
// A trial deals the unseen cards anew and says which of the opponent's cards were drawn for bonus cards; it counts if
// the opponent was asked about four of a month just when that was seen. The number of ways to say it is the same in
// every trial, so what counts is uniform.
Matgo::State Matgo::redeal(const State& state, int viewer, Rng& rng) const {
  const auto other = static_cast<std::size_t>(1 - viewer);
  Cards rest = state.hand[other] & ~state.shown[other];
  const auto in_hand = static_cast<std::size_t>(std::popcount(rest));
  for (std::size_t i = state.stock_next; i < state.stock_size; ++i) rest |= bit(state.stock[i]);
  // In the cards' order, so that equal random numbers deal the same world whatever lies hidden.
  std::array<std::uint8_t, kTurns + kMaxStock> unseen{};
  std::size_t count = 0;
  for (; rest != 0; rest &= rest - 1) unseen[count++] = static_cast<std::uint8_t>(std::countr_zero(rest));
  State dealt = state;
  for (;;) {
    shuffle(std::span(unseen).first(count), rng);
    dealt.hand[other] = state.shown[other];
    for (std::size_t i = 0; i < in_hand; ++i) dealt.hand[other] |= bit(unseen[i]);
    std::copy(unseen.begin() + static_cast<std::ptrdiff_t>(in_hand),
              unseen.begin() + static_cast<std::ptrdiff_t>(count), dealt.stock.begin() + state.stock_next);
    const Cards had = dealt.hand[other] | state.played[other];
    Cards drawn = 0;
    bool is_possible = true;
    for (std::size_t draw = 0; draw < state.draws; ++draw) {
      if (state.draw_seat[draw] != other) continue;
      const int card = random_card(had & ~(state.draw_played[draw] | state.draw_shown[draw]), rng);
      dealt.stock[state.draw_at[draw]] = static_cast<std::uint8_t>(card);
      is_possible = is_possible && (drawn >> card & 1) == 0;
      drawn |= bit(card);
    }
    dealt.dealt[other] = had & ~drawn;
    if (is_possible && is_consistent(dealt, 1 - viewer)) return dealt;
  }
}

bool Matgo::is_consistent(const State& state, int seat) const {
  Cards had = state.dealt[at(seat)];
  if (state.checked[at(seat)] != 0 && month_bits(full_months(had)) != state.declared[at(seat)]) return false;
  for (std::size_t draw = 0; draw < state.draws; ++draw) {
    if (state.draw_seat[draw] != seat) continue;
    had |= bit(state.stock[state.draw_at[draw]]);
    if (month_bits(full_months(had & ~state.draw_played[draw])) != state.draw_declared[draw]) return false;
  }
  return true;
}

}  // namespace tengen
