#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "games/shogi/movegen.hpp"

// What prophet and enforcer see and say: planes of single pieces, the board turned so that the viewer attacks upwards.
namespace tengen::prophet {

// A slot is one piece of a kind: K2 R2 +R2 B2 +B2 G4 S4 +S4 N4 +N4 L4 +L4 P18 +P18. A kind and its promoted kind are
// numbered jointly, so that a piece that promotes finds the slot of its number free.
inline constexpr int kSlots = 74;
// Of each slot where it stands, then where it can go.
inline constexpr int kPlanes = 2 * kSlots;
// What the enforcer says a number about: slot * 81 + target.
inline constexpr int kEntries = kSlots * shogi::kSquares;
// A position in bytes: the pieces of squares 0 … 80, both hands by kind, the side to move.
inline constexpr int kPackedSize = shogi::kSquares + 2 * shogi::kHandKinds + 1;

using PackedPosition = std::span<const std::uint8_t, kPackedSize>;

void pack(const shogi::Position& position, std::span<std::uint8_t, kPackedSize> out);
// std::invalid_argument for bytes that are no position, or one with more pieces of a kind than there are slots.
shogi::Position unpack(PackedPosition packed);

// Row-major from the top left of the viewer's diagram, which is the reading order.
constexpr int cell_of(shogi::Square square, shogi::Color viewer) {
  const shogi::Square seen = viewer == shogi::kBlack ? square : shogi::turned(square);
  return 9 * shogi::rank_of(seen) + 8 - shogi::file_of(seen);
}

// Which piece has which slot. The viewer's come before the opponent's; of either those on the board in reading order,
// then those in hand.
class Slots {
 public:
  Slots(const shogi::Position& position, shogi::Color viewer);

  // Of what stands on a square.
  int on_board(shogi::Square square) const;
  // Of the first piece of a kind in hand; the others follow.
  int in_hand(shogi::Color color, shogi::Kind kind) const;

  // Where a move of the viewer's is written. A drop is written to its kind's first piece in hand.
  int entry_of(shogi::Move move) const;
  // The move that an entry stands for; none where no piece of the viewer's has that slot. It need not be legal.
  shogi::Move move_of(int entry) const;

 private:
  static constexpr std::int8_t kNobody = -1, kInHand = -2;

  const shogi::Position& position_;
  shogi::Color viewer_;
  std::array<std::int8_t, shogi::kSquares> numbers_{};                         // among its kind, by square
  std::array<std::array<std::int8_t, shogi::kHandKinds>, 2> first_in_hand_{};  // number, by color and kind
  std::array<std::array<std::int8_t, 18>, shogi::kPromoted> places_{};         // by kind and number: the viewer's
};

// Fills [148, 9, 9]: the viewer's pieces 1, the opponent's -1. Both players' targets are those of their legal moves; of
// the one who is not to move, of those that would be legal after a pass, a king in check being a target too.
void encode(const shogi::Position& position, shogi::Color viewer, std::span<float> out);

struct LegalEntry {
  shogi::Move move;
  int entry = 0;
};

// Every legal move of the side to move with its entry; a drop once for each such piece in hand.
void legal_entries(const shogi::Position& position, std::vector<LegalEntry>& out);

}  // namespace tengen::prophet
