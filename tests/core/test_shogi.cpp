#include <string_view>

#include "check.hpp"
#include "games/shogi/refusal.hpp"
#include "games/shogi/shogi.hpp"
#include "playing.hpp"
#include "shogi_boards.hpp"

using namespace tengen;
using namespace tengen::shogi;
using namespace tengen::check;

namespace {

shogi::State after(const Shogi& game, std::string_view sfen, std::initializer_list<std::string_view> moves) {
  shogi::State state = game.start_from(position_of(sfen));
  for (const std::string_view move : moves) game.apply(state, action_of(move_named(move)));
  return state;
}

}  // namespace

TEST(along_random_play) {
  const Shogi game({.max_plies = 200});
  Rng rng(3);
  int ends = 0;
  check::walk(game, 6, [&](const shogi::State& state) {
    check_state(game, state);
    check_heuristic(game, state);
    if (game.actor(state) == kNobody) {
      ++ends;
      return;
    }
    Actions legal;
    game.legal(state, game.actor(state), legal);
    CHECK(std::binary_search(legal.begin(), legal.end(), game.random_action(state, game.actor(state), rng)));
    // What the last move was is told, and it can be taken back.
    if (state.recent_count > 0) {
      shogi::Position before = state.position;
      before.undo(state.recent[0]);
      CHECK(before.side() != state.position.side() && is_legal(before, state.recent[0].move));
    }
  });
  CHECK(ends == 6);
}

TEST(random_actions_are_uniform) {
  const Shogi game;
  Rng rng(7);
  check_random_action(game, game.start(rng), rng, 30'000);
  // With a declaration among them.
  const auto state = after(game, "+R+R2K2+B1/PPPP+P+P2+B/2+P6/9/9/9/9/9/4k4 b 9P 1", {});
  CHECK(game.can_declare(state));
  check_random_action(game, state, rng, 200'000);
}

TEST(labels_are_unique) {
  const Shogi game({.max_plies = 150});
  check::walk(game, 4, [&](const shogi::State& state) {
    if (game.actor(state) == kNobody) return;
    Actions actions;
    game.legal(state, game.actor(state), actions);
    std::vector<int> labels;
    for (const Action action : actions) labels.push_back(game.policy_index(state, action));
    std::sort(labels.begin(), labels.end());
    CHECK(std::adjacent_find(labels.begin(), labels.end()) == labels.end());
    CHECK(labels.back() < game.policy_count());
  });
}

TEST(repetition_is_found_until_it_is_forgotten) {
  Repetition repetition;
  for (std::uint64_t ply = 0; ply < 2000; ++ply) {
    // A position that comes every 500 plies, and others that never do again.
    const std::uint64_t key = mix64(ply % 500 == 0 ? 7 : 1000 + ply);
    const Repetition::Found found = repetition.find(key);
    CHECK(found.times == (ply % 500 == 0 && ply > 0 ? 1 : 0));
    if (found.times > 0) CHECK(found.plies == 500);
    repetition.push(key);
  }
  for (std::uint64_t ply = 0; ply < 514; ++ply) repetition.push(mix64(9000 + ply));
  CHECK(repetition.find(mix64(9000)).times == 0);
  CHECK(repetition.find(mix64(9002)).times == 1);
}

TEST(every_refusal_is_told) {
  const Shogi game({.max_plies = 60});
  check::walk(game, 1, [&](const shogi::State& state) {
    Actions legal;
    if (game.actor(state) != kNobody) game.legal(state, game.actor(state), legal);
    if (legal.empty()) return;
    for (Action action = 0; action < kWinAction; ++action) {
      const bool is_legal_action = std::binary_search(legal.begin(), legal.end(), action);
      CHECK((refusal(state.position, move_of(action)) == Refusal::kNone) == is_legal_action);
    }
  });
}

TEST(perpetual_check) {
  const Shogi game;
  const auto state =
      after(game, "9/9/9/9/4k4/9/9/9/4K3R b - 1",
            {"1i1e", "5e5d", "1e1d", "5d5e", "1d1e", "5e5d", "1e1d", "5d5e", "1d1e", "5e5d", "1e1d", "5d5e", "1d1e"});
  CHECK(state.end == End::kPerpetualCheck && state.winner == kWhite);
}

TEST(where_both_give_check_all_the_time_who_repeats_has_lost) {
  const Shogi game;
  auto state = after(game, "9/9/9/9/4k4/9/9/9/4K3R b - 1",
                     {"1i1e", "5e5d", "1e1d", "5d5e", "1d1e", "5e5d", "1e1d", "5d5e", "1d1e", "5e5d", "1e1d", "5d5e"});
  CHECK(state.end == End::kNone);
  // No position is known in which that happens, so the count of White's checks is made up.
  state.checks[at(kWhite)] = 100;
  game.apply(state, action_of(move_named("1d1e")));
  CHECK(state.end == End::kPerpetualCheck && state.winner == kWhite);
}
