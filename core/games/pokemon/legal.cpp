#include "games/pokemon/legal.hpp"

#include <algorithm>

namespace tengen::pokemon {

namespace {

std::uint16_t bit(int action) { return static_cast<std::uint16_t>(1U << action); }

std::uint16_t switches(const Side& side) {
  std::uint16_t choices = 0;
  for (int slot = 0; slot < kTeam; ++slot) {
    const Pokemon& other = side.team[index_of(slot)];
    if (slot != side.active && !other.fainted && other.species != Species::None) choices |= bit(kSwitch + slot);
  }
  return choices;
}

// No Max Move can be made of this one.
bool is_max_disabled(const Side& side, const MoveSlot& slot) {
  if (slot.id == Move::None || slot.pp == 0) return true;
  if (data(slot.id).category != Category::Status) return false;
  return side.pokemon().item == Item::AssaultVest || side.field.has(Volatile::Taunt);
}

bool can_dynamax(const Side& side) {
  if (side.dynamax_used || side.field.has(Volatile::Dynamax) || data(side.field.forme).cannot_dynamax) return false;
  const std::int8_t shown = side.field.illusion;
  return shown == kNoSlot || !data(side.team[index_of(shown)].species).cannot_dynamax;
}

std::uint16_t moves(const Side& side, bool struggles) {
  const Pokemon& own = side.pokemon();
  const Move locked = locked_move_of(side.field);
  if (locked != Move::None) {
    const auto at =
        std::find_if(own.moves.begin(), own.moves.end(), [&](const MoveSlot& slot) { return slot.id == locked; });
    return bit(kUseMove + (at == own.moves.end() ? 0 : static_cast<int>(at - own.moves.begin())));
  }
  if (struggles) return bit(kUseMove);
  const bool big = side.field.has(Volatile::Dynamax);
  const bool may_grow = can_dynamax(side);
  std::uint16_t choices = 0;
  for (int i = 0; i < kMoveSlots; ++i) {
    const MoveSlot& slot = own.moves[index_of(i)];
    if (slot.id == Move::None) continue;
    const bool max_disabled = is_max_disabled(side, slot);
    const bool disabled = (own.disabled >> i & 1U) != 0 || slot.pp == 0;
    if (big ? !max_disabled : !disabled) choices |= bit(kUseMove + i);
    if (may_grow && !max_disabled) choices |= bit(kDynamax + i);
  }
  return choices;
}

std::uint16_t choices(const State& state, int side_index, bool shown) {
  const Side& side = state.sides[index_of(side_index)];
  switch (side.request) {
    case Request::Switch:
      return switches(side);
    case Request::Move: {
      std::uint16_t all = moves(side, must_struggle(state, side_index));
      const Trapped trapped = side.field.trapped;
      const bool held = trapped == Trapped::Yes || (trapped == Trapped::Hidden && (!shown || side.field.trap_shown));
      if (!held && locked_move_of(side.field) == Move::None) all |= switches(side);
      return all;
    }
    default:
      return 0;
  }
}

}  // namespace

bool must_struggle(const State& state, int side_index) {
  const Side& side = state.sides[index_of(side_index)];
  const Pokemon& own = side.pokemon();
  const bool big = side.field.has(Volatile::Dynamax);
  for (int i = 0; i < kMoveSlots; ++i) {
    const MoveSlot& slot = own.moves[index_of(i)];
    if (slot.id == Move::None) continue;
    const bool stopped = big ? is_max_disabled(side, slot) || (own.disabled_max >> i & 1U) != 0
                             : (own.disabled >> i & 1U) != 0 || slot.pp == 0;
    if (!stopped) return false;
  }
  return true;
}

std::uint16_t legal_choices(const State& state, int side) { return choices(state, side, false); }

std::uint16_t offered_choices(const State& state, int side) { return choices(state, side, true); }

}  // namespace tengen::pokemon
