#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <span>

#include "game.hpp"

namespace tengen {

// Connect Four on 7 columns and 6 rows. An action is a column, 0 at the left.
//
// A bitboard holds column c in bits 7c … 7c+5, bottom first. Bit 7c+6 stays empty, so that a line cannot run from the
// top of a column into the next one.
class ConnectFour {
 public:
  static constexpr int kColumns = 7;
  static constexpr int kRows = 6;
  static constexpr int kCells = kColumns * kRows;
  static constexpr Facts kFacts{};

  enum class Result : std::uint32_t { kOpen, kFirstWon, kSecondWon, kDraw };

  struct State {
    std::array<std::uint64_t, 2> stones{};
    std::uint32_t ply = 0;
    Result result = Result::kOpen;

    friend bool operator==(const State&, const State&) = default;
  };

  constexpr Facts facts() const { return kFacts; }
  constexpr int action_count() const { return kColumns; }
  // Planes: 0 the viewer's stones, 1 the opponent's, 2 all ones when the viewer is to move. Row 0 is the top.
  constexpr Shape shape() const { return {3, kRows, kColumns}; }
  constexpr double payoff_scale() const { return 1.0; }
  constexpr int aux_count() const { return 0; }

  State start(Rng&) const { return {}; }

  int actor(const State& state) const {
    return state.result == Result::kOpen ? static_cast<int>(state.ply & 1U) : kNobody;
  }

  void legal(const State& state, int player, Actions& out) const {
    assert(player == actor(state));
    static_cast<void>(player);
    out.clear();
    for (std::uint32_t columns = open_columns(state); columns != 0; columns &= columns - 1) {
      out.push_back(std::countr_zero(columns));
    }
  }

  void apply(State& state, Action column) const {
    assert(state.result == Result::kOpen && column >= 0 && column < kColumns);
    const std::uint64_t occupied = state.stones[0] | state.stones[1];
    // Adding at a column's foot carries up to its first empty cell.
    const std::uint64_t stone = (occupied + (1ULL << (7 * column))) & (kColumn << (7 * column));
    assert(stone != 0);
    const unsigned mover = state.ply & 1U;
    const std::uint64_t mine = state.stones[mover] |= stone;
    ++state.ply;
    if (has_four(mine)) {
      state.result = mover == 0 ? Result::kFirstWon : Result::kSecondWon;
    } else if (state.ply == kCells) {
      state.result = Result::kDraw;
    }
  }

  Action random_action(const State& state, int, Rng& rng) const {
    const std::uint32_t columns = open_columns(state);
    const auto& row = kPicks[columns];
    return row[rng.below(row[7])];
  }

  void payoff(const State& state, std::span<double> out) const {
    assert(state.result != Result::kOpen);
    out[0] = state.result == Result::kDraw ? 0.0 : (state.result == Result::kFirstWon ? 1.0 : -1.0);
    out[1] = -out[0];
  }

  std::uint64_t key(const State& state) const { return mix64(mix64(state.stones[0]) ^ state.stones[1]); }

  void encode(const State& state, int viewer, std::span<float> out) const;

  // Counts the lines that are still open to one player only.
  void heuristic(const State& state, std::span<double> out) const;

  constexpr int symmetry_count() const { return 2; }
  State transform(const State& state, int symmetry) const;
  constexpr Action transform_action(Action column, int symmetry) const {
    return symmetry == 0 ? column : kColumns - 1 - column;
  }
  constexpr int transform_feature(int feature, int symmetry) const {
    const int column = feature % kColumns;
    return feature - column + transform_action(column, symmetry);
  }

 private:
  static constexpr std::uint64_t kColumn = 0x3f;
  // Bit 0 of every column.
  static constexpr std::uint64_t kBottom = 0x40810204081ULL;

  // For each set of columns: its members in order, and in the last place how many they are.
  static constexpr auto kPicks = [] {
    std::array<std::array<std::uint8_t, 8>, 128> picks{};
    for (unsigned columns = 0; columns < 128; ++columns) {
      std::uint8_t count = 0;
      for (std::uint8_t column = 0; column < kColumns; ++column) {
        if ((columns >> column & 1U) != 0) picks[columns][count++] = column;
      }
      picks[columns][7] = count;
    }
    return picks;
  }();

  // The columns that take another stone, as 7 bits.
  static std::uint32_t open_columns(const State& state) {
    const std::uint64_t tops = ~(state.stones[0] | state.stones[1]) >> (kRows - 1) & kBottom;
    // The products 7c + 6k never meet, so nothing carries, and 7c + 6(6 - c) = 36 + c gathers the columns.
    constexpr std::uint64_t kGather = 0x1041041041ULL;
    return static_cast<std::uint32_t>(tops * kGather >> 36) & 0x7f;
  }

  static bool has_four(std::uint64_t stones) {
    std::uint64_t four = 0;
    for (const int step : {1, 6, 7, 8}) {
      const std::uint64_t pairs = stones & stones >> step;
      four |= pairs & pairs >> (2 * step);
    }
    return four != 0;
  }
};

static_assert(Game<ConnectFour> && HasSymmetries<ConnectFour> && HasRandomAction<ConnectFour> &&
              HasHeuristic<ConnectFour>);

}  // namespace tengen
