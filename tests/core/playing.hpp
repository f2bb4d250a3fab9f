#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "check.hpp"
#include "game.hpp"
#include "search/playout.hpp"

// What holds in every game, checked along random play.
namespace tengen::check {

template <Game G>
std::uint64_t perft(const G& game, const typename G::State& state, int depth) {
  const int player = game.actor(state);
  if (depth == 0) return 1;
  if (player == kNobody) return 0;
  Actions actions;
  game.legal(state, player, actions);
  std::uint64_t leaves = 0;
  for (const Action action : actions) {
    typename G::State next = state;
    game.apply(next, action);
    leaves += perft(game, next, depth - 1);
  }
  return leaves;
}

// Plays one uniformly random action of whoever is to act.
template <Game G>
void step(const G& game, typename G::State& state, Rng& rng) {
  Actions legal;
  Playout<G>(game, kUniformPolicy, legal).step(state, game.actor(state), rng);
}

// Calls visit(state) on every state of `games` random games, the final ones included.
template <Game G, class Visit>
void walk(const G& game, int games, Visit visit, std::uint64_t seed = 1) {
  Rng rng(seed);
  for (int i = 0; i < games; ++i) {
    typename G::State state = game.start(rng);
    visit(state);
    while (game.actor(state) != kNobody) {
      step(game, state, rng);
      visit(state);
    }
  }
}

template <Game G>
std::vector<float> encoded(const G& game, const typename G::State& state, int viewer) {
  std::vector<float> features(static_cast<std::size_t>(game.shape().size()), -7.0F);
  game.encode(state, viewer, features);
  return features;
}

template <Game G>
void check_state(const G& game, const typename G::State& state) {
  const int players = game.facts().players;
  for (int seat = 0; seat < players; ++seat) {
    const auto features = encoded(game, state, seat);
    CHECK(std::all_of(features.begin(), features.end(), [](float x) { return x >= 0.0F && x <= 1.0F; }));
  }
  const int player = game.actor(state);
  if (player == kNobody) {
    std::vector<double> payoffs(static_cast<std::size_t>(players));
    game.payoff(state, payoffs);
    for (const double payoff : payoffs) CHECK(std::abs(payoff) <= game.payoff_scale());
    CHECK(!game.facts().zero_sum || std::accumulate(payoffs.begin(), payoffs.end(), 0.0) == 0.0);
    return;
  }
  Actions actions;
  for (int seat = 0; seat < players; ++seat) {
    if (player != kEveryone && player != seat) continue;
    game.legal(state, seat, actions);
    CHECK(!actions.empty());
    CHECK(std::is_sorted(actions.begin(), actions.end()));
    CHECK(std::adjacent_find(actions.begin(), actions.end()) == actions.end());
    CHECK(actions.front() >= 0 && actions.back() < game.action_count());
  }
}

template <Game G>
  requires HasHeuristic<G>
void check_heuristic(const G& game, const typename G::State& state) {
  std::array<double, 2> values{};
  game.heuristic(state, values);
  CHECK(std::abs(values[0]) < 1.0 && values[0] == -values[1]);
}

// Every drawn action is legal, and with many draws every legal action is drawn about equally often.
template <Game G>
  requires HasRandomAction<G>
void check_random_action(const G& game, const typename G::State& state, Rng& rng, int draws) {
  Actions actions;
  game.legal(state, game.actor(state), actions);
  std::vector<int> counts(static_cast<std::size_t>(game.action_count()));
  for (int i = 0; i < draws; ++i) ++counts[static_cast<std::size_t>(game.random_action(state, game.actor(state), rng))];
  const double expected = static_cast<double>(draws) / static_cast<double>(actions.size());
  int legal_draws = 0;
  for (const Action action : actions) {
    const int count = counts[static_cast<std::size_t>(action)];
    legal_draws += count;
    CHECK(std::abs(count - expected) < 6.0 * std::sqrt(expected) + 1.0);
  }
  CHECK(legal_draws == draws);
}

// The promises of HasSymmetries, for every action of a state.
template <Game G>
  requires HasSymmetries<G>
void check_symmetries(const G& game, const typename G::State& state) {
  CHECK(game.transform(state, 0) == state);
  const auto features = encoded(game, state, 0);
  Actions actions;
  if (game.actor(state) != kNobody) game.legal(state, game.actor(state), actions);
  for (int symmetry = 0; symmetry < game.symmetry_count(); ++symmetry) {
    const auto transformed = game.transform(state, symmetry);
    const auto transformed_features = encoded(game, transformed, 0);
    for (std::size_t i = 0; i < features.size(); ++i) {
      const int at = game.transform_feature(static_cast<int>(i), symmetry);
      CHECK(transformed_features[static_cast<std::size_t>(at)] == features[i]);
    }
    Actions transformed_actions;
    if (!actions.empty()) game.legal(transformed, game.actor(transformed), transformed_actions);
    Actions expected;
    for (const Action action : actions) {
      expected.push_back(game.transform_action(action, symmetry));
      auto played = state;
      game.apply(played, action);
      auto played_transformed = transformed;
      game.apply(played_transformed, expected.back());
      CHECK(game.transform(played, symmetry) == played_transformed);
    }
    std::sort(expected.begin(), expected.end());
    CHECK(expected == transformed_actions);
  }
}

}  // namespace tengen::check
