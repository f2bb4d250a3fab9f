#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "bindings/conversions.hpp"
#include "search/playout.hpp"
#include "search/pool.hpp"

// Counting and playouts, for tests of rules and for benchmarks.
namespace tengen {

// A game that counts moves itself, faster than by its states, or not all of its actions: the last argument is called
// now and then.
template <class G>
concept HasPerft = requires(const G& game, const typename G::State& state, int depth) {
  {
    game.perft(state, depth, [] {})
  } -> std::same_as<std::uint64_t>;
};

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
    if constexpr (HasPerft<G>) return game_.perft(state, depth, [this] { tick(); });
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

  Playouts playouts(const State& start, std::uint64_t seed, std::uint32_t count, int policy) {
    const auto players = static_cast<std::size_t>(game_.facts().players);
    Rng rng(seed);
    Playout<G> playout(game_, policy, actions_);
    std::uint64_t plies = 0;
    std::vector<double> sums(players);
    std::vector<double> payoffs(players);
    for (std::uint32_t i = 0; i < count; ++i) {
      State state = start;
      playout.run(state, rng, std::numeric_limits<int>::max(), [&] { tick(), ++plies; });
      game_.payoff(state, payoffs);
      if constexpr (HasSweep<G>) game_.sweep({start});
      std::transform(sums.begin(), sums.end(), payoffs.begin(), sums.begin(), std::plus<>());
    }
    return {plies, sums};
  }

 private:
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

  void tick() {
    if (++ticks_ % (1U << 20U) == 0) hear_interrupts();
  }

  const G& game_;
  Actions actions_;
  std::uint32_t ticks_ = 0;
};

}  // namespace tengen
