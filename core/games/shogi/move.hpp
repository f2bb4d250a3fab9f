#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "game.hpp"
#include "games/shogi/piece.hpp"

namespace tengen::shogi {

// A move of a piece or a drop, in 16 bits: 0-6 to, 7-13 from or the kind dropped, 14 promotes, 15 is a drop.
class Move {
 public:
  constexpr Move() = default;
  static constexpr Move board(Square from, Square to, bool promotes) {
    return Move(static_cast<unsigned>(to | from << 7) | (promotes ? kPromotes : 0U));
  }
  static constexpr Move drop(Kind kind, Square to) { return Move(static_cast<unsigned>(to | kind << 7) | kDrop); }
  static constexpr Move of_bits(std::uint16_t bits) { return Move(bits); }

  constexpr Square to() const { return bits_ & 127; }
  constexpr bool is_drop() const { return (bits_ & kDrop) != 0; }
  constexpr bool promotes() const { return (bits_ & kPromotes) != 0; }
  constexpr Square from() const {
    assert(!is_drop());
    return bits_ >> 7 & 127;
  }
  constexpr Kind dropped() const {
    assert(is_drop());
    return static_cast<Kind>(bits_ >> 7 & 7);
  }
  constexpr std::uint16_t bits() const { return bits_; }
  // No move goes from square 0 to square 0.
  constexpr bool is_none() const { return bits_ == 0; }

  friend constexpr bool operator==(const Move&, const Move&) = default;

 private:
  static constexpr unsigned kPromotes = 1U << 14;
  static constexpr unsigned kDrop = 1U << 15;

  explicit constexpr Move(unsigned bits) : bits_(static_cast<std::uint16_t>(bits)) {}

  std::uint16_t bits_ = 0;
};

// Actions are moves that some piece of either player can make on an otherwise empty board: by square of departure,
// without promotion before with, by target; then drops by kind and target; then the declaration of a win.
class ActionTable {
 public:
  static constexpr int kCount = 4686;  // checked where the table is made
  static constexpr Action kWin = kCount - 1;

  consteval ActionTable();

  constexpr Action action_of(Move move) const { return actions_[index(move)]; }
  constexpr Move move_of(Action action) const {
    assert(action >= 0 && action < kWin);
    return Move::of_bits(moves_[static_cast<std::size_t>(action)]);
  }
  // Of departures without and with promotion, and of drops: where their actions stand by target.
  constexpr const std::int16_t* departures(Square from, bool promotes) const {
    return &actions_[static_cast<std::size_t>((from * 2 + promotes) * kSquares)];
  }
  constexpr const std::int16_t* drops(Kind kind) const {
    return &actions_[static_cast<std::size_t>((kSquares * 2 + kind) * kSquares)];
  }

 private:
  static constexpr std::size_t index(Move move) {
    const int row = move.is_drop() ? kSquares * 2 + move.dropped() : move.from() * 2 + move.promotes();
    return static_cast<std::size_t>(row * kSquares + move.to());
  }

  std::array<std::int16_t, (kSquares * 2 + kHandKinds) * kSquares> actions_{};  // -1: impossible
  std::array<std::uint16_t, kCount> moves_{};
};

extern const ActionTable kActions;

inline constexpr Action kWinAction = ActionTable::kWin;
inline Action action_of(Move move) { return kActions.action_of(move); }
inline Move move_of(Action action) { return kActions.move_of(action); }

}  // namespace tengen::shogi
