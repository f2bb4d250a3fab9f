#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "games/go/grid.hpp"
#include "games/go/point_set.hpp"
#include "rng.hpp"

namespace tengen::go {

// By color: [0] Black's, [1] White's.
struct Stones {
  std::array<PointSet, 2> of{};

  Color at(Point p) const { return of[0].contains(p) ? kBlack : of[1].contains(p) ? kWhite : kEmpty; }

  friend bool operator==(const Stones&, const Stones&) = default;
};

constexpr std::size_t seat_of(Color color) { return color == kBlack ? 0 : 1; }
constexpr Color color_of(int seat) { return seat == 0 ? kBlack : kWhite; }

// Where the places of a transformed board were on the board that was not: positions keep their hashes when transformed.
using Frame = std::array<Point, kGridSize>;

inline constexpr std::array<std::array<std::uint64_t, 2>, kGridSize> kStoneHashes = [] {
  std::array<std::array<std::uint64_t, 2>, kGridSize> hashes{};
  std::uint64_t seed = 0x60d5;
  for (auto& place : hashes) {
    for (auto& hash : place) hash = mix64(seed++);
  }
  return hashes;
}();
inline constexpr std::array<std::uint64_t, kGridSize> kBlockHashes = [] {
  std::array<std::uint64_t, kGridSize> hashes{};
  std::uint64_t seed = 0xb10c60;
  for (auto& hash : hashes) hash = mix64(seed++);
  return hashes;
}();
inline constexpr std::uint64_t kWhiteToMoveHash = mix64(0x707ac7);

// What a stone on an empty place would do.
struct Probe {
  int liberties = 0;   // empty neighbors
  bool joins = false;  // touches an own stone
  bool safe = false;   // touches an own chain that keeps a liberty
  int captures = 0;    // chains
  std::array<Point, 4> captured{};

  bool is_suicide() const { return liberties == 0 && !safe && captures == 0; }
};

// Stones with their chains. A chain knows how often an empty place touches it, which is 0 exactly when it has no
// liberty: cheaper to keep than the set of liberties, and all that playing needs.
struct Board {
  std::uint64_t hash = 0;
  Stones stones;
  PointSet ever;  // places that have held a stone
  // Of a stone: the stone that its chain is known by, and the next stone around the chain. Of an empty place, next is
  // its index in `empties`.
  std::array<std::uint16_t, kGridSize> head{};
  std::array<std::uint16_t, kGridSize> next{};
  std::array<std::uint16_t, kGridSize> touches{};  // at a chain's head
  std::array<Point, kMaxPoints> empties{};
  std::uint16_t empty_count = 0;
  Point ko = kNoPoint;                      // may not be played at once
  std::array<std::uint16_t, 2> captured{};  // stones taken from Black, from White
  Grid grid;
  std::uint8_t transformed = 0;  // the symmetry that `hash` is seen through

  Board() = default;
  // Chains without liberties stay.
  Board(const Grid& stones, const Frame& frame);

  Color at(Point p) const { return grid.at(p); }
  bool has_empty_neighbor(Point p) const {
    const auto around = grid.neighbors(p);
    return std::any_of(around.begin(), around.end(), [this](Point neighbor) { return at(neighbor) == kEmpty; });
  }
  Probe probe(Point p, Color color) const;
  std::uint64_t hash_after(Point p, Color color, const Probe& probe, const Frame& frame) const;

  // Plays on an empty place: takes what has no liberty left, the stone's own chain last, and sets the ko.
  void place(Point p, Color color, const Frame& frame);

  // The single stone that a stone here would take in a ko, or none.
  Point ko_capture(Point p, Color color) const;
  bool is_single(Point stone) const { return next[index(stone)] == static_cast<std::uint16_t>(stone); }
  int liberties(Point stone) const;
  PointSet chain(Point stone) const;  // empty where there is no stone

  // The same position, however it came about.
  friend bool operator==(const Board& a, const Board& b) {
    return a.hash == b.hash && a.grid == b.grid && a.stones == b.stones && a.ever == b.ever && a.ko == b.ko &&
           a.captured == b.captured && a.transformed == b.transformed;
  }

  static std::size_t index(Point p) { return static_cast<std::size_t>(p); }

 private:
  std::size_t head_of(Point p) const { return head[index(p)]; }
  void put(Point p, Color color, const Frame& frame);
  void join(Point p, Point neighbor);
  int remove(Point stone, const Frame& frame);
  void add_empty(Point p);
  void drop_empty(Point p);
};

}  // namespace tengen::go
