#include "games/pokemon/pokemon.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>

#include "games/pokemon/battle.hpp"
#include "games/pokemon/legal.hpp"
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
    if (choice < 0 || (unsigned{pokemon::legal_choices(state, side)} >> choice & 1U) != 0) continue;
    state.sides[index_of(side)].field.trap_shown = true;
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

double value_of(const pokemon::Side& side) {
  const auto part = [](const pokemon::Pokemon& p) { return p.max_hp > 0 ? static_cast<double>(p.hp) / p.max_hp : 0.0; };
  double all = 0.0;
  for (const pokemon::Pokemon& p : side.team) all += part(p);
  return 0.5 * part(side.pokemon()) + 0.3 * side.left / pokemon::kTeam + 0.2 * all / pokemon::kTeam;
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

void Pokemon::heuristic(const State& state, std::span<double> out) const {
  out[0] = value_of(state.sides[0]) - value_of(state.sides[1]);
  out[1] = -out[0];
}

pokemon::State Pokemon::redeal(const State& state, int viewer, Rng& rng) const {
  return pokemon::redeal(state, viewer, rng);
}

std::uint64_t Pokemon::key(const State& state) const { return pokemon::key_of(state); }

std::uint64_t Pokemon::view_key(const State& state, int viewer) const { return pokemon::view_key(state, viewer); }

std::uint64_t Pokemon::tree_key(const State& state, int viewer) const { return pokemon::tree_key(state, viewer); }

}  // namespace tengen
