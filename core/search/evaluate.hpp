#pragma once

#include <array>
#include <vector>

#include "search/playout.hpp"
#include "search/tree.hpp"

// Evaluators that live in the core: no policy, a value, no Python.
namespace tengen {

template <Game G>
Values<G> scaled_values(const G& game, std::span<const double> payoffs) {
  Values<G> values;
  for (std::size_t i = 0; i < kValueCount<G>; ++i) values.of[i] = payoffs[i] / game.payoff_scale();
  return values;
}

// Everything is worth nothing: what the search costs by itself.
struct UniformEvaluator {
  template <Game G>
  static constexpr bool kHasPolicy = false;

  template <Game G>
  void evaluate(const G&, const typename G::State&, Rng&, Scratch&, Evaluation<G>& out, std::vector<float>&) const {
    out = Evaluation<G>{};
  }
};

// The mean result of games played to their end at random; one that is cut counts as nothing.
struct RolloutEvaluator {
  template <Game G>
  static constexpr bool kHasPolicy = false;

  int rollouts = 1;

  template <Game G>
  void evaluate(const G& game, const typename G::State& leaf, Rng& rng, Scratch& scratch, Evaluation<G>& out,
                std::vector<float>& aux) const {
    out = Evaluation<G>{};
    const auto aux_count = static_cast<std::size_t>(game.aux_count());
    aux.assign(aux_count, 0.0F);
    std::vector<float>& last = scratch.aux;
    Playout<G> playout(game, kUniformPolicy, scratch.legal);
    for (int i = 0; i < rollouts; ++i) {
      typename G::State state = leaf;
      if (!playout.run(state, rng)) continue;
      std::array<double, G::kFacts.players> payoffs{};
      game.payoff(state, std::span<double>(payoffs.data(), static_cast<std::size_t>(game.facts().players)));
      out.values.add_scaled(scaled_values(game, payoffs), 1.0 / rollouts);
      if constexpr (HasAux<G>) {
        last.resize(aux_count);
        game.final_aux(state, last);
        for (std::size_t k = 0; k < aux_count; ++k) aux[k] += last[k] / static_cast<float>(rollouts);
      }
    }
    out.aux = aux;
  }
};

// The game's own judgement: the one of this number among its heuristics, -1 for the best. Where the game says how
// plausible actions are, nodes get that for their priors.
struct HeuristicEvaluator {
  int which = -1;

  template <Game G>
  static constexpr bool kHasPolicy = HasHeuristicPolicy<G>;

  template <Game G>
    requires HasHeuristic<G>
  void evaluate(const G& game, const typename G::State& state, Rng&, Scratch&, Evaluation<G>& out,
                std::vector<float>&) const {
    out = Evaluation<G>{};
    std::array<double, G::kFacts.players> values{};
    const std::span<double> players(values.data(), static_cast<std::size_t>(game.facts().players));
    if constexpr (HasHeuristics<G>) {
      which < 0 ? game.heuristic(state, players) : game.heuristic(state, which, players);
    } else {
      game.heuristic(state, players);
    }
    out.values = scaled_values(game, values);
  }
};

}  // namespace tengen
