#include "games/shogi/random_move.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "games/shogi/movegen.hpp"

namespace tengen::shogi {

namespace {

// The n-th bit, and the n-th square of a set.
int pick(std::uint64_t word, int n) {
  constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
  constexpr std::uint64_t kTops = 0x8080808080808080ULL;
  // How many bits there are up to each byte; the first byte with more than n has it.
  std::uint64_t sums = word - (word >> 1 & 0x5555555555555555ULL);
  sums = (sums & 0x3333333333333333ULL) + (sums >> 2 & 0x3333333333333333ULL);
  sums = ((sums + (sums >> 4)) & 0x0f0f0f0f0f0f0f0fULL) * kOnes;
  const std::uint64_t reached = ((sums | kTops) - static_cast<std::uint64_t>(n + 1) * kOnes) & kTops;
  const int shift = std::countr_zero(reached) & ~7;
  n -= static_cast<int>((sums << 8) >> shift & 255U);
  std::uint64_t byte = word >> shift;
  while (n-- > 0) byte &= byte - 1;
  return shift + std::countr_zero(byte);
}

Square pick(Bitboard set, int n) {
  const int low = count_bits(set.low);
  return n < low ? pick(set.low, n) : Bitboard::kLowSquares + pick(set.high, n - low);
}

// Whether a piece of Black gets so far on an empty board; ranks below 0 are ahead.
constexpr bool reaches(Kind kind, int files, int ranks) {
  const int aside = files < 0 ? -files : files;
  const int distance = ranks < 0 ? -ranks : ranks;
  const bool is_step = std::max(aside, distance) == 1;
  const bool is_straight = (aside == 0) != (distance == 0);
  const bool is_diagonal = aside == distance && aside > 0;
  switch (kind) {
    case kPawn:
      return aside == 0 && ranks == -1;
    case kLance:
      return aside == 0 && ranks < 0;
    case kKnight:
      return aside == 1 && ranks == -2;
    case kSilver:
      return is_step && (is_diagonal || ranks == -1);
    case kBishop:
      return is_diagonal;
    case kRook:
      return is_straight;
    case kKing:
      return is_step;
    case kHorse:
      return is_diagonal || is_step;
    case kDragon:
      return is_straight || is_step;
    default:
      return is_step && (is_straight || ranks == -1);
  }
}

Move listed_move(const Position& position, bool extra, Rng& rng) {
  const MoveSets sets(position);
  int rest = static_cast<int>(rng.below(static_cast<std::uint32_t>(sets.count() + extra)));
  for (const MoveSet& set : sets) {
    const int size = set.targets.count();
    if (rest < size) return set.move(pick(set.targets, rest));
    rest -= size;
  }
  return {};
}

// How many moves a piece of Black has on an empty board, with and without promotion, by kind and square: no piece has
// more on any board.
constexpr auto kMostMoves = [] {
  std::array<std::array<std::uint8_t, kSquares>, kKinds> most{};
  for (int k = 0; k < kKinds; ++k) {
    const auto kind = static_cast<Kind>(k);
    for (Square from = 0; from < kSquares; ++from) {
      int moves = 0;
      for (Square to = 0; to < kSquares; ++to) {
        if (!reaches(kind, file_of(to) - file_of(from), rank_of(to) - rank_of(from))) continue;
        moves += rank_of(to) >= needed_ranks(kind);
        moves += can_promote(kind) && (rank_of(to) < 3 || rank_of(from) < 3);
      }
      most[static_cast<std::size_t>(k)][static_cast<std::size_t>(from)] = static_cast<std::uint8_t>(moves);
    }
  }
  return most;
}();

// Draws among more than the legal moves, each drawn with the same chance, until the drawn one is legal: no piece's
// moves are found before it is drawn.
class Drawer {
 public:
  explicit Drawer(const Position& position)
      : position_(position),
        us_(position.side()),
        king_(position.king(us_)),
        occupied_(position.occupied()),
        own_(position.pieces(us_)) {
    count_pawn_moves();
    count_drops();
    count_pieces();
  }

  int total() const { return total_; }

  // The n-th of all choices; none: it is not legal.
  Move try_move(int n) {
    if (n < pawn_moves_) return pawn_move(n);
    n -= pawn_moves_;
    if (n < drop_moves_) return drop(n);
    n -= drop_moves_;
    const auto found = std::upper_bound(ends_.begin(), ends_.begin() + pieces_, n);
    const auto i = static_cast<std::size_t>(found - ends_.begin());
    return piece_move(squares_[i], n - (i == 0 ? 0 : ends_[i - 1]));
  }

