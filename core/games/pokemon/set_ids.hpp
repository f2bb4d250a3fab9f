#pragma once

#include "games/pokemon/ids.hpp"
#include "games/pokemon/sets.hpp"
#include "games/pokemon/team_draw.hpp"
#include "games/pokemon/teams.hpp"

// The set table in the battle's ids.
namespace tengen::pokemon {

// A member of a drawn team as battles know it.
Set to_set(const Member& member);

// The forme that players see of a species in a team; -1 if no set is of it.
int forme_of(Species species, Item item);
Species species_of(std::size_t forme);

SetMask all_sets(std::size_t forme);
// Which sets of a forme have it.
SetMask sets_with(std::size_t forme, Move move);
SetMask sets_with(std::size_t forme, Item item);
SetMask sets_with(std::size_t forme, Ability ability);

// The battle's ids of what a set has; slots without a move are None.
std::array<Move, kMoveSlots> moves_of(const SetRow& row);
Item item_of(const SetRow& row);
Ability ability_of(const SetRow& row);

}  // namespace tengen::pokemon
