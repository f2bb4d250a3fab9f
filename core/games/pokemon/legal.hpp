#pragma once

#include "games/pokemon/state.hpp"

namespace tengen::pokemon {

// The choices of a side that the simulator accepts, as a bit an action. 0: it waits.
std::uint16_t legal_choices(const State& state, int side);

// The choices that the side is shown: more, where a trap is hidden.
std::uint16_t offered_choices(const State& state, int side);

// None of its moves can be used.
bool must_struggle(const State& state, int side);

// The move that a Pokémon cannot but go on with. None: it is free.
Move locked_move_of(const Active& field);

}  // namespace tengen::pokemon
