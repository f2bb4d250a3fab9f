#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <vector>

#include "rng.hpp"

// The contract that a game meets. A game is a small value that holds its settings; its functions are pure. Everything
// above this file (search, bindings) knows a game only through it.
namespace tengen {

// Dense ids 0 … action_count()-1. Chance outcomes are ids of their own, 0 … whatever the game needs.
using Action = std::int32_t;
using Actions = std::vector<Action>;

// What actor() answers besides a player 0, 1, …
inline constexpr int kChance = -1;
inline constexpr int kEveryone = -2;
inline constexpr int kNobody = -3;

// A game's nature. Native games declare it at compile time, so that the search pays only for what a game is.
struct Facts {
  int players = 2;
  bool hidden = false;        // redeal() is not the identity: some player does not see everything
  bool chance = false;        // actor() may be kChance
  bool simultaneous = false;  // actor() may be kEveryone
  bool zero_sum = true;       // payoffs of all players add up to 0
};

// Feature planes of one encoding, row-major: [planes][height][width].
struct Shape {
  int planes = 0;
  int height = 0;
  int width = 0;
  constexpr int size() const { return planes * height * width; }
};

// Payoffs and values are one number a player, in seat order, in the game's own unit (win/loss, points, gold): never
// relative to whoever is to move. Feature planes are relative to their viewer.
//
//   kFacts               the most that a game of this type can be; facts() is what this one is
//   payoff_scale()       the payoff that counts as a full win: the search divides by it and answers in the game's unit
//   start(rng)           the first state; a card game deals here, stock order included
//   legal(state, p, out) replaces out with player p's actions in ascending order; p must be to act (alone or with
//                        everyone). With p = kChance: the outcomes that may come. Never empty for who is to act.
//   apply(state, action) plays a player's action or a chance outcome; legality is the caller's duty
//   apply(state, joint)  when everyone acts: one action a player, in seat order
//   outcome(state, rng)  draws a chance outcome
//   payoff(state, out)   when nobody acts any more
//   encode(state, viewer, out)    fills out[shape().size()] with what viewer sees, and nothing else
//   redeal(state, viewer, rng)    a full state drawn from those that viewer cannot tell from this one
//   key(state)           equal keys, equal states (up to 64-bit collisions): for caches and repetition
//   view_key(state, viewer)       equal exactly when viewer cannot tell the states apart (hidden games)
//   aux_count()          auxiliary values of an evaluation (ownership, score), in seat 0's view
//   final_aux(state, out)         their true values in a finished game
template <class G>
concept Game = std::is_trivially_copyable_v<typename G::State> && std::copy_constructible<G> &&
               requires(const G& game, const typename G::State& state, typename G::State& target, Rng& rng,
                        Actions& actions, int player, Action action, std::span<const Action> joint,
                        std::span<float> floats, std::span<double> numbers) {
                 { G::kFacts } -> std::convertible_to<Facts>;
                 { game.facts() } -> std::convertible_to<Facts>;
                 { game.action_count() } -> std::same_as<int>;
                 { game.shape() } -> std::same_as<Shape>;
                 { game.payoff_scale() } -> std::same_as<double>;
                 { game.start(rng) } -> std::same_as<typename G::State>;
                 { game.actor(state) } -> std::same_as<int>;
                 { game.legal(state, player, actions) } -> std::same_as<void>;
                 { game.apply(target, action) } -> std::same_as<void>;
                 { game.payoff(state, numbers) } -> std::same_as<void>;
                 { game.encode(state, player, floats) } -> std::same_as<void>;
                 { game.key(state) } -> std::same_as<std::uint64_t>;
                 { game.aux_count() } -> std::same_as<int>;
                 requires !G::kFacts.chance || requires {
                   { game.outcome(state, rng) } -> std::same_as<Action>;
                 };
                 requires !G::kFacts.simultaneous || requires {
                   { game.apply(target, joint) } -> std::same_as<void>;
                 };
                 requires !G::kFacts.hidden || requires {
                   { game.redeal(state, player, rng) } -> std::same_as<typename G::State>;
                   { game.view_key(state, player) } -> std::same_as<std::uint64_t>;
                 };
               };

// A setting of a game: its name, and where the game's Settings hold it and its default.
template <class Settings, class T>
struct Setting {
  const char* name;
  T Settings::* field;
};

// A game that is made from settings: G(settings) throws std::invalid_argument for what does not fit. kSettings is a
// tuple of all that can be set.
template <class G>
concept HasSettings = std::constructible_from<G, const typename G::Settings&> && requires { G::kSettings; };

// A game that fills in the auxiliary values of a finished state.
template <class G>
concept HasAux = requires(const G& game, const typename G::State& state, std::span<float> floats) {
  { game.final_aux(state, floats) } -> std::same_as<void>;
};

// A game with a value of its own for unfinished states: out[player], in the game's unit.
template <class G>
concept HasHeuristic = requires(const G& game, const typename G::State& state, std::span<double> numbers) {
  { game.heuristic(state, numbers) } -> std::same_as<void>;
};

// A game with several such values: `which` is a number among their names, the best one last. That is the one without a
// number.
template <class G>
concept HasHeuristics =
    HasHeuristic<G> && requires(const G& game, const typename G::State& state, int which, std::span<double> numbers) {
      { G::kHeuristics[0] } -> std::convertible_to<std::string_view>;
      { game.heuristic(state, which, numbers) } -> std::same_as<void>;
    };

// A game that also says how plausible a player's legal actions are: out[i] for legal[i], adding up to 1.
template <class G>
concept HasHeuristicPolicy = requires(const G& game, const typename G::State& state, int player,
                                      std::span<const Action> legal, std::span<float> floats) {
  { game.heuristic_policy(state, player, legal, floats) } -> std::same_as<void>;
};

// A game that proves quickly that who is to act wins within so many plies, whatever the other does. It may miss wins,
// but not see any that are none. Such a game says so in its facts.
template <class G>
concept HasForcedWin = requires(const G& game, const typename G::State& state, int plies) {
  { game.has_forced_win(state, plies) } -> std::same_as<bool>;
};

// A game that draws a uniformly random legal action of a player who is to act faster than legal() lists them.
template <class G>
concept HasRandomAction = requires(const G& game, const typename G::State& state, int player, Rng& rng) {
  { game.random_action(state, player, rng) } -> std::same_as<Action>;
};

// A game in which random play may take very long to come to an end, or never: a playout is cut after so many plies.
template <class G>
concept HasPlayoutPlies = requires {
  { G::kPlayoutPlies } -> std::convertible_to<int>;
};

// A game with rollout policies: quick and sensible actions of a player who is to act, by what that player sees, for
// playouts and as built-in players. A policy is a number among their names, the best one last; playouts take the first
// unless they are told otherwise.
template <class G>
concept HasRolloutPolicies = requires(const G& game, const typename G::State& state, int player, int policy, Rng& rng) {
  { G::kRolloutPolicies[0] } -> std::convertible_to<std::string_view>;
  { game.rollout_action(state, player, policy, rng) } -> std::same_as<Action>;
};

// A game that gives a playout a penalty for a player beside its payoff, such as for a risk that payoffs do not show:
// `after` is the state after the player's action, `end` the end of the game. Below 0: it went well.
template <class G>
concept HasPenalty = requires(const G& game, const typename G::State& state, int player) {
  { game.penalty(state, state, player) } -> std::same_as<double>;
};

// A game that labels what a viewer does not see with numbers from 0 to 1: what a network may learn to guess.
template <class G>
concept HasHiddenLabels = requires(const G& game, const typename G::State& state, int viewer, std::span<float> floats) {
  { game.hidden_label_count() } -> std::same_as<int>;
  { game.hidden_labels(state, viewer, floats) } -> std::same_as<void>;
};

// A game that holds a context beside its rules: what evaluations and payoffs depend on and the course of a game does
// not, such as what a draw is worth. Every root of a search has a context of its own, by the game that it is given;
// keys tell evaluations of different contexts apart.
template <class G>
concept HasContext = requires(const G& game, const typename G::Context& context) {
  { game.context() } -> std::convertible_to<typename G::Context>;
  { game.with_context(context) } -> std::same_as<G>;
};

// A game whose states carry more than the rules go by, such as what an evaluator is to be told: states of equal
// rules_key have the same actions, and the same actions keep their keys equal.
template <class G>
concept HasRulesKey = requires(const G& game, const typename G::State& state) {
  { game.rules_key(state) } -> std::same_as<std::uint64_t>;
};

// A game whose networks answer with other numbers than one an action: `policy_count` labels, of which an action of the
// player to act has one of its own, or none (-1), such as an action that networks need not know. Without it labels are
// actions.
template <class G>
concept HasPolicyIndex = requires(const G& game, const typename G::State& state, Action action) {
  { game.policy_count() } -> std::same_as<int>;
  { game.policy_index(state, action) } -> std::same_as<int>;
};

// A game in which a player sees more than a tree should branch on, such as hit points: the tree of a search keeps apart
// what tree_key tells apart. States with equal view_key have equal tree_key; who acts is part of neither.
template <class G>
concept HasTreeKey = requires(const G& game, const typename G::State& state, int viewer) {
  { game.tree_key(state, viewer) } -> std::same_as<std::uint64_t>;
};

// A game in which everyone has so many choices at once that a search does better to pick by each player's own values
// than by regret.
template <class G>
concept IsDecoupled = requires { requires G::kIsDecoupled; };

// A game with so many choices at once that a search's strategy holds some only because it has tried them: those whose
// share is below this part of the best one's are not played.
template <class G>
concept HasJointMinShare = requires {
  { G::kJointMinShare } -> std::convertible_to<double>;
};

// A hidden game in which a redealt state can be used again: redraw_chance() draws anew only what nobody could know,
// such as the luck of what comes, and is much cheaper than redeal(). A drawn world is good for kWorldVisits visits.
template <class G>
concept HasRedrawnChance = requires(const G& game, typename G::State& state, Rng& rng) {
  { G::kWorldVisits } -> std::convertible_to<int>;
  { game.redraw_chance(state, rng) } -> std::same_as<void>;
};

// A hidden game in which an opponent's action means another thing in every redealt world, such as a move by its slot:
// where everyone acts, the tree of a search keeps the opponents' choices by labels 0 … action_label_count()-1. Actions
// that mean the same have the same label; those of one player in one state differ.
template <class G>
concept HasActionLabels = requires(const G& game, const typename G::State& state, int player, Action action) {
  { game.action_label_count() } -> std::same_as<int>;
  { game.action_label(state, player, action) } -> std::same_as<Action>;
};

// A game whose board can be rotated and mirrored. Symmetry 0 is the identity; transform and apply commute:
// transform(apply(state, a), s) == apply(transform(state, s), transform_action(a, s)); and the encoding of a
// transformed state has at transform_feature(i, s) what the encoding of the state has at i.
template <class G>
concept HasSymmetries =
    requires(const G& game, const typename G::State& state, Action action, int feature, int symmetry) {
      { game.symmetry_count() } -> std::same_as<int>;
      { game.transform(state, symmetry) } -> std::same_as<typename G::State>;
      { game.transform_action(action, symmetry) } -> std::same_as<Action>;
      { game.transform_feature(feature, symmetry) } -> std::same_as<int>;
    };

}  // namespace tengen
