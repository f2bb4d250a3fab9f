#include <algorithm>
#include <array>
#include <cassert>

#include "games/shogi/shogi.hpp"

namespace tengen {

using namespace shogi;

namespace {

constexpr std::array<int, kHandKinds> kMaxInHand{18, 4, 4, 4, 2, 2, 4};

// Squares that a player's pieces attack at least once, twice, three times.
struct AttackCounts {
  Bitboard once, twice, thrice;
  std::array<Bitboard, 3> reach;  // of lances, of bishops and horses, of rooks and dragons

  AttackCounts(const Position& position, Color color) {
    const Bitboard occupied = position.occupied();
    position.pieces(color).each([&](Square square) {
      const Kind kind = kind_of(position.piece_at(square));
      const Bitboard attacked = attacks(color, kind, square, occupied);
      thrice |= twice & attacked;
      twice |= once & attacked;
      once |= attacked;
      if (kind == kLance) reach[0] |= attacked;
      if (kind == kBishop || kind == kHorse) reach[1] |= attacked;
      if (kind == kRook || kind == kDragon) reach[2] |= attacked;
    });
  }
};

// Writes planes one after another, in the viewer's frame.
class Planes {
 public:
  Planes(std::span<float> out, Color viewer) : next_(out.begin()), viewer_(viewer) {
    std::fill(out.begin(), out.end(), 0.0F);
  }

  void add(Bitboard set) {
    set.each([this](Square square) { next_[viewer_ == kBlack ? square : turned(square)] = 1.0F; });
    next_ += kSquares;
  }
  void add(float value) {
    std::fill(next_, next_ + kSquares, value);
    next_ += kSquares;
  }
  std::span<float>::iterator next() const { return next_; }

 private:
  std::span<float>::iterator next_;
  Color viewer_;
};

}  // namespace

void Shogi::encode(const State& state, int viewer, std::span<float> out) const {
  assert(static_cast<int>(out.size()) == shape().size());
  const Position& position = state.position;
  const std::array<Color, 2> colors{viewer, opponent(viewer)};
  Planes planes(out, viewer);
  for (const Color color : colors) {
    for (int kind = 0; kind < kKinds; ++kind) planes.add(position.pieces(color, static_cast<Kind>(kind)));
  }
  const std::array<AttackCounts, 2> counts{AttackCounts(position, colors[0]), AttackCounts(position, colors[1])};
  for (const AttackCounts& count : counts) {
    for (const Bitboard set : {count.once, count.twice, count.thrice}) planes.add(set);
  }
  for (const AttackCounts& count : counts) {
    for (const Bitboard set : count.reach) planes.add(set);
  }
  for (const Color color : colors) {
    for (std::size_t kind = 0; kind < kMaxInHand.size(); ++kind) {
      const int held = std::min(position.hand(color).count(static_cast<Kind>(kind)), kMaxInHand[kind]);
      planes.add(static_cast<float>(held) / static_cast<float>(kMaxInHand[kind]));
    }
  }
  const auto flag = [](bool holds) { return holds ? 1.0F : 0.0F; };
  planes.add(flag(position.side() == viewer));
  planes.add(flag(position.is_check()));
  planes.add(flag(state.occurrences >= 2));
  planes.add(flag(state.occurrences >= 3));
  planes.add(flag(viewer == kWhite));
  const int most = settings_.max_plies;
  planes.add(most == 0 ? 0.0F : static_cast<float>(std::min(position.ply(), most)) / static_cast<float>(most));
  assert(planes.next() == out.end());
}

}  // namespace tengen
