#include "nets/miniosl/planes.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <cstdlib>

#include "nets/miniosl/directions.hpp"
#include "nets/miniosl/mate.hpp"

namespace tengen::miniosl {

using namespace shogi;

namespace {

// Numbers of planes; those of a past move count from its first one.
enum Plane {
  kOppPieces = 0,
  kEmpty = 14,
  kOnes = 15,
  kOwnPieces = 16,
  kOwnHand = 30,
  kOppHand = 37,
  kLances = 44,
  kBishops = 48,
  kRooks = 52,
  kKings = 56,
  kPawnsInHand = 58,
  kWhiteToMove = 60,
  kCheckers = 61,
  kThreat = 62,
};
constexpr int kHistory = 64;  // the first plane of the last move
enum PastPlane {
  kTarget = 0,
  kPath = 1,
  kCapturedReach = 2,
  kMoverKing = 3,
  kPastCheckers = 4,
  kPastThreat = 5,
  kOccupied = 7,
  kTrap = 9,
  kChanged = 12,
  kCover = 14,
  kPlanesOfMove = 16,
};

constexpr std::array<Kind, kKinds> kPieceOrder{kProPawn, kProLance, kProKnight, kProSilver, kHorse,  kDragon, kKing,
                                               kGold,    kPawn,     kLance,     kKnight,    kSilver, kBishop, kRook};
struct HandPlane {
  Kind kind;
  int total;
};
constexpr std::array<HandPlane, kHandKinds> kHandOrder{
    {{kRook, 2}, {kBishop, 2}, {kGold, 4}, {kSilver, 4}, {kKnight, 4}, {kLance, 4}, {kPawn, 18}}};
constexpr int kMaxCounted = 4;  // of covers of a square, and of pawns in hand

// All that a piece attacks; of what it slides to, own pieces are left out.
Bitboard reach(const Position& position, Color color, Kind kind, Square square) {
  const Bitboard occupied = position.occupied(), own = position.pieces(color);
  switch (kind) {
    case kLance:
    case kBishop:
    case kRook:
      return attacks(color, kind, square, occupied).without(own);
    case kHorse:
      return bishop_attacks(square, occupied).without(own) | rook_attacks(square, Bitboard::all());
    case kDragon:
      return rook_attacks(square, occupied).without(own) | bishop_attacks(square, Bitboard::all());
    default:
      return attacks(color, kind, square, occupied);
  }
}

Bitboard path(Move move) {
  const Bitboard to = Bitboard::of(move.to());
  return move.is_drop() ? to : to | Bitboard::of(move.from()) | between(move.from(), move.to());
}

class Encoder {
 public:
  Encoder(const State& state, std::span<float> out) : state_(state), own_(state.position.side()), out_(out) {
    assert(out.size() == static_cast<std::size_t>(kInputs));
    std::ranges::fill(out, 0.0F);
  }

  void put_position() {
    const Position& now = state_.position;
    const Color opp = opponent(own_);
    for (int i = 0; i < kKinds; ++i) {
      put(kOppPieces + i, now.pieces(opp, kPieceOrder[at(i)]));
      put(kOwnPieces + i, now.pieces(own_, kPieceOrder[at(i)]));
    }
    put(kEmpty, ~now.occupied());
    fill(kOnes, 1.0F);
    for (int i = 0; i < kHandKinds; ++i) {
      const auto [kind, total] = kHandOrder[at(i)];
      fill(kOwnHand + i, static_cast<float>(now.hand(own_).count(kind)) / static_cast<float>(total));
      fill(kOppHand + i, static_cast<float>(now.hand(opp).count(kind)) / static_cast<float>(total));
    }
    for (const int side : {0, 1}) {
      const Color color = side == 0 ? own_ : opp;
      put_rays(kLances + side, color, now.pieces(color, kLance), kLance);
      put_rays(kBishops + side, color, now.pieces(color, kBishop) | now.pieces(color, kHorse), kBishop);
      put_rays(kRooks + side, color, now.pieces(color, kRook) | now.pieces(color, kDragon), kRook);
      if (now.has_king(color)) {
        const Square king = now.king(color);
        put(kKings + side, bishop_attacks(king, now.occupied()) | rook_attacks(king, now.occupied()));
      }
      const int pawns = std::min(kMaxCounted, now.hand(color).count(kPawn));
      fill(kPawnsInHand + side, static_cast<float>(pawns) / kMaxCounted);
    }
    if (own_ == kWhite) fill(kWhiteToMove, 1.0F);
    put(kCheckers, now.checkers());
    put_threat(kThreat, now);
  }

