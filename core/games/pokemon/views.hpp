#pragma once

#include <cstdint>

#include "games/pokemon/state.hpp"

namespace tengen::pokemon {

// The state without what the viewer cannot know: the other team in the order it was seen, hit points in percent, of
// what ends by chance how long it has gone on. Two states look alike to the viewer when these are equal.
State seen(const State& state, int viewer);

// Returns true if a Pokémon of the other side in such a state is known to hold another item than that of its set.
bool is_item_shown(const Pokemon& seen);

// Equal exactly when the states look alike to the viewer (up to 64-bit collisions).
std::uint64_t view_key(const State& state, int viewer);

// Equal for equal states, luck and knowledge included (up to 64-bit collisions).
std::uint64_t key_of(const State& state);

// Coarser, for a search tree: hit points in eighths, no PP, and nothing of how things came about.
std::uint64_t tree_key(const State& state, int viewer);

}  // namespace tengen::pokemon
