#pragma once

#include <array>
#include <limits>
#include <span>

#include "game.hpp"

// A game played on to its end, at random or by a rollout policy of the game.
namespace tengen {

// Beside the numbers of the game's own policies.
inline constexpr int kUniformPolicy = -1;

// A game that does not end is cut here, unless it says itself where.
inline constexpr int kMaxPlies = 100'000;

template <Game G>
class Playout {
 public:
  using State = typename G::State;

  // `policy` is a number in G::kRolloutPolicies, or kUniformPolicy; a game without policies is played uniformly.
  // `legal` is a buffer.
  Playout(const G& game, int policy, Actions& legal) : game_(game), policy_(policy), legal_(legal) {}

  // To the end of the game; false: it was cut. before_ply() may throw.
  template <class BeforePly>
  bool run(State& state, Rng& rng, int max_plies, BeforePly before_ply) {
    for (int ply = 0;; ++ply) {
      const int actor = game_.actor(state);
      if (actor == kNobody) return true;
      if (ply == max_plies) return false;
      before_ply();
      step(state, actor, rng);
    }
  }
  bool run(State& state, Rng& rng) {
    if constexpr (HasPlayoutPlies<G>) return run(state, rng, G::kPlayoutPlies, [] {});
    return run(state, rng, kMaxPlies, [] {});
  }

  void step(State& state, int actor, Rng& rng) { step(state, actor, rng, kNobody, 0); }

  // One ply, in which `player`, if it acts, does `action`.
  void step(State& state, int actor, Rng& rng, int player, Action action) {
    if constexpr (G::kFacts.chance) {
      if (actor == kChance) return game_.apply(state, game_.outcome(state, rng));
    }
    if constexpr (G::kFacts.simultaneous) {
      if (actor == kEveryone) {
        std::array<Action, G::kFacts.players> joint{};
        const auto players = static_cast<std::size_t>(game_.facts().players);
        for (std::size_t p = 0; p < players; ++p) joint[p] = choose(state, static_cast<int>(p), rng);
        if (player >= 0) joint[static_cast<std::size_t>(player)] = action;
        return game_.apply(state, std::span<const Action>(joint.data(), players));
      }
    }
    game_.apply(state, actor == player ? action : choose(state, actor, rng));
  }

 private:
  Action choose(const State& state, int player, Rng& rng) {
    if constexpr (HasRolloutPolicies<G>) {
      if (policy_ != kUniformPolicy) return game_.rollout_action(state, player, policy_, rng);
    }
    if constexpr (HasRandomAction<G>) {
      return game_.random_action(state, player, rng);
    } else {
      game_.legal(state, player, legal_);
      return legal_[rng.below(static_cast<std::uint32_t>(legal_.size()))];
    }
  }

  const G& game_;
  int policy_;
  Actions& legal_;
};

}  // namespace tengen
