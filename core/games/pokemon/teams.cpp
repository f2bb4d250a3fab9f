#include "games/pokemon/teams.hpp"

#include <algorithm>

namespace tengen::pokemon {

std::array<std::int16_t, kStats> stats_of(const Pokemon& pokemon, Species forme) {
  std::array<std::int16_t, kStats> stats{};
  for (std::size_t i = 0; i < kStats; ++i) {
    const int base = 2 * data(forme).stats[i + 1] + pokemon.ivs[i + 1] + pokemon.evs[i + 1] / 4;
    stats[i] = static_cast<std::int16_t>(base * pokemon.level / 100 + 5);
  }
  return stats;
}

int max_hp_of(const Pokemon& pokemon, Species forme) {
  if (forme == Species::Shedinja) return 1;
  const int base = 2 * data(forme).stats[0] + pokemon.ivs[0] + pokemon.evs[0] / 4 + 100;
  return base * pokemon.level / 100 + 10;
}

Pokemon make_pokemon(const Set& set) {
  Pokemon p;
  p.species = p.set_species = set.species;
  p.level = set.level;
  p.gender = set.gender;
  p.ability = p.base_ability = p.set_ability = set.ability;
  p.item = p.set_item = set.item;
  p.evs = set.evs;
  p.ivs = set.ivs;
  p.gigantamax = set.gigantamax;
  Move crowned_move = Move::None;
  if (set.species == Species::Zacian && set.item == Item::RustedSword) {
    p.species = Species::ZacianCrowned;
    crowned_move = Move::BehemothBlade;
  }
  if (set.species == Species::Zamazenta && set.item == Item::RustedShield) {
    p.species = Species::ZamazentaCrowned;
    crowned_move = Move::BehemothBash;
  }
  for (std::size_t i = 0; i < kMoveSlots; ++i) {
    const Move id = crowned_move != Move::None && set.moves[i] == Move::IronHead ? crowned_move : set.moves[i];
    p.moves[i] = {id, data(id).pp, data(id).pp};
  }
  if (crowned_move != Move::None) p.ability = p.base_ability = data(p.species).ability;
  p.stats = stats_of(p, p.species);
  p.hp = p.max_hp = p.base_max_hp = static_cast<std::int16_t>(max_hp_of(p, p.set_species));
  return p;
}

Set set_of(const Pokemon& pokemon) {
  Set set;
  set.species = pokemon.set_species;
  set.level = pokemon.level;
  set.gender = pokemon.gender;
  set.ability = pokemon.set_ability;
  set.item = pokemon.set_item;
  set.evs = pokemon.evs;
  set.ivs = pokemon.ivs;
  set.gigantamax = pokemon.gigantamax;
  for (std::size_t i = 0; i < kMoveSlots; ++i) {
    const Move id = pokemon.moves[i].id;
    set.moves[i] = id == Move::BehemothBlade || id == Move::BehemothBash ? Move::IronHead : id;
  }
  return set;
}

Active fresh_active(const Pokemon& pokemon) {
  Active field;
  field.forme = pokemon.species;
  field.types = data(pokemon.species).types;
  field.weight = data(pokemon.species).weight;
  field.stats = pokemon.stats;
  field.speed = pokemon.stats[kSpe];
  field.newly_switched = true;
  return field;
}

State make_state(std::span<const Set, kTeam> first, std::span<const Set, kTeam> second) {
  State state;
  for (std::size_t side = 0; side < 2; ++side) {
    const auto team = side == 0 ? first : second;
    std::transform(team.begin(), team.end(), state.sides[side].team.begin(), make_pokemon);
  }
  return state;
}

}  // namespace tengen::pokemon
