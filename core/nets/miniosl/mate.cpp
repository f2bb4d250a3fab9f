#include "nets/miniosl/mate.hpp"

#include <algorithm>
#include <array>

#include "nets/miniosl/directions.hpp"

namespace tengen::miniosl {

using namespace shogi;

namespace {

constexpr bool is_slider(Kind kind) {
  return kind == kLance || kind == kBishop || kind == kRook || kind == kHorse || kind == kDragon;
}

// The order in which pieces are tried.
constexpr int rank_of_kind(Kind kind) {
  constexpr std::array<Kind, 7> kOrder{kPawn, kKnight, kSilver, kGold, kLance, kBishop, kRook};
  for (int i = 0; i < 7; ++i) {
    if (kOrder[at(i)] == unpromoted(kind)) return i;
  }
  return 7;
}

// Pieces of one side in the order in which they are tried; 40 are enough for any board.
struct Ordered {
  std::array<Square, kSquares> squares{};
  int count = 0;

  Ordered(const Position& position, Bitboard pieces) {
    pieces.each([&](Square square) { squares[at(count++)] = square; });
    std::ranges::sort(squares.begin(), squares.begin() + count, {}, [&](Square square) {
      return rank_of_kind(kind_of(position.piece_at(square))) * 81 + rank_of(square) * 9 + 8 - file_of(square);
    });
  }
};

// The squares around the king, by the direction in which a piece there attacks it.
class Search {
 public:
  Search(const Position& position, Color attacker)
      : position_(position),
        attacker_(attacker),
        defender_(opponent(attacker)),
        king_(position.king(defender_)),
        occupied_(position.occupied()),
        own_(position.pieces(attacker)),
        own_pinned_(position.pinned(attacker)),
        other_pinned_(position.pinned(defender_)) {
    for (int d = 0; d < kSteps; ++d) look_at(d);
    flee_from_checks();
  }

  std::optional<Mate> find() const {
    if (auto mate = find_move()) return mate;
    if (free_ == 0) {
      if (auto mate = find_knight()) return mate;
    }
    return find_drop();
  }

 private:
  using Set = unsigned;  // of directions

  static constexpr bool in(Set set, int d) { return (set >> d & 1U) != 0; }

  bool is_open(Square square) const { return !occupied_.has(square) || own_.has(square); }
  Bitboard covers(Square square) const { return position_.attackers(attacker_, square, occupied_); }
  Kind kind_at(Square square) const { return kind_of(position_.piece_at(square)); }

  void look_at(int d) {
    const Square square = moved(king_, -step_of(attacker_, d));
    beside_[at(d)] = square;
    if (square == kNoSquare) return;
    covers_[at(d)] = covers(square);
    const Set bit = 1U << d;
    if (is_open(square)) open_ |= bit;
    if (covers_[at(d)].is_empty()) {
      if (is_open(square)) free_ |= bit;
      return;
    }
    if (own_.has(square) || is_guarded(square)) return;
    move_ |= bit;
    if (!occupied_.has(square)) drop_ |= bit;
  }

  bool is_guarded(Square square) const {
    Bitboard guards = position_.attackers(defender_, square, occupied_).without(Bitboard::of(king_));
    while (!guards.is_empty()) {
      const Square guard = guards.take_first();
      if (!other_pinned_.has(guard) || are_aligned(king_, guard, square)) return true;
    }
    return false;
  }

  // A king that a slider attacks already can't step back along its line.
  void flee_from_checks() {
    covers(king_).each([&](Square checker) {
      if (!is_slider(kind_at(checker)) || line_through(checker, king_).is_empty()) return;
      for (int d = 0; d < kSteps; ++d) {
        const Square square = beside_[at(d)];
        if (square != kNoSquare && between(checker, square).has(king_)) free_ &= ~(1U << d);
      }
    });
  }

