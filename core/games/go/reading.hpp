#pragma once

#include <array>
#include <cstdint>

#include "games/go/chains.hpp"
#include "games/go/grid.hpp"
#include "games/go/point_set.hpp"

namespace tengen::go {

// A board to read out moves on: it plays and takes back, and always knows each chain's stones and liberties.
class ReadingBoard {
 public:
  struct Chain {
    PointSet liberties;
    std::int16_t liberty_count = 0;
    std::int16_t stone_count = 0;
  };

  // What undo needs to know of a move.
  struct Move {
    Point point;
    Point ko;        // before the move
    Point head;      // of the chain that the stone is in
    Point old_head;  // what was stored for the point
    Point old_next;
    std::uint8_t merged_count;
    std::uint8_t taken_count;
    std::array<Point, 3> merged;  // the heads of chains that the stone connected to `head`
    std::array<Point, 4> taken;   // the heads of chains that it took
    Chain before;                 // what was stored for `head`
  };

  // `ko` is the point that simple ko bans, or kNoPoint.
  ReadingBoard(const Grid& grid, const Chains& chains, Point ko) { reset(grid, chains, ko); }
  void reset(const Grid& grid, const Chains& chains, Point ko);

  const Grid& grid() const { return grid_; }
  Color at(Point p) const { return grid_.at(p); }
  Point ko() const { return ko_; }
  void set_ko(Point ko) { ko_ = ko; }

  // A stone that stands for its chain until the next move.
  Point head(Point stone) const { return head_[index(stone)]; }
  const Chain& chain(Point stone) const { return chains_[index(head(stone))]; }
  // From stone to stone around the chain.
  Point next(Point stone) const { return next_[index(stone)]; }

  // Neither occupied, nor banned by ko, nor suicide.
  bool is_legal(Point p, Color color) const;
  // Only legal moves.
  Move play(Point p, Color color);
  // Last played, first undone.
  void undo(const Move& move);

 private:
  static std::size_t index(Point p) { return static_cast<std::size_t>(p); }
  Chain& stored(Point stone) { return chains_[index(head(stone))]; }
  void join(Move& move, Color color);
  void take(Move& move, Point stone);
  void put_back(Point head, Color color);
  void set_heads(Point stone, Point head);

  Grid grid_;
  Point ko_;
  std::array<Point, kGridSize> head_{};
  std::array<Point, kGridSize> next_{};
  std::array<Chain, kGridSize> chains_{};  // by head; what is stored for former heads waits for undo
};

}  // namespace tengen::go
