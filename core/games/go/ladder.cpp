#include "games/go/ladder.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace tengen::go {

// A ladder as long as a board and a half counts as one that works.
LadderReader::LadderReader(const Grid& grid, Point ko, int max_moves)
    : board_(grid, Chains(grid), ko), max_moves_(max_moves), max_depth_(grid.area() * 3 / 2) {
  moves_.reserve(64);
}

LadderReader::LadderReader(const Grid& grid, const Chains& chains, Point ko)
    : board_(grid, chains, ko), max_moves_(kMaxMoves), max_depth_(grid.area() * 3 / 2) {
  moves_.reserve(64);
}

bool LadderReader::is_caught(Point stone) {
  const Point ko = board_.ko();
  board_.set_ko(kNoPoint);
  move_count_ = 0;
  const bool caught = defender_falls(stone, 0);
  board_.set_ko(ko);
  return caught;
}

LadderReader::Moves LadderReader::catching_moves(Point stone) {
  Moves moves;
  const Color attacker = opponent(board_.at(stone));
  const PointSet liberties = board_.chain(stone).liberties;
  for (Point p = liberties.first(); p != kNoPoint; p = liberties.next(p)) {
    if (!board_.is_legal(p, attacker)) continue;
    const auto move = board_.play(p, attacker);
    if (board_.chain(stone).liberty_count == 1 && is_caught(stone)) moves.points[moves.count++] = p;
    board_.undo(move);
  }
  return moves;
}

std::span<const Point> LadderReader::stones(Point stone) {
  stones_.clear();
  Point p = stone;
  do {
    stones_.push_back(p);
    p = board_.next(p);
  } while (p != stone);
  return stones_;
}

bool LadderReader::defender_falls(Point stone, int depth) {
  if (depth >= max_depth_) return true;
  if (move_count_ >= max_moves_) return false;
  // A ladder that depends on a ko doesn't work; and without kos no ladder goes around in circles.
  if (board_.chain(stone).liberty_count >= 2 || board_.ko() != kNoPoint) return false;
  const Color defender = board_.at(stone);
  const Point extension = board_.chain(stone).liberties.first();
  const int liberties = liberties_after(extension, defender);
  if (liberties >= 3) return false;
  const std::size_t begin = moves_.size();
  add_captures(stone);
  if (moves_.size() == begin && liberties <= 1 && !is_capture(extension, defender)) return true;
  if (std::find(moves_.begin() + static_cast<std::ptrdiff_t>(begin), moves_.end(), extension) == moves_.end()) {
    moves_.push_back(extension);
  }
  return !try_moves(stone, defender, begin, depth);
}

bool LadderReader::attacker_catches(Point stone, int depth) {
  if (depth >= max_depth_) return true;
  if (move_count_ >= max_moves_) return false;
  const auto& chain = board_.chain(stone);
  if (chain.liberty_count != 2) return chain.liberty_count < 2;
  Point first = chain.liberties.first();
  Point second = chain.liberties.next(first);
  const int first_empty = empty_neighbors(first);
  const int second_empty = empty_neighbors(second);
  if (first_empty + second_empty == 0 && is_double_ko(stone, first, second)) return true;
  const int distance = std::abs(first - second);
  // The liberty that the attacker leaves must not give the defender three more.
  const bool is_apart = distance != 1 && distance != board_.grid().stride();
  const bool plays_first = !is_apart || second_empty < 3;
  const bool plays_second = !is_apart || first_empty < 3;
  const Color defender = board_.at(stone);
  if (plays_first && plays_second &&
      2 * second_empty + connection_weight(second, defender) > 2 * first_empty + connection_weight(first, defender)) {
    std::swap(first, second);
  }
  const std::size_t begin = moves_.size();
  if (plays_first) moves_.push_back(first);
  if (plays_second) moves_.push_back(second);
  return try_moves(stone, opponent(defender), begin, depth);
}

