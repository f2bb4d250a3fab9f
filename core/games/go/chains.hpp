#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "games/go/grid.hpp"

namespace tengen::go {

// The chains of a grid, numbered from 0 in the order in which their first stones stand, row by row.
class Chains {
 public:
  static constexpr std::int16_t kNone = -1;

  explicit Chains(const Grid& grid);

  int count() const { return count_; }
  // The chain of the stone at p; kNone where there is none.
  std::int16_t at(Point p) const { return chain_[static_cast<std::size_t>(p)]; }
  std::span<const Point> stones(int chain) const {
    const auto i = static_cast<std::size_t>(chain);
    return {stones_.data() + begin_[i], stones_.data() + begin_[i + 1]};
  }
  // How many liberties a chain has: 0 only where no game leads.
  int liberties(int chain) const { return liberties_[static_cast<std::size_t>(chain)]; }

 private:
  int count_ = 0;
  std::array<std::int16_t, kGridSize> chain_;
  std::array<Point, kMaxPoints> stones_;  // chain by chain
  std::array<std::int16_t, kMaxPoints + 1> begin_;
  std::array<std::int16_t, kMaxPoints> liberties_;
};

}  // namespace tengen::go
