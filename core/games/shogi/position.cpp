#include "games/shogi/position.hpp"

#include <cassert>

namespace tengen::shogi {

namespace {

constexpr std::uint64_t kSideKey = mix64(0x5109);

constexpr auto kPieceKeys = [] {
  std::array<std::array<std::uint64_t, kSquares>, kPieces> keys{};
  for (int piece = 0; piece < kPieces; ++piece) {
    for (Square square = 0; square < kSquares; ++square) {
      keys[at(piece)][at(square)] = piece_key(static_cast<Piece>(piece), square);
    }
  }
  return keys;
}();

constexpr bool moves_like_gold(Kind kind) { return kind == kGold || (kind >= kProPawn && kind <= kProSilver); }

}  // namespace

Position Position::initial() {
  constexpr std::array<Kind, 9> kBackRank{kLance, kKnight, kSilver, kGold, kKing, kGold, kSilver, kKnight, kLance};
  Position position;
  for (const Color color : {kBlack, kWhite}) {
    const auto square = [color](int file, int rank) {
      return color == kBlack ? make_square(file, rank) : turned(make_square(file, rank));
    };
    for (int file = 0; file < 9; ++file) {
      position.put(color, kBackRank[at(file)], square(file, 8));
      position.put(color, kPawn, square(file, 6));
    }
    position.put(color, kRook, square(1, 7));
    position.put(color, kBishop, square(7, 7));
  }
  position.refresh();
  return position;
}

void Position::toggle(Color color, Kind kind, Square square) {
  const Bitboard bit = Bitboard::of(square);
  by_color_[at(color)] ^= bit;
  by_kind_[at(kind)] ^= bit;
  if (moves_like_gold(kind)) golds_ ^= bit;
  board_key_ ^= kPieceKeys[make_piece(color, kind)][at(square)];
}

void Position::put(Color color, Kind kind, Square square) {
  assert(!is_occupied(square) && (kind != kKing || !has_king(color)));
  toggle(color, kind, square);
  board_[at(square)] = make_piece(color, kind);
  if (kind == kKing) kings_[at(color)] = static_cast<std::uint8_t>(square);
}

void Position::set_side(Color side, int ply) {
  if (side != side_) board_key_ ^= kSideKey;
  side_ = static_cast<std::uint8_t>(side);
  ply_ = static_cast<std::uint32_t>(ply);
}

void Position::refresh() { find_checkers(); }

void Position::find_checkers() {
  checkers_ = has_king(side_) ? attackers(opponent(side_), king(side_), occupied()) : Bitboard{};
}

void Position::find_checkers_after(Kind arrived, Square to, Square from) {
  checkers_ = {};
  if (!has_king(side_)) return;
  const Square target = king(side_);
  const Color mover = opponent(side_);
  const bool slides =
      arrived == kLance || arrived == kBishop || arrived == kRook || arrived == kHorse || arrived == kDragon;
  if ((!slides || !line_through(to, target).is_empty()) && attacks(mover, arrived, to, occupied()).has(target)) {
    checkers_ = Bitboard::of(to);
  }
  if (from != kNoSquare && !line_through(from, target).is_empty()) {
    checkers_ |= slider_attackers(mover, target, occupied());
  }
}

bool Position::is_opponent_in_check() const {
  return has_king(opponent(side_)) && is_attacked(side_, king(opponent(side_)), occupied());
}

Bitboard Position::attackers(Color by, Square square, Bitboard occupied) const {
  // Where a piece of the other color on this square would go, from there a piece of this color comes.
  const Color other = opponent(by);
  const auto kind = [this](Kind k) { return by_kind_[at(k)]; };
  const Bitboard horse_or_king = kind(kHorse) | kind(kDragon) | kind(kKing);
  const Bitboard found = (pawn_attacks(other, square) & kind(kPawn)) | (knight_attacks(other, square) & kind(kKnight)) |
                         (silver_attacks(other, square) & kind(kSilver)) | (gold_attacks(other, square) & golds_) |
                         (king_attacks(square) & horse_or_king);
  return (found & by_color_[at(by)]) | slider_attackers(by, square, occupied);
}

Bitboard Position::slider_attackers(Color by, Square square, Bitboard occupied) const {
  // Those that look along a line through the square, if any: most lines have none.
  const auto s = at(square);
  const Bitboard own = by_color_[at(by)];
  const Bitboard rooks = (by_kind_[kRook] | by_kind_[kDragon]) & own;
  const Bitboard bishops = (by_kind_[kBishop] | by_kind_[kHorse]) & own;
  const Bitboard ahead = kAttacks.ahead[at(opponent(by))][s];
  const Bitboard lances = by_kind_[kLance] & own & ahead;
  Bitboard found;
  if (!((rooks & (ahead | kAttacks.ahead[at(by)][s])) | lances).is_empty()) {
    found |= file_attacks(square, occupied) & (rooks | lances);
  }
  if (!(rooks & kAttacks.rank[s]).is_empty()) found |= line_attacks(square, occupied, kAttacks.rank[s]) & rooks;
  if (!(bishops & kAttacks.rising[s]).is_empty()) found |= line_attacks(square, occupied, kAttacks.rising[s]) & bishops;
  if (!(bishops & kAttacks.falling[s]).is_empty()) {
    found |= line_attacks(square, occupied, kAttacks.falling[s]) & bishops;
  }
  return found;
}

bool Position::is_attacked(Color by, Square square, Bitboard occupied) const {
  return !attackers(by, square, occupied).is_empty();
}

// Pieces, whoever's, that stand alone between a king and a slider of `attacker`.
Bitboard Position::blockers(Color of, Color attacker) const {
  Bitboard found;
  if (!has_king(of)) return found;
  const Square king_square = king(of);
  const auto s = at(king_square);
  const Bitboard occupied_squares = occupied();
  const Bitboard files = kAttacks.ahead[0][s] | kAttacks.ahead[1][s];
  const Bitboard rooks = by_kind_[kRook] | by_kind_[kDragon];
  const Bitboard bishops = by_kind_[kBishop] | by_kind_[kHorse];
  Bitboard sliders = (files | kAttacks.rank[s]) & rooks;
  sliders |= kAttacks.ahead[at(of)][s] & by_kind_[kLance];
  sliders |= (kAttacks.rising[s] | kAttacks.falling[s]) & bishops;
  (sliders & by_color_[at(attacker)]).each([&](Square slider) {
    const Bitboard between_them = between(king_square, slider) & occupied_squares;
    if (!between_them.is_empty() && !between_them.has_several()) found |= between_them;
  });
  return found;
}

Bitboard Position::pinned(Color color) const { return blockers(color, opponent(color)) & by_color_[at(color)]; }

Bitboard Position::discoverers(Color color) const { return blockers(opponent(color), color) & by_color_[at(color)]; }

bool Position::gives_check(Move move) const {
  const Color them = opponent(side_);
  if (!has_king(them)) return false;
  const Square target = king(them);
  if (move.is_drop()) return attacks(side_, move.dropped(), move.to(), occupied()).has(target);
  const Kind kind = kind_of(board_[at(move.from())]);
  const Bitboard without = occupied() ^ Bitboard::of(move.from());
  if (attacks(side_, move.promotes() ? promoted(kind) : kind, move.to(), without).has(target)) return true;
  return discoverers(side_).has(move.from()) && !are_aligned(target, move.from(), move.to());
}

MadeMove Position::play(Move move) {
  const Square to = move.to();
  MadeMove made{move, kNoPiece, is_check()};
  if (move.is_drop()) {
    const Kind kind = move.dropped();
    assert(!is_occupied(to));
    hands_[at(side_)].take(kind);
    toggle(side_, kind, to);
    board_[at(to)] = make_piece(side_, kind);
    change_side();
    find_checkers_after(kind, to, kNoSquare);
  } else {
    const Square from = move.from();
    const Kind kind = kind_of(board_[at(from)]);
    assert(color_of(board_[at(from)]) == side_);
    made.captured = board_[at(to)];
    if (made.captured != kNoPiece) {
      const Kind taken = kind_of(made.captured);
      assert(color_of(made.captured) != side_ && taken != kKing);
      toggle(opponent(side_), taken, to);
      hands_[at(side_)].add(unpromoted(taken));
    }
    const Kind arriving = move.promotes() ? promoted(kind) : kind;
    toggle(side_, kind, from);
    toggle(side_, arriving, to);
    board_[at(from)] = kNoPiece;
    board_[at(to)] = make_piece(side_, arriving);
    if (kind == kKing) kings_[at(side_)] = static_cast<std::uint8_t>(to);
    change_side();
    find_checkers_after(arriving, to, from);
  }
  return made;
}

void Position::change_side() {
  board_key_ ^= kSideKey;
  side_ ^= 1;
  ++ply_;
}

void Position::pass() {
  change_side();
  find_checkers();
}

void Position::undo(const MadeMove& made) {
  const Move move = made.move;
  const Square to = move.to();
  board_key_ ^= kSideKey;
  side_ ^= 1;
  --ply_;
  const Kind kind = kind_of(board_[at(to)]);
  toggle(side_, kind, to);
  board_[at(to)] = kNoPiece;
  if (move.is_drop()) {
    hands_[at(side_)].add(kind);
  } else {
    const Kind leaving = move.promotes() ? unpromoted(kind) : kind;
    const Square from = move.from();
    toggle(side_, leaving, from);
    board_[at(from)] = make_piece(side_, leaving);
    if (kind == kKing) kings_[at(side_)] = static_cast<std::uint8_t>(from);
    if (made.captured != kNoPiece) {
      const Kind taken = kind_of(made.captured);
      toggle(opponent(side_), taken, to);
      board_[at(to)] = made.captured;
      hands_[at(side_)].take(unpromoted(taken));
    }
  }
  find_checkers();
}

}  // namespace tengen::shogi
