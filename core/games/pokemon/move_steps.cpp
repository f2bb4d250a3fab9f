// What stands between a move and its target, one after the other: the move's own conditions, invulnerability,
// protection and absorbing abilities, types, other immunities, accuracy.
#include <algorithm>

#include "games/pokemon/battle.hpp"

namespace tengen::pokemon {

// Answers whether the move worked. Remembers a move that neither worked nor failed.
bool Battle::try_hit(int p, int target, ActiveMove& move) {
  const Result tried = try_conditions(p, target, move);
  if (!tried.is(Result::True)) return tried.is(Result::NotFail);
  prepare_hit(p, move);
  Result result = Result::of(is_reached(p, target, move));
  if (result.is_hit()) result = meet_guards(p, target, move);
  if (result.is_hit()) result = Result::of(is_hit_by(target, move));
  if (result.is_hit()) result = Result::of(!is_immune(p, target, move));
  if (result.is_hit()) result = Result::of(is_accurate(p, target, move));
  if (result.is_hit()) {
    if (move.has(kTraitBreaksProtect)) break_protection(target);
    if (move.has(kTraitStealsBoosts)) steal_boosts(p, target);
    result = hit_loop(p, target, move);
  }
  move.hit_target = result.is_hit();
  if (!result.is_hit() && !result.is(Result::False)) act(p).this_turn = MoveResult::Skipped;
  return result.is_hit();
}

// Moves that go to a side or to the whole field.
bool Battle::try_sided_move(int p, int target, ActiveMove& move) {
  const Result tried = try_conditions(p, target, move);
  if (!tried.is(Result::True)) return false;
  prepare_hit(p, move);
  if (move.target == Target::FoeSide && guard(target) == Ability::MagicBounce && !move.bounced &&
      move.has_flag(kFlagReflectable) && !is_semi_invulnerable(target)) {
    use_move(target, move.id, false, false, Move::None, true);
    move.bounced = true;
    return false;
  }
  const Result result = hit(p, target, move);
  if (result.is(Result::NotFail)) act(p).this_turn = MoveResult::Skipped;
  return result.is_hit() || result.is(Result::Undefined);
}

// The move's own conditions. True: goes on; NotFail: nothing more happens, and it is no failure.
Result Battle::try_conditions(int p, int target, ActiveMove& move) {
  Active& field = act(p);
  const Pokemon& own = mon(p);
  switch (move.id) {
    case Move::AuraWheel:
      return data(field.forme).base == Species::Morpeko ? Result::True : Result::Null;
    case Move::AuroraVeil:
      return Result::of(weather() == Weather::Hail);
    case Move::ClangorousSoul:
      return Result::of(100 * own.hp > 33 * own.max_hp && own.max_hp != 1);
    case Move::Counter:
      return Result::of(field.has(Volatile::Counter) && field.counter_damage >= 0);
    case Move::MirrorCoat:
      return Result::of(field.has(Volatile::MirrorCoat) && field.mirror_coat_damage >= 0);
    case Move::FakeOut:
    case Move::FirstImpression:
      return Result::of(field.move_actions <= 1);
    case Move::FutureSight:
      return foresee(p, target);
    case Move::MagnetRise:
      if (field.has(Volatile::SmackDown)) return Result::False;
      return s_.gravity != 0 ? Result::Null : Result::True;
    case Move::NoRetreat:
      if (field.has(Volatile::NoRetreat)) return Result::False;
      if (field.has(Volatile::Trapped)) move.no_condition = true;
      return Result::True;
    case Move::Poltergeist:
      return Result::of(mon(target).item != Item::None);
    case Move::Rest:
      if (own.status == Status::Slp) return Result::False;
      if (own.hp == own.max_hp || ability(p) == Ability::Insomnia || ability(p) == Ability::VitalSpirit)
        return Result::Null;
      return Result::True;
    case Move::SleepTalk:
      return Result::of(own.status == Status::Slp);
    case Move::SuckerPunch:
      return Result::of(is_about_to_attack(target));
    case Move::Teleport:
      return Result::of(can_switch(p));
    case Move::Protect:
    case Move::KingsShield:
    case Move::BanefulBunker:
    case Move::SpikyShield:
    case Move::MaxGuard:
      return Result::of(is_anyone_to_act() && stalls_again(p));
    case Move::DestinyBond:
      return Result::of(!remove_volatile(p, Volatile::DestinyBond));
    default:
      return Result::True;
  }
}

bool Battle::stalls_again(int p) {
  Active& field = act(p);
  if (!field.has(Volatile::Stall)) return true;
  if (chance_.stall(field.stall_counter)) return true;
  field.drop(Volatile::Stall);
  return false;
}

bool Battle::is_about_to_attack(int p) const {
  for (int i = 0; i < s_.queued; ++i) {
    const Action& action = s_.queue[index_of(i)];
    if (action.step != Step::Move || action.side != p || !act(p).on_field) continue;
    return data(action.move).category != Category::Status;
  }
  return false;
}

Result Battle::foresee(int p, int target) {
  Side& side = s_.sides[index_of(target)];
  if (side.future_source != kNoSlot) return Result::False;
  side.future_source = who_of(p);
  side.future_turn = static_cast<std::int16_t>(s_.turn + 1);
  return Result::NotFail;
}

// False: the target is in the air or gone.
bool Battle::is_reached(int p, int target, const ActiveMove& move) const {
  if (!is_semi_invulnerable(target)) return true;
  if (move.id == Move::Toxic && has_type(unit(p), Type::Poison)) return true;
  if (ability(p) == Ability::NoGuard || ability(target) == Ability::NoGuard) return true;
  if (act(target).has(Volatile::PhantomForce)) return false;
  return move.id == Move::Thunder || move.id == Move::Hurricane || move.id == Move::ThousandArrows;
}

// Terrain, protection and abilities of the target. NotFail: it protected itself.
Result Battle::meet_guards(int p, int target, ActiveMove& move) {
  if (s_.terrain == Terrain::Psychic && move.priority > 0 && move.target != Target::Self && target != p &&
      !is_semi_invulnerable(target) && is_grounded(target)) {
    return Result::False;
  }
  if (target != p && is_stopped_by_protection(p, target, move)) return Result::NotFail;
  return Result::of(!is_stopped_by_ability(p, target, move));
}

static bool passes_max_guard(Move move) {
  switch (move) {
    case Move::FutureSight:
    case Move::GMaxOneBlow:
    case Move::GMaxRapidFlow:
    case Move::Curse:
    case Move::Roar:
      return true;
    default:
      return false;
  }
}

bool Battle::is_stopped_by_protection(int p, int target, ActiveMove& move) {
  Active& theirs = act(target);
  if (theirs.has(Volatile::MaxGuard)) {
    if (passes_max_guard(move.id)) return false;
  } else {
    const bool kings_shield = theirs.has(Volatile::KingsShield);
    if (!kings_shield && !theirs.has(Volatile::Protect) && !theirs.has(Volatile::BanefulBunker) &&
        !theirs.has(Volatile::SpikyShield)) {
      return false;
    }
    if (!move.has_flag(kFlagProtect) || (kings_shield && move.is_status())) {
      if (move.is_max && move.id != Move::GMaxOneBlow && move.id != Move::GMaxRapidFlow) move.bypass_protect = true;
      return false;
    }
  }
  if (act(p).has(Volatile::LockedMove) && act(p).left(Volatile::LockedMove) == 2) act(p).drop(Volatile::LockedMove);
  if (theirs.has(Volatile::MaxGuard) || !move.has_flag(kFlagContact)) return true;
  if (theirs.has(Volatile::KingsShield)) boost(p, {-1, 0, 0, 0, 0, 0, 0}, target, Cause::Move);
  if (theirs.has(Volatile::BanefulBunker)) try_status(p, Status::Psn, who_of(target), Cause::Condition);
  if (theirs.has(Volatile::SpikyShield)) damage(p, mon(p).base_max_hp / 8, target, Cause::Condition);
  return true;
}

// Abilities that take a move in, throw it back or do not feel it.
bool Battle::is_stopped_by_ability(int p, int target, ActiveMove& move) {
  const bool other = p != target;
  const auto absorb = [&](Type type) { return other && move.type == type; };
  const auto drink = [&](Type type) {
    if (!absorb(type)) return false;
    heal(target, mon(target).base_max_hp / 4);
    return true;
  };
  const auto rise = [&](Type type, Stat stat) {
    if (!absorb(type)) return false;
    Boosts by{};
    by[stat] = 1;
    boost(target, by, p, Cause::Ability);
    return true;
  };
  switch (guard(target)) {
    case Ability::Bulletproof:
      return move.has_flag(kFlagBullet);
    case Ability::DrySkin:
    case Ability::WaterAbsorb:
      return drink(Type::Water);
    case Ability::VoltAbsorb:
      return drink(Type::Electric);
    case Ability::FlashFire:
      if (!absorb(Type::Fire)) return false;
      add_volatile(target, Volatile::FlashFire, who_of(target));
      return true;
    case Ability::LightningRod:
      return rise(Type::Electric, kSpa);
    case Ability::MotorDrive:
      return rise(Type::Electric, kSpe);
    case Ability::StormDrain:
      return rise(Type::Water, kSpa);
    case Ability::SapSipper:
      return rise(Type::Grass, kAtk);
    case Ability::MagicBounce:
      if (!other || move.bounced || !move.has_flag(kFlagReflectable) || is_semi_invulnerable(target)) return false;
      use_move(target, move.id, false, false, Move::None, true);
      return true;
    case Ability::Oblivious:
      return move.id == Move::Taunt;
    case Ability::Overcoat:
      return other && move.has_flag(kFlagPowder) && !is_immune_to_powder(target);
    case Ability::Soundproof:
      return other && move.has_flag(kFlagSound);
    case Ability::WonderGuard:
      if (!other || move.is_status() || move.id == Move::Struggle) return false;
      return effectiveness(target, move) <= 0 || !is_hit_by(target, move);
    default:
      return false;
  }
}

// Immunities that are no matter of the move's type.
bool Battle::is_immune(int p, int target, const ActiveMove& move) const {
  if (move.has_flag(kFlagPowder) && target != p && is_immune_to_powder(target)) return true;
  if (move.id == Move::LeechSeed && has_type(unit(target), Type::Grass)) return true;
  if ((move.id == Move::Trick || move.id == Move::Switcheroo) && ability(target) == Ability::StickyHold) return true;
  return move.prankster && ability(p) == Ability::Prankster && target != p && has_type(unit(target), Type::Dark);
}

// Stages of accuracy and evasion as one number.
int Battle::accuracy_stage(int p, int target, const ActiveMove& move) const {
  int stage = 0;
  if (guard(target) != Ability::Unaware || target == p) stage = act(p).boosts[kAccuracy];
  if (!move.has(kTraitIgnoreEvasion) && (ability(p) != Ability::Unaware || target == p)) {
    stage = std::clamp(stage - act(target).boosts[kEvasion], -6, 6);
  }
  return stage;
}

int Battle::modified_accuracy(int p, const ActiveMove& move, int accuracy) const {
  Modifier chain;
  if (s_.gravity != 0) chain.by4096(6840);
  switch (ability(p)) {
    case Ability::CompoundEyes:
      chain.by4096(5325);
      break;
    case Ability::VictoryStar:
      chain.by4096(4506);
      break;
    case Ability::Hustle:
      if (move.category == Category::Physical) chain.by4096(3277);
      break;
    default:
      break;
  }
  if (item(p) == Item::WideLens) chain.by4096(4505);
  return chain.apply(accuracy);
}

bool Battle::never_misses(int p, int target, const ActiveMove& move) const {
  if (move.accuracy == 0) return true;
  if (move.id == Move::Toxic && has_type(unit(p), Type::Poison)) return true;
  if (move.target == Target::Self && move.is_status() && !is_semi_invulnerable(target)) return true;
  return ability(p) == Ability::NoGuard || ability(target) == Ability::NoGuard;
}

bool Battle::is_accurate(int p, int target, const ActiveMove& move) {
  if (never_misses(p, target, move)) return true;
  int accuracy = modified_accuracy(p, move, move.accuracy);
  const int stage = accuracy_stage(p, target, move);
  if (stage > 0) accuracy = accuracy * (3 + stage) / 3;
  if (stage < 0) accuracy = accuracy * 3 / (3 - stage);
  if (chance_.accuracy(accuracy)) return true;
  if (item(p) == Item::BlunderPolicy && use_item(p)) boost(p, {0, 0, 0, 0, 2, 0, 0}, p, Cause::Item);
  return false;
}

// The second and third kick of Triple Axel.
bool Battle::hits_again(int p, int target, const ActiveMove& move) {
  if (never_misses(p, target, move)) return true;
  double accuracy = move.accuracy;
  const auto factor = [](int stage) { return stage >= 0 ? (3.0 + stage) / 3.0 : 3.0 / (3.0 - stage); };
  if (guard(target) != Ability::Unaware) accuracy *= factor(act(p).boosts[kAccuracy]);
  if (ability(p) != Ability::Unaware) accuracy *= factor(-act(target).boosts[kEvasion]);
  return chance_.accuracy(modified_accuracy(p, move, static_cast<int>(accuracy)));
}

void Battle::break_protection(int target) {
  bool broke = false;
  for (const auto v : {Volatile::BanefulBunker, Volatile::KingsShield, Volatile::Protect, Volatile::SpikyShield}) {
    broke = remove_volatile(target, v) || broke;
  }
  if (broke) act(target).drop(Volatile::Stall);
}

void Battle::steal_boosts(int p, int target) {
  Boosts stolen{};
  for (std::size_t i = 0; i < stolen.size(); ++i) stolen[i] = std::max<std::int8_t>(act(target).boosts[i], 0);
  if (stolen == Boosts{}) return;
  boost(p, stolen, p, Cause::Move);
  for (auto& stage : act(target).boosts) stage = std::min<std::int8_t>(stage, 0);
}

}  // namespace tengen::pokemon