  void put_history(bool fill) {
    Position after = state_.position;
    for (int i = 0; i < state_.recent_count; ++i) {
      const MadeMove& made = state_.recent[at(i)];
      Position before = after;
      before.undo(made);
      put_move(kHistory + kPlanesOfMove * i, before, made, after);
      after = before;
    }
    if (!fill) return;
    // A game from its beginning has no more moves, and looks so in training, but for the position before the first.
    const bool is_whole = after.key() == Position::initial().key();
    const int end = is_whole ? std::max<int>(1, state_.recent_count) : static_cast<int>(State::kRecent);
    for (int i = state_.recent_count; i < end; ++i) put_unknown_move(i, after);
  }

 private:
  // What can be said of a move that nobody knows, and that hardly changed the position.
  void put_unknown_move(int number, const Position& position) {
    const int first = kHistory + kPlanesOfMove * number;
    const Color mover = number % 2 == 0 ? opponent(own_) : own_;
    if (position.has_king(mover)) put(first + kMoverKing, Bitboard::of(position.king(mover)));
    put_occupied(first + kOccupied, position);
    put_covers(first + kCover, position);
  }

  // From the core's squares, by files, to the network's, by ranks, in the frame of the side to move.
  std::size_t place(Square square) const {
    if (own_ == kWhite) square = turned(square);
    return at(rank_of(square) * 9 + file_of(square));
  }

  float* plane(int number) const { return out_.data() + at(number * kSquares); }

  void put(int number, Bitboard squares) {
    float* to = plane(number);
    squares.each([&](Square square) { to[place(square)] = 1.0F; });
  }

  void fill(int number, float value) { std::fill_n(plane(number), kSquares, value); }

  // Where the pieces see, and two planes on, the empty squares behind the first piece that they see.
  void put_rays(int number, Color color, Bitboard pieces, Kind kind) {
    const Bitboard occupied = state_.position.occupied();
    Bitboard seen{}, behind{};
    pieces.each([&](Square square) {
      const Bitboard first = attacks(color, kind, square, occupied);
      const Bitboard second = attacks(color, kind, square, occupied.without(first));
      seen |= first;
      behind |= second.without(first).without(occupied);
    });
    put(number, seen);
    put(number + 2, behind);
  }

  void put_mate(int number, const Position& position, Color attacker, const Mate& mate) {
    put(number, path(mate.move));
    put(number + 1, reach(position, attacker, mate.kind, mate.move.to()));
  }

  // Against the side to move.
  void put_threat(int number, const Position& position) {
    if (position.is_check()) return;
    const Color attacker = opponent(position.side());
    if (const auto mate = find_mate(position, attacker)) put_mate(number, position, attacker, *mate);
  }

  void put_occupied(int number, const Position& position) {
    put(number, position.pieces(own_));
    put(number + 1, position.pieces(opponent(own_)));
  }

  void put_covers(int number, const Position& position) {
    const Bitboard occupied = position.occupied();
    for (const Color color : {own_, opponent(own_)}) {
      std::array<std::uint8_t, kSquares> counts{};
      position.pieces(color).each([&](Square square) {
        attacks(color, kind_of(position.piece_at(square)), square, occupied).each([&](Square target) {
          ++counts[at(target)];
        });
      });
      float* to = plane(number++);
      for (Square square = 0; square < kSquares; ++square) {
        to[place(square)] = static_cast<float>(std::min<int>(kMaxCounted, counts[at(square)])) / kMaxCounted;
      }
    }
  }

