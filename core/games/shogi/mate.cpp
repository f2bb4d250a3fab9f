#include "games/shogi/mate.hpp"

#include <algorithm>
#include <limits>

#include "games/shogi/checks.hpp"

namespace tengen::shogi {

namespace {

constexpr std::uint32_t kDecided = MateNumbers::kDecided;
// A disproof that rests on something else than a repetition within the search: never for every line.
constexpr int kOutside = -1;

std::uint32_t capped(std::uint64_t number) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(number, kDecided - 1));
}

}  // namespace

MateAnswer MateSolver::solve(const Position& position, const Repetition& past, const MateLimits& limits) {
  table_.clear();
  past_ = &past;
  attacker_ = position.side();
  root_ply_ = position.ply();
  max_plies_ = limits.max_plies;
  nodes_ = 0;
  node_limit_ = limits.nodes;
  is_cut_ = false;
  path_.clear();
  line_ = 0;
  MateAnswer answer;
  for (const int plies : {1, 3}) {
    if (plies > plies_left(0) || !mates_within(position, plies, past)) continue;
    answer.mate = Mate::kFound;
    answer.line = short_mate_line(position, plies, past);
    stopped_ = false;
    return answer;
  }
  const MateNumbers found = search(position, 0, {kDecided, kDecided});
  answer.nodes = nodes_;
  if (found.is_mate()) {
    answer.mate = Mate::kFound;
    answer.line = find_line(position);
  } else if (found.is_no_mate() && !is_cut_) {
    answer.mate = Mate::kNone;
  }
  stopped_ = false;
  return answer;
}

MateNumbers MateSolver::search(const Position& position, int depth, View limits) {
  const std::uint64_t before = nodes_++;
  Children children;
  expand(position, depth, children);
  Choice choice;
  for (;;) {
    choice = choose(children, depth);
    const View now = view_of(choice.numbers, depth);
    if (now.phi >= limits.phi || now.delta >= limits.delta || is_at_limit()) break;
    Child& child = children[choice.best];
    // Stays with a child until another is clearly better, so that it does not jump to and fro.
    const std::uint32_t patience = capped(std::uint64_t{choice.next_delta} + choice.next_delta / 4 + 1);
    const View child_limits{limits.delta == kDecided ? kDecided : limits.delta - (choice.open - 1),
                            choice.next_delta == kDecided ? limits.phi : std::min(limits.phi, patience)};
    child.numbers = search_child(position, depth, child, child_limits);
  }
  table_.store(place_of(position), choice.numbers, depth, capped(nodes_ - before));
  return choice.numbers;
}

MateNumbers MateSolver::search_child(const Position& position, int depth, const Child& child, View limits) {
  const std::uint64_t key = position.key();
  path_.push_back(key);
  line_ ^= mix64(key);
  Position next = position;
  next.play(child.move);
  const MateNumbers numbers = search(next, depth + 1, limits);
  line_ ^= mix64(key);
  path_.pop_back();
  return numbers;
}

void MateSolver::expand(const Position& position, int depth, Children& out) {
  std::vector<Move> moves;
  if (is_attack(depth)) {
    checking_moves(position, moves);
  } else {
    legal_moves(position, moves);
  }
  out.clear();
  out.reserve(moves.size());
  const std::uint64_t key = position.key();
  path_.push_back(key);
  line_ ^= mix64(key);
  for (const Move move : moves) {
    Position next = position;
    next.play(move);
    Child child{move, place_of(next), {}, false};
    child.numbers = first_numbers(next, depth + 1, child.is_decided);
    out.push_back(child);
  }
  line_ ^= mix64(key);
  path_.pop_back();
}

