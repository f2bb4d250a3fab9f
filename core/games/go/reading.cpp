#include "games/go/reading.hpp"

#include <cassert>
#include <utility>

namespace tengen::go {

void ReadingBoard::reset(const Grid& grid, const Chains& chains, Point ko) {
  grid_ = grid;
  ko_ = ko;
  for (int i = 0; i < chains.count(); ++i) {
    const auto stones = chains.stones(i);
    Chain& chain = chains_[index(stones[0])];
    chain.liberties = {};
    chain.liberty_count = static_cast<std::int16_t>(chains.liberties(i));
    chain.stone_count = static_cast<std::int16_t>(stones.size());
    Point last = stones.back();
    for (const Point stone : stones) {
      head_[index(stone)] = stones[0];
      next_[index(last)] = stone;
      last = stone;
      for (const Point p : grid.neighbors(stone)) {
        if (grid.at(p) == kEmpty) chain.liberties.insert(p);
      }
    }
  }
}

bool ReadingBoard::is_legal(Point p, Color color) const {
  if (at(p) != kEmpty || p == ko_) return false;
  for (const Point neighbor : grid_.neighbors(p)) {
    if (at(neighbor) == kEmpty) return true;
    if (at(neighbor) != kWall && (chain(neighbor).liberty_count == 1) != (at(neighbor) == color)) return true;
  }
  return false;
}

ReadingBoard::Move ReadingBoard::play(Point p, Color color) {
  assert(is_legal(p, color));
  Move move;
  move.point = p;
  move.ko = ko_;
  move.old_head = head_[index(p)];
  move.old_next = next_[index(p)];
  move.merged_count = 0;
  move.taken_count = 0;
  grid_.colors[index(p)] = color;
  ko_ = kNoPoint;
  join(move, color);
  Point taken_stone = kNoPoint;
  int taken_stones = 0;
  for (const Point neighbor : grid_.neighbors(p)) {
    if (at(neighbor) != opponent(color)) continue;
    Chain& other = stored(neighbor);
    if (other.liberties.erase(p)) --other.liberty_count;
    if (other.liberty_count > 0) continue;
    taken_stone = neighbor;
    taken_stones += other.stone_count;
    take(move, neighbor);
  }
  const Chain& own = chain(p);
  if (taken_stones == 1 && own.stone_count == 1 && own.liberty_count == 1) ko_ = taken_stone;
  return move;
}

// Puts the stone into the largest of the chains that it connects and the others into that one.
void ReadingBoard::join(Move& move, Color color) {
  const Point p = move.point;
  std::array<Point, 4> heads;
  std::size_t count = 0;
  std::size_t largest = 0;
  PointSet around;
  int empty = 0;
  for (const Point neighbor : grid_.neighbors(p)) {
    if (at(neighbor) == kEmpty) {
      around.insert(neighbor);
      ++empty;
    }
    if (at(neighbor) != color) continue;
    const Point other = head(neighbor);
    bool is_known = false;
    for (std::size_t i = 0; i < count; ++i) is_known |= heads[i] == other;
    if (is_known) continue;
    heads[count] = other;
    if (chains_[index(other)].stone_count > chains_[index(heads[largest])].stone_count) largest = count;
    ++count;
  }
  move.head = count == 0 ? p : heads[largest];
  Chain& own = chains_[index(move.head)];
  move.before = own;
  head_[index(p)] = move.head;
  next_[index(p)] = p;
  if (count == 0) {
    own = {around, static_cast<std::int16_t>(empty), 1};
    return;
  }
  std::swap(next_[index(p)], next_[index(move.head)]);
  ++own.stone_count;
  own.liberties.insert(around);
  for (std::size_t i = 0; i < count; ++i) {
    if (i == largest) continue;
    const Point other = heads[i];
    set_heads(other, move.head);
    std::swap(next_[index(other)], next_[index(move.head)]);
    own.liberties.insert(chains_[index(other)].liberties);
    own.stone_count = static_cast<std::int16_t>(own.stone_count + chains_[index(other)].stone_count);
    move.merged[move.merged_count++] = other;
  }
  own.liberties.erase(p);
  own.liberty_count = static_cast<std::int16_t>(own.liberties.size());
}

void ReadingBoard::take(Move& move, Point stone) {
  move.taken[move.taken_count++] = head(stone);
  const Color color = at(stone);
  Point p = stone;
  do {
    grid_.colors[index(p)] = kEmpty;
    for (const Point neighbor : grid_.neighbors(p)) {
      if (at(neighbor) == opponent(color) && stored(neighbor).liberties.insert(p)) ++stored(neighbor).liberty_count;
    }
    p = next(p);
  } while (p != stone);
}

void ReadingBoard::put_back(Point taken, Color color) {
  Point p = taken;
  do {
    grid_.colors[index(p)] = color;
    for (const Point neighbor : grid_.neighbors(p)) {
      if (at(neighbor) == opponent(color) && stored(neighbor).liberties.erase(p)) --stored(neighbor).liberty_count;
    }
    p = next(p);
  } while (p != taken);
}

void ReadingBoard::undo(const Move& move) {
  const Point p = move.point;
  const Color color = at(p);
  for (int i = 0; i < move.taken_count; ++i) put_back(move.taken[static_cast<std::size_t>(i)], opponent(color));
  for (std::size_t i = move.merged_count; i-- > 0;) {
    const Point other = move.merged[i];
    std::swap(next_[index(other)], next_[index(move.head)]);
    set_heads(other, other);
  }
  if (move.head != p) std::swap(next_[index(p)], next_[index(move.head)]);
  chains_[index(move.head)] = move.before;
  head_[index(p)] = move.old_head;
  next_[index(p)] = move.old_next;
  grid_.colors[index(p)] = kEmpty;
  ko_ = move.ko;
  for (const Point neighbor : grid_.neighbors(p)) {
    if (at(neighbor) != opponent(color)) continue;
    Chain& other = stored(neighbor);
    if (other.liberties.insert(p)) ++other.liberty_count;
  }
}

void ReadingBoard::set_heads(Point stone, Point head) {
  Point p = stone;
  do {
    head_[index(p)] = head;
    p = next(p);
  } while (p != stone);
}

}  // namespace tengen::go
