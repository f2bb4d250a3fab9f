#pragma once

#include "games/pokemon/state.hpp"

// How the Pokémon of both teams would do against each other one by one, the bench included.
namespace tengen::pokemon {

// All from -1 to 1, for the first side less for the second.
struct Duels {
  float mean = 0.0F;     // of every Pokémon against every other
  float answers = 0.0F;  // of the best against each of the other team
  float sweep = 0.0F;    // of the best of all against its worst foe
  float active = 0.0F;   // of who is on the field against the bench
};

// Damage is taken from a table that each thread fills as it goes, at full health and without weather and the like;
// stages and hit points are counted in.
Duels find_duels(const State& state);

}  // namespace tengen::pokemon