  void put_move(int first, const Position& before, const MadeMove& made, const Position& after) {
    const Move move = made.move;
    const Color mover = before.side();
    put(first + kTarget, Bitboard::of(move.to()));
    if (!move.is_drop()) put(first + kPath, path(move));
    if (made.captured != kNoPiece) {
      put(first + kCapturedReach, reach(before, opponent(mover), kind_of(made.captured), move.to()));
    }
    if (before.has_king(mover)) put(first + kMoverKing, Bitboard::of(before.king(mover)));
    put(first + kPastCheckers, before.checkers());
    put_threat(first + kPastThreat, before);
    put_occupied(first + kOccupied, before);
    put_trap(first + kTrap, after, move.to());
    put_changed(first + kChanged, before, move, after);
    put_covers(first + kCover, after);
  }

  // Whether the only piece that can take what has just moved had better not.
  void put_trap(int number, const Position& after, Square target) {
    const Color taker = after.side();
    const Bitboard takers = after.attackers(taker, target, after.occupied());
    if (takers.is_empty() || takers.has_several()) return;
    const Square from = takers.first();
    const Kind kind = kind_of(after.piece_at(from));
    const bool may_promote =
        can_promote(kind) && (promotion_zone(taker).has(from) || promotion_zone(taker).has(target));
    for (const bool promotes : {false, true}) {
      if (promotes ? !may_promote : ranks_ahead(taker, target) < needed_ranks(kind)) continue;
      const Move capture = Move::board(from, target, promotes);
      Position taken = after;
      taken.play(capture);
      if (taken.is_check()) continue;
      if (const auto mate = find_mate(taken, taken.side())) {
        put(number, path(capture));
        put_mate(number + 1, taken, taken.side(), *mate);
        return;
      }
    }
  }

  void put_changed(int number, const Position& before, Move move, const Position& after) {
    const Bitboard to = Bitboard::of(move.to());
    Bitboard changed{};
    for (const Color color : {kBlack, kWhite}) {
      changed |= before.attackers(color, move.to(), before.occupied());
      if (!move.is_drop()) changed |= before.attackers(color, move.from(), before.occupied());
    }
    if (!move.is_drop()) changed = changed.without(Bitboard::of(move.from()));
    changed |= to;
    put(number, changed & after.pieces(own_));
    put(number + 1, changed & after.pieces(opponent(own_)));
  }

  const State& state_;
  Color own_;
  std::span<float> out_;
};

}  // namespace

void encode(const State& state, bool fill_history, std::span<float> out) {
  Encoder encoder(state, out);
  encoder.put_position();
  encoder.put_history(fill_history);
}

int label(Color mover, Move move) {
  constexpr std::array<int, kHandKinds> kDrops{1, 2, 3, 4, 5, 6, 0};  // by kind
  constexpr int kFirstDirection = 7, kPromotions = 10;
  const Square to = mover == kBlack ? move.to() : turned(move.to());
  const int place = rank_of(to) * 9 + file_of(to);
  if (move.is_drop()) return kDrops[at(move.dropped())] * kSquares + place;
  const Square from = mover == kBlack ? move.from() : turned(move.from());
  const Step way = from_to(from, to);
  int direction = 0;
  if (way.files != 0 && way.ranks != 0 && std::abs(way.files) != std::abs(way.ranks)) {
    direction = way.files > 0 ? kLeftJump : kRightJump;
  } else {
    const auto sign = [](int x) { return (x > 0) - (x < 0); };
    while (kDirections[at(direction)].files != sign(way.files) || kDirections[at(direction)].ranks != sign(way.ranks)) {
      ++direction;
    }
  }
  return (kFirstDirection + direction + (move.promotes() ? kPromotions : 0)) * kSquares + place;
}

}  // namespace tengen::miniosl
