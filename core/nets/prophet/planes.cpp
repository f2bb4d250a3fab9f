#include "nets/prophet/planes.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tengen::prophet {

using shogi::Color;
using shogi::Kind;
using shogi::Move;
using shogi::Piece;
using shogi::Position;
using shogi::Square;

namespace {

using shogi::at;
using shogi::kSquares;

// By kind, in the order of shogi::Kind.
constexpr std::array<int, shogi::kKinds> kFirstSlot{38, 30, 22, 14, 6, 2, 10, 0, 56, 34, 26, 18, 8, 4};
constexpr std::array<int, shogi::kPromoted> kMax{18, 4, 4, 4, 2, 2, 4, 2};

constexpr auto kKindOfSlot = [] {
  std::array<Kind, kSlots> kinds{};
  for (int kind = 0; kind < shogi::kKinds; ++kind) {
    const int maximum = kMax[at(shogi::unpromoted(static_cast<Kind>(kind)))];
    for (int i = 0; i < maximum; ++i) kinds[at(kFirstSlot[at(kind)] + i)] = static_cast<Kind>(kind);
  }
  return kinds;
}();

constexpr Square square_of(int cell, Color viewer) {
  const Square seen = shogi::make_square(8 - cell % 9, cell / 9);
  return viewer == shogi::kBlack ? seen : shogi::turned(seen);
}

void check_piece(Piece piece) {
  const int kind = (piece & 15) - 1;
  if (kind >= 0 && kind < shogi::kKinds && piece < shogi::kPieces) return;
  throw std::invalid_argument("a packed position has no piece " + std::to_string(piece));
}

}  // namespace

void pack(const Position& position, std::span<std::uint8_t, kPackedSize> out) {
  for (Square square = 0; square < kSquares; ++square) out[at(square)] = position.piece_at(square);
  for (const Color color : {shogi::kBlack, shogi::kWhite}) {
    for (int kind = 0; kind < shogi::kHandKinds; ++kind) {
      out[at(kSquares + shogi::kHandKinds * color + kind)] =
          static_cast<std::uint8_t>(position.hand(color).count(static_cast<Kind>(kind)));
    }
  }
  out[kPackedSize - 1] = static_cast<std::uint8_t>(position.side());
}

Position unpack(PackedPosition packed) {
  Position position;
  std::array<int, shogi::kPromoted> counts{};
  const auto count = [&](Kind kind, int more) {
    const Kind base = shogi::unpromoted(kind);
    counts[at(base)] += more;
    if (counts[at(base)] > kMax[at(base)]) {
      throw std::invalid_argument("a position has more than the " + std::to_string(kMax[at(base)]) +
                                  " pieces of a kind that prophet and enforcer have slots for");
    }
  };
  for (Square square = 0; square < kSquares; ++square) {
    const Piece piece = packed[at(square)];
    if (piece == shogi::kNoPiece) continue;
    check_piece(piece);
    count(shogi::kind_of(piece), 1);
    if (shogi::kind_of(piece) == shogi::kKing && position.has_king(shogi::color_of(piece))) {
      throw std::invalid_argument("a packed position has two kings of one player");
    }
    position.put(shogi::color_of(piece), shogi::kind_of(piece), square);
  }
  for (int i = 0; i < 2 * shogi::kHandKinds; ++i) {
    const auto kind = static_cast<Kind>(i % shogi::kHandKinds);
    count(kind, packed[at(kSquares + i)]);
    position.add_to_hand(i / shogi::kHandKinds, kind, packed[at(kSquares + i)]);
  }
  if (packed[kPackedSize - 1] > 1) throw std::invalid_argument("a packed position ends with the side to move, 0 or 1");
  position.set_side(packed[kPackedSize - 1], 0);
  position.refresh();
  return position;
}

