#pragma once

#include "games/pokemon/state.hpp"

// What the other side learns while a battle is played by these rules: called where the simulator would show it.
namespace tengen::pokemon {

// Somebody came in, or an Illusion ended.
void see_active(State& state, int side);
// Before somebody leaves, and before what leaving heals.
void see_leave(State& state, int side);
// It used a move of its own: not one that was called, not a Max Move, not a copied one.
void see_move(State& state, int side, Move move);
// Its item is shown, or about to be lost.
void see_item(State& state, int side);
void see_ability(State& state, int side);
// Abilities that are shown when their holder comes in.
bool is_announced(Ability ability);
// An attack hurt it: an Illusion would be over.
void see_hit(State& state, int side);

}  // namespace tengen::pokemon
