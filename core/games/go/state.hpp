#pragma once

#include <array>
#include <cstdint>

#include "games/go/board.hpp"
#include "games/go/rules.hpp"

namespace tengen::go {

// Hashes of positions since the ko history began; of a longer history the latest.
class Positions {
 public:
  // Longer than two moves for each point of the largest board.
  static constexpr std::size_t kRemembered = 832;

  void clear() { *this = {}; }
  void push(std::uint64_t hash) {
    ring_[next_] = hash;
    next_ = next_ + 1 == kRemembered ? 0 : next_ + 1;
    if (count_ < kRemembered) ++count_;
    filter_[word(hash)] |= bit(hash);
  }
  // Without this a scan would follow most candidate moves of a late game.
  bool may_have(std::uint64_t hash) const { return (filter_[word(hash)] & bit(hash)) != 0; }
  bool has(std::uint64_t hash) const { return may_have(hash) && occurrences(hash) > 0; }
  int occurrences(std::uint64_t hash) const {
    int found = 0;
    for (std::size_t i = 0; i < count_; ++i) found += ring_[i] == hash;
    return found;
  }

  friend bool operator==(const Positions&, const Positions&) = default;

 private:
  static std::size_t word(std::uint64_t hash) { return hash >> 6 & 63U; }
  static std::uint64_t bit(std::uint64_t hash) { return std::uint64_t{1} << (hash & 63U); }

  std::array<std::uint64_t, kRemembered> ring_{};
  std::array<std::uint64_t, 64> filter_{};
  std::uint32_t next_ = 0;
  std::uint32_t count_ = 0;
};

// The latest of a few hashes. The owner keeps the count, which lets states have no padding.
template <std::size_t N>
struct Latest {
  std::array<std::uint64_t, N> hashes{};

  bool has(std::uint64_t hash, std::uint8_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      if (hashes[i] == hash) return true;
    }
    return false;
  }
  void push(std::uint64_t hash, std::uint8_t& count) {
    if (count == N) {
      for (std::size_t i = 1; i < N; ++i) hashes[i - 1] = hashes[i];
      --count;
    }
    hashes[count++] = hash;
  }
  void clear(std::uint8_t& count) {
    hashes = {};
    count = 0;
  }

  friend bool operator==(const Latest&, const Latest&) = default;
};

enum Ended : std::uint8_t {
  kGoing,
  kHeldOpen,  // passes have ended it, but a replay or a search goes on
  kScored,
  kNoResult,
};

inline constexpr std::size_t kShown = 5;  // moves that a network sees

struct State {
  Board board;
  Positions positions;
  Latest<32> pass_hashes;          // situations in which a player has passed
  Latest<16> ko_captures;          // of the clean-up phase: position, place and player
  std::array<Stones, 2> before;    // one and two moves ago
  Stones second_start;             // when the second clean-up began
  PointSet blocked;                // clean-up: ko stones that may not be taken at once
  std::uint64_t blocked_hash = 0;  // of those
  std::int32_t ply = 0;
  std::int32_t bonus = 0;      // half points for White besides komi and handicap
  std::int32_t root_ply = -1;  // where a search began: what holds its games open counts from there; -1: no search
  RuleSet rules;
  std::array<std::int16_t, kShown> recent{-1, -1, -1, -1, -1};  // actions, the latest first
  std::array<Point, 2> before_ko{};                             // the ko one and two moves ago
  std::uint16_t handicap = 0;                                   // stones at the start and Black's leading moves
  std::uint8_t player = 0;                                      // the seat to move
  std::uint8_t phase = 0;                                       // 0, or clean-up 1 or 2
  std::uint8_t passes = 0;                                      // in a row, those that count
  std::uint8_t shown = 0;                                       // moves of this phase, at most kShown
  Ended ended = kGoing;
  std::uint8_t has_button = 0;   // nobody has taken it
  std::uint8_t white_moved = 0;  // no more handicap stones come
  std::uint8_t pass_count = 0;
  std::uint8_t ko_capture_count = 0;
  std::uint8_t conservative_pass = 0;  // a pass at the root of a search does not end its game

  Color color() const { return color_of(player); }

  friend bool operator==(const State&, const State&) = default;
};

}  // namespace tengen::go