MateNumbers MateSolver::first_numbers(const Position& position, int depth, bool& is_decided) {
  is_decided = true;
  int answers = 1;
  if (!is_attack(depth)) {
    answers = MoveSets(position).count();
    if (answers == 0 && plies_left(depth) >= 0) return MateNumbers::mate(0);
  }
  if (plies_left(depth) < (is_attack(depth) ? 1 : 2)) return MateNumbers::no_mate(kOutside);
  const std::uint64_t key = position.key();
  for (std::size_t i = static_cast<std::size_t>(depth) % 2; i < path_.size(); i += 2) {
    if (path_[i] == key) return MateNumbers::no_mate(static_cast<int>(i));
  }
  if (depth >= kMaxDepth || past_->occurrences(key) >= kMaxOccurrences) {
    is_cut_ = true;
    return MateNumbers::no_mate(kOutside);
  }
  is_decided = false;
  MateNumbers numbers;
  numbers.proof = static_cast<std::uint32_t>(answers);
  return numbers;
}

MateSolver::Choice MateSolver::choose(Children& children, int depth) const {
  Choice choice;
  std::uint32_t phi = kDecided;
  std::uint32_t largest = 0;
  for (std::size_t i = 0; i < children.size(); ++i) {
    Child& child = children[i];
    if (!child.is_decided) table_.find(child.place, plies_left(depth + 1), child.numbers);
    const View view = view_of(child.numbers, depth + 1);
    if (view.delta < phi) {
      choice.next_delta = phi;
      phi = view.delta;
      choice.best = i;
    } else {
      choice.next_delta = std::min(choice.next_delta, view.delta);
    }
    if (view.phi == 0) continue;
    ++choice.open;
    largest = std::max(largest, view.phi);
  }
  if (phi == 0 || choice.open == 0) {
    choice.numbers = decided(children, depth, phi == 0);
    return choice;
  }
  // The largest child instead of the sum of all: sums count positions that many lines share many times over.
  const std::uint32_t delta = largest == kDecided ? kDecided : capped(std::uint64_t{largest} + choice.open - 1);
  choice.numbers.proof = is_attack(depth) ? phi : delta;
  choice.numbers.disproof = is_attack(depth) ? delta : phi;
  return choice;
}

// The side to move has a child that decides the position its way, or all children decide it the other way.
MateNumbers MateSolver::decided(const Children& children, int depth, bool by_mover) {
  if (is_attack(depth) == by_mover) {
    int shortest = std::numeric_limits<int>::max();
    int longest = -1;
    for (const Child& child : children) {
      if (!child.numbers.is_mate()) continue;
      shortest = std::min<int>(shortest, child.numbers.plies);
      longest = std::max<int>(longest, child.numbers.plies);
    }
    return MateNumbers::mate(1 + (by_mover ? shortest : longest));
  }
  int earliest = MateNumbers::kAnyLine;
  int latest = kOutside;
  for (const Child& child : children) {
    if (!child.numbers.is_no_mate()) continue;
    earliest = std::min<int>(earliest, child.numbers.loop_depth);
    latest = std::max<int>(latest, child.numbers.loop_depth);
  }
  return MateNumbers::no_mate(by_mover ? latest : earliest);
}

std::vector<Move> MateSolver::find_line(Position position) {
  std::vector<Move> line;
  Children children;
  node_limit_ += node_limit_;  // for what the table has lost
  for (int depth = 0;; ++depth) {
    expand(position, depth, children);
    Choice choice = choose(children, depth);
    if (!choice.numbers.is_mate()) {
      search(position, depth, {kDecided, kDecided});
      choice = choose(children, depth);
    }
    const Child* next = nullptr;
    for (const Child& child : children) {
      if (!child.numbers.is_mate()) continue;
      const bool is_better = next == nullptr || (is_attack(depth) ? child.numbers.plies < next->numbers.plies
                                                                  : child.numbers.plies > next->numbers.plies);
      if (is_better) next = &child;
    }
    if (next == nullptr) return line;
    line.push_back(next->move);
    const std::uint64_t key = position.key();
    path_.push_back(key);
    line_ ^= mix64(key);
    position.play(next->move);
  }
}

int MateSolver::plies_left(int depth) const {
  return max_plies_ == 0 ? std::numeric_limits<int>::max() : max_plies_ - root_ply_ - depth;
}

}  // namespace tengen::shogi
