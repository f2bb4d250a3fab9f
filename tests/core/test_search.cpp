// The pool, on a game of each kind of node that a tree has: budgets are exact, and nothing stays under way. All games,
// and calls in any order, are tests/fuzz/fuzz_pool.py's: a pool takes seconds to compile for each.

#include "check.hpp"
#include "games/connect_four/connect_four.hpp"
#include "games/kuhn_poker/kuhn_poker.hpp"
#include "games/rock_paper_scissors/rock_paper_scissors.hpp"
#include "search/pool.hpp"

namespace tengen {
namespace {

// Settings that between them turn everything on that the game can use.
template <Game G>
std::vector<SearchSettings> settings_to_try() {
  std::vector<SearchSettings> result;
  SearchSettings plain;
  plain.visits = 120;
  result.push_back(plain);
  SearchSettings ucb1 = plain;
  ucb1.rule = Rule::kUcb1;
  result.push_back(ucb1);
  SearchSettings many = plain;
  many.leaves_per_root = 8;
  many.c_puct_log = 0.5;
  many.cache_entries = 64;
  result.push_back(many);
  if constexpr (G::kFacts.simultaneous) {
    many.joint_rule = JointRule::kUcb;
    result.push_back(many);
  } else {
    SearchSettings learning = many;
    learning.noise_fraction = 0.25;
    learning.forced_playouts = 2.0;
    learning.root_policy_temperature = 1.2;
    learning.fast_visits = 20;
    learning.full_probability = 0.5;
    result.push_back(learning);
    SearchSettings gumbel = many;
    gumbel.gumbel_actions = 4;
    gumbel.widening_factor = 1.0;
    result.push_back(gumbel);
  }
  if constexpr (!G::kFacts.hidden && !G::kFacts.chance && !G::kFacts.simultaneous) {
    SearchSettings solving = ucb1;
    solving.solve = true;
    result.push_back(solving);
  }
  for (const SearchSettings& settings : result) {
    check_settings(settings);
    check_fits(settings, G::kFacts);
  }
  return result;
}

// Random answers to a batch.
template <Game G>
void answer(Pool<G>& pool, Rng& rng) {
  const std::size_t rows = pool.row_count();
  std::vector<float> logits(rows * static_cast<std::size_t>(pool.game().action_count()));
  std::vector<float> values(rows * static_cast<std::size_t>(pool.game().facts().players));
  for (float& x : logits) x = static_cast<float>(3.0 * rng.uniform());
  for (std::size_t i = 0; i < values.size(); i += 2) {
    values[i] = static_cast<float>(2.0 * rng.uniform() - 1.0);
    values[i + 1] = -values[i];
  }
  pool.supply(logits, values, {});
}

template <Game G>
void run(Pool<G>& pool, Rng& rng) {
  while (!pool.is_done()) {
    if (pool.collect(16) == 0) continue;
    if (rng.below(8) == 0) {
      pool.abandon();
    } else {
      answer(pool, rng);
    }
  }
}

template <Game G>
void check_report(const Pool<G>& pool, int root, const Constraints& constraints) {
  const RootReport report = pool.report(root, {.spread = true, .aux = true, .deviations = true});
  const Tree<G>& tree = pool.tree(root);
  CHECK(report.is_done);
  CHECK(tree.root().stats.waiting == 0);
  std::int64_t guaranteed = 0;
  double policy = 0.0;
  for (const MoveReport& move : report.moves) {
    if (move.included) {
      CHECK(move.visits >= constraints.include_visits);
      CHECK(move.weight > 0.0);
      guaranteed += std::min(move.visits, constraints.include_visits);
    }
    policy += move.policy;
    for (const double value : move.values) CHECK(std::abs(value) <= pool.game().payoff_scale() + 1e-6);
  }
  CHECK(report.guaranteed_visits == guaranteed);
  if (!report.proven) CHECK(report.visits >= tree.root().budget() + guaranteed);
  if (!report.moves.empty()) CHECK(policy > 0.99);
}

// Whole games of searches on several roots, with tree reuse.
template <Game G>
void play_games(const G& game) {
  for (const SearchSettings& settings : settings_to_try<G>()) {
    for (const int threads : {1, 3}) {
      Pool<G> pool(game, settings, threads);
      Rng rng(static_cast<std::uint64_t>(threads) + 17);
      std::vector<int> roots;
      Constraints constraints;
      for (int i = 0; i < 5; ++i) {
        const auto state = game.start(rng);
        const int actor = game.actor(state);
        Actions legal;
        game.legal(state, std::max(0, actor), legal);
        constraints.include = {legal[rng.below(static_cast<std::uint32_t>(legal.size()))]};
        constraints.include_visits = 9;
        roots.push_back(pool.add(state, std::max(0, actor), rng.next(), constraints, settings, game.aux_count()));
      }
      run(pool, rng);
      for (const int root : roots) check_report(pool, root, constraints);
      for (int ply = 0; ply < 6; ++ply) {
        for (const int root : roots) {
          if (!pool.is_searchable(root)) continue;
          const int actor = game.actor(pool.tree(root).state());
          Actions played;
          for (int p = 0; p < game.facts().players; ++p) {
            if (actor == kEveryone || actor == p) played.push_back(pool.choose(root, p, 1.0));
          }
          pool.advance(root, played, nullptr);
          if constexpr (G::kFacts.chance) {
            while (game.actor(pool.tree(root).state()) == kChance) {
              const Action outcome = game.outcome(pool.tree(root).state(), rng);
              pool.advance(root, std::span<const Action>(&outcome, 1), nullptr);
            }
          }
        }
        if constexpr (G::kFacts.hidden) break;  // the next decision belongs to the other viewer
        run(pool, rng);
      }
      for (const int root : roots) pool.remove(root);
    }
  }
}

TEST(connect_four_is_searched) { play_games(ConnectFour{}); }
TEST(kuhn_poker_is_searched) { play_games(KuhnPoker{}); }
TEST(rock_paper_scissors_is_searched) { play_games(RockPaperScissors{}); }

TEST(restrictions_hold_at_their_depth) {
  const ConnectFour game;
  SearchSettings settings;
  settings.visits = 400;
  Pool<ConnectFour> pool(game, settings, 1);
  Rng rng(1);
  Constraints constraints;
  constraints.restrictions = {{0, {3}, 1, false}, {1, {0, 1}, 2, true}};
  const int root = pool.add(game.start(rng), 0, 1, constraints, settings, 0);
  while (!pool.run(RolloutEvaluator{}, 100)) {
  }
  for (const MoveReport& move : pool.report(root, {}).moves) {
    CHECK(move.action != 3);
    if (move.line.size() > 1) CHECK(move.line[1] <= 1);
  }
}

TEST(nothing_allowed_still_ends) {
  const ConnectFour game;
  SearchSettings settings;
  settings.visits = 50;
  Pool<ConnectFour> pool(game, settings, 1);
  Rng rng(1);
  Constraints constraints;
  constraints.restrictions = {{0, {}, 1, true}};
  const int root = pool.add(game.start(rng), 0, 1, constraints, settings, 0);
  while (!pool.run(UniformEvaluator{}, 100)) {
  }
  CHECK(pool.report(root, {}).visits == 50);
  CHECK(pool.report(root, {}).moves.empty());
}

TEST(halving_visits_no_action_ahead_of_its_turn) {
  for (const int actions : {1, 2, 3, 7, 16}) {
    for (const std::int64_t visits : {1, 2, 15, 100}) {
      std::int64_t most = 0;
      for (std::int64_t turn = 0; turn < visits; ++turn) {
        const std::int64_t count = halving_visits(actions, visits, turn);
        CHECK(count >= 0 && count <= most);
        most = std::max(most, count + 1);
      }
    }
  }
}

TEST(misuse_throws) {
  const ConnectFour game;
  Pool<ConnectFour> pool(game, SearchSettings{}, 1);
  Rng rng(1);
  const int root = pool.add(game.start(rng), 0, 1, {}, SearchSettings{}, 0);
  CHECK_THROWS(pool.supply({}, {}, {}));
  CHECK_THROWS(pool.collect(0));
  CHECK(pool.collect(4) == 1);
  CHECK_THROWS(pool.collect(4));
  CHECK_THROWS(pool.remove(root));
  const std::vector<float> nan(7, std::numeric_limits<float>::quiet_NaN());
  const std::vector<float> zeros(7, 0.0F);
  CHECK_THROWS(pool.supply(nan, zeros, {}));
  CHECK_THROWS(pool.supply(zeros, nan, {}));
  pool.supply(zeros, zeros, {});
  CHECK_THROWS(pool.tree(7));
  run(pool, rng);
  CHECK(pool.report(root, {}).visits == SearchSettings{}.visits);
}

}  // namespace
}  // namespace tengen
