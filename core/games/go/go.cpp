#include "games/go/go.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <stdexcept>
#include <type_traits>

namespace tengen {

using go::Color;
using go::Point;
using go::PointSet;
using go::Probe;
using go::State;

namespace {

constexpr std::uint64_t kWhitePassHash = mix64(0x9a55);

constexpr std::uint8_t kMaxPasses = 100;

std::uint8_t small(int number) { return static_cast<std::uint8_t>(number); }

// Two passes do not end what a search looks at: it takes dead stones first.
bool is_friendly(const go::RuleSet& rules) { return rules.friendly_pass != 0 && rules.scoring == go::kAreaScoring; }

// Clears the places that hold no stone any more.
void keep_stones(const go::Board& board, PointSet& places, std::uint64_t& hash, const go::Frame& frame) {
  for (Point p = places.first(); p != go::kNoPoint; p = places.next(p)) {
    if (board.at(p) != go::kEmpty) continue;
    places.erase(p);
    hash ^= go::kBlockHashes[go::Board::index(frame[go::Board::index(p)])];
  }
}

}  // namespace

Go::State Go::start_from(const go::RuleSet& rules, const go::Grid& stones, int player, int phase) const {
  assert(stones.width == width_ && stones.height == height_);
  if (phase != 0 && rules.scoring != go::kTerritoryScoring) {
    throw std::invalid_argument("only territory scoring has clean-up phases");
  }
  State state;
  state.rules = rules;
  state.board = go::Board(stones, frames_[0]);
  begin(state, player, phase);
  return state;
}

// The position as a start: nothing that was played before counts any more, but for stones that were taken.
void Go::begin(State& state, int player, int phase) const {
  go::Board& board = state.board;
  int black = 0;
  int white = 0;
  board.ever = {};
  for (int cell = 0; cell < area(); ++cell) {
    const Color color = board.at(point(cell));
    black += color == go::kBlack;
    white += color == go::kWhite;
    if (color != go::kEmpty) board.ever.insert(point(cell));
  }
  board.ko = go::kNoPoint;
  state.before = {board.stones, board.stones};
  state.before_ko = {};
  state.recent.fill(-1);
  state.shown = 0;
  state.ended = go::kGoing;
  state.player = small(player);
  state.phase = small(phase);
  state.passes = 0;
  state.pass_hashes.clear(state.pass_count);
  state.ko_captures.clear(state.ko_capture_count);
  state.blocked = {};
  state.blocked_hash = 0;
  state.second_start = phase == 2 ? board.stones : go::Stones{};
  state.has_button = state.rules.button != 0 && phase == 0;
  state.handicap = static_cast<std::uint16_t>(white == 0 ? black : 0);
  state.white_moved = white != 0;
  // Under territory scoring every stone played costs its player a point, so that area counts the rest.
  const int played = black + board.captured[0] - white - board.captured[1];
  state.bonus = state.rules.scoring == go::kTerritoryScoring ? 2 * played : 0;
  state.positions.clear();
  state.positions.push(situation(state));
}

bool Go::replay(State& state, int player, Action action) const {
  const auto color = go::color_of(player);
  if (action != pass()) {
    const Point p = point(action);
    const bool is_lifted = state.phase > 0 && player == state.player && blocked_by_ko(state, p) != go::kNoPoint;
    if (!is_lifted) {
      if (state.board.at(p) != go::kEmpty) return false;
      const Probe probe = state.board.probe(p, color);
      if (probe.is_suicide() && !probe.joins) return false;
    }
  }
  if (player != state.player) begin(state, player, state.phase);
  advance(state, action, true);
  return true;
}

Go::State Go::in_search(const State& state, int root_ply, bool conservative_pass) const {
  State searched = state;
  searched.root_ply = root_ply;
  searched.conservative_pass = conservative_pass;
  if (root_ply == state.ply && state.ended != go::kGoing) searched.ended = go::kHeldOpen;
  return searched;
}

void Go::advance(State& state, Action action, bool is_replay) const {
  if (state.ended != go::kGoing) {
    state.shown = std::min(state.shown, std::uint8_t{1});
    state.ended = go::kGoing;
  }
  const bool is_pass = action == pass();
  const bool is_held = is_pass && !is_replay && holds_open(state);
  bool ends = false;
  if (is_pass) {
    ends = end_by_pass(state);
  } else {
    state.passes = 0;
  }
  state.before[1] = state.before[0];
  state.before[0] = state.board.stones;
  state.before_ko = {state.board.ko, state.before_ko[0]};
  if (is_pass) {
    state.board.ko = go::kNoPoint;
  } else {
    play_stone(state, point(action));
  }
  remember(state, action);
  if (!ends) return;
  const bool is_last = state.rules.scoring == go::kAreaScoring || state.phase == 2;
  if (is_last) {
    state.ended = is_held ? go::kHeldOpen : go::kScored;
  } else {
    end_phase(state, is_replay && state.rules.prevent_cleanup != 0);
  }
}

// Counts the pass; true: it ends the phase.
bool Go::end_by_pass(State& state) const {
  if (state.has_button != 0) {
    state.has_button = 0;
    state.bonus += state.player == 0 ? -1 : 1;
    state.passes = 0;
    state.pass_hashes.clear(state.pass_count);
    state.positions.clear();
    return false;
  }
  const bool is_repeated = is_repeated_pass(state);
  state.passes = small(std::min<int>(passes_after_pass(state), kMaxPasses));
  if (ends_by_repeated_pass(state)) {
    state.positions.clear();
    state.pass_hashes.push(situation(state) ^ (state.player == 0 ? 0 : kWhitePassHash), state.pass_count);
  }
  return state.passes >= 2 || is_repeated;
}

void Go::play_stone(State& state, Point p) const {
  const Color mover = state.color();
  go::Board& board = state.board;
  if (state.phase > 0) {
    const Point lifted = blocked_by_ko(state, p);
    if (lifted != go::kNoPoint) {
      state.blocked.erase(lifted);
      state.blocked_hash ^= go::kBlockHashes[go::Board::index(frame(state)[go::Board::index(lifted)])];
      board.ko = go::kNoPoint;
      return;
    }
  }
  const std::uint64_t capture_hash = state.phase > 0 ? ko_capture_hash(state, p) : 0;
  board.place(p, mover, frame(state));
  if (state.phase > 0) {
    // A stone that took a ko may not be taken back before the opponent has lifted the block.
    if (board.ko != go::kNoPoint) {
      if (!state.blocked.contains(p)) {
        state.blocked.insert(p);
        state.blocked_hash ^= go::kBlockHashes[go::Board::index(frame(state)[go::Board::index(p)])];
      }
      state.ko_captures.push(capture_hash, state.ko_capture_count);
      board.ko = go::kNoPoint;
    }
    keep_stones(board, state.blocked, state.blocked_hash, frame(state));
  }
  if (mover == go::kWhite) state.white_moved = 1;
  if (mover == go::kBlack && state.white_moved == 0) ++state.handicap;
  if (state.rules.scoring == go::kTerritoryScoring && state.phase <= 1) state.bonus += mover == go::kBlack ? 2 : -2;
}

void Go::remember(State& state, Action action) const {
  for (std::size_t i = go::kShown - 1; i > 0; --i) state.recent[i] = state.recent[i - 1];
  state.recent[0] = static_cast<std::int16_t>(action);
  state.shown = small(std::min<int>(state.shown + 1, go::kShown));
  state.player = small(1 - state.player);
  ++state.ply;
  const std::uint64_t hash = situation(state);
  const bool may_repeat = state.positions.may_have(hash);
  state.positions.push(hash);
  if (may_repeat && action != pass() && (state.phase > 0 || state.rules.ko == go::kSimpleKo) &&
      state.positions.occurrences(hash) >= 3) {
    state.ended = go::kNoResult;
  }
}

void Go::end_phase(State& state, bool hold_open) const {
  if (hold_open) {
    state.ended = go::kHeldOpen;
    state.shown = std::min(state.shown, std::uint8_t{1});
    return;
  }
  ++state.phase;
  if (state.phase == 2) state.second_start = state.board.stones;
  state.shown = 0;
  state.passes = 0;
  state.pass_hashes.clear(state.pass_count);
  state.ko_captures.clear(state.ko_capture_count);
  state.blocked = {};
  state.blocked_hash = 0;
  state.positions.clear();
  state.positions.push(situation(state));
}

void Go::legal(const State& state, int player, Actions& out) const {
  assert(player == actor(state));
  static_cast<void>(player);
  out.clear();
  for (int cell = 0; cell < area(); ++cell) {
    if (is_legal_point(state, point(cell))) out.push_back(cell);
  }
  out.push_back(pass());
}

bool Go::is_legal(const State& state, Action action) const {
  assert(action >= 0 && action < action_count());
  return action == pass() || is_legal_point(state, point(action));
}

Action Go::random_action(const State& state, int, Rng& rng) const {
  // In a clean-up a stone may be pointed at as well.
  const auto choices = static_cast<std::uint32_t>(state.phase > 0 ? area() : state.board.empty_count);
  for (;;) {
    const std::uint32_t drawn = rng.below(choices + 1);
    if (drawn == choices) return pass();
    const Point p = state.phase > 0 ? point(static_cast<int>(drawn)) : state.board.empties[drawn];
    if (is_legal_point(state, p)) return cell(p);
  }
}

bool Go::is_legal_point(const State& state, Point p) const {
  const go::Board& board = state.board;
  if (state.phase > 0 && blocked_by_ko(state, p) != go::kNoPoint) return true;
  if (board.at(p) != go::kEmpty) return false;
  const bool may_repeat = state.phase == 0 && state.rules.ko != go::kSimpleKo && board.ever.contains(p);
  if (state.phase == 0) {
    if (p == board.ko) return false;
    if (!may_repeat) {
      for (const Point neighbor : board.grid.neighbors(p)) {
        if (board.at(neighbor) == go::kEmpty) return true;
      }
    }
  }
  const Probe probe = board.probe(p, state.color());
  const bool is_suicide = probe.is_suicide();
  if (is_suicide && (!probe.joins || state.rules.suicide == 0)) return false;
  if (state.phase > 0) {
    return state.ko_capture_count == 0 || !state.ko_captures.has(ko_capture_hash(state, p), state.ko_capture_count);
  }
  // A place that never held a stone makes a new position, unless the stone does not stay.
  if (state.rules.ko == go::kSimpleKo || !(may_repeat || is_suicide)) return true;
  return !is_superko(state, p, probe);
}

bool Go::is_superko(const State& state, Point p, const Probe& probe) const {
  const std::uint64_t stones = state.board.hash_after(p, state.color(), probe, frame(state));
  return state.positions.has(situation(state, stones, 1 - state.player));
}

// The stone whose block a move here would lift instead of taking it, in a clean-up.
Point Go::blocked_by_ko(const State& state, Point p) const {
  const go::Board& board = state.board;
  if (board.at(p) == go::opponent(state.color())) {
    return state.blocked.contains(p) && board.is_single(p) && board.liberties(p) == 1 ? p : go::kNoPoint;
  }
  const Point taken = board.ko_capture(p, state.color());
  return taken != go::kNoPoint && state.blocked.contains(taken) ? taken : go::kNoPoint;
}

PointSet Go::banned(const State& state) const {
  PointSet places;
  const go::Board& board = state.board;
  if (state.phase == 0 && board.ko != go::kNoPoint) places.insert(board.ko);
  if (state.phase == 0 && state.rules.ko == go::kSimpleKo) return places;
  if (state.phase > 0 && state.ko_capture_count == 0) return places;
  for (std::size_t i = 0; i < board.empty_count; ++i) {
    const Point p = board.empties[i];
    if (state.phase > 0) {
      if (state.ko_captures.has(ko_capture_hash(state, p), state.ko_capture_count)) places.insert(p);
      continue;
    }
    if (p == board.ko) continue;
    // Only a stone that comes back or takes its own chain can bring a position back.
    if (!board.ever.contains(p) && board.has_empty_neighbor(p)) continue;
    const Probe probe = board.probe(p, state.color());
    const bool is_suicide = probe.is_suicide();
    if (is_suicide && (!probe.joins || state.rules.suicide == 0)) continue;
    if ((is_suicide || board.ever.contains(p)) && is_superko(state, p, probe)) places.insert(p);
  }
  return places;
}

std::uint64_t Go::situation(const State& state) const { return situation(state, state.board.hash, state.player); }

std::uint64_t Go::situation(const State& state, std::uint64_t stones, int player) const {
  const bool knows_player = state.phase > 0 || state.rules.ko == go::kSimpleKo || state.rules.ko == go::kSituationalKo;
  return stones ^ state.blocked_hash ^ (knows_player && player == 1 ? go::kWhiteToMoveHash : 0);
}

std::uint64_t Go::ko_capture_hash(const State& state, Point p) const {
  const auto place = static_cast<std::uint64_t>(frame(state)[go::Board::index(p)]);
  return mix64(state.board.hash ^ mix64(2 * place + state.player));
}

bool Go::ends_by_repeated_pass(const State& state) const {
  return state.phase > 0 || state.rules.ko == go::kSimpleKo || state.rules.ko == go::kSpightKo;
}

bool Go::is_repeated_pass(const State& state) const {
  return ends_by_repeated_pass(state) &&
         state.pass_hashes.has(situation(state) ^ (state.player == 0 ? 0 : kWhitePassHash), state.pass_count);
}

int Go::passes_after_pass(const State& state) const {
  return state.phase == 0 && state.rules.ko == go::kSpightKo ? 0 : state.passes + 1;
}

bool Go::pass_would_end_phase(const State& state) const {
  return passes_after_pass(state) >= 2 || is_repeated_pass(state);
}

bool Go::pass_would_end_game(const State& state) const {
  return pass_would_end_phase(state) && (state.rules.scoring == go::kAreaScoring || state.phase == 2);
}

bool Go::is_suppressed_friendly(const State& state) const {
  return is_friendly(state.rules) && passes_after_pass(state) == 2 && !is_repeated_pass(state);
}

// A search goes on after a pass here, even if that ends the game.
bool Go::holds_open(const State& state) const {
  if (state.root_ply < 0) return false;
  return is_suppressed_friendly(state) || (state.conservative_pass != 0 && state.ply == state.root_ply);
}

std::uint64_t Go::rules_key(const State& state) const {
  static_assert(std::has_unique_object_representations_v<State> && sizeof(State) % sizeof(std::uint64_t) == 0);
  using Words = std::array<std::uint64_t, sizeof(State) / sizeof(std::uint64_t)>;
  State plain = state;
  // A search counts where it holds the game open: here and now, after any first two passes, or at a root that is still
  // to come.
  plain.conservative_pass = pass_would_end_game(state) && holds_open(state);
  plain.root_ply = state.root_ply >= 0 && is_friendly(state.rules) ? 0 : -1;
  if (state.root_ply > state.ply && state.conservative_pass != 0) plain.root_ply = state.root_ply;
  std::uint64_t hash = 0;
  for (const std::uint64_t word : std::bit_cast<Words>(plain)) hash = mix64(hash ^ word);
  return hash;
}

}  // namespace tengen
