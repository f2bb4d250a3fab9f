#include "games/go/board.hpp"

#include <cassert>
#include <utility>

namespace tengen::go {

namespace {

constexpr bool is_stone(Color color) { return color == kBlack || color == kWhite; }

}  // namespace

Board::Board(const Grid& stones_on, const Frame& frame) : grid(stones_on.width, stones_on.height) {
  for (int cell = 0; cell < grid.area(); ++cell) add_empty(grid.point(cell));
  for (int cell = 0; cell < grid.area(); ++cell) {
    const Point p = grid.point(cell);
    if (is_stone(stones_on.at(p))) put(p, stones_on.at(p), frame);
  }
}

Probe Board::probe(Point p, Color color) const {
  Probe probe;
  const auto around = grid.neighbors(p);
  std::array<std::size_t, 4> heads{};
  for (std::size_t i = 0; i < 4; ++i) {
    const Color neighbor = at(around[i]);
    probe.liberties += neighbor == kEmpty;
    heads[i] = is_stone(neighbor) ? head_of(around[i]) : 0;
  }
  for (std::size_t i = 0; i < 4; ++i) {
    if (heads[i] == 0) continue;
    int here = 1;
    bool seen = false;
    for (std::size_t j = 0; j < 4; ++j) {
      if (j == i || heads[j] != heads[i]) continue;
      ++here;
      seen = seen || j < i;
    }
    if (seen) continue;
    const bool loses_last = touches[heads[i]] == here;
    if (at(around[i]) == color) {
      probe.joins = true;
      probe.safe = probe.safe || !loses_last;
    } else if (loses_last) {
      probe.captured[static_cast<std::size_t>(probe.captures++)] = around[i];
    }
  }
  return probe;
}

std::uint64_t Board::hash_after(Point p, Color color, const Probe& probe, const Frame& frame) const {
  std::uint64_t after = hash;
  const auto without = [&](Point stone) {
    const std::size_t seat = seat_of(at(stone));
    const auto first = static_cast<std::uint16_t>(stone);
    std::uint16_t q = first;
    do {
      after ^= kStoneHashes[index(frame[q])][seat];
      q = next[q];
    } while (q != first);
  };
  if (!probe.is_suicide()) {
    after ^= kStoneHashes[index(frame[index(p)])][seat_of(color)];
    for (int i = 0; i < probe.captures; ++i) without(probe.captured[static_cast<std::size_t>(i)]);
    return after;
  }
  const auto around = grid.neighbors(p);
  for (std::size_t i = 0; i < 4; ++i) {
    if (at(around[i]) != color) continue;
    bool seen = false;
    for (std::size_t j = 0; j < i; ++j)
      seen = seen || (at(around[j]) == color && head_of(around[j]) == head_of(around[i]));
    if (!seen) without(around[i]);
  }
  return after;
}

void Board::place(Point p, Color color, const Frame& frame) {
  assert(at(p) == kEmpty);
  put(p, color, frame);
  const Color enemy = opponent(color);
  int taken = 0;
  Point last = kNoPoint;
  for (const Point neighbor : grid.neighbors(p)) {
    if (at(neighbor) != enemy || touches[head_of(neighbor)] != 0) continue;
    taken += remove(neighbor, frame);
    last = neighbor;
  }
  ko = kNoPoint;
  if (touches[head_of(p)] == 0) {
    remove(p, frame);
  } else if (taken == 1 && is_single(p) && touches[index(p)] == 1) {
    ko = last;
  }
}

Point Board::ko_capture(Point p, Color color) const {
  if (at(p) != kEmpty) return kNoPoint;
  const Color enemy = opponent(color);
  Point found = kNoPoint;
  for (const Point neighbor : grid.neighbors(p)) {
    if (at(neighbor) == kWall) continue;
    if (at(neighbor) != enemy) return kNoPoint;
    if (liberties(neighbor) != 1) continue;
    if (found != kNoPoint || !is_single(neighbor)) return kNoPoint;
    found = neighbor;
  }
  return found;
}

int Board::liberties(Point stone) const {
  PointSet seen;
  int count = 0;
  const auto first = static_cast<std::uint16_t>(stone);
  std::uint16_t q = first;
  do {
    for (const Point neighbor : grid.neighbors(static_cast<Point>(q))) {
      count += at(neighbor) == kEmpty && seen.insert(neighbor);
    }
    q = next[q];
  } while (q != first);
  return count;
}

PointSet Board::chain(Point stone) const {
  PointSet found;
  if (at(stone) == kEmpty) return found;
  for (auto q = static_cast<std::uint16_t>(stone); found.insert(static_cast<Point>(q)); q = next[q]) {
  }
  return found;
}

// Adds the stone to what touches it; nothing is taken.
void Board::put(Point p, Color color, const Frame& frame) {
  drop_empty(p);
  grid.colors[index(p)] = color;
  stones.of[seat_of(color)].insert(p);
  ever.insert(p);
  hash ^= kStoneHashes[index(frame[index(p)])][seat_of(color)];
  const auto around = grid.neighbors(p);
  std::uint16_t liberties = 0;
  for (const Point neighbor : around) {
    const Color there = at(neighbor);
    if (there == kEmpty) {
      ++liberties;
    } else if (there != kWall) {
      --touches[head_of(neighbor)];
    }
  }
  head[index(p)] = next[index(p)] = static_cast<std::uint16_t>(p);
  touches[index(p)] = liberties;
  for (const Point neighbor : around) {
    if (at(neighbor) == color && head_of(neighbor) != head_of(p)) join(p, neighbor);
  }
}

// The chain that came first keeps its head: a new stone is cheaper to rename than what it joins.
void Board::join(Point p, Point neighbor) {
  const auto kept = static_cast<std::uint16_t>(head_of(neighbor));
  const auto renamed = static_cast<std::uint16_t>(head_of(p));
  std::uint16_t q = renamed;
  do {
    head[q] = kept;
    q = next[q];
  } while (q != renamed);
  touches[kept] = static_cast<std::uint16_t>(touches[kept] + touches[renamed]);
  std::swap(next[kept], next[renamed]);
}

int Board::remove(Point stone, const Frame& frame) {
  const Color color = at(stone);
  const std::size_t seat = seat_of(color);
  const auto first = static_cast<std::uint16_t>(stone);
  std::uint16_t q = first;
  int count = 0;
  do {
    const auto p = static_cast<Point>(q);
    const std::uint16_t following = next[q];
    grid.colors[q] = kEmpty;
    stones.of[seat].erase(p);
    hash ^= kStoneHashes[index(frame[q])][seat];
    // A stone of the same chain that is still to go only counts in a head that goes with it.
    for (const Point neighbor : grid.neighbors(p)) {
      if (is_stone(at(neighbor))) ++touches[head_of(neighbor)];
    }
    add_empty(p);
    ++count;
    q = following;
  } while (q != first);
  captured[seat] = static_cast<std::uint16_t>(captured[seat] + count);
  return count;
}

void Board::add_empty(Point p) {
  next[index(p)] = empty_count;
  empties[empty_count++] = p;
}

void Board::drop_empty(Point p) {
  const Point last = empties[--empty_count];
  const std::uint16_t hole = next[index(p)];
  empties[hole] = last;
  next[index(last)] = hole;
}

}  // namespace tengen::go
