#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>
#include <tuple>

#include "game.hpp"
#include "games/pokemon/encode.hpp"
#include "games/pokemon/evaluation.hpp"
#include "games/pokemon/state.hpp"
#include "games/pokemon/team_draw.hpp"

namespace tengen {

// Pokémon as Showdown's gen 8 random battles have it: six drawn Pokémon a side, one of each on the field, Dynamax once.
// Actions: 0-5 switch to a team slot, 6-9 use a move, 10-13 Dynamax and use a move. Both sides choose at once at the
// beginning of a turn; a side that must replace a Pokémon in its middle chooses alone, unless both must.
//
// Chance is not listed but drawn: a state holds the luck of its next step, as a card game's state holds the order of
// the stock, and redeal() draws it anew with all else that is hidden.
class Pokemon {
 public:
  using State = pokemon::State;
  static constexpr Facts kFacts{.hidden = true, .simultaneous = true};

  struct Settings {
    int max_turns = pokemon::kLastTurn;  // after so many it is a tie
  };
  static constexpr std::tuple kSettings{Setting{"max_turns", &Settings::max_turns}};

  // What a search goes by and the course of a battle does not.
  struct Context {
    pokemon::SetOdds sets = pokemon::SetOdds::Generator;  // of what redeal() draws
  };

  Pokemon() : Pokemon(Settings{}) {}
  explicit Pokemon(const Settings& settings) : max_turns_(settings.max_turns) {
    if (max_turns_ < 1 || max_turns_ > pokemon::kLastTurn) {
      throw std::invalid_argument("Pokémon's max_turns must be 1 to 1000");
    }
  }

  const Context& context() const { return context_; }
  Pokemon with_context(const Context& context) const {
    Pokemon game = *this;
    game.context_ = context;
    return game;
  }

  Facts facts() const { return kFacts; }
  int action_count() const { return pokemon::kActions; }
  // A row for each Pokémon and one for each side's field; see games/pokemon/encode.hpp.
  Shape shape() const { return {pokemon::kRowFeatures, pokemon::kRows, 1}; }
  double payoff_scale() const { return 1.0; }
  int aux_count() const { return 0; }

  // Two teams as the generator draws them; the first Pokémon have come in.
  State start(Rng& rng) const;

  int actor(const State& state) const;
  // What the player is offered. A switch out of a trap that the player cannot know of is refused when it is tried: then
  // the trap is known, and who was to choose chooses again.
  void legal(const State& state, int player, Actions& out) const;
  Action random_action(const State& state, int player, Rng& rng) const;
  void apply(State& state, Action action) const;
  void apply(State& state, std::span<const Action> joint) const;
  void payoff(const State& state, std::span<double> out) const;

  // In one of the ways of kHeuristics; by default in the best. What is played out goes by the luck of the state.
  static constexpr auto kHeuristics = pokemon::kHeuristics;
  void heuristic(const State& state, int which, std::span<double> out) const;
  void heuristic(const State& state, std::span<double> out) const {
    heuristic(state, static_cast<int>(kHeuristics.size()) - 1, out);
  }
  void heuristic_policy(const State& state, int player, std::span<const Action> legal, std::span<float> out) const;

  void encode(const State& state, int viewer, std::span<float> out) const { pokemon::encode(state, viewer, out); }
  State redeal(const State& state, int viewer, Rng& rng) const;
  static constexpr int kWorldVisits = 32;
  static constexpr bool kIsDecoupled = true;
  static constexpr double kJointMinShare = 0.3;
  void redraw_chance(State& state, Rng& rng) const;
  std::uint64_t key(const State& state) const;
  std::uint64_t view_key(const State& state, int viewer) const;
  std::uint64_t tree_key(const State& state, int viewer) const;
  // The other side's move slots hold other moves in every world: what it chooses goes by the move itself.
  int action_label_count() const;
  Action action_label(const State& state, int player, Action action) const;

 private:
  double play_out(State state) const;

  int max_turns_;
  Context context_;
};

static_assert(Game<Pokemon> && HasHeuristics<Pokemon> && HasHeuristicPolicy<Pokemon> && HasRandomAction<Pokemon> &&
              HasTreeKey<Pokemon> && IsDecoupled<Pokemon> && HasJointMinShare<Pokemon> && HasRedrawnChance<Pokemon> &&
              HasActionLabels<Pokemon> && HasContext<Pokemon>);

}  // namespace tengen
