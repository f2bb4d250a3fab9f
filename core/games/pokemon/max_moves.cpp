// What Max and G-Max Moves bring with their hit.
#include "games/pokemon/battle.hpp"

namespace tengen::pokemon {

void Battle::max_effect(int p, const ActiveMove& move) {
  const int foe = 1 - p;
  if (act(p).has(Volatile::Dynamax) && plain_max_effect(p, foe, move.id)) return;
  g_max_effect(p, foe, move.id);
}

// The Max Moves of the eighteen types. They need a user that is Dynamaxed still.
bool Battle::plain_max_effect(int p, int foe, Move move) {
  const auto raise = [&](Stat stat) {
    Boosts by{};
    by[stat] = 1;
    boost(p, by, p, Cause::Move);
  };
  const auto lower = [&](Stat stat) {
    Boosts by{};
    by[stat] = -1;
    boost(foe, by, p, Cause::Move);
  };
  switch (move) {
    case Move::MaxAirstream: raise(kSpe); return true;
    case Move::MaxKnuckle: raise(kAtk); return true;
    case Move::MaxOoze: raise(kSpa); return true;
    case Move::MaxQuake: raise(kSpd); return true;
    case Move::MaxSteelspike: raise(kDef); return true;
    case Move::MaxDarkness: lower(kSpd); return true;
    case Move::MaxFlutterby: lower(kSpa); return true;
    case Move::MaxPhantasm: lower(kDef); return true;
    case Move::MaxStrike: lower(kSpe); return true;
    case Move::MaxWyrmwind: lower(kAtk); return true;
    case Move::MaxFlare: set_weather(Weather::Sun); return true;
    case Move::MaxGeyser: set_weather(Weather::Rain); return true;
    case Move::MaxHailstorm: set_weather(Weather::Hail); return true;
    case Move::MaxRockfall: set_weather(Weather::Sand); return true;
    case Move::MaxLightning: set_terrain(Terrain::Electric); return true;
    case Move::MaxMindstorm: set_terrain(Terrain::Psychic); return true;
    case Move::MaxOvergrowth: set_terrain(Terrain::Grassy); return true;
    case Move::MaxStarfall: set_terrain(Terrain::Misty); return true;
    default: return false;
  }
}

void Battle::g_max_effect(int p, int foe, Move move) {
  const Who me = who_of(p);
  const bool there = act(foe).on_field && mon(foe).hp > 0;
  switch (move) {
    case Move::GMaxBefuddle:
      if (there) {
        constexpr std::array<Status, 3> kStatuses{Status::Slp, Status::Par, Status::Psn};
        try_status(foe, kStatuses[index_of(chance_.below(3))], me, Cause::Move);
      }
      break;
    case Move::GMaxStunShock:
      if (there) try_status(foe, chance_.below(2) == 0 ? Status::Par : Status::Psn, me, Cause::Move);
      break;
    case Move::GMaxMalodor:
      if (there) try_status(foe, Status::Psn, me, Cause::Move);
      break;
    case Move::GMaxVoltCrash:
      if (there) try_status(foe, Status::Par, me, Cause::Move);
      break;
    case Move::GMaxCannonade: add_side_condition(foe, SideCondition::GMaxCannonade, p); break;
    case Move::GMaxVineLash: add_side_condition(foe, SideCondition::GMaxVineLash, p); break;
    case Move::GMaxVolcalith: add_side_condition(foe, SideCondition::GMaxVolcalith, p); break;
    case Move::GMaxWildfire: add_side_condition(foe, SideCondition::GMaxWildfire, p); break;
    case Move::GMaxSteelsurge: add_side_condition(foe, SideCondition::GMaxSteelsurge, p); break;
    case Move::GMaxStonesurge: add_side_condition(foe, SideCondition::StealthRock, p); break;
    case Move::GMaxCentiferno:
    case Move::GMaxSandblast:
      if (there) add_volatile(foe, Volatile::PartiallyTrapped, me, move);
      break;
    case Move::GMaxChiStrike: add_volatile(p, Volatile::ChiStrike, me); break;
    case Move::GMaxCuddle:
      if (there) add_volatile(foe, Volatile::Attract, me);
      break;
    case Move::GMaxDepletion:
      if (there) deduct_pp(foe, act(foe).last_base_move, 2);
      break;
    case Move::GMaxFinale: heal(p, mon(p).max_hp / 6); break;
    case Move::GMaxFoamBurst: boost(foe, {0, 0, 0, 0, -2, 0, 0}, p, Cause::Move); break;
    case Move::GMaxGoldRush:
    case Move::GMaxSmite:
      if (there) add_volatile(foe, Volatile::Confusion, me);
      break;
    case Move::GMaxGravitas:
      if (s_.gravity == 0) start_gravity();
      break;
    case Move::GMaxMeltdown:
      if (there && !act(foe).has(Volatile::Dynamax)) add_volatile(foe, Volatile::Torment, me, move);
      break;
    case Move::GMaxReplenish: replenish(p); break;
    case Move::GMaxResonance: add_side_condition(p, SideCondition::AuroraVeil, p); break;
    case Move::GMaxSweetness: heal_team(p); break;
    case Move::GMaxTartness: boost(foe, {0, 0, 0, 0, 0, 0, -1}, p, Cause::Move); break;
    case Move::GMaxTerror:
      if (there) trap(foe, p);
      break;
    case Move::GMaxWindRage: blow_away(p, foe); break;
    default: break;
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
