#include "nets/dlshogi/planes.hpp"

#include <algorithm>
#include <array>
#include <cassert>

namespace tengen::dlshogi {

using namespace shogi;

namespace {

constexpr int kPlanesOfSide = kKinds + kKinds + 3;  // pieces, attacks by kind, attacks by number
constexpr int kEnteringOfSide = kEnteringPlanes / 2;

struct HandPlane {
  Kind kind;
  int most;
};
constexpr std::array<HandPlane, kHandKinds> kHandOrder{
    {{kPawn, 8}, {kLance, 4}, {kKnight, 4}, {kSilver, 4}, {kGold, 4}, {kBishop, 2}, {kRook, 2}}};

void put(float* plane, Bitboard squares, Color viewer) {
  squares.each([&](Square square) { plane[viewer == kBlack ? square : turned(square)] = 1.0F; });
}

void put_side(const Position& position, Color color, float* planes) {
  const Color viewer = position.side();
  Bitboard by_kind[kKinds]{};
  Bitboard once{}, twice{}, thrice{};
  for (int kind = 0; kind < kKinds; ++kind) {
    const Bitboard pieces = position.pieces(color, static_cast<Kind>(kind));
    put(planes + kind * kSquares, pieces, viewer);
    pieces.each([&](Square square) {
      const Bitboard reach = attacks(color, static_cast<Kind>(kind), square, position.occupied());
      thrice |= twice & reach;
      twice |= once & reach;
      once |= reach;
      by_kind[kind] |= reach;
    });
    put(planes + (kKinds + kind) * kSquares, by_kind[kind], viewer);
  }
  float* numbers = planes + 2 * kKinds * kSquares;
  for (const Bitboard each : {once, twice, thrice}) {
    put(numbers, each, viewer);
    numbers += kSquares;
  }
}

void fill(std::span<float> planes, int plane) { std::fill_n(planes.data() + plane * kSquares, kSquares, 1.0F); }

int put_hand(Hand hand, int plane, std::span<float> planes) {
  for (const auto& [kind, most] : kHandOrder) {
    for (int i = 0; i < std::min(most, hand.count(kind)); ++i) fill(planes, plane + i);
    plane += most;
  }
  return plane;
}

// How far a side is from declaring a win. More pieces or points than there are planes for show as none, as in dlshogi.
void put_entering(const Position& position, Color color, int plane, std::span<float> planes) {
  constexpr int kNeededPieces = 10, kShownPoints = 20;
  const CampCount count = camp_count(position, color);
  if (position.has_king(color) && promotion_zone(color).has(position.king(color))) fill(planes, plane);
  if (count.pieces > 0 && count.pieces <= kNeededPieces) fill(planes, plane + 1 + kNeededPieces - count.pieces);
  const int missing = (color == kBlack ? 28 : 27) - count.points;
  if (missing >= 0 && missing < kShownPoints) fill(planes, plane + 1 + kNeededPieces + missing);
}

}  // namespace

void encode(const Position& position, std::span<float> board, std::span<float> hands) {
  assert(board.size() == at(kBoardPlanes * kSquares));
  assert(hands.size() == at(kHandPlanes * kSquares) || hands.size() == at((kHandPlanes + kEnteringPlanes) * kSquares));
  std::ranges::fill(board, 0.0F);
  std::ranges::fill(hands, 0.0F);
  const Color own = position.side();
  const Color opp = opponent(own);
  put_side(position, own, board.data());
  put_side(position, opp, board.data() + kPlanesOfSide * kSquares);
  int plane = put_hand(position.hand(own), 0, hands);
  plane = put_hand(position.hand(opp), plane, hands);
  if (position.is_check()) fill(hands, plane);
  if (hands.size() == at(kHandPlanes * kSquares)) return;
  put_entering(position, own, kHandPlanes, hands);
  put_entering(position, opp, kHandPlanes + kEnteringOfSide, hands);
}

}  // namespace tengen::dlshogi