 private:
  void count_pawn_moves() {
    const Bitboard last = rank_set(us_ == kBlack ? 0 : 8);
    const Bitboard pawns = position_.pieces(us_, kPawn).without(last);
    const Bitboard ahead =
        us_ == kBlack ? Bitboard{pawns.low >> 1, pawns.high >> 1} : Bitboard{pawns.low << 1, pawns.high << 1};
    const Bitboard targets = ahead.without(own_);
    plain_pawn_targets_ = targets.without(last);
    plain_pawn_moves_ = plain_pawn_targets_.count();
    promoting_pawn_targets_ = targets & promotion_zone(us_);
    pawn_moves_ = plain_pawn_moves_ + (promoting_pawn_targets_.is_empty() ? 0 : promoting_pawn_targets_.count());
    total_ = pawn_moves_;
  }

  void count_drops() {
    const Hand hand = position_.hand(us_);
    if (hand.is_empty()) return;
    const Bitboard empty = ~occupied_;
    const int everywhere = empty.count();
    for (int k = 0; k < kHandKinds; ++k) {
      const auto kind = static_cast<Kind>(k);
      if (!hand.has(kind)) continue;
      Bitboard& targets = drop_targets_[at(k)];
      targets = kind == kPawn ? pawn_drop_targets(position_, empty) : drop_targets(us_, kind, empty);
      drop_counts_[at(k)] = kind <= kKnight ? targets.count() : everywhere;
      drop_moves_ += drop_counts_[at(k)];
    }
    total_ += drop_moves_;
  }

  void count_pieces() {
    int sum = 0;
    own_.without(position_.pieces(kPawn)).each([&](Square from) {
      sum += kMostMoves[kind_of(position_.piece_at(from))][at(us_ == kBlack ? from : turned(from))];
      squares_[at(pieces_)] = static_cast<std::uint8_t>(from);
      ends_[at(pieces_++)] = static_cast<std::int16_t>(sum);
    });
    total_ += sum;
  }

  Move pawn_move(int n) {
    const bool promotes = n >= plain_pawn_moves_;
    const Square to = promotes ? pick(promoting_pawn_targets_, n - plain_pawn_moves_) : pick(plain_pawn_targets_, n);
    return unless_pinned(us_ == kBlack ? to + 1 : to - 1, to, promotes);
  }

  Move drop(int n) const {
    std::size_t kind = 0;
    while (n >= drop_counts_[kind]) n -= drop_counts_[kind++];
    return Move::drop(static_cast<Kind>(kind), pick(drop_targets_[kind], n));
  }

  Move piece_move(Square from, int n) {
    const Kind kind = kind_of(position_.piece_at(from));
    const Bitboard targets = attacks(us_, kind, from, occupied_).without(own_);
    const Bitboard plain = targets.without(dead_end(us_, kind));
    const int plain_count = plain.count();
    if (n < plain_count) {
      const Square to = pick(plain, n);
      if (kind != kKing) return unless_pinned(from, to, false);
      const bool is_safe = !position_.is_attacked(opponent(us_), to, occupied_ ^ Bitboard::of(from));
      return is_safe ? Move::board(from, to, false) : Move();
    }
    if (!can_promote(kind)) return {};
    const Bitboard zone = promotion_zone(us_);
    const Bitboard promoting = zone.has(from) ? targets : targets & zone;
    n -= plain_count;
    return n < promoting.count() ? unless_pinned(from, pick(promoting, n), true) : Move();
  }

  Move unless_pinned(Square from, Square to, bool promotes) {
    // Without a king kNoSquare is on no line.
    if (king_ != kNoSquare && !line_through(king_, from).is_empty() && !are_aligned(king_, from, to)) {
      if (!has_pinned_) pinned_ = position_.pinned(us_);
      has_pinned_ = true;
      if (pinned_.has(from)) return {};
    }
    return Move::board(from, to, promotes);
  }

  const Position& position_;
  const Color us_;
  const Square king_;
  const Bitboard occupied_;
  const Bitboard own_;
  Bitboard plain_pawn_targets_;
  Bitboard promoting_pawn_targets_;
  Bitboard pinned_;
  bool has_pinned_ = false;
  int plain_pawn_moves_ = 0;
  int pawn_moves_ = 0;
  int drop_moves_ = 0;
  int pieces_ = 0;
  int total_ = 0;
  std::array<Bitboard, kHandKinds> drop_targets_{};
  std::array<int, kHandKinds> drop_counts_{};
  std::array<std::uint8_t, kSquares> squares_;  // of the pieces that are no pawns
  std::array<std::int16_t, kSquares> ends_;     // the sum of their moves up to each
};

}  // namespace

Move random_move(const Position& position, bool extra, Rng& rng) {
  constexpr int kTries = 50;
  if (position.is_check()) return listed_move(position, extra, rng);
  Drawer drawer(position);
  for (int i = 0; i < kTries; ++i) {
    const int n = static_cast<int>(rng.below(static_cast<std::uint32_t>(drawer.total() + extra)));
    if (n == drawer.total()) return {};
    const Move move = drawer.try_move(n);
    if (!move.is_none()) return move;
  }
  return listed_move(position, extra, rng);
}

}  // namespace tengen::shogi
