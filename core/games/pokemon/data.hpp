#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "games/pokemon/ids.hpp"

// Tables of moves, species, abilities and items, made by scripts/pokemon_data.py.
namespace tengen::pokemon {

enum class Target : std::uint8_t {
  Normal,
  Any,
  AdjacentFoe,
  RandomNormal,
  Scripted,
  AllAdjacent,
  AllAdjacentFoes,
  Self,
  Allies,
  AllyTeam,
  AllySide,
  FoeSide,
  All
};

inline constexpr std::uint32_t kFlagBite = 1U << 0;
inline constexpr std::uint32_t kFlagBullet = 1U << 1;
inline constexpr std::uint32_t kFlagBypasssub = 1U << 2;
inline constexpr std::uint32_t kFlagCharge = 1U << 3;
inline constexpr std::uint32_t kFlagContact = 1U << 4;
inline constexpr std::uint32_t kFlagDance = 1U << 5;
inline constexpr std::uint32_t kFlagDefrost = 1U << 6;
inline constexpr std::uint32_t kFlagFailencore = 1U << 7;
inline constexpr std::uint32_t kFlagFuturemove = 1U << 8;
inline constexpr std::uint32_t kFlagGravity = 1U << 9;
inline constexpr std::uint32_t kFlagHeal = 1U << 10;
inline constexpr std::uint32_t kFlagMustpressure = 1U << 11;
inline constexpr std::uint32_t kFlagNosleeptalk = 1U << 12;
inline constexpr std::uint32_t kFlagPowder = 1U << 13;
inline constexpr std::uint32_t kFlagProtect = 1U << 14;
inline constexpr std::uint32_t kFlagPulse = 1U << 15;
inline constexpr std::uint32_t kFlagPunch = 1U << 16;
inline constexpr std::uint32_t kFlagReflectable = 1U << 17;
inline constexpr std::uint32_t kFlagSound = 1U << 18;

inline constexpr std::uint32_t kTraitBreaksProtect = 1U << 0;
inline constexpr std::uint32_t kTraitCallsMove = 1U << 1;
inline constexpr std::uint32_t kTraitCrash = 1U << 2;
inline constexpr std::uint32_t kTraitForceSwitch = 1U << 3;
inline constexpr std::uint32_t kTraitHasSecondary = 1U << 4;
inline constexpr std::uint32_t kTraitHasSelf = 1U << 5;
inline constexpr std::uint32_t kTraitIgnoreAbility = 1U << 6;
inline constexpr std::uint32_t kTraitIgnoreDefence = 1U << 7;
inline constexpr std::uint32_t kTraitIgnoreEvasion = 1U << 8;
inline constexpr std::uint32_t kTraitMax = 1U << 9;
inline constexpr std::uint32_t kTraitMultiAccuracy = 1U << 10;
inline constexpr std::uint32_t kTraitSelfDestruct = 1U << 11;
inline constexpr std::uint32_t kTraitSelfDestructIfHit = 1U << 12;
inline constexpr std::uint32_t kTraitSelfSwitch = 1U << 13;
inline constexpr std::uint32_t kTraitSleepUsable = 1U << 14;
inline constexpr std::uint32_t kTraitStalling = 1U << 15;
inline constexpr std::uint32_t kTraitStealsBoosts = 1U << 16;
inline constexpr std::uint32_t kTraitThawsTarget = 1U << 17;
inline constexpr std::uint32_t kTraitWillCrit = 1U << 18;
inline constexpr std::uint32_t kTraitFixedDamage = 1U << 19;
inline constexpr std::uint32_t kTraitAttacksWithDefence = 1U << 20;
inline constexpr std::uint32_t kTraitAttacksWithTarget = 1U << 21;
inline constexpr std::uint32_t kTraitHitsDefence = 1U << 22;

using Boosts = std::array<std::int8_t, kBoosts>;

struct Fraction {
  std::uint8_t numerator = 0;
  std::uint8_t denominator = 0;
};

// What a part of a move does to the Pokémon it hits.
struct Effect {
  std::uint8_t chance = 0;  // in percent; 0: always
  bool self = false;        // hits the user
  Status status = Status::None;
  Volatile condition = Volatile::None;
  Boosts boosts{};
  bool special = false;  // more than a table can say: see move_effects.cpp

