#pragma once

#include <array>
#include <cstdint>

#include "games/shogi/piece.hpp"

// Where pieces go from a square. Sliders stop at the first piece and include it, whoever owns it.
namespace tengen::shogi {

struct AttackTables {
  using Board = std::array<Bitboard, kSquares>;

  consteval AttackTables();

  std::array<Board, 2> pawn, knight, silver, gold;  // by color
  Board king;
  // Lines through a square without it.
  Board rank, rising, falling;
  std::array<Board, 2> ahead;  // all squares of the file before it, by color
  // Of a file: the squares that a rook reaches from a rank, by what stands on the inner seven.
  std::array<std::array<std::uint16_t, 128>, 9> file_reach;
  std::array<std::array<Bitboard, kSquares>, kSquares> between;  // squares strictly between two on a line
  std::array<std::array<Bitboard, kSquares>, kSquares> line;     // the whole line through two squares, or empty
};

extern const AttackTables kAttacks;

constexpr std::size_t at(int index) { return static_cast<std::size_t>(index); }

inline Bitboard between(Square a, Square b) { return kAttacks.between[at(a)][at(b)]; }
inline Bitboard line_through(Square a, Square b) { return kAttacks.line[at(a)][at(b)]; }
inline bool are_aligned(Square a, Square b, Square c) { return line_through(a, b).has(c); }

inline Bitboard pawn_attacks(Color color, Square square) { return kAttacks.pawn[at(color)][at(square)]; }
inline Bitboard knight_attacks(Color color, Square square) { return kAttacks.knight[at(color)][at(square)]; }
inline Bitboard silver_attacks(Color color, Square square) { return kAttacks.silver[at(color)][at(square)]; }
inline Bitboard gold_attacks(Color color, Square square) { return kAttacks.gold[at(color)][at(square)]; }
inline Bitboard king_attacks(Square square) { return kAttacks.king[at(square)]; }

// Both ways along a file.
inline Bitboard file_attacks(Square square, Bitboard occupied) {
  const int file = file_of(square);
  const bool is_low = square < Bitboard::kLowSquares;
  const int shift = 9 * file - (is_low ? 0 : Bitboard::kLowSquares);
  const std::uint64_t word = is_low ? occupied.low : occupied.high;
  const std::uint64_t reach = kAttacks.file_reach[at(rank_of(square))][word >> (shift + 1) & 127U];
  return is_low ? Bitboard{reach << shift, 0} : Bitboard{0, reach << shift};
}

inline Bitboard lance_attacks(Color color, Square square, Bitboard occupied) {
  return file_attacks(square, occupied) & kAttacks.ahead[at(color)][at(square)];
}

// Both ways along a rank or diagonal whose squares, the own left out, are `line`. Subtracting a piece's bit from the
// others runs up to the first of them; the same on the bytes in reverse order runs down. No two squares of a line share
// a byte, so reversing bytes reverses the line.
inline Bitboard line_attacks(Square square, Bitboard occupied, Bitboard line) {
  const Bitboard piece = Bitboard::of(square);
  const Bitboard others = occupied & line;
  const std::uint64_t up_low = others.low - piece.low;
  const std::uint64_t up_high = others.high - piece.high - (others.low < piece.low);
  const std::uint64_t flipped_low = __builtin_bswap64(others.high);
  const std::uint64_t flipped_high = __builtin_bswap64(others.low);
  const std::uint64_t piece_low = __builtin_bswap64(piece.high);
  const std::uint64_t piece_high = __builtin_bswap64(piece.low);
  const std::uint64_t down_low = flipped_low - piece_low;
  const std::uint64_t down_high = flipped_high - piece_high - (flipped_low < piece_low);
  return Bitboard{(up_low ^ __builtin_bswap64(down_high)) & line.low,
                  (up_high ^ __builtin_bswap64(down_low)) & line.high};
}

inline Bitboard bishop_attacks(Square square, Bitboard occupied) {
  return line_attacks(square, occupied, kAttacks.rising[at(square)]) |
         line_attacks(square, occupied, kAttacks.falling[at(square)]);
}

inline Bitboard rook_attacks(Square square, Bitboard occupied) {
  return file_attacks(square, occupied) | line_attacks(square, occupied, kAttacks.rank[at(square)]);
}

inline Bitboard attacks(Color color, Kind kind, Square square, Bitboard occupied) {
  switch (kind) {
    case kPawn:
      return pawn_attacks(color, square);
    case kLance:
      return lance_attacks(color, square, occupied);
    case kKnight:
      return knight_attacks(color, square);
    case kSilver:
      return silver_attacks(color, square);
    case kBishop:
      return bishop_attacks(square, occupied);
    case kRook:
      return rook_attacks(square, occupied);
    case kKing:
      return king_attacks(square);
    case kHorse:
      return bishop_attacks(square, occupied) | king_attacks(square);
    case kDragon:
      return rook_attacks(square, occupied) | king_attacks(square);
    default:
      return gold_attacks(color, square);
  }
}

}  // namespace tengen::shogi
