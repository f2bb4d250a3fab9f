#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "games/go/grid.hpp"

namespace tengen::go {

// A set of places.
class PointSet {
 public:
  bool contains(Point p) const { return (words_[word(p)] & bit(p)) != 0; }
  // Whether that changed the set.
  bool insert(Point p) {
    const bool is_new = !contains(p);
    words_[word(p)] |= bit(p);
    return is_new;
  }
  bool erase(Point p) {
    const bool was_there = contains(p);
    words_[word(p)] &= ~bit(p);
    return was_there;
  }
  void insert(const PointSet& other) {
    for (std::size_t i = 0; i < kWords; ++i) words_[i] |= other.words_[i];
  }
  int size() const {
    int count = 0;
    for (const std::uint64_t bits : words_) count += bits == 0 ? 0 : std::popcount(bits);
    return count;
  }
  // The lowest place above p; kNoPoint when there is none.
  Point next(Point p) const {
    const auto from = static_cast<std::size_t>(p) + 1;
    std::size_t i = from / 64;
    if (i >= kWords) return kNoPoint;
    std::uint64_t bits = words_[i] & (~std::uint64_t{0} << (from % 64));
    while (bits == 0) {
      if (++i == kWords) return kNoPoint;
      bits = words_[i];
    }
    return static_cast<Point>(i * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
  }
  Point first() const { return next(kNoPoint); }
  // 64 places each, for hashing.
  std::span<const std::uint64_t> words() const { return words_; }

  friend bool operator==(const PointSet&, const PointSet&) = default;

 private:
  static constexpr std::size_t kWords = (kGridSize + 63) / 64;
  static std::size_t word(Point p) { return static_cast<std::size_t>(p) / 64; }
  static std::uint64_t bit(Point p) { return std::uint64_t{1} << (static_cast<std::size_t>(p) % 64); }

  std::array<std::uint64_t, kWords> words_{};
};

}  // namespace tengen::go