  // Directions whose squares a piece of the kind on beside_[d] would not attack on an empty board; all if it does not
  // attack the king.
  std::optional<Set> unattacked(Kind kind, int d) const {
    const Bitboard reach = attacks(attacker_, kind, beside_[at(d)], Bitboard{});
    if (!reach.has(king_)) return std::nullopt;
    Set set = 0;
    for (int e = 0; e < kSteps; ++e) {
      if (e != d && beside_[at(e)] != kNoSquare && !reach.has(beside_[at(e)])) set |= 1U << e;
    }
    return set;
  }

  std::optional<Mate> find_move() const {
    for (int d = 0; d < kSteps; ++d) {
      if (!in(move_, d) || !is_supported(d)) continue;
      const Square to = beside_[at(d)];
      const Ordered pieces(position_, covers_[at(d)].without(position_.pieces(attacker_, kKing)));
      for (int i = 0; i < pieces.count; ++i) {
        const Square from = pieces.squares[at(i)];
        if (uncovers_guard(from, to)) continue;
        const Kind kind = kind_at(from);
        const bool promotes =
            can_promote(kind) && (promotion_zone(attacker_).has(from) || promotion_zone(attacker_).has(to));
        if (promotes && mates(from, promoted(kind), d)) return Mate{Move::board(from, to, true), promoted(kind)};
        if (promotes && (kind == kPawn || kind == kBishop || kind == kRook)) continue;
        if (mates(from, kind, d)) return Mate{Move::board(from, to, false), kind};
      }
    }
    return std::nullopt;
  }

  // Who moves there can't be taken by the king.
  bool is_supported(int d) const {
    const Bitboard cover = covers_[at(d)];
    if (cover.has_several()) return true;
    const Bitboard behind = position_.attackers(attacker_, beside_[at(d)], occupied_.without(cover));
    return !behind.without(cover).is_empty();
  }

  bool uncovers_guard(Square from, Square to) const {
    if (line_through(from, to).is_empty()) return false;
    const Bitboard before = position_.attackers(defender_, to, occupied_);
    const Bitboard after = position_.attackers(defender_, to, occupied_.without(Bitboard::of(from)));
    return !after.without(before).is_empty();
  }

  bool mates(Square from, Kind kind, int d) const {
    const std::optional<Set> left = unattacked(kind, d);
    if (!left || (*left & free_) != 0) return false;
    const Square to = beside_[at(d)];
    for (int e = 0; e < kSteps; ++e) {
      if (!in(*left & open_, e)) continue;
      Bitboard kept = covers_[at(e)].without(Bitboard::of(from));
      covers_[at(e)].each([&](Square cover) {
        if (is_slider(kind_at(cover)) && between(cover, beside_[at(e)]).has(to))
          kept = kept.without(Bitboard::of(cover));
      });
      if (kept.is_empty()) return false;
    }
    if (kind == kDragon && !is_tight(from, to)) return false;
    const Square king = position_.king(attacker_);
    return king == kNoSquare || !own_pinned_.has(from) || are_aligned(king, from, to);
  }

  // A dragon diagonally before the king does not reach past what stands beside both.
  bool is_tight(Square from, Square to) const {
    const Step step = from_to(to, king_);
    if (step.files == 0 || step.ranks == 0) return true;
    for (const Step side : {Step{step.files, 0}, Step{0, step.ranks}}) {
      const Square beside = moved(to, side);
      if (!occupied_.has(beside)) continue;
      const Square past = moved(beside, side);
      if (past != kNoSquare && is_open(past) && covers(past).without(Bitboard::of(from)).is_empty()) return false;
      const Step back = from_to(king_, beside);
      const Piece piece = position_.piece_at(beside);
      if (moved(beside, back) == from && attacks(color_of(piece), kind_of(piece), beside, occupied_).has(to))
        return false;
    }
    return true;
  }

