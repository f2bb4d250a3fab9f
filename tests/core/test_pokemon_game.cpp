// Pokémon as a game of the contract: along random play nobody can tell a redeal from the truth, and the search runs.

#include <array>
#include <bit>

#include "check.hpp"
#include "games/pokemon/legal.hpp"
#include "games/pokemon/pokemon.hpp"
#include "playing.hpp"

using namespace tengen;
using namespace tengen::check;

namespace {

Actions legal_of(const Pokemon& game, const Pokemon::State& state, int player) {
  Actions actions;
  const int actor = game.actor(state);
  if (actor == player || actor == kEveryone) game.legal(state, player, actions);
  return actions;
}

TEST(pokemon_along_random_play) {
  const Pokemon game;
  Rng rng(5);
  int alone = 0;
  walk(game, 12, [&](const Pokemon::State& state) {
    const int actor = game.actor(state);
    alone += actor >= 0 ? 1 : 0;
    for (const int viewer : {0, 1}) {
      const Pokemon::State dealt = game.redeal(state, viewer, rng);
      CHECK(game.actor(dealt) == actor);
      CHECK(game.view_key(dealt, viewer) == game.view_key(state, viewer));
      CHECK(game.tree_key(dealt, viewer) == game.tree_key(state, viewer));
      CHECK(legal_of(game, dealt, viewer) == legal_of(game, state, viewer));
      CHECK(dealt.luck != state.luck && game.key(dealt) != game.key(state));
      if (actor == kNobody) continue;
      CHECK((actor >= 0 && actor != viewer) == legal_of(game, state, viewer).empty());
    }
    std::array<double, 2> values{};
    game.heuristic(state, values);
    CHECK(values[0] >= -1.0 && values[0] <= 1.0 && values[0] == -values[1]);
  });
  CHECK(alone > 50);
}

// The same choices lead to the same state: all chance is in the luck that the state holds.
TEST(pokemon_states_hold_their_luck) {
  const Pokemon game;
  Rng rng(9);
  Pokemon::State state = game.start(rng);
  for (int i = 0; i < 30 && game.actor(state) != kNobody; ++i) {
    Rng once(static_cast<std::uint64_t>(i));
    Rng again(static_cast<std::uint64_t>(i));
    Pokemon::State other = state;
    step(game, state, once);
    step(game, other, again);
    CHECK(game.key(state) == game.key(other));
  }
}

// A switch out of a trap that nobody showed is refused once, and then no more on offer.
TEST(pokemon_hidden_traps_refuse_a_switch) {
  const Pokemon game;
  int refused = 0;
  walk(
      game, 60,
      [&](const Pokemon::State& state) {
        if (game.actor(state) != kEveryone) return;
        for (const int side : {0, 1}) {
          const auto hidden = pokemon::offered_choices(state, side) & ~pokemon::legal_choices(state, side);
          if (hidden == 0) continue;
          ++refused;
          std::array<Action, 2> joint{};
          Rng rng(1);
          for (const int p : {0, 1}) joint[static_cast<std::size_t>(p)] = game.random_action(state, p, rng);
          joint[static_cast<std::size_t>(side)] = std::countr_zero(static_cast<unsigned>(hidden));
          Pokemon::State after = state;
          game.apply(after, joint);
          CHECK(after.turn == state.turn && game.actor(after) == kEveryone);
          CHECK(pokemon::offered_choices(after, side) == pokemon::legal_choices(after, side));
        }
      },
      3);
  CHECK(refused > 0);
}

}  // namespace
