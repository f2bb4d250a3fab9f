#include "games/pokemon/seeing.hpp"

#include "games/pokemon/set_ids.hpp"
#include "games/pokemon/sight.hpp"

namespace tengen::pokemon {

namespace {

Knowledge& known_of(State& state, int side) { return state.known[index_of(1 - side)]; }

Seen* active_of(Knowledge& known) { return known.active < known.count ? &known.seen[known.active] : nullptr; }

std::size_t zoroark() {
  static const int forme = find_forme("zoroark");
  return static_cast<std::size_t>(forme);
}

// Only these sets fit what was seen, and these of Zoroark's, should it be that.
void restrict(Knowledge& known, SetMask sets, SetMask of_zoroark) {
  Seen* one = active_of(known);
  if (one == nullptr) return;
  one->sets = one->sets & sets;
  known.stay = known.stay & sets;
  known.disguise = known.disguise & of_zoroark;
  if (known.disguise.empty()) one->sure = one->sure & known.stay;
}

bool may_be_zoroark(const Side& side, const Knowledge& known, std::uint8_t active) {
  const Pokemon& there = side.pokemon();
  for (std::uint8_t i = 0; i < known.count; ++i) {
    const Seen& one = known.seen[i];
    if (one.forme != zoroark()) continue;
    return i != active && !side.team[one.slot].fainted;
  }
  const bool is_fresh = there.hp == there.max_hp && there.status == Status::None;
  return known.count < kTeamSize && (is_fresh || known.had_doubt != 0);
}

}  // namespace

void see_active(State& state, int side) {
  Side& own = state.sides[index_of(side)];
  Knowledge& known = known_of(state, side);
  if (known.is_settled != 0) return;
  const std::int8_t slot = own.field.illusion != kNoSlot ? own.field.illusion : own.active;
  const Pokemon& shown = own.team[index_of(slot)];
  const bool is_unmasked = active_of(known) != nullptr && own.field.illusion == kNoSlot && !own.field.newly_switched;
  if (is_unmasked) active_of(known)->sets = active_of(known)->sure;
  std::uint8_t place = 0;
  while (place < known.count && known.seen[place].slot != slot) ++place;
  if (place == known.count) {
    const int forme = forme_of(shown.set_species, shown.set_item);
    if (forme < 0 || known.count >= kTeamSize) return;
    Seen& one = known.seen[known.count++];
    one = {};
    one.sets = one.sure = SetMask::all();
    one.forme = static_cast<std::uint16_t>(forme);
    one.slot = static_cast<std::uint8_t>(slot);
    one.percent = 100;
  }
  if (known.lead == kNone && state.turn == 0) known.lead = place;
  if (is_unmasked && known.since_start != 0) known.lead = place;
  known.active = place;
  known.before_hp = known.seen[place].percent;
  if (!is_unmasked) known.since_start = state.turn == 0 ? 1 : 0;
  known.stay = SetMask::all();
  known.disguise = !is_unmasked && may_be_zoroark(own, known, place) ? SetMask::all() : SetMask{};
  if (known.seen[place].forme == zoroark()) known.disguise = {};
}

void see_leave(State& state, int side) {
  const Pokemon& there = state.sides[index_of(side)].pokemon();
  Knowledge& known = known_of(state, side);
  if (known.is_settled != 0) return;
  if (Seen* one = active_of(known)) {
    one->percent = static_cast<std::uint8_t>(shown_percent(there.hp, there.max_hp));
  }
  if (!known.disguise.empty()) known.had_doubt = 1;
  known.disguise = {};
}

void see_move(State& state, int side, Move move) {
  Knowledge& known = known_of(state, side);
  if (known.is_settled != 0) return;
  if (state.sides[index_of(side)].field.transformed) return;
  if (const Seen* one = active_of(known)) restrict(known, sets_with(one->forme, move), sets_with(zoroark(), move));
}

void see_item(State& state, int side) {
  Knowledge& known = known_of(state, side);
  if (known.is_settled != 0) return;
  const Pokemon& there = state.sides[index_of(side)].pokemon();
  if (there.item != there.set_item) return;
  if (const Seen* one = active_of(known)) {
    restrict(known, sets_with(one->forme, there.item), sets_with(zoroark(), there.item));
  }
}

void see_ability(State& state, int side) {
  Knowledge& known = known_of(state, side);
  if (known.is_settled != 0) return;
  const Pokemon& there = state.sides[index_of(side)].pokemon();
  if (there.ability != there.set_ability || state.sides[index_of(side)].field.transformed) return;
  if (const Seen* one = active_of(known)) restrict(known, sets_with(one->forme, there.ability), SetMask{});
}

bool is_announced(Ability ability) {
  switch (ability) {
    case Ability::AirLock:
    case Ability::AuraBreak:
    case Ability::CloudNine:
    case Ability::DarkAura:
    case Ability::DauntlessShield:
    case Ability::Download:
    case Ability::Drizzle:
    case Ability::Drought:
    case Ability::ElectricSurge:
    case Ability::FairyAura:
    case Ability::GrassySurge:
    case Ability::Intimidate:
    case Ability::IntrepidSword:
    case Ability::MistySurge:
    case Ability::MoldBreaker:
    case Ability::Pressure:
    case Ability::PsychicSurge:
    case Ability::SandStream:
    case Ability::SlowStart:
    case Ability::SnowWarning:
    case Ability::Teravolt:
    case Ability::Turboblaze:
    case Ability::Unnerve:
      return true;
    default:
      return false;
  }
}

void see_hit(State& state, int side) {
  Knowledge& known = known_of(state, side);
  const bool is_ending = state.sides[index_of(side)].field.illusion != kNoSlot;
  if (known.is_settled == 0 && !is_ending) restrict(known, SetMask::all(), SetMask{});
}

}  // namespace tengen::pokemon