  std::optional<Mate> find_knight() const {
    for (const int jump : {kRightJump, kLeftJump}) {
      const Square to = moved(king_, -step_of(attacker_, jump));
      if (to == kNoSquare || own_.has(to) || shuts_off(to)) continue;
      if (!position_.attackers(defender_, to, occupied_).without(other_pinned_).is_empty()) continue;
      const Ordered knights(position_, (covers(to) & position_.pieces(attacker_, kKnight)).without(own_pinned_));
      if (knights.count > 0) return Mate{Move::board(knights.squares[0], to, false), kKnight};
      if (!occupied_.has(to) && position_.hand(attacker_).has(kKnight)) return Mate{Move::drop(kKnight, to), kKnight};
    }
    return std::nullopt;
  }

  bool has_single_cover(Square square) const {
    const Bitboard cover = covers(square);
    return !cover.is_empty() && !cover.has_several();
  }

  // A knight on the square would stand in the way of a slider that keeps the king from escaping.
  bool shuts_off(Square to) const {
    if (occupied_.has(to)) return false;
    const Step up = step_of(attacker_, kUp);
    const Bitboard upright =
        position_.pieces(attacker_, kLance) | position_.pieces(attacker_, kRook) | position_.pieces(attacker_, kDragon);
    const Square above = moved(to, up);
    const Bitboard both = covers(to) & covers(above);
    bool shuts = false;
    (both & upright).each([&](Square slider) { shuts = shuts || between(slider, above).has(to); });
    if (shuts) {
      Square square = above;
      for (int i = 0; i < 3 && square != kNoSquare && is_open(square); ++i, square = moved(square, up)) {
        if (has_single_cover(square)) return true;
        if (occupied_.has(square)) break;
      }
    }
    const Square below = beside_[kUp];
    if (!in(open_, kUp)) return false;
    bool shuts_diagonal = false;
    const Bitboard diagonal = position_.pieces(attacker_, kBishop) | position_.pieces(attacker_, kHorse);
    (covers(to) & covers(below) & diagonal).each([&](Square slider) {
      shuts_diagonal = shuts_diagonal || between(slider, below).has(to);
    });
    if (!shuts_diagonal) return false;
    if (has_single_cover(below)) return true;
    const Square next = moved(below, from_to(to, below));
    return !occupied_.has(below) && next != kNoSquare && is_open(next) && has_single_cover(next);
  }

  std::optional<Mate> find_drop() const {
    for (const Kind kind : {kGold, kLance, kSilver, kBishop, kRook}) {
      if (!position_.hand(attacker_).has(kind)) continue;
      for (int d = 0; d < kSteps; ++d) {
        if (in(drop_, d) && drop_mates(kind, d)) return Mate{Move::drop(kind, beside_[at(d)]), kind};
      }
    }
    return std::nullopt;
  }

  bool drop_mates(Kind kind, int d) const {
    const std::optional<Set> left = unattacked(kind, d);
    if (!left || (*left & free_) != 0) return false;
    for (int e = 0; e < kSteps; ++e) {
      if (!in(*left & open_, e) || covers_[at(e)].is_empty() || covers_[at(e)].has_several()) continue;
      const Square cover = covers_[at(e)].first();
      if (is_slider(kind_at(cover)) && between(cover, beside_[at(e)]).has(beside_[at(d)])) return false;
    }
    return true;
  }

  const Position& position_;
  Color attacker_;
  Color defender_;
  Square king_;
  Bitboard occupied_;
  Bitboard own_;
  Bitboard own_pinned_;
  Bitboard other_pinned_;
  std::array<Square, kSteps> beside_{};
  std::array<Bitboard, kSteps> covers_{};
  Set free_ = 0;  // the king may go there
  Set open_ = 0;  // it may not, only because the square is covered
  Set move_ = 0;  // a piece that moves there can't be taken
  Set drop_ = 0;  // a piece that is dropped there can't be taken
};

}  // namespace

std::optional<Mate> find_mate(const Position& position, Color attacker) {
  if (!position.has_king(opponent(attacker))) return std::nullopt;
  return Search(position, attacker).find();
}

}  // namespace tengen::miniosl
