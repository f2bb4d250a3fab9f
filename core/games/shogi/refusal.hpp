#pragma once

#include <cstdint>

#include "games/shogi/movegen.hpp"

// Why a move is illegal, for people.
namespace tengen::shogi {

enum class Refusal : std::uint8_t {
  kNone,
  kNothingThere,   // nothing stands there
  kNotOwn,         // the piece is the opponent's
  kOwnOnTarget,    // an own piece stands on the target
  kCannotMoveSo,   // the piece does not move that way, or another is in its way
  kCannotPromote,  // the kind has no other side, or the move does not touch the camp
  kMustPromote,    // it could never move again
  kNotInHand,
  kOccupied,  // drops need an empty square
  kDeadEnd,   // dropped there it could never move
  kTwoPawns,  // an own unpromoted pawn is on the file
  kDropPawnMate,
  kKingIntoCheck,  // the king would step into check
  kStaysInCheck,   // the king is in check and the move does not help
  kPinned,         // the piece shields its king
};

Refusal refusal(const Position& position, Move move);

}  // namespace tengen::shogi
