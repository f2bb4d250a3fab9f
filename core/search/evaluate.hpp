#pragma once

#include <array>
#include <vector>

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
  void evaluate(const G&, const typename G::State&, Rng&, Scratch&, Evaluation<G>& out, std::vector<float>&) const {
    out = Evaluation<G>{};
  }
};

// The mean result of games played to their end at random.
struct RolloutEvaluator {
  int rollouts = 1;
  int most_plies = 100'000;  // a game that never ends at random is cut here and counts as nothing

  template <Game G>
  void evaluate(const G& game, const typename G::State& leaf, Rng& rng, Scratch& scratch, Evaluation<G>& out,
                std::vector<float>& aux) const {
    out = Evaluation<G>{};
    const auto aux_count = static_cast<std::size_t>(game.aux_count());
    aux.assign(aux_count, 0.0F);
    std::vector<float>& last = scratch.aux;
    for (int i = 0; i < rollouts; ++i) {
      typename G::State state = leaf;
      if (!play_out(game, state, rng, scratch)) continue;
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

 private:
  template <Game G>
  bool play_out(const G& game, typename G::State& state, Rng& rng, Scratch& scratch) const {
    for (int ply = 0; ply < most_plies; ++ply) {
      const int actor = game.actor(state);
      if (actor == kNobody) return true;
      if constexpr (G::kFacts.chance) {
        if (actor == kChance) {
          game.apply(state, game.outcome(state, rng));
          continue;
        }
      }
      if constexpr (G::kFacts.simultaneous) {
        if (actor == kEveryone) {
          std::array<Action, G::kFacts.players> joint{};
          const int players = game.facts().players;
          for (int p = 0; p < players; ++p)
            joint[static_cast<std::size_t>(p)] = random_action(game, state, p, rng, scratch);
          game.apply(state, std::span<const Action>(joint.data(), static_cast<std::size_t>(players)));
          continue;
        }
      }
      game.apply(state, random_action(game, state, actor, rng, scratch));
    }
    return false;
  }

  template <Game G>
  static Action random_action(const G& game, const typename G::State& state, int player, Rng& rng, Scratch& scratch) {
    if constexpr (HasRandomAction<G> && !G::kFacts.simultaneous) {
      return game.random_action(state, rng);
    } else {
      game.legal(state, player, scratch.legal);
      return scratch.legal[rng.below(static_cast<std::uint32_t>(scratch.legal.size()))];
    }
  }
};

// The game's own judgement.
struct HeuristicEvaluator {
  template <Game G>
    requires HasHeuristic<G>
  void evaluate(const G& game, const typename G::State& state, Rng&, Scratch&, Evaluation<G>& out,
                std::vector<float>&) const {
    out = Evaluation<G>{};
    std::array<double, G::kFacts.players> values{};
    game.heuristic(state, std::span<double>(values.data(), static_cast<std::size_t>(game.facts().players)));
    out.values = scaled_values(game, values);
  }
};

}  // namespace tengen
