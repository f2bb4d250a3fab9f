// Pokémon's heuristic: it is symmetric, estimates damage as the rules compute it, and prefers plausible choices.

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "check.hpp"
#include "games/pokemon/battle.hpp"
#include "games/pokemon/duels.hpp"
#include "games/pokemon/evaluation.hpp"
#include "games/pokemon/matchup.hpp"
#include "games/pokemon/pokemon.hpp"
#include "playing.hpp"
#include "search/pool.hpp"

using namespace tengen;
using namespace tengen::check;
using pokemon::index_of;

namespace {

TEST(pokemon_is_judged_alike_for_both_sides) {
  const Pokemon game;
  int unequal = 0;
  walk(game, 10, [&](const Pokemon::State& state) {
    Pokemon::State turned = state;
    std::swap(turned.sides[0], turned.sides[1]);
    for (const int which : {pokemon::kField, pokemon::kMatchup}) {
      const double value = pokemon::evaluate(state, which);
      CHECK(value > -1.0 && value < 1.0);
      CHECK(std::abs(value + pokemon::evaluate(turned, which)) < 1e-5);
      unequal += std::abs(value) > 0.1 ? 1 : 0;
    }
  });
  CHECK(unequal > 300);
}

// The estimate is the mean of the exact rolls for most hits; some rules are left out of it.
TEST(pokemon_expected_damage_is_near_the_rules) {
  const Pokemon game;
  int hits = 0;
  int near = 0;
  walk(game, 12, [&](const Pokemon::State& state) {
    if (game.actor(state) != kEveryone || state.mid_turn) return;
    for (int p = 0; p < 2; ++p) {
      const auto own = pokemon::make_fighter(state, p, state.sides[index_of(p)].active);
      const auto foe = pokemon::make_fighter(state, 1 - p, state.sides[index_of(1 - p)].active);
      for (const pokemon::MoveSlot& slot : own.mon->moves) {
        const pokemon::MoveData& row = pokemon::data(slot.id);
        const bool is_plain = row.category != pokemon::Category::Status && row.hits.denominator == 0 &&
                              (row.flags & pokemon::kFlagCharge) == 0 && row.power > 0;
        if (!is_plain || own.is_big) continue;
        const auto rolls = pokemon::damage_rolls(state, p, slot.id, false, false);
        const double exact = std::accumulate(rolls.begin(), rolls.end(), 0.0) / 16;
        const double accuracy = row.accuracy == 0 ? 1.0 : row.accuracy / 100.0;
        const float share = pokemon::expected_damage(state, own, foe, 1 - p, slot.id, false);
        const double guess = static_cast<double>(share * foe.max_hp) / accuracy;
        ++hits;
        near += std::abs(guess - exact) <= 0.1 * exact + 2.0 ? 1 : 0;
      }
    }
  });
  CHECK(hits > 1000);
  CHECK(near > hits * 9 / 10);
}

// The table of blows is filled as it goes: what comes out does not depend on what was asked before.
TEST(pokemon_duels_are_alike_for_both_sides_and_again) {
  const Pokemon game;
  std::vector<pokemon::State> seen;
  std::vector<float> means;
  walk(game, 6, [&](const Pokemon::State& state) {
    const pokemon::Duels duels = pokemon::find_duels(state);
    Pokemon::State turned = state;
    std::swap(turned.sides[0], turned.sides[1]);
    const pokemon::Duels other = pokemon::find_duels(turned);
    for (const auto part :
         {&pokemon::Duels::mean, &pokemon::Duels::answers, &pokemon::Duels::sweep, &pokemon::Duels::active}) {
      CHECK(std::abs(duels.*part + other.*part) < 1e-4F);
      CHECK(std::abs(duels.*part) <= 2.0F);
    }
    seen.push_back(state);
    means.push_back(duels.mean);
  });
  CHECK(std::ranges::max(means) > 0.2F && std::ranges::min(means) < -0.2F);
  for (std::size_t i = seen.size(); i-- > 0;) CHECK(pokemon::find_duels(seen[i]).mean == means[i]);
}

TEST(pokemon_plays_on_by_its_policy) {
  const Pokemon game;
  int ends = 0;
  int others = 0;
  walk(game, 2, [&](const Pokemon::State& state) {
    std::array<double, 2> first{};
    std::array<double, 2> second{};
    game.heuristic(state, pokemon::kPlayout, first);
    game.heuristic(state, pokemon::kPlayout, second);
    CHECK(first == second && first[0] == -first[1]);
    std::abs(first[0]) == 1.0 ? ++ends : ++others;
  });
  CHECK(ends > 10 * others);
}

// Choices that are drawn apart from the battle's luck must give the same mean: in this late position, where one side is
// about to win or lose, a choice that depends on the first roll of the battle changes it by 0.3.
TEST(pokemon_choices_do_not_depend_on_the_luck_of_the_turn) {
  const Pokemon game;
  int number = 0;
  walk(game, 8, [&](const Pokemon::State& late) {
    if (++number != 439) return;
    constexpr int kPlayouts = 1500;
    if (!CHECK(game.actor(late) == kEveryone)) return;
    Rng rng(5);
    std::array<double, 2> sums{}, squares{}, values{};
    const auto add = [&](const Pokemon::State& state, std::size_t way) {
      game.heuristic(state, pokemon::kPlayout, values);
      sums[way] += values[0];
      squares[way] += values[0] * values[0];
    };
    for (int i = 0; i < kPlayouts; ++i) {
      Pokemon::State state = late;
      state.luck = rng.next();
      add(state, 0);
      std::array<Action, 2> joint{};
      for (const int player : {0, 1}) {
        Actions legal;
        game.legal(state, player, legal);
        std::vector<float> shares(legal.size());
        game.heuristic_policy(state, player, legal, shares);
        double rest = rng.uniform();
        std::size_t at = 0;
        while (at + 1 < legal.size() && (rest -= static_cast<double>(shares[at])) >= 0.0) ++at;
        joint[static_cast<std::size_t>(player)] = legal[at];
      }
      game.apply(state, joint);
      add(state, 1);
    }
    double variance = 0.0;
    for (const std::size_t way : {0U, 1U}) {
      const double mean = sums[way] / kPlayouts;
      variance += (squares[way] / kPlayouts - mean * mean) / kPlayouts;
    }
    CHECK(variance > 0.0);
    CHECK(std::abs(sums[0] - sums[1]) / kPlayouts < 4.0 * std::sqrt(variance));
  });
  CHECK(number >= 439);
}

TEST(pokemon_policy_is_of_all_legal_choices) {
  const Pokemon game;
  Actions legal;
  std::vector<float> policy;
  double most = 0.0;
  walk(game, 6, [&](const Pokemon::State& state) {
    for (int p = 0; p < 2; ++p) {
      if (game.actor(state) != p && game.actor(state) != kEveryone) continue;
      game.legal(state, p, legal);
      policy.assign(legal.size(), -1.0F);
      game.heuristic_policy(state, p, legal, policy);
      float sum = 0.0F;
      for (const float share : policy) {
        CHECK(share > 0.0F);
        sum += share;
        if (legal.size() > 5) most = std::max(most, static_cast<double>(share));
      }
      CHECK(std::abs(sum - 1.0F) < 1e-4F);
    }
  });
  CHECK(most > 0.4);
}

// Slots of moves differ from world to world: the other side's choices go by the moves that any of its sets may have.
TEST(pokemon_choices_of_the_other_side_go_by_their_move) {
  const Pokemon game;
  Rng deal(3);
  const Pokemon::State state = game.start(deal);
  SearchSettings settings;
  settings.visits = 600;
  Pool<Pokemon> pool(game, settings, 1);
  const int root = pool.add(state, 0, 5, Constraints{}, settings, 0);
  while (!pool.run(HeuristicEvaluator{}, 100)) {
  }
  int own = 0;
  std::vector<Action> moves;
  for (const MoveReport& move : pool.report(root, {}).moves) {
    if (move.player == 0) CHECK(move.action < pokemon::kActions), ++own;
    if (move.player == 1 && move.action >= pokemon::kUseMove) moves.push_back(move.action);
  }
  CHECK(own == 13);
  CHECK(moves.size() >= 8 && moves.size() % 2 == 0);
  for (const Action label : moves) CHECK(label >= pokemon::kActions && label < game.action_label_count());
}

TEST(pokemon_searches_with_its_heuristic) {
  const Pokemon game;
  Rng rng(2);
  SearchSettings settings;
  settings.visits = 300;
  for (const JointRule rule : {JointRule::kRegret, JointRule::kUcb}) {
    settings.joint_rule = rule;
    Pool<Pokemon> pool(game, settings, 1);
    const int root = pool.add(game.start(rng), 0, 1, Constraints{}, settings, 0);
    pool.run(HeuristicEvaluator{}, settings.visits);
    const RootReport report = pool.report(root, {});
    CHECK(report.is_done && report.visits >= settings.visits && !report.moves.empty());
  }
}

// Worlds are used again, with other luck.
TEST(pokemon_worlds_are_used_again) {
  const Pokemon game;
  Rng rng(7);
  const Pokemon::State world = game.redeal(game.start(rng), 0, rng);
  Pokemon::State again = world;
  game.redraw_chance(again, rng);
  CHECK(again.luck != world.luck);
  CHECK(again.sides == world.sides);
  CHECK(game.view_key(again, 0) == game.view_key(world, 0));
}

}  // namespace
