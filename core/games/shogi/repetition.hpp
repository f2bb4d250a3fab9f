#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "rng.hpp"

namespace tengen::shogi {

// Positions of a game in order. No move of shogi is final (what is taken can be dropped and taken back), so all of the
// past counts; of a longer one the latest kRemembered positions do. Half of a key is kept: that a game ends by a
// mistake takes three equal halves of different keys.
class Repetition {
 public:
  static constexpr std::uint32_t kRemembered = 512;

  // Occurrences before this one, at most three, the latest ones, and how many plies ago the first of them was.
  struct Found {
    int times = 0;
    int plies = 0;
  };

  // Of the position that comes next.
  Found find(std::uint64_t key) const {
    Found found;
    if ((filter_[word(key)] & bit(key)) == 0) return found;
    const std::uint32_t half = half_of(key);
    const std::uint32_t reach = std::min(count_, kRemembered);
    for (std::uint32_t plies = kShortestCycle; plies <= reach && found.times < 3; plies += 2) {
      if (halves_[(count_ - plies) % kRemembered] != half) continue;
      ++found.times;
      found.plies = static_cast<int>(plies);
    }
    return found;
  }

  // In all that is remembered.
  int occurrences(std::uint64_t key) const {
    if ((filter_[word(key)] & bit(key)) == 0) return 0;
    const auto end = halves_.begin() + std::min(count_, kRemembered);
    return static_cast<int>(std::count(halves_.begin(), end, half_of(key)));
  }

  void push(std::uint64_t key) {
    if (count_ > 0 && count_ % kRemembered == 0) forget();
    halves_[count_ % kRemembered] = half_of(key);
    filter_[word(key)] |= bit(key);
    ++count_;
    digest_ = mix64(digest_ ^ key);
  }

  // Of all positions in order.
  std::uint64_t digest() const { return digest_; }

  friend bool operator==(const Repetition&, const Repetition&) = default;

 private:
  static constexpr std::uint32_t kShortestCycle = 4;  // both sides move there and back
  static constexpr std::size_t kFilterWords = 32;

  static std::uint32_t half_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
  // The filter goes by the other half, but must be found from the kept one: see forget().
  static std::size_t word(std::uint64_t key) { return key >> 38 & (kFilterWords - 1); }
  static std::uint64_t bit(std::uint64_t key) { return 1ULL << (key >> 32 & 63U); }

  // The ring is full: what follows overwrites its oldest half by half, so the filter starts anew from what is kept.
  void forget() {
    filter_ = {};
    for (const std::uint32_t half : halves_) {
      const std::uint64_t key = static_cast<std::uint64_t>(half) << 32;
      filter_[word(key)] |= bit(key);
    }
  }

  std::array<std::uint32_t, kRemembered> halves_{};
  std::array<std::uint64_t, kFilterWords> filter_{};  // bits of keys that came: most positions are new
  std::uint64_t digest_ = 0;
  std::uint32_t count_ = 0;
  std::uint32_t unused_ = 0;  // states are sent as bytes: no padding
};

}  // namespace tengen::shogi
