#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bindings/border.hpp"
#include "game.hpp"
#include "search/pool.hpp"

// Counting and random play, for tests of rules and for benchmarks.
namespace tengen {

// Each level holds a state on the stack.
inline constexpr int kDeepestPerft = 64;

// Runs without Python's lock and takes it only to hear of an interrupt.
template <Game G>
class Counter {
 public:
  using State = typename G::State;

  explicit Counter(const G& game) : game_(game) {}

  std::uint64_t perft(const State& state, int depth) {
    tick();
    if (depth == 0) return 1;
    const int actor = game_.actor(state);
    if (actor == kNobody) return 0;
    if (actor == kEveryone) return joint_perft(state, depth);
    Actions actions;
    game_.legal(state, actor, actions);
    if (depth == 1) return actions.size();
    std::uint64_t total = 0;
    for (const Action action : actions) {
      State next = state;
      game_.apply(next, action);
      total += perft(next, depth - 1);
    }
    return total;
  }

  Playouts playouts(const State& start, std::uint64_t seed, std::uint32_t count) {
    return play_many(start, seed, count,
                     [this](State& state, int actor, Rng& rng) { play_randomly(state, actor, rng); });
  }

  // With choose(state, rng) instead of chance, in a game where one player acts at a time.
  template <class Choose>
  Playouts playouts(const State& start, std::uint64_t seed, std::uint32_t count, Choose choose) {
    static_assert(!G::kFacts.chance && !G::kFacts.simultaneous);
    return play_many(start, seed, count,
                     [&](State& state, int, Rng& rng) { game_.apply(state, choose(std::as_const(state), rng)); });
  }

 private:
  template <class Step>
  Playouts play_many(const State& start, std::uint64_t seed, std::uint32_t count, Step step) {
    const auto players = static_cast<std::size_t>(game_.facts().players);
    Rng rng(seed);
    std::uint64_t plies = 0;
    std::vector<double> sums(players);
    std::vector<double> payoffs(players);
    for (std::uint32_t i = 0; i < count; ++i) {
      State state = start;
      for (int actor = game_.actor(state); actor != kNobody; actor = game_.actor(state)) {
        tick();
        step(state, actor, rng);
        ++plies;
      }
      game_.payoff(state, payoffs);
      if constexpr (HasSweep<G>) game_.sweep({start});
      std::transform(sums.begin(), sums.end(), payoffs.begin(), sums.begin(), std::plus<>());
    }
    return {plies, sums};
  }

  std::uint64_t joint_perft([[maybe_unused]] const State& state, [[maybe_unused]] int depth) {
    std::uint64_t total = 0;
    if constexpr (G::kFacts.simultaneous) {
      const auto players = static_cast<std::size_t>(game_.facts().players);
      std::vector<Actions> choices(players);
      for (std::size_t p = 0; p < players; ++p) game_.legal(state, static_cast<int>(p), choices[p]);
      std::vector<std::size_t> picks(players);
      Actions joint(players);
      for (bool more = true; more;) {
        for (std::size_t p = 0; p < players; ++p) joint[p] = choices[p][picks[p]];
        State next = state;
        game_.apply(next, std::span<const Action>(joint));
        total += perft(next, depth - 1);
        more = false;
        for (std::size_t p = 0; p < players && !more; ++p) {
          more = ++picks[p] < choices[p].size();
          if (!more) picks[p] = 0;
        }
      }
    }
    return total;
  }

  void play_randomly(State& state, int actor, Rng& rng) {
    if constexpr (G::kFacts.chance) {
      if (actor == kChance) return game_.apply(state, game_.outcome(state, rng));
    }
    if constexpr (G::kFacts.simultaneous) {
      if (actor == kEveryone) {
        joint_.resize(static_cast<std::size_t>(game_.facts().players));
        for (std::size_t p = 0; p < joint_.size(); ++p) joint_[p] = pick(state, static_cast<int>(p), rng);
        return game_.apply(state, std::span<const Action>(joint_));
      }
    }
    if constexpr (HasRandomAction<G>) {
      game_.apply(state, game_.random_action(state, rng));
    } else {
      game_.apply(state, pick(state, actor, rng));
    }
  }

  Action pick(const State& state, int player, Rng& rng) {
    game_.legal(state, player, actions_);
    return actions_[rng.below(static_cast<std::uint32_t>(actions_.size()))];
  }

  void tick() {
    if (++ticks_ % (1U << 20U) == 0) hear_interrupts();
  }

  const G& game_;
  Actions actions_;
  Actions joint_;
  std::uint32_t ticks_ = 0;
};

}  // namespace tengen
