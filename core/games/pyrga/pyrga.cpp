#include "games/pyrga/pyrga.hpp"

#include <algorithm>
#include <cmath>

namespace tengen {

namespace {

using Owned = std::array<std::uint16_t, Pyrga::kKinds>;

std::uint32_t at_least_two(const Owned& kinds) {
  return static_cast<std::uint32_t>((kinds[0] & kinds[1]) | (kinds[0] & kinds[2]) | (kinds[1] & kinds[2]));
}

std::uint32_t at_least_one(const Owned& kinds) { return static_cast<std::uint32_t>(kinds[0] | kinds[1] | kinds[2]); }

// How many cells with n pieces each player has more pieces in, as player 0's minus player 1's.
struct Leads {
  std::uint32_t towers[2];
  int three;
  int two;
  int one;
};

Leads leads(const Pyrga::State& state) {
  const auto& [first, second] = state.pieces;
  Owned all;
  for (std::size_t kind = 0; kind < Pyrga::kKinds; ++kind) {
    all[kind] = static_cast<std::uint16_t>(first[kind] | second[kind]);
  }
  const auto full = static_cast<std::uint32_t>(all[0] & all[1] & all[2]);
  const std::uint32_t pairs = at_least_two(all) & ~full;
  const std::uint32_t singles = at_least_one(all) & ~at_least_two(all);
  const std::uint32_t first_majority = at_least_two(first);
  const std::uint32_t second_majority = at_least_two(second);
  const auto lead = [](std::uint32_t cells, std::uint32_t a, std::uint32_t b) {
    return std::popcount(cells & a) - std::popcount(cells & b);
  };
  return {{full & first_majority, full & second_majority},
          lead(full, first_majority, second_majority),
          lead(pairs, first_majority, second_majority),
          lead(singles, at_least_one(first), at_least_one(second))};
}

int transform_cell(int cell, int symmetry) {
  int row = cell / 4;
  int column = cell % 4;
  if (symmetry >= 4) column = 3 - column;
  for (int quarter = symmetry % 4; quarter > 0; --quarter) {
    const int before = row;
    row = column;
    column = 3 - before;
  }
  return 4 * row + column;
}

int transform_direction(int direction, int symmetry) {
  const int mirrored = symmetry >= 4 ? (4 - direction) % 4 : direction;
  return (mirrored + symmetry) % 4;
}

std::uint16_t transform_cells(std::uint32_t cells, int symmetry) {
  std::uint32_t transformed = 0;
  for (; cells != 0; cells &= cells - 1) transformed |= 1U << transform_cell(std::countr_zero(cells), symmetry);
  return static_cast<std::uint16_t>(transformed);
}

}  // namespace

void Pyrga::payoff(const State& state, std::span<double> out) const {
  assert(actor(state) == kNobody);
  const Leads lead = leads(state);
  int margin = lead.three;
  if (settings_.tie_break) {
    if (margin == 0) margin = lead.two;
    if (margin == 0) margin = lead.one;
    if (margin == 0) margin = -1;
  }
  out[0] = margin == 0 ? 0.0 : (margin > 0 ? 1.0 : -1.0);
  out[1] = -out[0];
}

void Pyrga::heuristic(const State& state, std::span<double> out) const {
  const Leads lead = leads(state);
  const double worth = lead.three + 0.25 * lead.two;
  out[0] = worth / (1.5 + std::abs(worth));
  out[1] = -out[0];
}

void Pyrga::final_aux(const State& state, std::span<float> out) const {
  const Leads lead = leads(state);
  for (std::size_t cell = 0; cell < kCells; ++cell) {
    const auto has = [cell](std::uint32_t cells) { return static_cast<float>(cells >> cell & 1U); };
    out[cell] = has(lead.towers[0]) - has(lead.towers[1]);
  }
}

void Pyrga::encode(const State& state, int viewer, std::span<float> out) const {
  assert(static_cast<int>(out.size()) == shape().size());
  const auto own = static_cast<std::size_t>(viewer);
  auto cursor = out.begin();
  const auto put_cells = [&cursor](std::uint32_t cells) {
    for (int cell = 0; cell < kCells; ++cell) *cursor++ = static_cast<float>(cells >> cell & 1U);
  };
  const auto put_all = [&cursor](float value) { cursor = std::fill_n(cursor, kCells, value); };
  for (const std::size_t owner : {own, 1 - own}) {
    for (const std::uint16_t cells : state.pieces[owner]) put_cells(cells);
  }
  const auto arrows = static_cast<std::uint32_t>(state.pieces[0][kArrow] | state.pieces[1][kArrow]);
  for (std::uint32_t direction = 0; direction < 4; ++direction) {
    std::uint32_t pointing = 0;
    for (std::uint32_t cell = 0; cell < kCells; ++cell) {
      if ((state.directions >> (2 * cell) & 3U) == direction) pointing |= 1U << cell;
    }
    put_cells(arrows & pointing);
  }
  for (const std::size_t owner : {own, 1 - own}) {
    for (const std::uint16_t cells : state.pieces[owner]) {
      put_all(static_cast<float>(kReserve - std::popcount(cells)) / static_cast<float>(kReserve));
    }
  }
  const Placement last =
      state.last < 0 ? Placement{0, 0, 0xffff, kSquare} : kPlacements[static_cast<std::size_t>(state.last)];
  put_cells(last.next);
  put_cells(at_least_one(state.open));
  put_all(actor(state) == viewer ? 1.0F : 0.0F);
  put_cells(last.cell);
}

std::uint64_t Pyrga::key(const State& state) const {
  std::uint64_t hash = 0;
  for (const auto& kinds : state.pieces) {
    hash = mix64(hash ^
                 (kinds[0] | static_cast<std::uint64_t>(kinds[1]) << 16 | static_cast<std::uint64_t>(kinds[2]) << 32));
  }
  // The ply and the open cells follow from the pieces and the last action.
  return mix64(hash ^ (state.directions | static_cast<std::uint64_t>(state.last + 1) << 32));
}

Pyrga::State Pyrga::transform(const State& state, int symmetry) const {
  State transformed = state;
  for (std::size_t owner = 0; owner < 2; ++owner) {
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      transformed.pieces[owner][kind] = transform_cells(state.pieces[owner][kind], symmetry);
    }
  }
  for (std::size_t kind = 0; kind < kKinds; ++kind)
    transformed.open[kind] = transform_cells(state.open[kind], symmetry);
  transformed.directions = 0;
  auto arrows = static_cast<std::uint32_t>(state.pieces[0][kArrow] | state.pieces[1][kArrow]);
  for (; arrows != 0; arrows &= arrows - 1) {
    const int cell = std::countr_zero(arrows);
    const int direction = transform_direction(static_cast<int>(state.directions >> (2 * cell) & 3U), symmetry);
    transformed.directions |= static_cast<std::uint32_t>(direction) << (2 * transform_cell(cell, symmetry));
  }
  if (state.last >= 0) transformed.last = static_cast<std::int8_t>(transform_action(state.last, symmetry));
  return transformed;
}

Action Pyrga::transform_action(Action action, int symmetry) const {
  if (action < 32) return action / 16 * 16 + transform_cell(action % 16, symmetry);
  const int arrow = action - 32;
  return 32 + 4 * transform_cell(arrow / 4, symmetry) + transform_direction(arrow % 4, symmetry);
}

int Pyrga::transform_feature(int feature, int symmetry) const {
  int plane = feature / kCells;
  if (plane >= 6 && plane < 10) plane = 6 + transform_direction(plane - 6, symmetry);
  return plane * kCells + transform_cell(feature % kCells, symmetry);
}

}  // namespace tengen
