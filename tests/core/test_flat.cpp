#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "games/connect_four/connect_four.hpp"
#include "games/kuhn_poker/kuhn_poker.hpp"
#include "games/matgo/matgo.hpp"
#include "games/pig/pig.hpp"
#include "games/rock_paper_scissors/rock_paper_scissors.hpp"
#include "search/flat.hpp"

using namespace tengen;
using namespace tengen::check;

namespace {

constexpr auto kNoTick = [] {};

template <Game G>
typename G::State decision(const G& game, std::uint64_t seed) {
  Rng rng(seed);
  auto state = game.start(rng);
  if constexpr (G::kFacts.chance) {
    while (game.actor(state) == kChance) game.apply(state, game.outcome(state, rng));
  }
  return state;
}

template <Game G>
FlatReport tried(const G& game, const FlatSettings& settings, std::span<const double> prior_bonus = {}) {
  const auto state = decision(game, 3);
  const int actor = game.actor(state);
  return Flat<G>(game, settings).run(state, actor < 0 ? 0 : actor, 7, prior_bonus, kNoTick);
}

template <Game G>
void check_whole(const G& game) {
  for (const bool halving : {false, true}) {
    for (const std::uint32_t worlds : {1U, 2U, 33U}) {
      const FlatReport report = tried(game, {.worlds = worlds, .halving = halving});
      const std::size_t count = report.actions.size();
      CHECK(count > 0 && report.means.size() == count && report.errors.size() == count);
      CHECK(report.wins.size() == count && report.penalties.size() == count);
      CHECK(std::ranges::all_of(report.errors, [](double error) { return error >= 0 && std::isfinite(error); }));
      CHECK(std::ranges::all_of(report.wins, [](double share) { return share >= 0 && share <= 1; }));
    }
  }
}

TEST(every_action_is_told_of) {
  check_whole(ConnectFour{});
  check_whole(KuhnPoker{});
  check_whole(Matgo{});
  check_whole(Pig{});
  check_whole(RockPaperScissors{});
}

TEST(a_world_is_one_tick) {
  const Matgo game;
  const auto state = decision(game, 3);
  Actions legal;
  game.legal(state, game.actor(state), legal);
  std::uint32_t worlds = 0;
  static_cast<void>(Flat<Matgo>(game, {.worlds = 50}).run(state, game.actor(state), 1, {}, [&] { ++worlds; }));
  CHECK(worlds == 50);
  // Ten cards: four rounds with 10, 5, 3 and 2 of them, a quarter of the tries each.
  worlds = 0;
  static_cast<void>(
      Flat<Matgo>(game, {.worlds = 48, .halving = true}).run(state, game.actor(state), 1, {}, [&] { ++worlds; }));
  if (CHECK(legal.size() == 10)) CHECK(worlds == 12 + 24 + 40 + 60);
}

TEST(who_is_favored_is_tried_most) {
  const Matgo game;
  const FlatReport plain = tried(game, {.worlds = 64, .halving = true});
  const auto worst = static_cast<std::size_t>(std::ranges::min_element(plain.means) - plain.means.begin());
  std::vector<double> prior_bonus(plain.actions.size(), 0.0);
  prior_bonus[worst] = 1e9;
  const FlatReport led = tried(game, {.worlds = 64, .halving = true}, prior_bonus);
  CHECK(led.errors[worst] < plain.errors[worst]);
}

// Everyone acts at once, and always shows the same hand.
struct Guided : RockPaperScissors {
  static constexpr std::array<std::string_view, 2> kRolloutPolicies{"rock", "scissors"};
  Action rollout_action(const State&, int, int policy, Rng&) const { return policy == 0 ? 0 : 2; }
};
static_assert(HasRolloutPolicies<Guided>);

TEST(playouts_are_guided_where_everyone_acts) {
  const FlatReport rock = tried(Guided{}, {.worlds = 20});
  const FlatReport scissors = tried(Guided{}, {.worlds = 20, .rollout_policy = 1});
  CHECK(rock.wins == std::vector<double>({0.5, 1.0, 0.0}));
  CHECK(scissors.wins == std::vector<double>({1.0, 0.0, 0.5}));
}

TEST(payoffs_are_limited) {
  const FlatReport report = tried(Matgo{}, {.worlds = 64, .payoff_cap = 50.0});
  CHECK(std::ranges::all_of(report.means, [](double mean) { return std::abs(mean) <= 50.0; }));
}

}  // namespace
