#include <algorithm>
#include <array>
#include <set>
#include <stdexcept>
#include <vector>

#include "check.hpp"
#include "nets/prophet/planes.hpp"
#include "rng.hpp"
#include "shogi_boards.hpp"

using namespace tengen;
using namespace tengen::shogi;

namespace {

// Positions of random games.
std::vector<Position> random_positions(int count) {
  std::vector<Position> found;
  std::vector<Move> moves;
  Rng rng(7);
  Position position = Position::initial();
  while (static_cast<int>(found.size()) < count) {
    legal_moves(position, moves);
    if (moves.empty() || position.ply() > 200) {
      position = Position::initial();
      continue;
    }
    found.push_back(position);
    position.play(moves[rng.below(static_cast<std::uint32_t>(moves.size()))]);
  }
  return found;
}

TEST(every_legal_move_has_an_entry_of_its_own) {
  std::vector<prophet::LegalEntry> entries;
  for (const Position& position : random_positions(500)) {
    prophet::legal_entries(position, entries);
    const prophet::Slots slots(position, position.side());
    std::set<int> seen;
    for (const prophet::LegalEntry& each : entries) {
      CHECK(each.entry >= 0 && each.entry < prophet::kEntries);
      CHECK(seen.insert(each.entry).second);
      CHECK(slots.move_of(each.entry) == each.move);
      CHECK(slots.move_of(slots.entry_of(each.move)) == each.move);
    }
  }
}

TEST(packed_positions_come_back) {
  std::array<std::uint8_t, prophet::kPackedSize> bytes{};
  for (Position position : random_positions(300)) {
    prophet::pack(position, bytes);
    position.set_side(position.side(), 0);  // the ply is not kept
    CHECK(prophet::unpack(bytes) == position);
  }
}

TEST(planes_show_each_piece_once) {
  std::vector<float> planes(static_cast<std::size_t>(prophet::kPlanes) * kSquares);
  for (const Position& position : random_positions(200)) {
    for (const Color viewer : {kBlack, kWhite}) {
      prophet::encode(position, viewer, planes);
      int stand = 0;
      for (int slot = 0; slot < prophet::kSlots; ++slot) {
        const auto plane = planes.begin() + 2 * slot * kSquares;
        const auto pieces = kSquares - std::count(plane, plane + kSquares, 0.0F);
        CHECK(pieces <= 1);
        stand += static_cast<int>(pieces);
      }
      CHECK(stand == position.occupied().count());
    }
  }
}

TEST(too_many_pieces_are_refused) {
  std::array<std::uint8_t, prophet::kPackedSize> bytes{};
  prophet::pack(position_of("4k4/ppppppppp/9/9/9/9/PPPPPPPPP/9/4K4 b P 1"), bytes);
  bool refused = false;
  try {
    prophet::unpack(bytes);
  } catch (const std::invalid_argument&) {
    refused = true;
  }
  CHECK(refused);
}

}  // namespace