Slots::Slots(const Position& position, Color viewer) : position_(position), viewer_(viewer) {
  for (auto& row : places_) row.fill(kNobody);
  std::array<std::int8_t, shogi::kPromoted> next{};
  for (const Color color : {viewer, shogi::opponent(viewer)}) {
    const auto take = [&](Kind kind, std::int8_t place) {
      const std::int8_t number = next[at(kind)]++;
      if (color == viewer) places_[at(kind)][at(number)] = place;
      return number;
    };
    for (int cell = 0; cell < kSquares; ++cell) {
      const Square square = square_of(cell, viewer);
      const Piece piece = position.piece_at(square);
      if (piece == shogi::kNoPiece || shogi::color_of(piece) != color) continue;
      numbers_[at(square)] = take(shogi::unpromoted(shogi::kind_of(piece)), static_cast<std::int8_t>(square));
    }
    for (int k = 0; k < shogi::kHandKinds; ++k) {
      const auto kind = static_cast<Kind>(k);
      first_in_hand_[at(color)][at(k)] = next[at(k)];
      for (int i = 0; i < position.hand(color).count(kind); ++i) take(kind, kInHand);
    }
  }
}

int Slots::on_board(Square square) const {
  return kFirstSlot[at(shogi::kind_of(position_.piece_at(square)))] + numbers_[at(square)];
}

int Slots::in_hand(Color color, Kind kind) const { return kFirstSlot[at(kind)] + first_in_hand_[at(color)][at(kind)]; }

int Slots::entry_of(Move move) const {
  const int cell = cell_of(move.to(), viewer_);
  if (move.is_drop()) return in_hand(viewer_, move.dropped()) * kSquares + cell;
  const Kind kind = shogi::kind_of(position_.piece_at(move.from()));
  const Kind arriving = move.promotes() ? shogi::promoted(kind) : kind;
  return (kFirstSlot[at(arriving)] + numbers_[at(move.from())]) * kSquares + cell;
}

Move Slots::move_of(int entry) const {
  const int slot = entry / kSquares;
  const Square to = square_of(entry % kSquares, viewer_);
  const Kind kind = kKindOfSlot[at(slot)];
  const Kind base = shogi::unpromoted(kind);
  const std::int8_t place = places_[at(base)][at(slot - kFirstSlot[at(kind)])];
  if (place == kNobody) return {};
  if (place == kInHand) return kind == base ? Move::drop(kind, to) : Move();
  const Kind there = shogi::kind_of(position_.piece_at(place));
  if (there == kind) return Move::board(place, to, false);
  return there == base ? Move::board(place, to, true) : Move();
}

void encode(const Position& position, Color viewer, std::span<float> out) {
  std::fill(out.begin(), out.end(), 0.0F);
  const Slots slots(position, viewer);
  const auto sign = [viewer](Color color) { return color == viewer ? 1.0F : -1.0F; };
  const auto cell = [&](int plane, Square square) -> float& {
    return out[at(plane * kSquares + cell_of(square, viewer))];
  };
  position.occupied().each([&](Square square) {
    cell(2 * slots.on_board(square), square) = sign(shogi::color_of(position.piece_at(square)));
  });
  Position passed = position;
  passed.pass();
  for (const Position* turn : {&position, static_cast<const Position*>(&passed)}) {
    const Color color = turn->side();
    for (const shogi::MoveSet& set : shogi::MoveSets(*turn)) {
      const auto kind = static_cast<Kind>(set.from_or_kind);
      const int slot = set.is_drop ? slots.in_hand(color, kind) : slots.on_board(set.from_or_kind);
      const int copies = set.is_drop ? position.hand(color).count(kind) : 1;
      set.targets.each([&](Square to) {
        for (int i = 0; i < copies; ++i) cell(2 * (slot + i) + 1, to) = sign(color);
      });
    }
  }
}

void legal_entries(const Position& position, std::vector<LegalEntry>& out) {
  out.clear();
  const Slots slots(position, position.side());
  shogi::MoveSets(position).each([&](Move move) {
    const int entry = slots.entry_of(move);
    const int copies = move.is_drop() ? position.hand(position.side()).count(move.dropped()) : 1;
    for (int i = 0; i < copies; ++i) out.push_back({move, entry + i * kSquares});
  });
}

}  // namespace tengen::prophet