bool LadderReader::try_moves(Point stone, Color mover, std::size_t begin, int depth) {
  const bool defends = mover == board_.at(stone);
  const std::size_t end = moves_.size();
  bool succeeds = false;
  for (std::size_t i = begin; i < end && !succeeds; ++i) {
    if (!board_.is_legal(moves_[i], mover)) continue;
    const auto move = board_.play(moves_[i], mover);
    ++move_count_;
    const bool caught = defends ? attacker_catches(stone, depth + 1) : defender_falls(stone, depth + 1);
    board_.undo(move);
    succeeds = caught != defends;
    if (move_count_ < max_moves_) continue;
    succeeds = defends;
    break;
  }
  moves_.resize(begin);
  return succeeds;
}

// The moves that take attackers next to the chain.
void LadderReader::add_captures(Point stone) {
  const Color attacker = opponent(board_.at(stone));
  const auto begin = static_cast<std::ptrdiff_t>(moves_.size());
  Point p = stone;
  do {
    for (const Point neighbor : board_.grid().neighbors(p)) {
      if (board_.at(neighbor) != attacker || board_.chain(neighbor).liberty_count != 1) continue;
      const Point capture = board_.chain(neighbor).liberties.first();
      if (std::find(moves_.begin() + begin, moves_.end(), capture) == moves_.end()) moves_.push_back(capture);
    }
    p = board_.next(p);
  } while (p != stone);
}

bool LadderReader::is_capture(Point p, Color color) const {
  const auto around = board_.grid().neighbors(p);
  return std::any_of(around.begin(), around.end(), [&](Point neighbor) {
    return board_.at(neighbor) == opponent(color) && board_.chain(neighbor).liberty_count == 1;
  });
}

int LadderReader::empty_neighbors(Point p) const {
  const auto around = board_.grid().neighbors(p);
  return static_cast<int>(
      std::count_if(around.begin(), around.end(), [&](Point neighbor) { return board_.at(neighbor) == kEmpty; }));
}

int LadderReader::liberties_after(Point p, Color color) const {
  PointSet liberties;
  for (const Point neighbor : board_.grid().neighbors(p)) {
    if (board_.at(neighbor) == kEmpty) liberties.insert(neighbor);
    if (board_.at(neighbor) == color) liberties.insert(board_.chain(neighbor).liberties);
  }
  liberties.erase(p);
  return liberties.size();
}

// Both liberties are kos that the attacker can take, connecting one of them doesn't help, and there is nothing to take:
// the defender is caught however many kos are fought.
bool LadderReader::is_double_ko(Point stone, Point first, Point second) {
  const Color defender = board_.at(stone);
  for (const Point p : {first, second}) {
    if (!is_ko_mouth(p, defender) || liberties_after(p, defender) > 2) return false;
  }
  const std::size_t begin = moves_.size();
  add_captures(stone);
  const bool has_captures = moves_.size() > begin;
  moves_.resize(begin);
  return !has_captures;
}

// Whether a stone of the other color at p would be surrounded, but take a single stone.
bool LadderReader::is_ko_mouth(Point p, Color owner) const {
  int takeable = 0;
  bool is_single = false;
  for (const Point neighbor : board_.grid().neighbors(p)) {
    if (board_.at(neighbor) == kWall) continue;
    if (board_.at(neighbor) != owner) return false;
    const auto& chain = board_.chain(neighbor);
    if (chain.liberty_count > 1) continue;
    ++takeable;
    is_single = chain.stone_count == 1;
  }
  return takeable == 1 && is_single;
}

// How much a stone of that color at p would gain by connecting, in half liberties: a guess that only orders moves.
int LadderReader::connection_weight(Point p, Color color) const {
  int weight = 0;
  for (const Point neighbor : board_.grid().neighbors(p)) {
    if (board_.at(neighbor) != color) continue;
    const int liberties = board_.chain(neighbor).liberty_count;
    if (liberties > 1) weight += 2 * liberties - 3;
  }
  return weight;
}

}  // namespace tengen::go
