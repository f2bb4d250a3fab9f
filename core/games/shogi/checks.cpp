#include "games/shogi/checks.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace tengen::shogi {

void checking_moves(const Position& position, std::vector<Move>& out) {
  out.clear();
  const Color us = position.side();
  const Color them = opponent(us);
  if (!position.has_king(them)) return;
  const Square king = position.king(them);
  const Bitboard occupied = position.occupied();
  // From where a piece of ours would attack the king, by kind. A king attacks none.
  std::array<Bitboard, kKinds> origins{};
  for (int k = 0; k < kKinds; ++k) {
    const auto kind = static_cast<Kind>(k);
    if (kind != kKing) origins[at(k)] = attacks(them, kind, king, occupied);
  }
  const Bitboard discoverers = position.discoverers(us);
  for (const MoveSet& set : MoveSets(position)) {
    Bitboard targets;
    if (set.is_drop) {
      targets = set.targets & origins[set.from_or_kind];
    } else {
      const Square from = set.from_or_kind;
      const Kind kind = kind_of(position.piece_at(from));
      targets = set.targets & origins[set.promotes ? promoted(kind) : kind];
      if (discoverers.has(from)) targets |= set.targets.without(line_through(king, from));
    }
    targets.each([&](Square to) { out.push_back(set.move(to)); });
  }
}

namespace {

Position after(const Position& position, Move move) {
  Position next = position;
  next.play(move);
  return next;
}

// Is it mate, or one within so many plies after every answer? The defender is to move.
bool is_mated_within(const Position& position, int plies, const Repetition& past) {
  if (past.occurrences(position.key()) >= 3) return false;
  std::vector<Move> answers;
  legal_moves(position, answers);
  return std::all_of(answers.begin(), answers.end(), [&](Move answer) {
    if (plies < 2) return false;
    const Position next = after(position, answer);
    return past.occurrences(next.key()) < 3 && mates_within(next, plies - 1, past);
  });
}

}  // namespace

bool mates_within(const Position& position, int plies, const Repetition& past) {
  std::vector<Move> checks;
  checking_moves(position, checks);
  return std::any_of(checks.begin(), checks.end(),
                     [&](Move check) { return is_mated_within(after(position, check), plies - 1, past); });
}

std::vector<Move> short_mate_line(const Position& position, int plies, const Repetition& past) {
  std::vector<Move> moves;
  checking_moves(position, moves);
  const auto check = std::find_if(moves.begin(), moves.end(),
                                  [&](Move move) { return is_mated_within(after(position, move), plies - 1, past); });
  if (check == moves.end()) return {};
  std::vector<Move> line{*check};
  const Position answering = after(position, *check);
  legal_moves(answering, moves);
  std::vector<Move> longest;
  for (const Move answer : moves) {
    const Position next = after(answering, answer);
    int rest = 1;
    while (rest < plies - 2 && !mates_within(next, rest, past)) rest += 2;
    std::vector<Move> further = short_mate_line(next, rest, past);
    if (further.size() < longest.size()) continue;
    longest = std::move(further);
    longest.insert(longest.begin(), answer);
  }
  line.insert(line.end(), longest.begin(), longest.end());
  return line;
}

}  // namespace tengen::shogi
