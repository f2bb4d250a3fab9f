#pragma once

#include <bit>
#include <cassert>
#include <cstdint>

// Sets of squares.
namespace tengen::shogi {

// (file - 1) * 9 + (rank - 1), files 1 … 9 from the right of the diagram, ranks a … i from its top.
using Square = int;
inline constexpr int kSquares = 81;
inline constexpr Square kNoSquare = 81;

constexpr int file_of(Square square) { return square / 9; }  // 0 … 8
constexpr int rank_of(Square square) { return square % 9; }  // 0 … 8
constexpr Square make_square(int file, int rank) { return file * 9 + rank; }
// The board turned by 180 degrees.
constexpr Square turned(Square square) { return kSquares - 1 - square; }

constexpr int count_bits(std::uint64_t x) {
#ifdef __POPCNT__
  return std::popcount(x);
#else
  // Baseline x86-64 has no instruction for it, and the compiler would call a function.
  x -= x >> 1 & 0x5555555555555555ULL;
  x = (x & 0x3333333333333333ULL) + (x >> 2 & 0x3333333333333333ULL);
  x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
  return static_cast<int>(x * 0x0101010101010101ULL >> 56);
#endif
}

// Files 1 … 7 in `low`, 8 and 9 in `high`: no file is cut in two, and bit 63 of `low` stays empty.
struct Bitboard {
  static constexpr int kLowSquares = 63;
  static constexpr std::uint64_t kLowMask = (1ULL << kLowSquares) - 1;
  static constexpr std::uint64_t kHighMask = (1ULL << (kSquares - kLowSquares)) - 1;

  std::uint64_t low = 0;
  std::uint64_t high = 0;

  static constexpr Bitboard all() { return {kLowMask, kHighMask}; }
  static constexpr Bitboard of(Square square) {
    assert(square >= 0 && square < kSquares);
    return square < kLowSquares ? Bitboard{1ULL << square, 0} : Bitboard{0, 1ULL << (square - kLowSquares)};
  }

  constexpr bool is_empty() const { return (low | high) == 0; }
  constexpr bool has(Square square) const {
    return ((square < kLowSquares ? low >> square : high >> (square - kLowSquares)) & 1U) != 0;
  }
  constexpr int count() const { return count_bits(low) + count_bits(high); }
  constexpr bool has_several() const {
    return (low != 0 && high != 0) || (low & (low - 1)) != 0 || (high & (high - 1)) != 0;
  }
  // Of a set that is not empty.
  constexpr Square first() const {
    assert(!is_empty());
    return low != 0 ? std::countr_zero(low) : kLowSquares + std::countr_zero(high);
  }
  constexpr Square take_first() {
    const Square square = first();
    if (low != 0) {
      low &= low - 1;
    } else {
      high &= high - 1;
    }
    return square;
  }
  constexpr void toggle(Square square) { *this ^= of(square); }

  constexpr Bitboard operator&(Bitboard o) const { return {low & o.low, high & o.high}; }
  constexpr Bitboard operator|(Bitboard o) const { return {low | o.low, high | o.high}; }
  constexpr Bitboard operator^(Bitboard o) const { return {low ^ o.low, high ^ o.high}; }
  constexpr Bitboard operator~() const { return {~low & kLowMask, ~high & kHighMask}; }
  // These squares without the others.
  constexpr Bitboard without(Bitboard o) const { return {low & ~o.low, high & ~o.high}; }
  constexpr Bitboard& operator&=(Bitboard o) { return *this = *this & o; }
  constexpr Bitboard& operator|=(Bitboard o) { return *this = *this | o; }
  constexpr Bitboard& operator^=(Bitboard o) { return *this = *this ^ o; }

  friend constexpr bool operator==(const Bitboard&, const Bitboard&) = default;

  // Each square in ascending order.
  template <class Visit>
  constexpr void each(Visit visit) const {
    for (std::uint64_t rest = low; rest != 0; rest &= rest - 1) visit(std::countr_zero(rest));
    for (std::uint64_t rest = high; rest != 0; rest &= rest - 1) visit(kLowSquares + std::countr_zero(rest));
  }
};

// One rank of all files.
constexpr Bitboard rank_set(int rank) {
  constexpr std::uint64_t kTopOfLow = 0x0040201008040201ULL;
  constexpr std::uint64_t kTopOfHigh = 0x201ULL;
  return {kTopOfLow << rank, kTopOfHigh << rank};
}

}  // namespace tengen::shogi
