// Abilities that act when they start and end, and when something has changed.
#include <algorithm>

#include "games/pokemon/battle.hpp"
#include "games/pokemon/seeing.hpp"

namespace tengen::pokemon {

// The weather or the terrain that an ability brings.
static Weather weather_of(Ability ability) {
  switch (ability) {
    case Ability::Drizzle:
      return Weather::Rain;
    case Ability::Drought:
      return Weather::Sun;
    case Ability::SandStream:
      return Weather::Sand;
    case Ability::SnowWarning:
      return Weather::Hail;
    default:
      return Weather::None;
  }
}

static Terrain terrain_of(Ability ability) {
  switch (ability) {
    case Ability::ElectricSurge:
      return Terrain::Electric;
    case Ability::GrassySurge:
      return Terrain::Grassy;
    case Ability::MistySurge:
      return Terrain::Misty;
    case Ability::PsychicSurge:
      return Terrain::Psychic;
    default:
      return Terrain::None;
  }
}

// On coming in, on getting the ability, and on copying it.
void Battle::start_ability(int p) {
  const Ability own = ability(p);
  if (is_announced(own)) see_ability(s_, p);
  if (const Weather brought = weather_of(own); brought != Weather::None) set_weather(brought);
  if (const Terrain brought = terrain_of(own); brought != Terrain::None) set_terrain(brought);
  boost_on_start(p, own);
  Active& field = act(p);
  switch (own) {
    case Ability::AirLock:
    case Ability::CloudNine:
      field.weather_ending = false;
      weather_changed(true);
      break;
    case Ability::FlowerGift:
      update_cherrim(p);
      break;
    case Ability::IceFace:
      restore_ice_face(p);
      break;
    case Ability::GorillaTactics:
      field.gorilla_move = Move::None;
      break;
    case Ability::Mimicry:
      update_mimicry(p);
      break;
    case Ability::PastelVeil:
      if (mon(p).status == Status::Psn || mon(p).status == Status::Tox) cure_status(mon(p));
      break;
    case Ability::Schooling:
      update_school(p);
      break;
    case Ability::ScreenCleaner:
      for (Side& side : s_.sides) {
        for (const auto c : {SideCondition::Reflect, SideCondition::LightScreen, SideCondition::AuroraVeil})
          side.count(c) = 0;
      }
      break;
    case Ability::SlowStart:
      field.slow_start = 5;
      break;
    case Ability::Trace:
      field.tracing = true;
      trace(p);
      break;
    case Ability::Unnerve:
    case Ability::AsOneGlastrier:
    case Ability::AsOneSpectrier:
      field.unnerved = true;
      break;
    default:
      break;
  }
}

void Battle::boost_on_start(int p, Ability own) {
  const int foe = 1 - p;
  const bool foe_there = act(foe).on_field && mon(foe).hp > 0;
  switch (own) {
    case Ability::DauntlessShield:
      boost(p, {0, 1, 0, 0, 0, 0, 0}, p, Cause::Ability);
      break;
    case Ability::IntrepidSword:
      boost(p, {1, 0, 0, 0, 0, 0, 0}, p, Cause::Ability);
      break;
    case Ability::Download:
      if (foe_there) {
        const bool special = plain_stat(foe, kDef) >= plain_stat(foe, kSpd);
        boost(p, special ? Boosts{0, 0, 1, 0, 0, 0, 0} : Boosts{1, 0, 0, 0, 0, 0, 0}, p, Cause::Ability);
      }
      break;
    case Ability::Intimidate:
      if (foe_there && !act(foe).has(Volatile::Substitute)) {
        boost(foe, {-1, 0, 0, 0, 0, 0, 0}, p, Cause::Intimidate);
      }
      break;
    default:
      break;
  }
}

void Battle::end_ability(int p) {
  Active& field = act(p);
  switch (field.transformed && (data(mon(p).ability).flags & kAbilityNotransform) != 0 ? Ability::None
                                                                                       : mon(p).ability) {
    case Ability::AirLock:
    case Ability::CloudNine:
      field.weather_ending = true;
      weather_changed(true);
      break;
    case Ability::FlashFire:
      remove_volatile(p, Volatile::FlashFire);
      break;
    case Ability::Unburden:
      remove_volatile(p, Volatile::Unburden);
      break;
    case Ability::GorillaTactics:
      field.gorilla_move = Move::None;
      break;
    case Ability::Illusion:
      if (!field.called_back) field.illusion = kNoSlot;
      break;
    case Ability::Unnerve:
    case Ability::AsOneGlastrier:
    case Ability::AsOneSpectrier:
      field.unnerved = false;
      break;
    default:
      break;
  }
}

// `permanent`: by a change of forme, Transform or Trace's own doing the old one does not resist.
bool Battle::set_ability(int p, Ability to, bool by_forme) {
  if (mon(p).hp == 0) return false;
  if (!by_forme) {
    if (((data(to).flags | data(mon(p).ability).flags) & kAbilityCantsuppress) != 0) return false;
  }
  end_ability(p);
  mon(p).ability = to;
  reset_ability_state(p);
  start_ability(p);
  return true;
}

void Battle::reset_ability_state(int p) {
  Active& field = act(p);
  field.gorilla_move = Move::None;
  field.slow_start = 0;
  field.unnerved = false;
  field.berserk_checked = false;
  field.tracing = false;
  field.weather_ending = false;
}

// Wandering Spirit: both change their abilities.
void Battle::swap_abilities(int a, int b) {
  if (mon(a).fainted || mon(b).fainted) return;
  if (act(a).has(Volatile::Dynamax) || act(b).has(Volatile::Dynamax)) return;
  const Ability first = mon(a).ability;
  const Ability second = mon(b).ability;
  if (((data(first).flags | data(second).flags) & kAbilityFailskillswap) != 0) return;
  end_ability(a);
  end_ability(b);
  mon(a).ability = second;
  mon(b).ability = first;
  reset_ability_state(a);
  reset_ability_state(b);
  if (mon(b).hp > 0) start_ability(b);
  if (mon(a).hp > 0) start_ability(a);
}

void Battle::trace(int p) {
  const int foe = 1 - p;
  if (!act(p).tracing || !act(foe).on_field || mon(foe).hp == 0) return;
  if ((data(mon(foe).ability).flags & kAbilityNotrace) != 0) return;
  chance_.below(1);
  set_ability(p, mon(foe).ability, false);
}

// After every action, and after every hit: what reacts to how things stand now.
void Battle::update() {
  for (const int p : by_speed()) {
    if (!act(p).on_field) continue;
    update_one(p);
  }
}

void Battle::update_one(int p) {
  Pokemon& own = mon(p);
  Active& field = act(p);
  if (field.has(Volatile::Attract) && !is_active(field.attract_source)) remove_volatile(p, Volatile::Attract);
  switch (guard(p)) {
    case Ability::Disguise:
      if (own.busted && field.forme == Species::Mimikyu) {
        change_forme(p, Species::MimikyuBusted, true, false);
        own.forme_regression = true;
        damage(p, own.base_max_hp / 8, p, Cause::Condition);
      }
      break;
    case Ability::IceFace:
      if (own.busted && field.forme == Species::Eiscue) change_forme(p, Species::EiscueNoice, true, false);
      break;
    case Ability::Insomnia:
    case Ability::VitalSpirit:
      if (own.status == Status::Slp) cure_status(own);
      break;
    case Ability::Limber:
      if (own.status == Status::Par) cure_status(own);
      break;
    case Ability::WaterVeil:
    case Ability::WaterBubble:
      if (own.status == Status::Brn) cure_status(own);
      break;
    case Ability::PastelVeil:
      if (own.status == Status::Psn || own.status == Status::Tox) cure_status(own);
      break;
    case Ability::Oblivious:
      remove_volatile(p, Volatile::Attract);
      remove_volatile(p, Volatile::Taunt);
      break;
    case Ability::OwnTempo:
      remove_volatile(p, Volatile::Confusion);
      break;
    case Ability::Trace:
      trace(p);
      break;
    default:
      break;
  }
  if (own.item != Item::None) update_item(p);
}

// `by_ability`: Cloud Nine or Air Lock came or went.
void Battle::weather_changed(bool by_ability) {
  for (int p = 0; p < 2; ++p) {
    const Ability own = ability(p);
    if (own == Ability::FlowerGift) update_cherrim(p);
    if (own == Ability::IceFace && !by_ability) restore_ice_face(p);
  }
}

bool Battle::set_weather(Weather weather) {
  if (s_.weather == weather) return false;
  s_.weather = weather;
  s_.weather_turns = 5;
  weather_changed(false);
  return true;
}

void Battle::clear_weather() {
  s_.weather = Weather::None;
  s_.weather_turns = 0;
  weather_changed(false);
}

bool Battle::set_terrain(Terrain terrain) {
  if (s_.terrain == terrain) return false;
  s_.terrain = terrain;
  s_.terrain_turns = 5;
  for (int p = 0; p < 2; ++p) {
    if (ability(p) == Ability::Mimicry) update_mimicry(p);
  }
  return true;
}

void Battle::clear_terrain() {
  if (s_.terrain == Terrain::None) return;
  s_.terrain = Terrain::None;
  s_.terrain_turns = 0;
  for (int p = 0; p < 2; ++p) {
    if (ability(p) == Ability::Mimicry) update_mimicry(p);
  }
}

void Battle::update_cherrim(int p) {
  Active& field = act(p);
  if (!field.on_field || data(mon(p).species).base != Species::Cherrim || field.transformed || mon(p).hp == 0) return;
  const Species to = weather() == Weather::Sun ? Species::CherrimSunshine : Species::Cherrim;
  if (field.forme != to) change_forme(p, to, false, true);
}

void Battle::restore_ice_face(int p) {
  if (mon(p).hp == 0 || weather() != Weather::Hail || act(p).forme != Species::EiscueNoice) return;
  mon(p).busted = false;
  change_forme(p, Species::Eiscue, true, false);
}

void Battle::update_school(int p) {
  Active& field = act(p);
  const Pokemon& own = mon(p);
  if (data(own.species).base != Species::Wishiwashi || own.level < 20 || field.transformed || own.hp == 0) return;
  const Species to = 4 * own.hp > own.max_hp ? Species::WishiwashiSchool : Species::Wishiwashi;
  if (field.forme != to) change_forme(p, to, false, true);
}

void Battle::update_mimicry(int p) {
  std::array<Type, 2> to{Type::None, Type::None};
  switch (s_.terrain) {
    case Terrain::Electric:
      to[0] = Type::Electric;
      break;
    case Terrain::Grassy:
      to[0] = Type::Grass;
      break;
    case Terrain::Misty:
      to[0] = Type::Fairy;
      break;
    case Terrain::Psychic:
      to[0] = Type::Psychic;
      break;
    default:
      to = data(mon(p).species).types;
      break;
  }
  act(p).types = to;
  act(p).added_type = Type::None;
}

}  // namespace tengen::pokemon
