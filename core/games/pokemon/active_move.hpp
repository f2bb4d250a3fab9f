#pragma once

#include <cstdint>

#include "games/pokemon/data.hpp"
#include "games/pokemon/state.hpp"

namespace tengen::pokemon {

// A move on its way: its table row with what abilities, items and the field made of it.
struct ActiveMove {
  const MoveData* row = nullptr;
  Move id = Move::None;
  Move base_move = Move::None;  // of a Max Move
  Type type = Type::None;
  Category category = Category::Status;
  Target target = Target::Normal;
  std::uint32_t flags = 0;
  std::int16_t power = 0;
  std::uint8_t accuracy = 0;  // 0: cannot miss
  std::int8_t priority = 0;
  std::uint8_t least_hits = 0;
  std::uint8_t most_hits = 0;
  std::uint8_t chance_factor = 1;  // Serene Grace
  bool is_max = false;
  bool ignore_ability = false;
  bool ignore_immunity = false;
  bool ignore_ghost = false;  // Scrappy: Normal and Fighting moves hit Ghosts
  bool infiltrates = false;
  bool sheer_force = false;
  bool no_secondaries = false;
  bool no_self = false;
  bool no_condition = false;     // leaves out the volatile of its row
  bool no_boosts = false;        // leaves out the boosts of its row
  bool curse_of_others = false;  // Curse of a Pokémon that is no Ghost
  bool prankster = false;
  bool bounced = false;
  bool type_boosted = false;  // Pixilate
  bool multi_accuracy = false;
  bool self_switch = false;
  bool self_dropped = false;
  bool locked = false;  // goes on by itself: no PP, no Pressure
  Move called_by = Move::None;
  bool called = false;  // by a move or an ability
  bool aura_break = false;
  bool is_future = false;  // Future Sight lands

  // How it meets its target.
  bool crit = false;
  bool bypass_protect = false;
  bool hit_target = false;
  bool on_substitute = false;  // took its last hit
  std::int8_t type_mod = 0;
  std::uint8_t hit = 0;  // the how-manieth
  std::int16_t total_damage = 0;

  bool has_flag(std::uint32_t flag) const { return (flags & flag) != 0; }
  bool has(std::uint32_t trait) const { return (row->traits & trait) != 0; }
  bool is_status() const { return category == Category::Status; }
};

}  // namespace tengen::pokemon
