// The power of a move: what it has of itself, and what multiplies it.
#include <algorithm>

#include "games/pokemon/battle.hpp"

namespace tengen::pokemon {

namespace {

int power_by_weight(int weight) {
  if (weight >= 2000) return 120;
  if (weight >= 1000) return 100;
  if (weight >= 500) return 80;
  if (weight >= 250) return 60;
  return weight >= 100 ? 40 : 20;
}

int power_by_weights(int own, int target) {
  if (own >= target * 5) return 120;
  if (own >= target * 4) return 100;
  if (own >= target * 3) return 80;
  return own >= target * 2 ? 60 : 40;
}

}  // namespace

int Battle::power_of(const Unit& source, int target, const ActiveMove& move) const {
  const int p = source.side;
  const Pokemon& own = source.mon;
  const Pokemon& theirs = mon(target);
  const Active& foe = act(target);
  const auto doubled = [&](bool when) { return when ? 2 * move.power : move.power; };
  switch (move.id) {
    case Move::Acrobatics:
      return doubled(own.item == Item::None);
    case Move::Avalanche:
      return doubled(source.field.attacked_by == who_of(target));
    case Move::BoltBeak:
    case Move::FishiousRend:
      return doubled(foe.newly_switched || is_move_queued(target));
    case Move::Payback:
      return doubled(!foe.newly_switched && !is_move_queued(target));
    case Move::DragonEnergy:
    case Move::WaterSpout:
      return std::max(1, move.power * own.hp / own.max_hp);
    case Move::GrassKnot:
    case Move::LowKick:
      return power_by_weight(weight(target));
    case Move::HeatCrash:
    case Move::HeavySlam:
      return power_by_weights(weight(p), weight(target));
    case Move::GyroBall:
      return std::min(150, 25 * speed(target) / std::max(1, speed(p)) + 1);
    case Move::Hex:
      return doubled(theirs.status != Status::None);
    case Move::RisingVoltage:
      return doubled(s_.terrain == Terrain::Electric && is_grounded(target));
    case Move::StompingTantrum:
      return doubled(source.field.last_turn == MoveResult::Failed);
    case Move::StoredPower: {
      int sum = 0;
      for (const auto stage : source.field.boosts) sum += std::max<int>(stage, 0);
      return move.power + 20 * sum;
    }
    case Move::TripleAxel:
      return 20 * move.hit;
    default:
      return move.power;
  }
}

// In the order in which the simulator multiplies.
int Battle::modified_power(const Unit& source, int target, const ActiveMove& move, int power) const {
  Modifier chain;
  const Ability mine = ability(source);
  if (mine == Ability::Technician && power <= 60) chain.by(3, 2);
  scale_power_by_ability(target, move, mine, chain);
  scale_power_by_aura(move, chain);
  if (mine == Ability::MegaLauncher && move.has_flag(kFlagPulse)) chain.by(3, 2);
  if (mine == Ability::StrongJaw && move.has_flag(kFlagBite)) chain.by(3, 2);
  if (guard(target) == Ability::DrySkin && move.type == Type::Fire) chain.by(5, 4);
  if (guard(target) == Ability::Heatproof && move.type == Type::Fire) chain.by(1, 2);
  scale_power_by_item(source, move, chain);
  if (mine == Ability::PunkRock && move.has_flag(kFlagSound)) chain.by4096(5325);
  scale_power_by_terrain(source, target, move, chain);
  scale_own_power(source, target, move, chain);
  return chain.apply(power);
}

void Battle::scale_power_by_ability(int target, const ActiveMove& move, Ability mine, Modifier& chain) const {
  switch (mine) {
    case Ability::IronFist:
      if (move.has_flag(kFlagPunch)) chain.by4096(4915);
      break;
    case Ability::Reckless:
      if (move.row->recoil.denominator != 0 || move.has(kTraitCrash)) chain.by4096(4915);
      break;
    case Ability::Aerilate:
    case Ability::Refrigerate:
    case Ability::Pixilate:
      if (move.type_boosted) chain.by4096(4915);
      break;
    case Ability::SteelySpirit:
      if (move.type == Type::Steel) chain.by(3, 2);
      break;
    case Ability::Analytic:
      if (!is_move_queued(target)) chain.by4096(5325);
      break;
    case Ability::SheerForce:
      if (move.sheer_force) chain.by4096(5325);
      break;
    case Ability::ToughClaws:
      if (move.has_flag(kFlagContact)) chain.by4096(5325);
      break;
    default:
      break;
  }
}

void Battle::scale_power_by_aura(const ActiveMove& move, Modifier& chain) const {
  for (const auto& [aura, type] :
       {std::pair{Ability::DarkAura, Type::Dark}, std::pair{Ability::FairyAura, Type::Fairy}}) {
    if (move.type == type && (ability(0) == aura || ability(1) == aura)) chain.by4096(move.aura_break ? 3072 : 5448);
  }
}

void Battle::scale_power_by_item(const Unit& source, const ActiveMove& move, Modifier& chain) const {
  const auto number = data(source.mon.species).number;
  const Type type = move.type;
  bool fits = false;
  switch (item(source)) {
    case Item::GriseousOrb:
      fits = number == 487 && (type == Type::Ghost || type == Type::Dragon);
      break;
    case Item::LustrousOrb:
      fits = number == 484 && (type == Type::Water || type == Type::Dragon);
      break;
    case Item::SoulDew:
      fits = (number == 380 || number == 381) && (type == Type::Psychic || type == Type::Dragon);
      break;
    case Item::AdamantOrb:
      fits = number == 483 && (type == Type::Steel || type == Type::Dragon);
      break;
    case Item::MuscleBand:
      if (move.category == Category::Physical) chain.by4096(4505);
      break;
    case Item::WiseGlasses:
      if (move.category == Category::Special) chain.by4096(4505);
      break;
    default:
      fits = type != Type::None && data(item(source)).power == type;
      break;
  }
  if (fits) chain.by4096(4915);
}

void Battle::scale_power_by_terrain(const Unit& source, int target, const ActiveMove& move, Modifier& chain) const {
  const bool hidden = source.side != target && source.field.on_field && is_semi_invulnerable(source.side);
  switch (s_.terrain) {
    case Terrain::Electric:
      if (move.type == Type::Electric && is_grounded(source) && !hidden) chain.by4096(5325);
      break;
    case Terrain::Psychic:
      if (move.type == Type::Psychic && is_grounded(source) && !hidden) chain.by4096(5325);
      break;
    case Terrain::Grassy:
      if (move.id == Move::Earthquake && is_grounded(target) && !is_semi_invulnerable(target)) {
        chain.by(1, 2);
      } else if (move.type == Type::Grass && is_grounded(source)) {
        chain.by4096(5325);
      }
      break;
    case Terrain::Misty:
      if (move.type == Type::Dragon && is_grounded(target) && !is_semi_invulnerable(target)) chain.by(1, 2);
      break;
    default:
      break;
  }
}

void Battle::scale_own_power(const Unit& source, int target, const ActiveMove& move, Modifier& chain) const {
  switch (move.id) {
    case Move::ExpandingForce:
      if (s_.terrain == Terrain::Psychic && is_grounded(source)) chain.by(3, 2);
      break;
    case Move::Facade:
      if (source.mon.status != Status::None && source.mon.status != Status::Slp) chain.by(2, 1);
      break;
    case Move::FusionBolt:
      if (s_.last_successful_move == Move::FusionFlare) chain.by(2, 1);
      break;
    case Move::FusionFlare:
      if (s_.last_successful_move == Move::FusionBolt) chain.by(2, 1);
      break;
    case Move::GravApple:
      if (s_.gravity != 0) chain.by(3, 2);
      break;
    case Move::KnockOff:
      if (mon(target).item != Item::None && !is_item_bound(mon(target).item, target, target)) chain.by(3, 2);
      break;
    case Move::SolarBeam:
      if (const Weather now = weather(); now != Weather::None && now != Weather::Sun) chain.by(1, 2);
      break;
    default:
      break;
  }
}

}  // namespace tengen::pokemon
