#include "games/go/chains.hpp"

namespace tengen::go {

Chains::Chains(const Grid& grid) {
  chain_.fill(kNone);
  begin_[0] = 0;
  std::array<std::int16_t, kGridSize> counted_for;
  counted_for.fill(kNone);
  std::size_t filled = 0;
  for (const Point first : grid.points()) {
    const Color color = grid.at(first);
    if (color == kEmpty || at(first) != kNone) continue;
    const auto chain = static_cast<std::int16_t>(count_++);
    std::int16_t liberties = 0;
    std::size_t reached = filled;
    stones_[filled++] = first;
    chain_[static_cast<std::size_t>(first)] = chain;
    while (reached < filled) {
      for (const Point p : grid.neighbors(stones_[reached++])) {
        const auto i = static_cast<std::size_t>(p);
        if (grid.at(p) == color && chain_[i] == kNone) {
          chain_[i] = chain;
          stones_[filled++] = p;
        } else if (grid.at(p) == kEmpty && counted_for[i] != chain) {
          counted_for[i] = chain;
          ++liberties;
        }
      }
    }
    liberties_[static_cast<std::size_t>(chain)] = liberties;
    begin_[static_cast<std::size_t>(count_)] = static_cast<std::int16_t>(filled);
  }
}

}  // namespace tengen::go
