// What Max and G-Max Moves bring with their hit.
#include <array>

#include "games/pokemon/battle.hpp"

namespace tengen::pokemon {

namespace {

struct StageEffect {
  Move move;
  Stat stat;
  std::int8_t by;  // above 0: of the user, below: of the foe
};

constexpr std::array<StageEffect, 12> kStageEffects{{{Move::MaxAirstream, kSpe, 1},
                                                     {Move::MaxKnuckle, kAtk, 1},
                                                     {Move::MaxOoze, kSpa, 1},
                                                     {Move::MaxQuake, kSpd, 1},
                                                     {Move::MaxSteelspike, kDef, 1},
                                                     {Move::MaxDarkness, kSpd, -1},
                                                     {Move::MaxFlutterby, kSpa, -1},
                                                     {Move::MaxPhantasm, kDef, -1},
                                                     {Move::MaxStrike, kSpe, -1},
                                                     {Move::MaxWyrmwind, kAtk, -1},
                                                     {Move::GMaxFoamBurst, kSpe, -2},
                                                     {Move::GMaxTartness, kEvasion, -1}}};

Weather weather_of(Move move) {
  switch (move) {
    case Move::MaxFlare:
      return Weather::Sun;
    case Move::MaxGeyser:
      return Weather::Rain;
    case Move::MaxHailstorm:
      return Weather::Hail;
    case Move::MaxRockfall:
      return Weather::Sand;
    default:
      return Weather::None;
  }
}

Terrain terrain_of(Move move) {
  switch (move) {
    case Move::MaxLightning:
      return Terrain::Electric;
    case Move::MaxMindstorm:
      return Terrain::Psychic;
    case Move::MaxOvergrowth:
      return Terrain::Grassy;
    case Move::MaxStarfall:
      return Terrain::Misty;
    default:
      return Terrain::None;
  }
}

SideCondition condition_of(Move move) {
  switch (move) {
    case Move::GMaxCannonade:
      return SideCondition::GMaxCannonade;
    case Move::GMaxVineLash:
      return SideCondition::GMaxVineLash;
    case Move::GMaxVolcalith:
      return SideCondition::GMaxVolcalith;
    case Move::GMaxWildfire:
      return SideCondition::GMaxWildfire;
    case Move::GMaxSteelsurge:
      return SideCondition::GMaxSteelsurge;
    case Move::GMaxStonesurge:
      return SideCondition::StealthRock;
    default:
      return SideCondition::None;
  }
}

// Those of the eighteen types; G-Max Moves work in other ways.
bool is_plain(Move move) { return data(move).id.starts_with("max"); }

}  // namespace

// Plain Max Moves need a user that is Dynamaxed still.
void Battle::max_effect(int p, const ActiveMove& move) {
  if (is_plain(move.id) && !act(p).has(Volatile::Dynamax)) return;
  const int foe = 1 - p;
  for (const StageEffect& effect : kStageEffects) {
    if (effect.move != move.id) continue;
    Boosts by{};
    by[effect.stat] = effect.by;
    boost(effect.by > 0 ? p : foe, by, p, Cause::Move);
  }
  if (const Weather brought = weather_of(move.id); brought != Weather::None) set_weather(brought);
  if (const Terrain brought = terrain_of(move.id); brought != Terrain::None) set_terrain(brought);
  if (const SideCondition laid = condition_of(move.id); laid != SideCondition::None) add_side_condition(foe, laid, p);
  g_max_effect(p, move.id);
  if (act(foe).on_field && mon(foe).hp > 0) g_max_effect_on_foe(p, foe, move.id);
}

void Battle::g_max_effect(int p, Move move) {
  switch (move) {
    case Move::GMaxChiStrike:
      add_volatile(p, Volatile::ChiStrike, who_of(p));
      break;
    case Move::GMaxFinale:
      heal(p, mon(p).max_hp / 6);
      break;
    case Move::GMaxGravitas:
      if (s_.gravity == 0) start_gravity();
      break;
    case Move::GMaxReplenish:
      replenish(p);
      break;
    case Move::GMaxResonance:
      add_side_condition(p, SideCondition::AuroraVeil, p);
      break;
    case Move::GMaxSweetness:
      heal_team(p);
      break;
    case Move::GMaxWindRage:
      blow_away(p, 1 - p);
      break;
    default:
      break;
  }
}

void Battle::g_max_effect_on_foe(int p, int foe, Move move) {
  constexpr std::array<Status, 3> kBefuddling{Status::Slp, Status::Par, Status::Psn};
  const Who me = who_of(p);
  switch (move) {
    case Move::GMaxBefuddle:
      try_status(foe, kBefuddling[index_of(chance_.below(3))], me, Cause::Move);
      break;
    case Move::GMaxStunShock:
      try_status(foe, chance_.below(2) == 0 ? Status::Par : Status::Psn, me, Cause::Move);
      break;
    case Move::GMaxMalodor:
      try_status(foe, Status::Psn, me, Cause::Move);
      break;
    case Move::GMaxVoltCrash:
      try_status(foe, Status::Par, me, Cause::Move);
      break;
    case Move::GMaxCentiferno:
    case Move::GMaxSandblast:
      add_volatile(foe, Volatile::PartiallyTrapped, me, move);
      break;
    case Move::GMaxCuddle:
      add_volatile(foe, Volatile::Attract, me);
      break;
    case Move::GMaxDepletion:
      deduct_pp(foe, act(foe).last_base_move, 2);
      break;
    case Move::GMaxGoldRush:
    case Move::GMaxSmite:
      add_volatile(foe, Volatile::Confusion, me);
      break;
    case Move::GMaxMeltdown:
      if (!act(foe).has(Volatile::Dynamax)) add_volatile(foe, Volatile::Torment, me, move);
      break;
    case Move::GMaxTerror:
      trap(foe, p);
      break;
    default:
      break;
  }
}

void Battle::replenish(int p) {
  if (chance_.chance(1, 2)) return;
  Pokemon& own = mon(p);
  if (own.item == Item::None && is_berry(own.last_item)) {
    const Item berry = own.last_item;
    own.last_item = Item::None;
    set_item(p, berry);
  }
}

void Battle::start_gravity() {
  s_.gravity = 5;
  for (int p = 0; p < 2; ++p) {
    if (!act(p).on_field) continue;
    knock_down(p);
    act(p).drop(Volatile::MagnetRise);
  }
}

}  // namespace tengen::pokemon
