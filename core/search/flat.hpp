#pragma once

#include <array>
#include <cmath>
#include <vector>

#include "game.hpp"

// Flat Monte Carlo: every action is tried in the same worlds, and played on with the same random numbers, so that the
// luck of a world cancels out between actions. No tree.
namespace tengen {

// What is known of each action of the viewer, in the order of legal().
struct FlatReport {
  Actions actions;
  std::vector<double> means;   // the viewer's payoff
  std::vector<double> errors;  // standard errors of the difference to the best action; of the best: of its mean
  std::vector<double> wins;    // the share of worlds that paid the viewer; half of those that paid nothing
};

template <Game G>
class Flat {
 public:
  using State = typename G::State;

  static constexpr int kMostPlies = 100'000;  // a game that does not end is cut here and counts as nothing

  // With `learned`, games are played on by the game's learned action where it has one.
  Flat(const G& game, bool learned) : game_(game), learned_(learned) {}

  // tick() is called once a world and may throw.
  template <class Tick>
  FlatReport run(const State& root, int viewer, std::uint64_t seed, std::uint32_t worlds, Tick tick) {
    FlatReport report;
    game_.legal(root, viewer, report.actions);
    const std::size_t count = report.actions.size();
    std::vector<double> payoffs(count * worlds);
    Rng rng(seed);
    for (std::uint32_t world = 0; world < worlds; ++world) {
      tick();
      const State dealt = deal(root, viewer, rng);
      const Rng luck(rng.next());
      for (std::size_t i = 0; i < count; ++i) {
        Rng same = luck;
        payoffs[world * count + i] = play_out(dealt, viewer, report.actions[i], same);
      }
    }
    summarize(report, payoffs, worlds);
    return report;
  }

 private:
  State deal(const State& root, int viewer, Rng& rng) const {
    if constexpr (G::kFacts.hidden) return game_.redeal(root, viewer, rng);
    return root;
  }

  double play_out(State state, int viewer, Action first, Rng& rng) {
    play(state, game_.actor(state), rng, viewer, first);
    int plies = 0;
    for (int actor = game_.actor(state); actor != kNobody; actor = game_.actor(state)) {
      if (++plies > kMostPlies) return 0.0;
      play(state, actor, rng, -1, 0);
    }
    std::array<double, G::kFacts.players> payoffs{};
    game_.payoff(state, std::span<double>(payoffs.data(), static_cast<std::size_t>(game_.facts().players)));
    return payoffs[static_cast<std::size_t>(viewer)];
  }

  // One step, in which `viewer`, if it acts, does `action`.
  void play(State& state, int actor, Rng& rng, int viewer, Action action) {
    if constexpr (G::kFacts.chance) {
      if (actor == kChance) return game_.apply(state, game_.outcome(state, rng));
    }
    if constexpr (G::kFacts.simultaneous) {
      if (actor == kEveryone) {
        joint_.resize(static_cast<std::size_t>(game_.facts().players));
        for (std::size_t p = 0; p < joint_.size(); ++p) joint_[p] = pick(state, static_cast<int>(p), rng);
        if (viewer >= 0) joint_[static_cast<std::size_t>(viewer)] = action;
        return game_.apply(state, std::span<const Action>(joint_));
      }
    }
    game_.apply(state, actor == viewer ? action : choose(state, actor, rng));
  }

  Action choose(const State& state, int actor, Rng& rng) {
    if constexpr (HasLearnedAction<G>) {
      if (learned_) return game_.learned_action(state, rng);
    }
    if constexpr (HasLearnedAction<G>) {
      if (learned_) return game_.learned_action(state, rng);
    }
    if constexpr (HasGreedyAction<G>) return game_.greedy_action(state, rng);
    if constexpr (HasRandomAction<G>) return game_.random_action(state, rng);
    return pick(state, actor, rng);
  }

  Action pick(const State& state, int player, Rng& rng) {
    game_.legal(state, player, legal_);
    return legal_[rng.below(static_cast<std::uint32_t>(legal_.size()))];
  }

  static void summarize(FlatReport& report, const std::vector<double>& payoffs, std::uint32_t worlds) {
    const std::size_t count = report.actions.size();
    report.means.assign(count, 0.0);
    report.errors.assign(count, 0.0);
    report.wins.assign(count, 0.0);
    for (std::size_t k = 0; k < payoffs.size(); ++k) {
      report.means[k % count] += payoffs[k];
      report.wins[k % count] += payoffs[k] > 0 ? 1.0 : payoffs[k] < 0 ? 0.0 : 0.5;
    }
    for (double& mean : report.means) mean /= worlds;
    for (double& share : report.wins) share /= worlds;
    std::size_t best = 0;
    for (std::size_t i = 1; i < count; ++i) best = report.means[i] > report.means[best] ? i : best;
    for (std::size_t i = 0; i < count; ++i) {
      const double mean = i == best ? report.means[i] : report.means[i] - report.means[best];
      double squares = 0.0;
      for (std::size_t k = 0; k < payoffs.size(); k += count) {
        const double payoff = i == best ? payoffs[k + i] : payoffs[k + i] - payoffs[k + best];
        squares += (payoff - mean) * (payoff - mean);
      }
      report.errors[i] = worlds > 1 ? std::sqrt(squares / (worlds - 1.0) / worlds) : 0.0;
    }
  }

  const G& game_;
  bool learned_;
  Actions legal_;
  Actions joint_;
};

}  // namespace tengen
