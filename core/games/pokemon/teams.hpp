#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "games/pokemon/state.hpp"

namespace tengen::pokemon {

// A Pokémon as a team holds it. Natures are always neutral here.
struct Set {
  Species species = Species::None;
  std::uint8_t level = 100;
  Gender gender = Gender::None;
  Ability ability = Ability::None;
  Item item = Item::None;
  std::array<Move, kMoveSlots> moves{};
  std::array<std::uint8_t, kStats + 1> evs{85, 85, 85, 85, 85, 85};
  std::array<std::uint8_t, kStats + 1> ivs{31, 31, 31, 31, 31, 31};
  bool gigantamax = false;

  friend bool operator==(const Set&, const Set&) = default;
};

// Attack to speed that a Pokémon has in a forme, and its HP.
std::array<std::int16_t, kStats> stats_of(const Pokemon& pokemon, Species forme);
int max_hp_of(const Pokemon& pokemon, Species forme);

// At full HP and PP. Zacian and Zamazenta with their rusted item are crowned already.
Pokemon make_pokemon(const Set& set);

// The set that a Pokémon of a team was made of.
Set set_of(const Pokemon& pokemon);

// What a Pokémon that comes in starts with.
Active fresh_active(const Pokemon& pokemon);

// Before the first Pokémon come in: Battle::start() goes on from here.
State make_state(std::span<const Set, kTeam> first, std::span<const Set, kTeam> second);

}  // namespace tengen::pokemon
