#pragma once

#include <array>

#include "games/pokemon/state.hpp"

// What Pokémon do to each other on average: the damage formula with what counts most of moves, abilities, items and the
// field. Quick enough for every leaf of a search; the rules themselves are in Battle.
namespace tengen::pokemon {

// A Pokémon as far as damage and turn order go, on the field or as it would come in.
struct Fighter {
  const Pokemon* mon = nullptr;
  const Active* field = nullptr;  // null on the bench
  std::array<Type, 3> types{Type::None, Type::None, Type::None};
  Ability ability = Ability::None;
  Item item = Item::None;
  std::array<float, 2> attack{};   // physical and special, with stages, items and abilities
  std::array<float, 2> defence{};  // the same
  float speed = 0.0F;
  float hp = 0.0F;  // of max_hp
  float max_hp = 1.0F;
  bool is_grounded = true;
  bool is_big = false;  // Dynamaxed

  bool has(Type type) const { return types[0] == type || types[1] == type || types[2] == type; }
};

Fighter make_fighter(const State& state, int side, int slot);

// The mean share of the target's max HP that a move takes, misses counted; `max`: as a Max Move.
float expected_damage(const State& state, const Fighter& source, const Fighter& target, int target_side, Move id,
                      bool max);

// The best that a Pokémon can do to another with what it may choose.
struct Threat {
  float damage = 0.0F;    // as a share of the target's max HP
  bool is_first = false;  // by priority
};
Threat best_threat(const State& state, const Fighter& source, const Fighter& target, int target_side, bool max);

// Whether the first one moves before the second, at equal priority.
bool is_faster(const State& state, const Fighter& one, const Fighter& other);

}  // namespace tengen::pokemon
