#include "games/shogi/shogi.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <stdexcept>

#include "games/shogi/checks.hpp"
#include "games/shogi/random_move.hpp"

namespace tengen {

using namespace shogi;

namespace {

constexpr std::array<Square, 2> kTrySquares{make_square(4, 0), make_square(4, 8)};  // 5a for Black, 5i for White

void count_check(State& state) {
  const Color mover = opponent(state.position.side());
  std::uint16_t& checks = state.checks[at(mover)];
  checks = state.position.is_check() ? static_cast<std::uint16_t>(std::min(checks + 1, 0xffff)) : std::uint16_t{0};
}

void finish(State& state, End end, int winner) {
  state.end = end;
  state.winner = static_cast<std::int8_t>(winner);
}

// In pawns: on the board, by kind, and in hand.
constexpr std::array<double, kKinds> kWorth{1, 3, 3.5, 5, 8, 10, 5.5, 0, 4, 5, 5.5, 5.5, 10.5, 13};
constexpr std::array<double, kHandKinds> kWorthInHand{1.2, 3.3, 3.8, 5.5, 9, 11, 6};

double material(const Position& position, Color color) {
  double worth = 0.0;
  for (std::size_t kind = 0; kind < kWorth.size(); ++kind) {
    worth += kWorth[kind] * position.pieces(color, static_cast<Kind>(kind)).count();
  }
  for (std::size_t kind = 0; kind < kWorthInHand.size(); ++kind) {
    worth += kWorthInHand[kind] * position.hand(color).count(static_cast<Kind>(kind));
  }
  return worth;
}

}  // namespace

Shogi::Shogi(const Settings& settings) : settings_(settings) {
  if (at(static_cast<int>(settings.declaration)) >= kDeclarationNames.size()) {
    throw std::invalid_argument("there is no such rule of declaration");
  }
  if (settings.max_plies < 0) throw std::invalid_argument("max_plies must be at least 0, which is no limit");
}

State Shogi::start_from(const Position& position) const {
  State state;
  state.position = position;
  state.repetition.push(position.key());
  if (position.is_check()) state.checks[at(opponent(position.side()))] = 1;
  if (!has_legal_move(position)) {
    finish(state, End::kNoMoves, opponent(position.side()));
  } else if (settings_.max_plies > 0 && position.ply() >= settings_.max_plies) {
    finish(state, End::kMaxPlies, kNobody);
  }
  return state;
}

void Shogi::legal(const State& state, int player, Actions& out) const {
  assert(player == actor(state));
  static_cast<void>(player);
  out.clear();
  for (const MoveSet& set : MoveSets(state.position)) {
    const std::int16_t* actions = set.is_drop ? kActions.drops(static_cast<Kind>(set.from_or_kind))
                                              : kActions.departures(set.from_or_kind, set.promotes);
    set.targets.each([&](Square to) { out.push_back(actions[to]); });
  }
  if (can_declare(state)) out.push_back(kWinAction);
}

Action Shogi::random_action(const State& state, int, Rng& rng) const {
  const Move move = random_move(state.position, can_declare(state), rng);
  return move.is_none() ? kWinAction : action_of(move);
}

void Shogi::apply(State& state, Action action) const {
  assert(state.end == End::kNone);
  if (action == kWinAction) return finish(state, End::kDeclaration, state.position.side());
  replay(state, move_of(action));
}

void Shogi::replay(State& state, Move move) const {
  finish(state, End::kNone, kNobody);
  const MadeMove made = state.position.play(move);
  std::copy_backward(state.recent.begin(), state.recent.end() - 1, state.recent.end());
  state.recent[0] = made;
  state.recent_count = static_cast<std::uint8_t>(std::min<std::size_t>(state.recent_count + 1U, State::kRecent));
  count_check(state);
  judge(state);
}

void Shogi::judge(State& state) const {
  const Position& position = state.position;
  const Color mover = opponent(position.side());
  const std::uint64_t key = position.key();
  const Repetition::Found found = state.repetition.find(key);
  state.repetition.push(key);
  state.occurrences = static_cast<std::uint8_t>(found.times + 1);
  if (!has_legal_move(position)) return finish(state, End::kNoMoves, mover);
  const Move last = state.recent[0].move;
  if (settings_.declaration == Declaration::kTry && position.king(mover) == kTrySquares[at(mover)] &&
      last.to() == position.king(mover)) {
    return finish(state, End::kTry, mover);
  }
  if (found.times >= 3) {
    for (const Color checker : {mover, opponent(mover)}) {
      if (2 * state.checks[at(checker)] >= found.plies) return finish(state, End::kPerpetualCheck, opponent(checker));
    }
    return finish(state, End::kRepetition, kNobody);
  }
  if (settings_.max_plies > 0 && position.ply() >= settings_.max_plies) finish(state, End::kMaxPlies, kNobody);
}

bool Shogi::has_forced_win(const State& state, int plies) const {
  if (can_declare(state)) return true;
  const int left = settings_.max_plies == 0 ? plies : std::min(plies, settings_.max_plies - state.position.ply());
  // A mate takes an odd number of plies.
  return left > 0 && mates_within(state.position, left - (left % 2 == 0), state.repetition);
}

void Shogi::payoff(const State& state, std::span<double> out) const {
  assert(state.end != End::kNone);
  out[0] = state.winner == kNobody ? context_.draw_value : (state.winner == kBlack ? 1.0 : -1.0);
  out[1] = 0.0 - out[0];
}

void Shogi::heuristic(const State& state, std::span<double> out) const {
  constexpr double kHalfWin = 15.0;  // pawns that make a value of a half
  constexpr double kTempo = 0.5;
  const Position& position = state.position;
  const double lead =
      material(position, kBlack) - material(position, kWhite) + (position.side() == kBlack ? kTempo : -kTempo);
  out[0] = lead / (kHalfWin + std::abs(lead));
  out[1] = -out[0];
}

std::uint64_t Shogi::key(const State& state) const {
  std::uint64_t more = static_cast<std::uint64_t>(state.occurrences) << 8 | static_cast<std::uint64_t>(state.end);
  if (settings_.max_plies > 0) more |= static_cast<std::uint64_t>(state.position.ply()) << 16;
  return mix64(state.position.key() ^ mix64(more));
}

std::uint64_t Shogi::rules_key(const State& state) const {
  const auto ply = static_cast<std::uint64_t>(state.position.ply());
  return mix64(key(state) ^ mix64(state.repetition.digest() ^ mix64(ply)));
}

namespace shogi {

CampCount camp_count(const Position& position, Color color) {
  const Bitboard camp = promotion_zone(color) & position.pieces(color);
  const Bitboard large =
      position.pieces(kBishop) | position.pieces(kRook) | position.pieces(kHorse) | position.pieces(kDragon);
  CampCount result;
  result.pieces = camp.without(position.pieces(kKing)).count();
  result.points = result.pieces + 4 * (camp & large).count();
  const Hand hand = position.hand(color);
  for (int kind = 0; kind < kHandKinds; ++kind) {
    result.points += hand.count(static_cast<Kind>(kind)) * (kind == kBishop || kind == kRook ? 5 : 1);
  }
  return result;
}

namespace {

// Of all pieces but the kings, on board and in hands.
int total_points(const Position& position) {
  int points = 0;
  for (int k = 0; k < kKinds; ++k) {
    const auto kind = static_cast<Kind>(k);
    if (kind == kKing) continue;
    int count = position.pieces(kind).count();
    if (k < kHandKinds) count += position.hand(kBlack).count(kind) + position.hand(kWhite).count(kind);
    const Kind plain = unpromoted(kind);
    points += count * (plain == kBishop || plain == kRook ? 5 : 1);
  }
  return points;
}

int needed_points(const Position& position, Declaration rule) {
  constexpr int kAllPoints = 54;
  const Color side = position.side();
  const bool is_24 = rule == Declaration::kCsa24 || rule == Declaration::kCsa24Handicap;
  int needed = is_24 ? 31 : (side == kBlack ? 28 : 27);
  const bool is_handicap = rule == Declaration::kCsa24Handicap || rule == Declaration::kCsa27Handicap;
  if (is_handicap && side == kWhite) needed -= std::max(0, kAllPoints - total_points(position));
  return needed;
}

}  // namespace

bool can_declare(const Position& position, Declaration rule) {
  constexpr int kNeededPieces = 10;
  if (rule == Declaration::kNone || rule == Declaration::kTry) return false;
  const Color side = position.side();
  if (!position.has_king(side) || !promotion_zone(side).has(position.king(side)) || position.is_check()) return false;
  const CampCount camp = camp_count(position, side);
  return camp.pieces >= kNeededPieces && camp.points >= needed_points(position, rule);
}

int policy_index(Color mover, Move move) {
  const auto seen = [mover](Square square) { return mover == kBlack ? square : turned(square); };
  const Square to = seen(move.to());
  if (move.is_drop()) return (20 + move.dropped()) * kSquares + to;
  const Square from = seen(move.from());
  const int left = file_of(to) - file_of(from);  // above 0: towards higher files
  const int down = rank_of(to) - rank_of(from);
  const bool is_knight = down == -2 && std::abs(left) == 1;
  const int side = left > 0 ? 1 : (left < 0 ? 2 : 0);
  int plane = down < 0 ? side : (down == 0 ? 2 + side : 5 + side);
  if (is_knight) plane = left > 0 ? 8 : 9;
  return (plane + (move.promotes() ? 10 : 0)) * kSquares + to;
}

}  // namespace shogi

}  // namespace tengen
