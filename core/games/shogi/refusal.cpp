#include "games/shogi/refusal.hpp"

namespace tengen::shogi {

namespace {

Refusal of_drop(const Position& position, Move move) {
  const Color us = position.side();
  const Square to = move.to();
  const Kind kind = move.dropped();
  if (!position.hand(us).has(kind)) return Refusal::kNotInHand;
  if (position.is_occupied(to)) return Refusal::kOccupied;
  if (ranks_ahead(us, to) < needed_ranks(kind)) return Refusal::kDeadEnd;
  if (kind == kPawn) {
    const Bitboard file = kAttacks.ahead[0][at(to)] | kAttacks.ahead[1][at(to)];
    if (!(file & position.pieces(us, kPawn)).is_empty()) return Refusal::kTwoPawns;
  }
  Position next = position;
  next.play(move);
  if (next.is_opponent_in_check()) return Refusal::kStaysInCheck;
  return Refusal::kDropPawnMate;
}

Refusal of_board_move(const Position& position, Move move) {
  const Color us = position.side();
  const Square from = move.from();
  const Square to = move.to();
  const Piece piece = position.piece_at(from);
  if (piece == kNoPiece) return Refusal::kNothingThere;
  if (color_of(piece) != us) return Refusal::kNotOwn;
  if (position.pieces(us).has(to)) return Refusal::kOwnOnTarget;
  const Kind kind = kind_of(piece);
  if (!attacks(us, kind, from, position.occupied()).has(to)) return Refusal::kCannotMoveSo;
  const Bitboard zone = promotion_zone(us);
  if (move.promotes() && (!can_promote(kind) || (!zone.has(from) && !zone.has(to)))) return Refusal::kCannotPromote;
  if (!move.promotes() && ranks_ahead(us, to) < needed_ranks(kind)) return Refusal::kMustPromote;
  if (kind == kKing) return Refusal::kKingIntoCheck;
  return position.pinned(us).has(from) && !are_aligned(position.king(us), from, to) ? Refusal::kPinned
                                                                                    : Refusal::kStaysInCheck;
}

}  // namespace

Refusal refusal(const Position& position, Move move) {
  if (is_legal(position, move)) return Refusal::kNone;
  return move.is_drop() ? of_drop(position, move) : of_board_move(position, move);
}

}  // namespace tengen::shogi
