#pragma once

#include "games/pokemon/state.hpp"
#include "games/pokemon/team_draw.hpp"
#include "rng.hpp"

namespace tengen::pokemon {

// Hit points drawn from those that are shown so.
int draw_hp(int percent, int max_hp, Rng& rng);

// A state drawn from those that the viewer cannot tell from this one. Drawn anew are the sets of the other team, who is
// in it and was not seen, hit points behind percents, the lengths of what ends by chance, the order of the party, and
// what the other side has chosen already. The other team's slots become the order in which the viewer has met it: where
// the Pokémon stood in the team is hidden too.
State redeal(const State& state, int viewer, Rng& rng, SetOdds odds = SetOdds::Generator);

// The same sets and hit points with other luck: what comes next, and how long sleep, confusion and the like last.
void redraw_chance(State& state, Rng& rng);

}  // namespace tengen::pokemon
