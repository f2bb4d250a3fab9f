#include "games/pokemon/matchup.hpp"

#include <algorithm>
#include <cmath>

#include "games/pokemon/battle.hpp"

namespace tengen::pokemon {

namespace {

constexpr float kMeanRoll = 0.925F;

float stage_factor(int stage) {
  constexpr std::array<float, 13> kFactors{0.25F, 0.2857F, 0.3333F, 0.4F, 0.5F, 0.6667F, 1.0F,
                                           1.5F,  2.0F,    2.5F,    3.0F, 3.5F, 4.0F};
  return kFactors[index_of(std::clamp(stage, -6, 6) + 6)];
}

// 0 where the type does nothing.
float type_factor(Type attack, const Fighter& target) {
  constexpr std::array<float, 7> kFactors{0.125F, 0.25F, 0.5F, 1.0F, 2.0F, 4.0F, 8.0F};
  int sum = 0;
  for (const Type own : target.types) {
    const int mod = kTypeChart[index_of(attack)][index_of(own)];
    if (mod == kImmune) return 0.0F;
    sum += mod;
  }
  return kFactors[index_of(sum + 3)];
}

float attack_factor(const Pokemon& mon, Ability ability, Item item, bool physical, bool big) {
  float factor = 1.0F;
  if (physical) {
    if (ability == Ability::HugePower) factor *= 2.0F;
    if (ability == Ability::Hustle || (ability == Ability::GorillaTactics && !big)) factor *= 1.5F;
    if (ability == Ability::Guts && mon.status != Status::None) factor *= 1.5F;
    if (item == Item::ChoiceBand && !big) factor *= 1.5F;
    if (item == Item::ThickClub) factor *= 2.0F;
    if (mon.status == Status::Brn && ability != Ability::Guts) factor *= 0.5F;
  } else if (item == Item::ChoiceSpecs && !big) {
    factor *= 1.5F;
  }
  if (item == Item::LightBall) factor *= 2.0F;
  if (item == Item::LifeOrb) factor *= 1.3F;
  if (ability == Ability::Defeatist && 2 * mon.hp <= mon.max_hp) factor *= 0.5F;
  return factor;
}

float speed_of(const State& state, const Fighter& one, float plain) {
  const Weather weather = state.weather;
  const bool doubled = (one.ability == Ability::Chlorophyll && weather == Weather::Sun) ||
                       (one.ability == Ability::SwiftSwim && weather == Weather::Rain) ||
                       (one.ability == Ability::SandRush && weather == Weather::Sand) ||
                       (one.ability == Ability::SlushRush && weather == Weather::Hail) ||
                       (one.ability == Ability::SurgeSurfer && state.terrain == Terrain::Electric) ||
                       (one.field != nullptr && one.field->has(Volatile::Unburden) && one.item == Item::None);
  float speed = plain * (doubled ? 2.0F : 1.0F);
  if (one.item == Item::ChoiceScarf && !one.is_big) speed *= 1.5F;
  if (one.mon->status == Status::Par) speed *= 0.5F;
  return speed;
}

// What a type that an ability takes in does to its holder: nothing.
bool is_absorbed(Type type, const Fighter& target) {
  switch (target.ability) {
    case Ability::FlashFire:
      return type == Type::Fire;
    case Ability::WaterAbsorb:
    case Ability::StormDrain:
    case Ability::DrySkin:
      return type == Type::Water;
    case Ability::VoltAbsorb:
    case Ability::LightningRod:
    case Ability::MotorDrive:
      return type == Type::Electric;
    case Ability::SapSipper:
      return type == Type::Grass;
    default:
      return false;
  }
}

float target_factor(const Fighter& target, Type type, Category category, std::uint32_t flags, float types) {
  switch (target.ability) {
    case Ability::ThickFat:
      return type == Type::Ice || type == Type::Fire ? 0.5F : 1.0F;
    case Ability::Heatproof:
    case Ability::WaterBubble:
      return type == Type::Fire ? 0.5F : 1.0F;
    case Ability::DrySkin:
      return type == Type::Fire ? 1.25F : 1.0F;
    case Ability::Fluffy:
      return (type == Type::Fire ? 2.0F : 1.0F) * ((flags & kFlagContact) != 0 ? 0.5F : 1.0F);
    case Ability::IceScales:
      return category == Category::Special ? 0.5F : 1.0F;
    case Ability::Filter:
    case Ability::SolidRock:
    case Ability::PrismArmor:
      return types > 1.0F ? 0.75F : 1.0F;
    case Ability::Multiscale:
    case Ability::ShadowShield:
      return target.hp >= 1.0F ? 0.5F : 1.0F;
    case Ability::WonderGuard:
      return types > 1.0F ? 1.0F : 0.0F;
    case Ability::Soundproof:
      return (flags & kFlagSound) != 0 ? 0.0F : 1.0F;
    case Ability::Bulletproof:
      return (flags & kFlagBullet) != 0 ? 0.0F : 1.0F;
    case Ability::PunkRock:
      return (flags & kFlagSound) != 0 ? 0.5F : 1.0F;
    default:
      return 1.0F;
  }
}

float user_factor(const Fighter& source, const MoveData& row, Type type, float power, float types) {
  const auto when = [](bool holds, float factor) { return holds ? factor : 1.0F; };
  const bool pinched = 3 * source.mon->hp <= source.mon->max_hp;
  switch (source.ability) {
    case Ability::Technician:
      return when(power <= 60.0F, 1.5F);
    case Ability::ToughClaws:
      return when((row.flags & kFlagContact) != 0, 1.3F);
    case Ability::SheerForce:
      return when(row.has(kTraitHasSecondary), 1.3F);
    case Ability::IronFist:
      return when((row.flags & kFlagPunch) != 0, 1.2F);
    case Ability::StrongJaw:
      return when((row.flags & kFlagBite) != 0, 1.5F);
    case Ability::MegaLauncher:
      return when((row.flags & kFlagPulse) != 0, 1.5F);
    case Ability::Reckless:
      return when(row.recoil.denominator != 0 || row.has(kTraitCrash), 1.2F);
    case Ability::PunkRock:
      return when((row.flags & kFlagSound) != 0, 1.3F);
    case Ability::TintedLens:
      return when(types < 1.0F, 2.0F);
    case Ability::Transistor:
      return when(type == Type::Electric, 1.5F);
    case Ability::DragonsMaw:
      return when(type == Type::Dragon, 1.5F);
    case Ability::Steelworker:
    case Ability::SteelySpirit:
      return when(type == Type::Steel, 1.5F);
    case Ability::WaterBubble:
      return when(type == Type::Water, 2.0F);
    case Ability::Blaze:
      return when(pinched && type == Type::Fire, 1.5F);
    case Ability::Overgrow:
      return when(pinched && type == Type::Grass, 1.5F);
    case Ability::Torrent:
      return when(pinched && type == Type::Water, 1.5F);
    case Ability::Swarm:
      return when(pinched && type == Type::Bug, 1.5F);
    case Ability::Pixilate:
    case Ability::Aerilate:
    case Ability::Refrigerate:
      return when(row.type == Type::Normal, 1.2F);
    default:
      return 1.0F;
  }
}

float field_factor(const State& state, const Fighter& source, const Fighter& target, int target_side, Type type,
                   bool physical) {
  float factor = 1.0F;
  if (state.weather == Weather::Sun) factor *= type == Type::Fire ? 1.5F : type == Type::Water ? 0.5F : 1.0F;
  if (state.weather == Weather::Rain) factor *= type == Type::Water ? 1.5F : type == Type::Fire ? 0.5F : 1.0F;
  const bool is_charged = (state.terrain == Terrain::Electric && type == Type::Electric) ||
                          (state.terrain == Terrain::Grassy && type == Type::Grass) ||
                          (state.terrain == Terrain::Psychic && type == Type::Psychic);
  if (is_charged && source.is_grounded) factor *= 1.3F;
  if (state.terrain == Terrain::Misty && type == Type::Dragon && target.is_grounded) factor *= 0.5F;
  const Side& side = state.sides[index_of(target_side)];
  const SideCondition screen = physical ? SideCondition::Reflect : SideCondition::LightScreen;
  if (side.count(screen) != 0 || side.count(SideCondition::AuroraVeil) != 0) {
    if (source.ability != Ability::Infiltrator) factor *= 0.5F;
  }
  return factor;
}

float weight_of(const Fighter& one) { return data(one.mon->species).weight; }

float weight_power(float weight) {
  if (weight >= 2000) return 120;
  if (weight >= 1000) return 100;
  if (weight >= 500) return 80;
  if (weight >= 250) return 60;
  return weight >= 100 ? 40 : 20;
}

float crash_power(float ratio) { return ratio >= 5 ? 120 : ratio >= 4 ? 100 : ratio >= 3 ? 80 : ratio >= 2 ? 60 : 40; }

float stored_power(const Fighter& source) {
  float power = 20.0F;
  if (source.field == nullptr) return power;
  for (const std::int8_t stage : source.field->boosts) power += 20.0F * static_cast<float>(std::max<int>(stage, 0));
  return power;
}

// The power of a move on average, all of its hits together.
float power_of(const Fighter& source, const Fighter& target, Move id, const MoveData& row) {
  const auto power = static_cast<float>(row.power);
  switch (id) {
    case Move::Acrobatics:
      return source.item == Item::None ? 2 * power : power;
    case Move::KnockOff:
      return target.item != Item::None ? 1.5F * power : power;
    case Move::Facade:
      return source.mon->status != Status::None ? 2 * power : power;
    case Move::Hex:
      return target.mon->status != Status::None ? 2 * power : power;
    case Move::StoredPower:
      return stored_power(source);
    case Move::LowKick:
    case Move::GrassKnot:
      return target.is_big ? 0.0F : weight_power(weight_of(target));
    case Move::HeavySlam:
    case Move::HeatCrash:
      return target.is_big ? 0.0F : crash_power(weight_of(source) / std::max(1.0F, weight_of(target)));
    case Move::GyroBall:
      return std::min(150.0F, 25.0F * target.speed / std::max(1.0F, source.speed) + 1.0F);
    case Move::WaterSpout:
    case Move::DragonEnergy:
      return power * source.hp;
    case Move::BoltBeak:
    case Move::FishiousRend:
      return source.speed > target.speed ? 2 * power : power;
    case Move::TripleAxel:
      return 108.0F;
    case Move::FutureSight:
      return 0.4F * power;
    default:
      break;
  }
  if (row.hits.denominator == 0) return power;
  const float hits = row.hits.numerator == row.hits.denominator ? static_cast<float>(row.hits.numerator)
                     : source.ability == Ability::SkillLink     ? 5.0F
                                                                : 3.1F;
  return power * hits;
}

// Turns that a move costs beside the one it hits in, and whether it can be used now at all.
float readiness(const State& state, const Fighter& source, Move id, const MoveData& row) {
  if ((row.flags & kFlagCharge) != 0) {
    const bool is_ready = source.item == Item::PowerHerb || (id == Move::SolarBeam && state.weather == Weather::Sun);
    return is_ready ? 1.0F : 0.5F;
  }
  if (id == Move::FakeOut || id == Move::FirstImpression) {
    return source.field == nullptr || source.field->active_turns <= 1 ? 1.0F : 0.0F;
  }
  if (id == Move::FocusPunch) return 0.3F;
  if (id == Move::SuckerPunch) return 0.7F;
  return 1.0F;
}

Type type_of(const Fighter& source, Move id, const MoveData& row) {
  if (id == Move::MultiAttack) {
    const Type memory = data(source.item).memory;
    return memory == Type::None ? Type::Normal : memory;
  }
  if (row.type != Type::Normal) return row.type;
  if (source.ability == Ability::Pixilate) return Type::Fairy;
  if (source.ability == Ability::Aerilate) return Type::Flying;
  return source.ability == Ability::Refrigerate ? Type::Ice : Type::Normal;
}

// Of moves whose damage no stat decides; below 0: of all others.
float fixed_damage(const Fighter& source, const Fighter& target, Move id) {
  if (id == Move::SeismicToss || id == Move::NightShade) return static_cast<float>(source.mon->level) / target.max_hp;
  if (id == Move::SuperFang || id == Move::NaturesMadness) return target.hp / 2;
  if (id == Move::Counter || id == Move::MirrorCoat) return 0.2F;
  return -1.0F;
}

void put_types(Fighter& one, const std::array<Type, 2>& types, Type added) { one.types = {types[0], types[1], added}; }

}  // namespace

Fighter make_fighter(const State& state, int side_index, int slot) {
  const Side& side = state.sides[index_of(side_index)];
  Fighter one;
  const Pokemon& mon = side.team[index_of(slot)];
  one.mon = &mon;
  if (slot == side.active && side.field.on_field) one.field = &side.field;
  one.ability = mon.ability;
  one.item = mon.item;
  one.max_hp = static_cast<float>(std::max<int>(1, mon.max_hp));
  one.hp = static_cast<float>(mon.hp) / one.max_hp;
  const auto& stats = one.field != nullptr ? one.field->stats : mon.stats;
  std::array<float, kStats> factors{1.0F, 1.0F, 1.0F, 1.0F, 1.0F};
  if (one.field != nullptr) {
    put_types(one, one.field->types, one.field->added_type);
    one.is_big = one.field->has(Volatile::Dynamax);
    for (std::size_t i = 0; i < kStats; ++i) factors[i] = stage_factor(one.field->boosts[i]);
  } else {
    put_types(one, data(mon.species).types, Type::None);
  }
  const auto stat = [&](Stat which) { return static_cast<float>(stats[which]) * factors[which]; };
  one.attack = {stat(kAtk) * attack_factor(mon, one.ability, one.item, true, one.is_big),
                stat(kSpa) * attack_factor(mon, one.ability, one.item, false, one.is_big)};
  one.defence = {stat(kDef), stat(kSpd)};
  if (one.item == Item::Eviolite && data(mon.species).can_evolve) {
    for (float& defence : one.defence) defence *= 1.5F;
  }
  if (one.item == Item::AssaultVest) one.defence[1] *= 1.5F;
  if (one.ability == Ability::FurCoat) one.defence[0] *= 2.0F;
  if (one.ability == Ability::MarvelScale && mon.status != Status::None) one.defence[0] *= 1.5F;
  if (state.weather == Weather::Sand && one.has(Type::Rock)) one.defence[1] *= 1.5F;
  const bool is_floating = one.has(Type::Flying) || one.ability == Ability::Levitate || one.item == Item::AirBalloon;
  one.is_grounded = !is_floating || state.gravity != 0;
  one.speed = speed_of(state, one, stat(kSpe));
  return one;
}

bool is_faster(const State& state, const Fighter& one, const Fighter& other) {
  return state.trick_room != 0 ? one.speed < other.speed : one.speed > other.speed;
}

float expected_damage(const State& state, const Fighter& source, const Fighter& target, int target_side, Move id,
                      bool max) {
  const MoveData& row = data(id);
  if (row.category == Category::Status) return 0.0F;
  const Type type = type_of(source, id, row);
  const bool pierces = source.ability == Ability::MoldBreaker || source.ability == Ability::Teravolt ||
                       source.ability == Ability::Turboblaze;
  float types = type_factor(type, target);
  if (type == Type::Ground && !target.is_grounded && id != Move::ThousandArrows && !pierces) types = 0.0F;
  if (types == 0.0F && target.has(Type::Ghost) && source.ability == Ability::Scrappy) types = 1.0F;
  if (id == Move::FreezeDry && !max && target.has(Type::Water)) types *= 4.0F;
  if (types == 0.0F || (!pierces && is_absorbed(type, target))) return 0.0F;
  const float fixed = max ? -1.0F : fixed_damage(source, target, id);
  if (fixed >= 0.0F) return fixed;
  const float power = max ? static_cast<float>(row.max_power) : power_of(source, target, id, row);
  const bool physical = row.category == Category::Physical;
  const bool hits_defence = physical || (!max && row.has(kTraitHitsDefence));
  float attack = source.attack[physical ? 0 : 1];
  if (!max && row.has(kTraitAttacksWithDefence)) attack = source.defence[0];
  if (!max && row.has(kTraitAttacksWithTarget)) attack = target.attack[0];
  const float level = 0.4F * static_cast<float>(source.mon->level) + 2.0F;
  float damage = level * power * attack / std::max(1.0F, target.defence[hits_defence ? 0 : 1]) / 50.0F + 2.0F;
  if (source.has(type) || source.ability == Ability::Libero)
    damage *= source.ability == Ability::Adaptability ? 2.0F : 1.5F;
  damage *= types * user_factor(source, row, type, power, types);
  if (!pierces) damage *= target_factor(target, type, row.category, row.flags, types);
  damage *= field_factor(state, source, target, target_side, type, physical);
  if (data(source.item).power == type && type != Type::None) damage *= 1.2F;
  if (source.item == Item::ExpertBelt && types > 1.0F) damage *= 1.2F;
  if (!max) {
    const int accuracy = source.ability == Ability::NoGuard || target.ability == Ability::NoGuard ? 0 : row.accuracy;
    if (accuracy != 0) damage *= static_cast<float>(accuracy) / 100.0F;
    damage *= readiness(state, source, id, row);
  }
  return kMeanRoll * damage / target.max_hp;
}

Threat best_threat(const State& state, const Fighter& source, const Fighter& target, int target_side, bool max) {
  Threat best;
  for (int i = 0; i < kMoveSlots; ++i) {
    const MoveSlot& slot = source.mon->moves[index_of(i)];
    if (slot.id == Move::None || slot.pp == 0) continue;
    if (!max && source.field != nullptr && (source.mon->disabled >> i & 1U) != 0) continue;
    const float damage = expected_damage(state, source, target, target_side, slot.id, max);
    if (damage > best.damage) best.damage = damage;
    if (damage >= target.hp && data(slot.id).priority > 0 && !max) best.is_first = true;
  }
  return best;
}

}  // namespace tengen::pokemon
