#include <algorithm>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "games/shogi/checks.hpp"
#include "games/shogi/mate.hpp"
#include "games/shogi/shogi.hpp"
#include "rng.hpp"
#include "shogi_boards.hpp"

using namespace tengen;
using namespace tengen::shogi;

namespace {

Repetition past_of(const Position& position) {
  Repetition past;
  past.push(position.key());
  return past;
}

MateAnswer solve(std::string_view sfen, std::uint64_t nodes = 100'000, int max_plies = 0) {
  MateSolver solver(std::size_t{1} << 20);
  const Position position = position_of(sfen);
  return solver.solve(position, past_of(position), {nodes, max_plies});
}

void check_line(Position position, const std::vector<Move>& line) {
  CHECK(line.size() % 2 == 1);
  for (std::size_t i = 0; i < line.size(); ++i) {
    CHECK(is_legal(position, line[i]));
    position.play(line[i]);
    if (i % 2 == 0) CHECK(position.is_check());
  }
  CHECK(is_mate(position));
}

constexpr std::string_view kGoldAtTheHead = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1";
constexpr std::string_view kThreePlies =
    "3r2+N2/g1pl+B3l/kpS3+L2/1P1p3Gp/pRGNsn1p1/L1N1+s1pb1/S3p1P1g/2P6/P1K1+pP1+p1 b 3p 1";
constexpr std::string_view kNinePlies = "pr1k4b/1Ppp1+B1gl/5s2p/1p5p1/S1Ggpp1n1/S4np1P/3GKP2L/L1P1L1R2/2+n3SN1 b P4p 1";
constexpr std::string_view kBareKing = "4k4/9/9/9/9/9/9/9/4K4 b R 1";

}  // namespace

TEST(checking_moves_are_the_legal_moves_that_give_check) {
  Rng rng(5);
  Shogi game;
  for (int round = 0; round < 30; ++round) {
    State state = game.start(rng);
    for (int ply = 0; ply < 150 && game.actor(state) != kNobody; ++ply) {
      std::vector<Move> expected;
      std::vector<Move> checks;
      legal_moves(state.position, expected);
      std::erase_if(expected, [&](Move move) { return !state.position.gives_check(move); });
      checking_moves(state.position, checks);
      CHECK(checks == expected);
      game.apply(state, game.random_action(state, game.actor(state), rng));
    }
  }
}

TEST(a_mate_of_one_move_comes_first) {
  const MateAnswer answer = solve(kGoldAtTheHead);
  CHECK(answer.mate == Mate::kFound);
  CHECK(answer.line == std::vector{move_named("G*5b")});
}

TEST(longer_mates_are_played_to_their_end) {
  const MateAnswer answer = solve(kNinePlies);
  CHECK(answer.mate == Mate::kFound);
  CHECK(answer.line.size() >= 5);
  check_line(position_of(kNinePlies), answer.line);
}

TEST(what_is_disproven_is_no_mate) {
  CHECK(solve(kBareKing).mate == Mate::kNone);
  // The pawn would mate, but may not be dropped so.
  CHECK(solve("7nk/9/8G/9/9/9/9/9/K8 b P 1").mate == Mate::kNone);
}

TEST(few_nodes_leave_it_open) { CHECK(solve(kBareKing, 3).mate == Mate::kUnknown); }

TEST(a_mate_beyond_the_last_ply_is_none) {
  CHECK(solve(kGoldAtTheHead, 1000, 1).mate == Mate::kFound);
  const auto plies = static_cast<int>(solve(kNinePlies).line.size());
  CHECK(solve(kNinePlies, 100'000, plies).mate == Mate::kFound);
  CHECK(solve(kNinePlies, 100'000, 2).mate != Mate::kFound);
}

TEST(positions_that_came_before_are_in_the_way) {
  const Position position = position_of(kThreePlies);
  Repetition past = past_of(position);
  std::vector<Move> checks;
  checking_moves(position, checks);
  CHECK(mates_within(position, 3, past) && !mates_within(position, 1, past));
  // Every check leads to a position that has come three times: none of them may be given again.
  for (const Move check : checks) {
    Position next = position;
    next.play(check);
    for (int i = 0; i < 3; ++i) past.push(next.key());
  }
  CHECK(!mates_within(position, 3, past));
  MateSolver solver(std::size_t{1} << 20);
  CHECK(solver.solve(position, past, {}).mate == Mate::kUnknown);
}

TEST(a_stopped_solver_stops_once) {
  MateSolver solver(std::size_t{1} << 20);
  const Position position = position_of(kNinePlies);
  solver.stop();
  CHECK(solver.solve(position, past_of(position), {}).mate == Mate::kUnknown);
  CHECK(solver.solve(position, past_of(position), {}).mate == Mate::kFound);
}

TEST(short_searches_agree_with_the_solver) {
  Rng rng(11);
  Shogi game;
  MateSolver solver(std::size_t{1} << 20);
  int mates = 0;
  for (int round = 0; round < 12; ++round) {
    State state = game.start(rng);
    for (int ply = 0; ply < 200 && game.actor(state) != kNobody; ++ply) {
      if (ply > 60 && ply % 7 == 0) {
        const bool within = mates_within(state.position, 3, state.repetition);
        const MateAnswer answer = solver.solve(state.position, state.repetition, {3'000, 0});
        CHECK(!within || (answer.mate == Mate::kFound && answer.line.size() <= 3));
        if (answer.mate == Mate::kFound) check_line(state.position, answer.line);
        mates += answer.mate == Mate::kFound;
      }
      game.apply(state, game.random_action(state, game.actor(state), rng));
    }
  }
  CHECK(mates > 3);
}
