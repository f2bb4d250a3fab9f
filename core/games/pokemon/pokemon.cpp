#include "games/pokemon/pokemon.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "games/pokemon/battle.hpp"
#include "games/pokemon/legal.hpp"
#include "games/pokemon/policy.hpp"
#include "games/pokemon/redeal.hpp"
#include "games/pokemon/seeing.hpp"
#include "games/pokemon/set_ids.hpp"
#include "games/pokemon/team_draw.hpp"
#include "games/pokemon/teams.hpp"
#include "games/pokemon/views.hpp"

namespace tengen {

using pokemon::index_of;

namespace {

std::array<pokemon::Set, pokemon::kTeam> draw_sets(Rng& rng) {
  const pokemon::Team team = pokemon::draw_team(rng);
  std::array<pokemon::Set, pokemon::kTeam> sets;
  std::transform(team.members.begin(), team.members.end(), sets.begin(), pokemon::to_set);
  return sets;
}

bool is_asked(const pokemon::Side& side) {
  return side.request == pokemon::Request::Move || side.request == pokemon::Request::Switch;
}

// Plays choices, of which -1 stands for a side that waits.
void play(pokemon::State& state, std::array<int, 2> choices) {
  bool refused = false;
  for (int side = 0; side < 2; ++side) {
    const int choice = choices[index_of(side)];
    pokemon::Side& own = state.sides[index_of(side)];
    const bool is_switch = choice >= 0 && choice < pokemon::kUseMove && own.request == pokemon::Request::Move;
    if (!is_switch || own.field.trapped != pokemon::Trapped::Hidden) continue;
    own.field.trap_shown = true;
    pokemon::see_ability(state, 1 - side);
    refused = true;
  }
  Rng rng(state.luck);
  if (!refused) {
    pokemon::Chance chance(rng);
    pokemon::Battle(state, chance).choose(choices[0], choices[1]);
  }
  state.luck = rng.next();
}

}  // namespace

pokemon::State Pokemon::start(Rng& rng) const {
  const auto first = draw_sets(rng);
  const auto second = draw_sets(rng);
  State state = pokemon::make_state(first, second);
  pokemon::Chance chance(rng);
  pokemon::Battle(state, chance).start();
  state.luck = rng.next();
  return state;
}

int Pokemon::actor(const State& state) const {
  if (state.winner != pokemon::Winner::Nobody || state.turn > max_turns_) return kNobody;
  const bool first = is_asked(state.sides[0]);
  return first && is_asked(state.sides[1]) ? kEveryone : first ? 0 : 1;
}

void Pokemon::legal(const State& state, int player, Actions& out) const {
  out.clear();
  for (std::uint16_t rest = pokemon::offered_choices(state, player); rest != 0;
       rest = static_cast<std::uint16_t>(rest & (rest - 1))) {
    out.push_back(std::countr_zero(rest));
  }
}

Action Pokemon::random_action(const State& state, int player, Rng& rng) const {
  std::uint16_t rest = pokemon::offered_choices(state, player);
  assert(rest != 0);
  for (auto skip = rng.below(static_cast<std::uint32_t>(std::popcount(rest))); skip > 0; --skip) {
    rest = static_cast<std::uint16_t>(rest & (rest - 1));
  }
  return std::countr_zero(rest);
}

void Pokemon::apply(State& state, Action action) const {
  play(state, actor(state) == 0 ? std::array{action, -1} : std::array{-1, action});
}

void Pokemon::apply(State& state, std::span<const Action> joint) const {
  assert(actor(state) == kEveryone && joint.size() == 2);
  play(state, {joint[0], joint[1]});
}

void Pokemon::payoff(const State& state, std::span<double> out) const {
  assert(actor(state) == kNobody);
  out[0] = state.winner == pokemon::Winner::First ? 1.0 : state.winner == pokemon::Winner::Second ? -1.0 : 0.0;
  out[1] = -out[0];
}

void Pokemon::heuristic(const State& state, int which, std::span<double> out) const {
  out[0] = which == pokemon::kPlayout ? play_out(state) : pokemon::evaluate(state, which);
  out[1] = -out[0];
}

// Both sides draw their choices from the heuristic policy. A battle that does not end within the limit is evaluated at
// the position it reached.
double Pokemon::play_out(State state) const {
  constexpr int kMostSteps = 100;
  // The first step draws from Rng(state.luck): choices need random numbers of their own.
  Rng rng(mix64(~state.luck));
  Actions choices;
  std::array<float, pokemon::kActions> odds;
  const auto choose = [&](int player) {
    legal(state, player, choices);
    const std::span<float> shares(odds.data(), choices.size());
    pokemon::find_policy(state, player, choices, shares);
    double rest = rng.uniform();
    std::size_t i = 0;
    while (i + 1 < choices.size() && (rest -= static_cast<double>(shares[i])) >= 0.0) ++i;
    return choices[i];
  };
  for (int step = 0; step < kMostSteps; ++step) {
    const int who = actor(state);
    if (who == kNobody) {
      std::array<double, 2> payoffs{};
      payoff(state, payoffs);
      return payoffs[0];
    }
    const Action first = who == 1 ? -1 : choose(0);
    const Action second = who == 0 ? -1 : choose(1);
    play(state, {first, second});
  }
  return pokemon::evaluate(state, pokemon::kMatchup);
}

void Pokemon::heuristic_policy(const State& state, int player, std::span<const Action> legal,
                               std::span<float> out) const {
  pokemon::find_policy(state, player, legal, out);
}

pokemon::State Pokemon::redeal(const State& state, int viewer, Rng& rng) const {
  return pokemon::redeal(state, viewer, rng, context_.sets);
}

void Pokemon::redraw_chance(State& state, Rng& rng) const { pokemon::redraw_chance(state, rng); }

int Pokemon::action_label_count() const { return pokemon::kActions + 2 * static_cast<int>(pokemon::Move::Count); }

Action Pokemon::action_label(const State& state, int player, Action action) const {
  if (action < pokemon::kUseMove) return action;
  const bool grows = action >= pokemon::kDynamax;
  const int slot = grows ? action - pokemon::kDynamax : action - pokemon::kUseMove;
  const auto move = static_cast<int>(state.sides[index_of(player)].pokemon().moves[index_of(slot)].id);
  return pokemon::kActions + move + (grows ? static_cast<int>(pokemon::Move::Count) : 0);
}

std::uint64_t Pokemon::key(const State& state) const { return pokemon::key_of(state); }

std::uint64_t Pokemon::view_key(const State& state, int viewer) const { return pokemon::view_key(state, viewer); }

std::uint64_t Pokemon::tree_key(const State& state, int viewer) const { return pokemon::tree_key(state, viewer); }

}  // namespace tengen
