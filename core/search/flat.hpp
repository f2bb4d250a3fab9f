#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>
#include <vector>

#include "search/playout.hpp"

// Flat Monte Carlo: actions are tried in the same worlds, and played on with the same random numbers, so that the luck
// of a world cancels out between actions. No tree. A game that is cut counts as nothing.
namespace tengen {

struct FlatSettings {
  std::uint32_t worlds = 100;   // for each action; with halving, on average
  int rollout_policy = 0;       // of the game's, by which games are played on; uniformly where it has none
  bool halving = false;         // now and then the better half of the actions goes on, in more worlds
  double penalty_weight = 0.0;  // what a unit of penalty costs where actions are compared
  double payoff_cap = std::numeric_limits<double>::infinity();  // payoffs beyond count as that
};

// What is known of each action of the viewer, in the order of legal().
struct FlatReport {
  Actions actions;
  std::vector<double> means;      // the viewer's payoff
  std::vector<double> errors;     // standard errors of the difference to the best action; of the best: of its mean
  std::vector<double> wins;       // the share of worlds that paid the viewer; half of those that paid nothing
  std::vector<double> penalties;  // the viewer's; 0 in games that know none
};

// How the games of an action ended, world by world.
struct FlatEnds {
  std::vector<double> payoffs;
  std::vector<double> penalties;
};

// Drops the worse half of the actions that are `left`, which were tried in the same worlds.
void halve(std::vector<std::size_t>& left, const std::vector<FlatEnds>& ends, const FlatSettings& settings,
           std::span<const double> prior_bonus);
// Fills everything but the actions. One that was tried in fewer worlds than the best is as far from it as it was in
// those.
void summarize(FlatReport& report, const std::vector<FlatEnds>& ends, const std::vector<std::size_t>& left);

template <Game G>
class Flat {
 public:
  using State = typename G::State;

  Flat(const G& game, const FlatSettings& settings)
      : game_(game), settings_(settings), playout_(game, settings.rollout_policy, legal_) {}
  Flat(const Flat&) = delete;
  Flat& operator=(const Flat&) = delete;

  // `prior_bonus` is added to what each action brings where actions are compared; it may be empty. tick() is called
  // once a world and may throw.
  template <class Tick>
  FlatReport run(const State& root, int viewer, std::uint64_t seed, std::span<const double> prior_bonus, Tick tick) {
    FlatReport report;
    game_.legal(root, viewer, report.actions);
    ends_.assign(report.actions.size(), {});
    std::vector<std::size_t> left(ends_.size());
    for (std::size_t i = 0; i < left.size(); ++i) left[i] = i;
    Rng rng(seed);
    const std::size_t rounds = settings_.halving && left.size() > 2 ? std::bit_width(left.size() - 1) : 1;
    const double tries = static_cast<double>(settings_.worlds) * static_cast<double>(left.size());
    for (std::size_t round = 0; round < rounds; ++round) {
      if (round > 0) halve(left, ends_, settings_, prior_bonus);
      const double share = tries / static_cast<double>(rounds * left.size());
      const auto worlds = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(share));
      for (std::uint32_t world = 0; world < worlds; ++world) {
        tick();
        const State dealt = deal(root, viewer, rng);
        const Rng luck(rng.next());
        for (const std::size_t i : left) {
          Rng same = luck;
          play_out(dealt, viewer, report.actions[i], same, ends_[i]);
        }
      }
    }
    summarize(report, ends_, left);
    return report;
  }

  // Worlds `first` … `first + worlds - 1` of those that a seed stands for, with some of the viewer's legal actions: how
  // many are asked for at once, and of which actions, changes no world. Fills payoffs [worlds, actions, players] and,
  // as many as there is room for, the final auxiliary values [worlds, actions, aux]; what was cut is left as it is.
  template <class Tick>
  void play_worlds(const State& root, int viewer, std::span<const Action> actions, std::uint64_t seed,
                   std::uint64_t first, std::uint32_t worlds, std::span<double> payoffs, std::span<float> aux,
                   Tick tick) {
    const auto players = static_cast<std::size_t>(game_.facts().players);
    const std::size_t playouts = worlds * actions.size();
    const std::size_t kept = playouts > 0 ? aux.size() / playouts : 0;
    std::vector<float> last(static_cast<std::size_t>(game_.aux_count()));
    std::size_t at = 0;
    for (std::uint32_t world = 0; world < worlds; ++world) {
      tick();
      Rng rng(mix64(seed) + first + world);
      const State dealt = deal(root, viewer, rng);
      const Rng luck(rng.next());
      for (std::size_t i = 0; i < actions.size(); ++i, ++at) {
        Rng same = luck;
        State state = dealt;
        playout_.step(state, game_.actor(state), same, viewer, actions[i]);
        if (!playout_.run(state, same)) continue;
        game_.payoff(state, payoffs.subspan(at * players, players));
        if constexpr (HasAux<G>) {
          if (kept == 0) continue;
          game_.final_aux(state, last);
          std::copy_n(last.begin(), kept, aux.subspan(at * kept, kept).begin());
        }
      }
    }
  }

 private:
  State deal(const State& root, int viewer, Rng& rng) const {
    if constexpr (G::kFacts.hidden) return game_.redeal(root, viewer, rng);
    return root;
  }

  void play_out(State state, int viewer, Action first, Rng& rng, FlatEnds& ends) {
    playout_.step(state, game_.actor(state), rng, viewer, first);
    [[maybe_unused]] const State after = state;
    std::array<double, G::kFacts.players> payoffs{};
    double penalty = 0.0;
    if (playout_.run(state, rng)) {
      game_.payoff(state, std::span<double>(payoffs.data(), static_cast<std::size_t>(game_.facts().players)));
      if constexpr (HasPenalty<G>) penalty = game_.penalty(after, state, viewer);
    }
    const double cap = settings_.payoff_cap;
    ends.payoffs.push_back(std::clamp(payoffs[static_cast<std::size_t>(viewer)], -cap, cap));
    ends.penalties.push_back(penalty);
  }

  const G& game_;
  FlatSettings settings_;
  std::vector<FlatEnds> ends_;
  Actions legal_;
  Playout<G> playout_;
};

}  // namespace tengen