  bool has_boosts() const { return boosts != Boosts{}; }
};

struct MoveData {
  std::string_view id = "";
  std::string_view name = "";
  Type type = Type::None;
  Category category = Category::Status;
  std::uint8_t power = 0;
  std::uint8_t accuracy = 0;  // 0: cannot miss
  std::uint8_t base_pp = 0;
  std::uint8_t pp = 0;  // with all PP Ups
  std::int8_t priority = 0;
  std::uint8_t crit_ratio = 1;
  std::uint8_t max_power = 0;
  Target target = Target::Normal;
  std::uint32_t flags = 0;
  std::uint32_t traits = 0;
  Fraction drain{};
  Fraction recoil{};
  Fraction heal{};
  Fraction hits{};  // at least and at most; 0: one
  SideCondition side_condition = SideCondition::None;
  Effect hit{};
  Effect self{};
  Boosts after_boosts{};  // of the user, once after all hits
  std::array<Effect, 2> secondaries{};

  bool has(std::uint32_t trait) const { return (traits & trait) != 0; }
};

inline constexpr std::uint8_t kTrapArenaTrap = 1;
inline constexpr std::uint8_t kTrapShadowTag = 2;
inline constexpr std::uint8_t kTrapMagnetPull = 4;

struct SpeciesData {
  std::string_view id = "";
  std::string_view name = "";
  std::uint16_t number = 0;
  std::array<std::uint8_t, 6> stats{};  // HP, attack, defence, special attack, special defence, speed
  std::array<Type, 2> types{Type::None, Type::None};
  std::uint16_t weight = 0;  // in tenths of a kilogram
  Species base = Species::None;
  Ability ability = Ability::None;  // the first; what a change of forme for good brings
  Move g_max_move = Move::None;
  bool can_evolve = false;
  bool cannot_dynamax = false;
  std::uint8_t traps = 0;  // abilities it might have that keep a foe from switching: the foe is told that it may be
};

inline constexpr std::uint8_t kAbilityBreakable = 1;  // Mold Breaker ignores it
inline constexpr std::uint8_t kAbilityCantsuppress = 2;
inline constexpr std::uint8_t kAbilityFailskillswap = 4;
inline constexpr std::uint8_t kAbilityNotrace = 8;
inline constexpr std::uint8_t kAbilityNotransform = 16;  // does nothing for who got it by Transform

struct AbilityData {
  std::string_view id = "";
  std::string_view name = "";
  std::uint8_t flags = 0;
};

inline constexpr std::uint8_t kItemBerry = 1;
inline constexpr std::uint8_t kItemChoice = 2;

struct ItemData {
  std::string_view id = "";
  std::string_view name = "";
  std::uint8_t flags = 0;
  Type memory = Type::None;
  Type power = Type::None;   // moves of this type are stronger by a fifth
  Type shield = Type::None;  // a berry that halves a very effective hit of this type
};

extern const std::array<MoveData, index_of(Move::Count)> kMoves;
extern const std::array<SpeciesData, index_of(Species::Count)> kSpecies;
extern const std::array<AbilityData, index_of(Ability::Count)> kAbilities;
extern const std::array<ItemData, index_of(Item::Count)> kItems;
extern const std::array<std::string_view, kTypes + 1> kTypeNames;
// How many times an attack's damage is doubled (1), halved (-1) or left alone; kImmune where it does nothing.
inline constexpr std::int8_t kImmune = 3;
extern const std::array<std::array<std::int8_t, kTypes + 1>, kTypes + 1> kTypeChart;

inline const MoveData& data(Move move) { return kMoves[index_of(move)]; }
inline const SpeciesData& data(Species species) { return kSpecies[index_of(species)]; }
inline const AbilityData& data(Ability ability) { return kAbilities[index_of(ability)]; }
inline const ItemData& data(Item item) { return kItems[index_of(item)]; }

inline bool is_berry(Item item) { return (data(item).flags & kItemBerry) != 0; }
inline bool is_choice(Item item) { return (data(item).flags & kItemChoice) != 0; }

// By the simulator's id, such as "heavydutyboots". None where there is no such thing.
Species find_species(std::string_view id);
Move find_move(std::string_view id);
Ability find_ability(std::string_view id);
Item find_item(std::string_view id);
Type find_type(std::string_view name);

// The simulator's ids of what is not in a table.
extern const std::array<std::string_view, kVolatiles> kVolatileIds;
extern const std::array<std::string_view, kSideConditions> kSideConditionIds;
extern const std::array<std::string_view, 7> kStatusIds;
extern const std::array<std::string_view, 5> kWeatherIds;
extern const std::array<std::string_view, 5> kTerrainIds;

}  // namespace tengen::pokemon
