#pragma once

#include <array>
#include <cassert>
#include <cstdint>

#include "games/shogi/bitboard.hpp"

namespace tengen::shogi {

// Black (sente) moves towards rank a and is seat 0.
using Color = int;
inline constexpr Color kBlack = 0;
inline constexpr Color kWhite = 1;
constexpr Color opponent(Color color) { return color ^ 1; }

// The first seven are those that a hand can hold; a promoted kind is its kind plus kPromoted.
enum Kind : std::uint8_t {
  kPawn,
  kLance,
  kKnight,
  kSilver,
  kBishop,
  kRook,
  kGold,
  kKing,
  kProPawn,
  kProLance,
  kProKnight,
  kProSilver,
  kHorse,
  kDragon,
};
inline constexpr int kKinds = 14;
inline constexpr int kHandKinds = 7;
inline constexpr int kPromoted = 8;

constexpr bool can_promote(Kind kind) { return kind <= kRook; }
constexpr bool is_promoted(Kind kind) { return kind >= kProPawn; }
constexpr Kind promoted(Kind kind) { return static_cast<Kind>(kind + kPromoted); }
constexpr Kind unpromoted(Kind kind) { return static_cast<Kind>(is_promoted(kind) ? kind - kPromoted : kind); }

// What stands on a square: 0 for nothing, else 1 + kind, and 16 more if it is White's.
using Piece = std::uint8_t;
inline constexpr Piece kNoPiece = 0;
inline constexpr int kPieces = 32;
constexpr Piece make_piece(Color color, Kind kind) { return static_cast<Piece>(1 + kind + 16 * color); }
constexpr Kind kind_of(Piece piece) {
  assert(piece != kNoPiece);
  return static_cast<Kind>((piece & 15) - 1);
}
constexpr Color color_of(Piece piece) { return piece >> 4; }

// The ranks in which a player's pieces promote.
constexpr Bitboard promotion_zone(Color color) {
  return color == kBlack ? rank_set(0) | rank_set(1) | rank_set(2) : rank_set(6) | rank_set(7) | rank_set(8);
}
// How many ranks a piece has before it, seen by its owner: 0 on the farthest.
constexpr int ranks_ahead(Color color, Square square) {
  return color == kBlack ? rank_of(square) : 8 - rank_of(square);
}
// How many ranks an unpromoted piece needs before it to be able to move again.
constexpr int needed_ranks(Kind kind) { return kind == kKnight ? 2 : (kind <= kLance ? 1 : 0); }

// A player's pieces in hand, a byte a kind.
class Hand {
 public:
  constexpr int count(Kind kind) const { return static_cast<int>(counts_ >> (8 * kind) & 255U); }
  constexpr bool has(Kind kind) const { return count(kind) != 0; }
  constexpr bool is_empty() const { return counts_ == 0; }
  constexpr void add(Kind kind, int more = 1) { counts_ += static_cast<std::uint64_t>(more) << (8 * kind); }
  constexpr void take(Kind kind) {
    assert(has(kind));
    counts_ -= 1ULL << (8 * kind);
  }
  constexpr std::uint64_t bits() const { return counts_; }
  // At least as many of every kind.
  constexpr bool covers(Hand other) const {
    constexpr std::uint64_t kTops = 0x8080808080808080ULL;
    return (((counts_ | kTops) - other.counts_) & kTops) == kTops;  // counts are below 128
  }

  friend constexpr bool operator==(const Hand&, const Hand&) = default;

 private:
  std::uint64_t counts_ = 0;
};

}  // namespace tengen::shogi
