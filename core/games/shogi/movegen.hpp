#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "games/shogi/position.hpp"

// Legal moves. Moves that leave out a promotion are moves too, wherever the piece can still move on.
namespace tengen::shogi {

// Moves that differ only in their target: of one piece with or without promotion, or drops of one kind.
struct MoveSet {
  Bitboard targets;
  std::uint8_t from_or_kind = 0;
  bool promotes = false;
  bool is_drop = false;

  Move move(Square to) const {
    return is_drop ? Move::drop(static_cast<Kind>(from_or_kind), to) : Move::board(from_or_kind, to, promotes);
  }
};

// All legal moves of the side to move, in the order of their actions. None is empty.
class MoveSets {
 public:
  explicit MoveSets(const Position& position);

  const MoveSet* begin() const { return sets_; }
  const MoveSet* end() const { return sets_ + size_; }
  int count() const;

  template <class Visit>
  void each(Visit visit) const {
    for (const MoveSet& set : *this) {
      set.targets.each([&](Square to) { visit(set.move(to)); });
    }
  }

 private:
  friend class Generator;
  void add(Bitboard targets, int from_or_kind, bool promotes, bool is_drop) {
    if (targets.is_empty()) return;
    std::construct_at(&sets_[size_++], MoveSet{targets, static_cast<std::uint8_t>(from_or_kind), promotes, is_drop});
  }

  // Two for each of a player's pieces, were the board full of them.
  static constexpr std::size_t kMost = 2 * kSquares + kHandKinds;

  // In a union, which does not clear them all: that would take longer than finding the moves.
  union {
    MoveSet sets_[kMost];
  };
  std::size_t size_ = 0;
};

// Replaces `out`.
void legal_moves(const Position& position, std::vector<Move>& out);
bool has_legal_move(const Position& position);
// Of any move at all, whatever its squares.
bool is_legal(const Position& position, Move move);

// Squares on which an unpromoted piece could not move again.
constexpr Bitboard dead_end(Color color, Kind kind) {
  Bitboard ranks;
  for (int rank = 0; rank < needed_ranks(kind); ++rank) ranks |= rank_set(color == kBlack ? rank : 8 - rank);
  return ranks;
}

// Of `free` squares those on which a piece other than a pawn may be dropped.
inline Bitboard drop_targets(Color color, Kind kind, Bitboard free) { return free.without(dead_end(color, kind)); }
// The same for a pawn of the side to move.
Bitboard pawn_drop_targets(const Position& position, Bitboard free);

// A pawn dropped there by the side to move mates at once, which is forbidden. The square is before the king.
bool is_drop_pawn_mate(const Position& position, Square to);

// The king cannot go anywhere nor can a piece help it.
inline bool is_mate(const Position& position) { return position.is_check() && !has_legal_move(position); }

// Moves at a depth; neither repetitions nor declarations end the game here. before_node() comes before each position
// whose moves are listed.
template <class BeforeNode>
std::uint64_t perft(const Position& position, int depth, BeforeNode before_node) {
  if (depth == 0) return 1;
  before_node();
  const MoveSets sets(position);
  if (depth == 1) return static_cast<std::uint64_t>(sets.count());
  std::uint64_t total = 0;
  sets.each([&](Move move) {
    Position next = position;
    next.play(move);
    total += perft(next, depth - 1, before_node);
  });
  return total;
}

inline std::uint64_t perft(const Position& position, int depth) {
  return perft(position, depth, [] {});
}

}  // namespace tengen::shogi
