#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "games/shogi/position.hpp"

namespace tengen::shogi {

// How far a position is from being decided: at least `proof` undecided positions must be proven to be mates before it
// is one, at least `disproof` disproven before it is none. 0 and kDecided: it is decided.
struct MateNumbers {
  static constexpr std::uint32_t kDecided = 1U << 30;
  // No earlier position of the line had a part in it.
  static constexpr std::int16_t kAnyLine = INT16_MAX;

  std::uint32_t proof = 1;
  std::uint32_t disproof = 1;
  std::uint16_t plies = 0;             // to the mate, as far as known
  std::int16_t loop_depth = kAnyLine;  // of a disproof: the depth of the earliest position of the line that it rests on

  bool is_mate() const { return proof == 0; }
  bool is_no_mate() const { return disproof == 0; }

  static MateNumbers mate(int plies) { return {0, kDecided, static_cast<std::uint16_t>(plies), kAnyLine}; }
  static MateNumbers no_mate(int loop_depth = kAnyLine) {
    return {kDecided, 0, 0, static_cast<std::int16_t>(loop_depth)};
  }
};

// What is known of positions: by board and side to move, and the attacker's hand. A mate stays one with more in hand,
// what is no mate stays none with less. A disproof that rests on a repetition holds for its line only.
class MateTable {
 public:
  struct Place {
    std::uint64_t board = 0;  // Position::board_key()
    Hand hand;                // the attacker's
    std::uint64_t line = 0;   // of the positions that lead here
  };

  explicit MateTable(std::size_t bytes) : clusters_(std::max<std::size_t>(1, bytes / sizeof(Cluster))) {}

  void clear() { std::fill(clusters_.begin(), clusters_.end(), Cluster{}); }

  // False: nothing is known of it. `max_plies` bounds the mates that count.
  bool find(const Place& place, int max_plies, MateNumbers& out) const {
    bool is_known = false;
    for (const Entry& entry : cluster(place.board)) {
      if (entry.board != place.board || entry.work == 0) continue;
      if (entry.numbers.is_mate()) {
        if (!place.hand.covers(entry.hand) || entry.numbers.plies > max_plies) continue;
        out = entry.numbers;
        return true;
      }
      if (entry.numbers.is_no_mate()) {
        const bool holds =
            entry.line == 0 ? entry.hand.covers(place.hand) : entry.line == place.line && entry.hand == place.hand;
        if (!holds) continue;
        out = entry.numbers;
        return true;
      }
      if (entry.hand == place.hand) {
        out = entry.numbers;
        is_known = true;
      }
    }
    return is_known;
  }

  // `depth` is the position's own: a disproof that rests on nothing before it holds for every line.
  void store(const Place& place, const MateNumbers& numbers, int depth, std::uint32_t work) {
    const bool needs_line = numbers.is_no_mate() && numbers.loop_depth < depth;
    Entry entry{place.board, place.hand, needs_line ? place.line : 0, numbers, std::max(1U, work)};
    if (!needs_line) entry.numbers.loop_depth = MateNumbers::kAnyLine;
    Entry* least = nullptr;
    for (Entry& other : cluster(place.board)) {
      if (other.board == entry.board && other.hand == entry.hand && other.line == entry.line) {
        least = &other;
        break;
      }
      if (least == nullptr || other.work < least->work) least = &other;
    }
    *least = entry;
  }

 private:
  struct Entry {
    std::uint64_t board = 0;
    Hand hand;
    std::uint64_t line = 0;  // 0: any
    MateNumbers numbers;
    std::uint32_t work = 0;  // positions looked at for it; 0: the entry is free
  };
  using Cluster = std::array<Entry, 16>;

  const Cluster& cluster(std::uint64_t board) const { return clusters_[board % clusters_.size()]; }
  Cluster& cluster(std::uint64_t board) { return clusters_[board % clusters_.size()]; }

  std::vector<Cluster> clusters_;
};

}  // namespace tengen::shogi
