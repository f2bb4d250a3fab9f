// Between turns: Dynamax ends, and what each Pokémon may choose next is settled.
#include <algorithm>

#include "games/pokemon/battle.hpp"

namespace tengen::pokemon {

void Battle::end_turn() {
  ++s_.turn;
  s_.last_successful_move = Move::None;
  for (int p = 0; p < 2; ++p) {
    if (act(p).on_field && act(p).has(Volatile::Dynamax) && act(p).dynamax_turns >= 3) {
      remove_volatile(p, Volatile::Dynamax);
    }
  }
  for (int p = 0; p < 2; ++p) {
    Active& field = act(p);
    field.move_this_turn = Move::None;
    field.newly_switched = false;
    field.last_turn = field.this_turn;
    field.this_turn = MoveResult::Undefined;
    if (s_.turn != 1) {
      field.used_item = false;
      field.stats_raised = false;
      field.stats_lowered = false;
      field.hurt_this_turn = -1;
    }
    field.attacked_by = kNoSlot;
    field.trap_shown = false;
    find_disabled(p);
    find_trapped(p);
    if (!mon(p).fainted) field.active_turns = static_cast<std::uint8_t>(std::min(field.active_turns + 1, 255));
    s_.sides[index_of(p)].fainted_this_turn = kNoSlot;
  }
  s_.mid_turn = false;
  if (s_.turn > kLastTurn) {
    win(Winner::Tie);
    return;
  }
  for (Side& side : s_.sides) side.request = Request::Move;
}

void Battle::find_choices() {
  for (int p = 0; p < 2; ++p) {
    find_disabled(p);
    find_trapped(p);
  }
}

// Moves that a Pokémon cannot choose in the coming turn.
void Battle::find_disabled(int p) {
  Active& field = act(p);
  Pokemon& own = mon(p);
  own.disabled = 0;
  own.disabled_max = 0;
  if (!field.on_field) return;
  if (field.has(Volatile::ChoiceLock) && (!is_choice(own.item) || move_slot(p, field.choice_move) < 0)) {
    field.drop(Volatile::ChoiceLock);
  }
  const bool big = field.has(Volatile::Dynamax);
  const bool choice = field.has(Volatile::ChoiceLock) && !big;
  const bool gorilla = ability(p) == Ability::GorillaTactics && field.gorilla_move != Move::None && !big;
  const bool encored = field.has(Volatile::Encore) && move_slot(p, field.encore_move) >= 0;
  for (int i = 0; i < kMoveSlots; ++i) {
    const Move id = own.moves[index_of(i)].id;
    const MoveData& row = data(id);
    const bool status = row.category == Category::Status;
    const bool firm = (encored && id != field.encore_move) || (field.has(Volatile::Taunt) && status) ||
                      (field.has(Volatile::Disable) && id == field.disable_move) ||
                      (item(p) == Item::AssaultVest && status);
    const bool any = firm || (choice && id != field.choice_move) || (gorilla && id != field.gorilla_move) ||
                     (field.has(Volatile::Torment) && id == field.last_move && id != Move::Struggle) ||
                     (field.has(Volatile::ThroatChop) && (row.flags & kFlagSound) != 0) ||
                     (s_.gravity != 0 && (row.flags & kFlagGravity) != 0);
    if (any) own.disabled = static_cast<std::uint8_t>(own.disabled | 1U << i);
    if (firm) own.disabled_max = static_cast<std::uint8_t>(own.disabled_max | 1U << i);
  }
}

void Battle::find_trapped(int p) {
  Active& field = act(p);
  const int foe = 1 - p;
  field.trapped = Trapped::No;
  field.maybe_trapped = false;
  if (!field.on_field) return;
  if (has_type(unit(p), Type::Ghost)) return;
  const bool foe_there = act(foe).on_field && mon(foe).hp > 0;
  const bool steel = has_type(unit(p), Type::Steel);
  const bool shadow = ability(p) == Ability::ShadowTag;
  const bool ground = is_grounded(p);
  if (foe_there) {
    const Ability theirs = ability(foe);
    const bool trapped = (theirs == Ability::ArenaTrap && ground) || (theirs == Ability::MagnetPull && steel) ||
                         (theirs == Ability::ShadowTag && !shadow);
    if (trapped) field.trapped = Trapped::Hidden;
    const std::int8_t seen = act(foe).illusion;
    const Species species = seen == kNoSlot ? act(foe).forme : team(foe, seen).species;
    const std::uint8_t traps = data(species).traps;
    field.maybe_trapped = trapped || ((traps & kTrapArenaTrap) != 0 && ground) ||
                          ((traps & kTrapMagnetPull) != 0 && steel) || ((traps & kTrapShadowTag) != 0 && !shadow);
  }
  const bool bound =
      field.has(Volatile::PartiallyTrapped) && (is_active(field.partial_trapper) || field.partial_trap_stays);
  if (field.has(Volatile::Trapped) || field.has(Volatile::NoRetreat) || bound) field.trapped = Trapped::Yes;
}

}  // namespace tengen::pokemon
