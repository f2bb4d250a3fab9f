#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "games/go/reading.hpp"

namespace tengen::go {

// Reads out whether chains are caught in ladders: the attacker gives atari with every move, the defender extends from
// the last liberty or takes attackers in atari that touch the chain. It escapes with three liberties and where the
// attacker has no atari, or none but one that takes a ko.
class LadderReader {
 public:
  static constexpr int kMaxMoves = 25000;

  // `ko` is the point that simple ko bans, or kNoPoint. A ladder that takes max_moves to read counts as one that
  // doesn't work.
  LadderReader(const Grid& grid, Point ko, int max_moves = kMaxMoves);
  LadderReader(const Grid& grid, const Chains& chains, Point ko);

  // Goes on to another board of that size.
  void reset(const Grid& grid, Point ko) { board_.reset(grid, Chains(grid), ko); }

  // Calls visit(stones, moves) for each chain that is caught: one in atari that can't escape when its owner moves now,
  // with no moves; or one with two liberties, with the moves that catch it when the opponent moves now. Both are
  // std::span<const Point>, valid during the call only.
  template <class Visit>
  void each_caught(Visit visit) {
    const Grid& grid = board_.grid();
    for (const Point stone : grid.points()) {
      if (grid.at(stone) == kEmpty || board_.head(stone) != stone) continue;
      const int liberties = board_.chain(stone).liberty_count;
      if (liberties < 1 || liberties > 2) continue;
      const Moves moves = liberties == 2 ? catching_moves(stone) : Moves{};
      if (liberties == 2 ? moves.count > 0 : is_caught(stone)) {
        visit(stones(stone), std::span<const Point>(moves.points.data(), moves.count));
      }
    }
  }

  struct Moves {
    std::size_t count = 0;
    std::array<Point, 2> points{};
  };

  // Whether a chain in atari is caught although its owner moves now. A ko doesn't ban the owner.
  bool is_caught(Point stone);
  // The moves of the opponent that catch a chain with two liberties.
  Moves catching_moves(Point stone);

 private:
  std::span<const Point> stones(Point stone);
  bool defender_falls(Point stone, int depth);
  bool attacker_catches(Point stone, int depth);
  // Whether one of the moves from `begin` in moves_ does what the mover wants. Removes them.
  bool try_moves(Point stone, Color mover, std::size_t begin, int depth);

  void add_captures(Point stone);
  bool is_capture(Point p, Color color) const;
  int empty_neighbors(Point p) const;
  // How many liberties a stone of that color at p would have, those aside that it gets by taking stones.
  int liberties_after(Point p, Color color) const;
  bool is_double_ko(Point stone, Point first, Point second);
  bool is_ko_mouth(Point p, Color owner) const;
  int connection_weight(Point p, Color color) const;

  ReadingBoard board_;
  int max_moves_;
  int max_depth_;
  int move_count_ = 0;         // in the ladder that is being read
  std::vector<Point> moves_;   // to be tried, of all levels of the search
  std::vector<Point> stones_;  // what stones() gives out
};

}  // namespace tengen::go
