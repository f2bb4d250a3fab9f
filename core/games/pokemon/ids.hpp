#pragma once

#include <cstddef>
#include <cstdint>

// Names of everything that a gen 8 random battle holds. Ids are dense, 0 is none; they follow the simulator's own ids
// in alphabetical order, and data.hpp finds one by its name.
namespace tengen::pokemon {

enum class Type : std::uint8_t {
#include "games/pokemon/data/types_ids.inc"
  None,  // no type: a second type that is not there, and what Struggle hits with
};
inline constexpr int kTypes = static_cast<int>(Type::None);

enum class Species : std::uint16_t {
  None,
#include "games/pokemon/data/species_ids.inc"
  Count
};

enum class Move : std::uint16_t {
  None,
#include "games/pokemon/data/moves_ids.inc"
  Count
};

enum class Ability : std::uint8_t {
  None,
#include "games/pokemon/data/abilities_ids.inc"
  Count
};

enum class Item : std::uint8_t {
  None,
#include "games/pokemon/data/items_ids.inc"
  Count
};

enum class Category : std::uint8_t { Physical, Special, Status };
enum class Gender : std::uint8_t { None, Male, Female };
enum class Status : std::uint8_t { None, Brn, Par, Slp, Frz, Psn, Tox };
enum class Weather : std::uint8_t { None, Sun, Rain, Sand, Hail };
enum class Terrain : std::uint8_t { None, Electric, Grassy, Misty, Psychic };

// A stage of these can rise and fall. The first five are stats with numbers of their own.
enum Stat : std::uint8_t { kAtk, kDef, kSpa, kSpd, kSpe, kAccuracy, kEvasion };
inline constexpr int kStats = 5;
inline constexpr int kBoosts = 7;

// What a Pokémon on the field is under until it leaves.
enum class Volatile : std::uint8_t {
  Attract,
  BanefulBunker,
  Bounce,
  ChiStrike,
  ChoiceLock,
  Confusion,
  Counter,
  Curse,
  DestinyBond,
  Disable,
  Dynamax,
  Encore,
  FlashFire,
  Flinch,
  Fly,
  FocusEnergy,
  FocusPunch,
  Geomancy,
  KingsShield,
  LeechSeed,
  LockedMove,
  MagnetRise,
  MaxGuard,
  MeteorBeam,
  MirrorCoat,
  NoRetreat,
  PartiallyTrapped,
  PhantomForce,
  Protect,
  Roost,
  SmackDown,
  SolarBeam,
  SparklingAria,
  SpikyShield,
  Stall,
  Substitute,
  Taunt,
  ThroatChop,
  Torment,
  Trapped,
  Trapper,
  TwoTurnMove,
  Unburden,
  Yawn,
  None
};
inline constexpr int kVolatiles = static_cast<int>(Volatile::None);

// Hazards first: their numbers are layers, those of the others turns left.
enum class SideCondition : std::uint8_t {
  Spikes,
  ToxicSpikes,
  StealthRock,
  StickyWeb,
  GMaxSteelsurge,
  Reflect,
  LightScreen,
  AuroraVeil,
  GMaxCannonade,
  GMaxVineLash,
  GMaxVolcalith,
  GMaxWildfire,
  None
};
inline constexpr int kHazards = 5;
inline constexpr int kSideConditions = static_cast<int>(SideCondition::None);

template <class Enum>
constexpr std::size_t index_of(Enum value) {
  return static_cast<std::size_t>(value);
}

}  // namespace tengen::pokemon
