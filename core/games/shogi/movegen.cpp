#include "games/shogi/movegen.hpp"

#include <algorithm>

namespace tengen::shogi {

namespace {

// Files on which a player has no unpromoted pawn.
Bitboard files_without(Bitboard pawns) {
  // A file's lower eight bits plus eight ones carry into its ninth bit if any of them is set.
  constexpr Bitboard kNinths = rank_set(8);
  constexpr Bitboard kLower = ~kNinths;
  const Bitboard ninths = Bitboard{((pawns.low & kLower.low) + kLower.low) | pawns.low,
                                   ((pawns.high & kLower.high) + kLower.high) | pawns.high} &
                          kNinths;
  const Bitboard taken{(ninths.low - (ninths.low >> 8)) | ninths.low, (ninths.high - (ninths.high >> 8)) | ninths.high};
  return ~taken;
}

// Where the king of `color` may go.
Bitboard king_targets(const Position& position, Color color) {
  const Square king = position.king(color);
  const Bitboard occupied = position.occupied() ^ Bitboard::of(king);
  Bitboard safe;
  king_attacks(king).without(position.pieces(color)).each([&](Square to) {
    if (!position.is_attacked(opponent(color), to, occupied)) safe |= Bitboard::of(to);
  });
  return safe;
}

}  // namespace

class Generator {
 public:
  Generator(const Position& position, MoveSets& sets)
      : position_(position), sets_(sets), us_(position.side()), king_(position.king(us_)) {}

  void run() {
    const Bitboard occupied = position_.occupied();
    const Bitboard own = position_.pieces(us_);
    Bitboard move_targets = ~own;
    Bitboard drop_targets = ~occupied;
    if (position_.is_check()) {
      if (position_.checkers().has_several()) {
        add_king_moves();
        return;
      }
      drop_targets = between(king_, position_.checkers().first());
      move_targets = drop_targets | position_.checkers();
    }
    const Bitboard pinned = position_.pinned(us_);
    own.each([&](Square from) {
      const Kind kind = kind_of(position_.piece_at(from));
      if (kind == kKing) return add_king_moves();
      Bitboard targets = attacks(us_, kind, from, occupied) & move_targets;
      if (pinned.has(from)) targets &= line_through(king_, from);
      add_moves(kind, from, targets);
    });
    if (!position_.hand(us_).is_empty() && !drop_targets.is_empty()) add_drops(drop_targets);
  }

 private:
  void add_king_moves() { sets_.add(king_targets(position_, us_), king_, false, false); }

  void add_moves(Kind kind, Square from, Bitboard targets) {
    if (!can_promote(kind)) {
      sets_.add(targets, from, false, false);
      return;
    }
    const Bitboard zone = promotion_zone(us_);
    sets_.add(targets.without(dead_end(us_, kind)), from, false, false);
    sets_.add(zone.has(from) ? targets : targets & zone, from, true, false);
  }

  void add_drops(Bitboard targets) {
    const Hand hand = position_.hand(us_);
    for (int k = 0; k < kHandKinds; ++k) {
      const auto kind = static_cast<Kind>(k);
      if (!hand.has(kind)) continue;
      sets_.add(kind == kPawn ? pawn_drop_targets(position_, targets) : drop_targets(us_, kind, targets), k, false,
                true);
    }
  }

  const Position& position_;
  MoveSets& sets_;
  const Color us_;
  const Square king_;
};

Bitboard pawn_drop_targets(const Position& position, Bitboard free) {
  const Color us = position.side();
  const Color them = opponent(us);
  free = drop_targets(us, kPawn, free) & files_without(position.pieces(us, kPawn));
  if (!position.has_king(them)) return free;
  const Bitboard head = pawn_attacks(them, position.king(them)) & free;
  if (!head.is_empty() && is_drop_pawn_mate(position, head.first())) free ^= head;
  return free;
}

MoveSets::MoveSets(const Position& position) { Generator(position, *this).run(); }

int MoveSets::count() const {
  int total = 0;
  for (const MoveSet& set : *this) total += set.targets.count();
  return total;
}

void legal_moves(const Position& position, std::vector<Move>& out) {
  out.clear();
  MoveSets(position).each([&](Move move) { out.push_back(move); });
}

namespace {

// Finds at once a move in most positions without check; false may be wrong.
bool has_evident_move(const Position& position) {
  const Color us = position.side();
  const Bitboard occupied = position.occupied();
  const Bitboard own = position.pieces(us);
  const Square king = position.king(us);
  // A pawn that is not on a line with its king is free.
  Bitboard pawns = position.pieces(us, kPawn).without(rank_set(us == kBlack ? 0 : 8));
  if (king != kNoSquare) {
    const auto k = at(king);
    pawns = pawns.without(kAttacks.ahead[0][k] | kAttacks.ahead[1][k] | kAttacks.rank[k] | kAttacks.rising[k] |
                          kAttacks.falling[k]);
  }
  const Bitboard ahead =
      us == kBlack ? Bitboard{pawns.low >> 1, pawns.high >> 1} : Bitboard{pawns.low << 1, pawns.high << 1};
  if (!ahead.without(own).is_empty()) return true;
  Bitboard free = own.without(position.pinned(us) | position.pieces(kKing));
  while (!free.is_empty()) {
    const Square from = free.take_first();
    if (!attacks(us, kind_of(position.piece_at(from)), from, occupied).without(own).is_empty()) return true;
  }
  return false;
}

}  // namespace

bool has_legal_move(const Position& position) {
  if (!position.is_check() && has_evident_move(position)) return true;
  const MoveSets sets(position);
  return sets.begin() != sets.end();
}

bool is_legal(const Position& position, Move move) {
  const MoveSets sets(position);
  return std::any_of(sets.begin(), sets.end(), [&](const MoveSet& set) {
    return set.is_drop == move.is_drop() && set.promotes == move.promotes() && set.targets.has(move.to()) &&
           set.from_or_kind == (move.is_drop() ? static_cast<int>(move.dropped()) : move.from());
  });
}

bool is_drop_pawn_mate(const Position& position, Square to) {
  const Color us = position.side();
  const Color them = opponent(us);
  const Square king = position.king(them);
  const Bitboard occupied = position.occupied() | Bitboard::of(to);
  const Bitboard without_king = occupied ^ Bitboard::of(king);
  Bitboard escapes = king_attacks(king).without(position.pieces(them));
  while (!escapes.is_empty()) {
    if (!position.is_attacked(us, escapes.take_first(), without_king)) return false;
  }
  Bitboard takers = position.attackers(them, to, occupied) ^ Bitboard::of(king);
  const Bitboard pinned = position.pinned(them);
  while (!takers.is_empty()) {
    const Square from = takers.take_first();
    if (!pinned.has(from) || are_aligned(king, from, to)) return false;
  }
  return true;
}

}  // namespace tengen::shogi
