#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "games/shogi/attacks.hpp"
#include "games/shogi/move.hpp"
#include "rng.hpp"

namespace tengen::shogi {

// What a piece on a square adds to a key.
constexpr std::uint64_t piece_key(Piece piece, Square square) {
  return mix64(static_cast<std::uint64_t>(piece) << 8 | static_cast<std::uint64_t>(square));
}

// A move that was made, with what it takes to undo it.
struct MadeMove {
  Move move;
  Piece captured = kNoPiece;
  std::uint8_t was_check = 0;  // the mover was in check before it

  friend bool operator==(const MadeMove&, const MadeMove&) = default;
};

// Board, hands and the side to move. A player may have no king, as in mate problems; then nothing checks that player.
class Position {
 public:
  // An empty board.
  Position() { kings_.fill(static_cast<std::uint8_t>(kNoSquare)); }

  static Position initial();

  Color side() const { return side_; }
  // Plies before this position: the move number of SFEN less one.
  int ply() const { return static_cast<int>(ply_); }
  Piece piece_at(Square square) const { return board_[at(square)]; }
  bool is_occupied(Square square) const { return board_[at(square)] != kNoPiece; }
  Hand hand(Color color) const { return hands_[at(color)]; }
  bool has_king(Color color) const { return kings_[at(color)] != kNoSquare; }
  // kNoSquare: none.
  Square king(Color color) const { return kings_[at(color)]; }

  Bitboard pieces(Color color) const { return by_color_[at(color)]; }
  Bitboard pieces(Kind kind) const { return by_kind_[at(kind)]; }
  Bitboard pieces(Color color, Kind kind) const { return by_color_[at(color)] & by_kind_[at(kind)]; }
  // Golds and what moves like them.
  Bitboard golds(Color color) const { return by_color_[at(color)] & golds_; }
  Bitboard occupied() const { return by_color_[0] | by_color_[1]; }

  // The opponent's pieces that attack the king of the side to move.
  Bitboard checkers() const { return checkers_; }
  bool is_check() const { return !checkers_.is_empty(); }

  // Of board, hands and side to move; the ply is no part of it.
  std::uint64_t key() const { return board_key_ ^ mix64(hands_[0].bits() ^ mix64(hands_[1].bits())); }
  // Of board and side to move.
  std::uint64_t board_key() const { return board_key_; }

  // A player's pieces that attack a square, as if `occupied` were on the board.
  Bitboard attackers(Color by, Square square, Bitboard occupied) const;
  bool is_attacked(Color by, Square square, Bitboard occupied) const;
  // A player's own pieces that may leave the line to the king's attacker only at the king's cost.
  Bitboard pinned(Color color) const;
  // Pieces of `color` that give a discovered check when they leave their line.
  Bitboard discoverers(Color color) const;
  bool gives_check(Move move) const;

  // The move is legal, or at least one that the piece can make.
  MadeMove play(Move move);
  // Takes back the last move.
  void undo(const MadeMove& made);
  // The other side to move, as if a move had been made; for threats.
  void pass();

  // For building positions; refresh() ends it. A square takes one piece.
  void put(Color color, Kind kind, Square square);
  void add_to_hand(Color color, Kind kind, int count) { hands_[at(color)].add(kind, count); }
  void set_side(Color side, int ply);
  void refresh();
  // The king of the side that has just moved could be taken.
  bool is_opponent_in_check() const;

  friend bool operator==(const Position&, const Position&) = default;

 private:
  void toggle(Color color, Kind kind, Square square);
  void change_side();
  void find_checkers();
  Bitboard slider_attackers(Color by, Square square, Bitboard occupied) const;
  // After a move of the other side that left `from` (kNoSquare: a drop).
  void find_checkers_after(Kind arrived, Square to, Square from);
  Bitboard blockers(Color of, Color attacker) const;

  std::array<Bitboard, 2> by_color_{};
  std::array<Bitboard, kKinds> by_kind_{};
  Bitboard golds_{};
  Bitboard checkers_{};
  std::uint64_t board_key_ = 0;
  std::array<Hand, 2> hands_{};
  std::array<Piece, kSquares> board_{};
  std::array<std::uint8_t, 2> kings_{};
  std::uint8_t side_ = kBlack;
  std::uint32_t ply_ = 0;
};

static_assert(std::is_trivially_copyable_v<Position> && std::has_unique_object_representations_v<Position>);

}  // namespace tengen::shogi
