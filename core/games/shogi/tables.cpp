#include <algorithm>
#include <array>
#include <cstdlib>

#include "games/shogi/attacks.hpp"
#include "games/shogi/move.hpp"

namespace tengen::shogi {

namespace {

struct Step {
  int file;
  int rank;
};

// Black's; rank -1 is forward.
constexpr Step kForward{0, -1};
constexpr std::array<Step, 2> kKnightSteps{{{-1, -2}, {1, -2}}};
constexpr std::array<Step, 5> kSilverSteps{{{-1, -1}, {0, -1}, {1, -1}, {-1, 1}, {1, 1}}};
constexpr std::array<Step, 6> kGoldSteps{{{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {0, 1}}};
constexpr std::array<Step, 8> kKingSteps{{{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 1}, {1, -1}, {1, 0}, {1, 1}}};

constexpr bool is_on_board(int file, int rank) { return file >= 0 && file < 9 && rank >= 0 && rank < 9; }

constexpr void add_step(Bitboard& set, Square from, Step step, Color color) {
  const int sign = color == kBlack ? 1 : -1;
  const int file = file_of(from) + sign * step.file;
  const int rank = rank_of(from) + sign * step.rank;
  if (is_on_board(file, rank)) set |= Bitboard::of(make_square(file, rank));
}

// On an empty board, one way.
constexpr Bitboard ray(Square from, Step step) {
  Bitboard set;
  int file = file_of(from) + step.file;
  int rank = rank_of(from) + step.rank;
  for (; is_on_board(file, rank); file += step.file, rank += step.rank) set |= Bitboard::of(make_square(file, rank));
  return set;
}

constexpr Bitboard both_ways(Square from, Step step) { return ray(from, step) | ray(from, {-step.file, -step.rank}); }

constexpr std::uint16_t reach_on_file(int rank, unsigned inner) {
  const unsigned occupied = inner << 1;
  unsigned reach = 0;
  for (int up = rank - 1; up >= 0; --up) {
    reach |= 1U << up;
    if ((occupied >> up & 1U) != 0) break;
  }
  for (int down = rank + 1; down < 9; ++down) {
    reach |= 1U << down;
    if ((occupied >> down & 1U) != 0) break;
  }
  return static_cast<std::uint16_t>(reach);
}

}  // namespace

consteval AttackTables::AttackTables()
    : pawn{},
      knight{},
      silver{},
      gold{},
      king{},
      rank{},
      rising{},
      falling{},
      ahead{},
      file_reach{},
      between{},
      line{} {
  for (int r = 0; r < 9; ++r) {
    for (unsigned inner = 0; inner < 128; ++inner) file_reach[at(r)][inner] = reach_on_file(r, inner);
  }
  for (Square from = 0; from < kSquares; ++from) {
    for (const Color color : {kBlack, kWhite}) {
      add_step(pawn[at(color)][at(from)], from, kForward, color);
      for (const Step step : kKnightSteps) add_step(knight[at(color)][at(from)], from, step, color);
      for (const Step step : kSilverSteps) add_step(silver[at(color)][at(from)], from, step, color);
      for (const Step step : kGoldSteps) add_step(gold[at(color)][at(from)], from, step, color);
      ahead[at(color)][at(from)] = ray(from, {0, color == kBlack ? -1 : 1});
    }
    rank[at(from)] = both_ways(from, {1, 0});
    rising[at(from)] = both_ways(from, {1, -1});
    falling[at(from)] = both_ways(from, {1, 1});
    for (const Step step : kKingSteps) {
      add_step(king[at(from)], from, step, kBlack);
      Bitboard passed;
      const Bitboard whole = both_ways(from, step) | Bitboard::of(from);
      int f = file_of(from) + step.file;
      int r = rank_of(from) + step.rank;
      for (; is_on_board(f, r); f += step.file, r += step.rank) {
        const Square to = make_square(f, r);
        between[at(from)][at(to)] = passed;
        line[at(from)][at(to)] = whole;
        passed |= Bitboard::of(to);
      }
    }
  }
}

constinit const AttackTables kAttacks{};

namespace {

constexpr bool is_knight_move(Color color, Square from, Square to) {
  return std::abs(file_of(to) - file_of(from)) == 1 && rank_of(to) - rank_of(from) == (color == kBlack ? -2 : 2);
}

constexpr bool is_queen_move(Square from, Square to) {
  const int files = std::abs(file_of(to) - file_of(from));
  const int ranks = std::abs(rank_of(to) - rank_of(from));
  return from != to && (files == 0 || ranks == 0 || files == ranks);
}

// Whether some piece of either player can move so.
constexpr bool is_possible(Square from, Square to, bool promotes) {
  for (const Color color : {kBlack, kWhite}) {
    const bool is_knight = is_knight_move(color, from, to);
    if (!is_knight && !is_queen_move(from, to)) continue;
    const Bitboard zone = promotion_zone(color);
    if (promotes ? zone.has(from) || zone.has(to) : !is_knight || ranks_ahead(color, to) >= needed_ranks(kKnight)) {
      return true;
    }
  }
  return false;
}

}  // namespace

consteval ActionTable::ActionTable() {
  actions_.fill(-1);
  std::size_t count = 0;
  const auto add = [&](Move move) {
    actions_[index(move)] = static_cast<std::int16_t>(count);
    moves_[count++] = move.bits();  // out of bounds, and so no constant, if kCount is too small
  };
  for (Square from = 0; from < kSquares; ++from) {
    for (const bool promotes : {false, true}) {
      for (Square to = 0; to < kSquares; ++to) {
        if (is_possible(from, to, promotes)) add(Move::board(from, to, promotes));
      }
    }
  }
  for (int kind = 0; kind < kHandKinds; ++kind) {
    for (Square to = 0; to < kSquares; ++to) add(Move::drop(static_cast<Kind>(kind), to));
  }
  if (count != kWin) throw "kCount is not the number of moves and the declaration";
}

constinit const ActionTable kActions{};

}  // namespace tengen::shogi
