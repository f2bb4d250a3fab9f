#pragma once

#include <array>

#include "games/pokemon/state.hpp"

// The other side's team as a viewer sees it.
namespace tengen::pokemon {

// Everything about a Pokémon that both sides see.
struct Facts {
  int percent = 100;
  bool is_benched = false;
  Status status = Status::None;
  std::uint8_t status_count = 0;
  std::uint8_t sleep_length = 0;
  Who status_source = kNoSlot;
  bool is_fainted = false;
  bool has_other_item = false;
  Item item = Item::None;
  Item last_item = Item::None;
  bool has_other_ability = false;
  Ability ability = Ability::None;
  bool has_other_forme = false;
  Species species = Species::None;
  bool busted = false;
  bool forme_regression = false;
  Gender gender = Gender::None;
  MoveSlots moves{};
  std::uint8_t used = 0;
};

// Hit points as the other side sees them: rounded up to a percent, 99 at most unless full.
int shown_percent(int hp, int max_hp);

// Puts the other side's team into the order in which the viewer has met it, those it has not seen last. The active one
// is among the seen then, if random battles have it at all.
void order_by_sight(State& state, int viewer);

// Adds to the viewer's knowledge every Pokémon of the other side that must have been on the field, judging by the state
// alone: the active one, and those that fainted, are hurt, or used a move or an item. For states that were not played
// by these rules, whose knowledge may be missing.
void note_met(State& state, int viewer);

// Returns the facts of each Pokémon that was seen, in a state that is ordered so.
std::array<Facts, kTeamSize> look(const Side& side, const Knowledge& known);

// The slot of a move, -1 if it is none of them.
int find_slot(const MoveSlots& moves, Move id);

}  // namespace tengen::pokemon
