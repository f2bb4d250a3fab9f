#include <string_view>
#include <vector>

#include "check.hpp"
#include "games/shogi/movegen.hpp"
#include "games/shogi/shogi.hpp"
#include "shogi_boards.hpp"

using namespace tengen;
using namespace tengen::shogi;

namespace {

struct Counts {
  std::string_view sfen;
  std::vector<std::uint64_t> counts;
};

// Depths that a build with sanitizers counts quickly; deeper ones are counted from Python.
const std::vector<Counts> kCounts{
    {"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", {30, 900, 25470}},
    {"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1", {207, 28684}},
    {"l5knl/1r2g1gs1/p2pppn1p/2p3pp1/1p1s1P3/P1PP2P1P/1PSSP1NP1/1BG1G1KR1/LN6L b BP 1", {75, 2286, 127160}},
    {"l+R5nl/4k4/p1pp1gnpp/4pps2/1p5P1/2P1P1P1P/PP1P1P3/1SG1G4/LN1K3N+b w bgs2p 1", {176, 6450}},
    {"4k4/9/9/9/9/9/PPPP1PPPP/9/4K4 b 2P 1", {20, 99, 1807, 13060}},
    {"4k4/9/9/9/9/9/9/9/4K4 b PLN 1", {209, 994, 141951}},
    {"4k4/9/9/9/4r4/9/9/9/4K4 b RBGSNLP 1", {25, 443}},
    {"7nk/9/8G/9/9/9/9/9/K8 b P 1", {76, 152, 1920, 58167}},
    {"7sk/9/8G/9/9/9/9/9/K8 b P 1", {77, 229, 3306, 39006}},
    {"7nk/9/7GP/9/9/9/9/9/K8 b - 1", {10, 14, 143, 4634}},
    {"4k4/4r4/9/9/4G4/9/9/9/4K4 b 2P 1", {76, 1121, 76331}},
    {"4k4/9/9/8b/9/9/9/5S3/4K4 b GN 1", {143, 2130, 150108}},
};

// Every move played and taken back, with what a move must keep true.
void walk(const Position& position, int depth) {
  std::vector<Move> moves;
  legal_moves(position, moves);
  for (const Move move : moves) {
    CHECK(is_legal(position, move));
    CHECK(move_of(action_of(move)) == move);
    Position next = position;
    const bool check = position.gives_check(move);
    const MadeMove made = next.play(move);
    CHECK(next.is_check() == check);
    CHECK(!next.is_opponent_in_check());
    if (depth > 1) walk(next, depth - 1);
    next.undo(made);
    CHECK(next == position);
  }
}

}  // namespace

TEST(counts_of_moves) {
  for (const Counts& row : kCounts) {
    const Position position = position_of(row.sfen);
    for (std::size_t i = 0; i < row.counts.size(); ++i) {
      CHECK(perft(position, static_cast<int>(i) + 1) == row.counts[i]);
    }
  }
}

TEST(moves_are_undone) {
  for (const Counts& row : kCounts) walk(position_of(row.sfen), row.counts[0] > 100 ? 1 : 2);
}

TEST(initial_position) {
  CHECK(Position::initial() == position_of("lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"));
}

TEST(slider_attacks_stop_at_pieces) {
  // By walking square by square.
  const Position position = position_of(kCounts[3].sfen);
  const Bitboard occupied = position.occupied();
  const auto walked = [&](Square from, std::initializer_list<std::pair<int, int>> steps) {
    Bitboard reached;
    for (const auto& [df, dr] : steps) {
      for (int f = file_of(from) + df, r = rank_of(from) + dr; f >= 0 && f < 9 && r >= 0 && r < 9; f += df, r += dr) {
        reached |= Bitboard::of(make_square(f, r));
        if (occupied.has(make_square(f, r))) break;
      }
    }
    return reached;
  };
  for (Square from = 0; from < kSquares; ++from) {
    CHECK(rook_attacks(from, occupied) == walked(from, {{0, 1}, {0, -1}, {1, 0}, {-1, 0}}));
    CHECK(bishop_attacks(from, occupied) == walked(from, {{1, 1}, {1, -1}, {-1, 1}, {-1, -1}}));
    CHECK(lance_attacks(kBlack, from, occupied) == walked(from, {{0, -1}}));
    CHECK(lance_attacks(kWhite, from, occupied) == walked(from, {{0, 1}}));
  }
}

TEST(forbidden_pawn_drops) {
  const auto legal = [](std::string_view sfen, std::string_view move) {
    return is_legal(position_of(sfen), move_named(move));
  };
  CHECK(!legal("7nk/9/8G/9/9/9/9/9/K8 b P 1", "P*1b"));
  CHECK(!legal("R6sk/9/8G/9/9/9/9/9/K8 b P 1", "P*1b"));  // the silver is pinned
  CHECK(legal("7sk/9/8G/9/9/9/9/9/K8 b P 1", "P*1b"));
  CHECK(legal("7nk/9/7GP/9/9/9/9/9/K8 b - 1", "1c1b"));
  CHECK(legal("4k4/9/9/9/4+P4/9/9/9/4K4 b P 1", "P*5f"));
  CHECK(!legal("4k4/9/9/9/9/9/PPPP1PPPP/9/4K4 b P 1", "P*4e"));
}

TEST(positions_without_a_king) {
  const Position problem = position_of("7nk/9/8G/9/9/9/9/9/9 b G 1");
  CHECK(!problem.has_king(kBlack));
  CHECK(is_legal(problem, move_named("G*1b")));
  Position mated = problem;
  mated.play(move_named("G*1b"));
  CHECK(is_mate(mated));
}
