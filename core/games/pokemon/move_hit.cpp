// A move that reaches its target: each hit, and what follows when all are done.
#include <algorithm>

#include "games/pokemon/battle.hpp"
#include "games/pokemon/seeing.hpp"

namespace tengen::pokemon {

int Battle::count_hits(const ActiveMove& move) {
  if (move.most_hits == 0) return 1;
  if (move.least_hits == 2 && move.most_hits == 5) {
    constexpr std::array<std::uint8_t, 20> kHits{2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 5, 5, 5};
    return kHits[index_of(chance_.below(20))];
  }
  return move.least_hits + (move.most_hits > move.least_hits ? chance_.below(move.most_hits - move.least_hits + 1) : 0);
}

Result Battle::hit_loop(int p, int target, ActiveMove& move) {
  move.total_damage = 0;
  const int hits = count_hits(move);
  const bool sleep_usable = move.has(kTraitSleepUsable) || move.called_by == Move::SleepTalk;
  Result damage = Result::number(0);
  Result last = Result::False;
  int hit_number = 1;
  bool any = false;
  for (; hit_number <= hits; ++hit_number) {
    if (hit_number > 1 && mon(p).status == Status::Slp && !sleep_usable) break;
    if (mon(target).hp == 0) break;
    move.hit = static_cast<std::uint8_t>(hit_number);
    if (move.multi_accuracy && hit_number > 1 && !hits_again(p, target, move)) break;
    last = hit(p, target, move);
    if (last.is(Result::False)) break;
    any = true;
    damage = Result::number(last.is(Result::Number) ? last.amount : 0);
    move.total_damage = static_cast<std::int16_t>(move.total_damage + damage.amount);
    update();
    if (mon(p).hp == 0) {
      ++hit_number;
      break;
    }
  }
  if (hit_number == 1) return Result::False;
  if (!any) damage = Result::False;
  settle_faints(mon(p).hp == 0);
  if (move.total_damage != 0) recoil(p, move.total_damage, move);
  const bool was_reached = last.is_hit() && !move.on_substitute;
  if (p != target && was_reached) {
    Active& theirs = act(target);
    theirs.last_attack_damage = static_cast<std::int16_t>(last.is(Result::Number) ? last.amount : 0);
    if (last.is(Result::Number) && last.amount > 0) theirs.attacked_by = who_of(p);
  }
  if (!damage.is_hit()) return damage;
  update();
  if (!is_sheer(p, move)) {
    if (was_reached) after_secondaries(p, target, move);
    const int before = std::max<int>(act(target).hurt_this_turn, 0) + move.total_damage;
    if (mon(target).hp > 0) check_emergency_exit(target, before);
  }
  return damage;
}

void Battle::recoil(int p, int dealt, const ActiveMove& move) {
  const int hp_before = mon(p).hp;
  if (move.id == Move::Struggle) {
    direct_damage(p, std::max(1, rounded(mon(p).base_max_hp, 4)));
  } else if (move.row->recoil.denominator != 0) {
    damage(p, std::max(1, rounded(dealt * move.row->recoil.numerator, move.row->recoil.denominator)), p, Cause::Recoil);
  } else {
    return;
  }
  check_emergency_exit(p, hp_before);
}

// One hit: the move's own say, Substitute, damage, effects on both, the target's answers. Null: a Substitute kept a
// move off that does no damage, which counts as one that has worked.
Result Battle::hit(int p, int target, ActiveMove& move) {
  const Result own = try_hit_of_move(p, target, move);
  if (!own.is(Result::True)) return Result::False;
  Result damage = Result::True;
  move.on_substitute = false;
  if (!is_sided(move.target)) {
    damage = meet_substitute(p, target, move);
    move.on_substitute = damage.is(Result::NotFail);
    if (damage.is(Result::Null)) return Result::Null;
  }
  const bool on_substitute = move.on_substitute;
  if (on_substitute) {
    damage = Result::True;
  } else {
    damage = damage_of(p, target, move);
    if (damage.is(Result::False)) return Result::False;
    if (damage.is(Result::Number)) {
      const Damage done = this->damage(target, damage.amount, p, Cause::Move);
      damage = done.done ? Result::number(done.amount) : Result::False;
    }
  }
  damage = effects(p, target, move, damage, on_substitute);
  if (damage.is(Result::False) || damage.is(Result::Null)) return Result::False;
  if (damage.is(Result::NotFail)) return damage;
  self_effects(p, move);
  secondaries(p, target, move, on_substitute);
  if (move.has(kTraitForceSwitch) && !on_substitute) force_out(p, target);
  const int hp_before = mon(p).hp;
  if (damage.is(Result::Number) && !on_substitute) {
    on_damaging_hit(p, target, move, damage.amount);
    if (mon(p).hp > 0) after_hit(p, target, move);
    if (mon(p).hp > 0) check_emergency_exit(p, hp_before);
  }
  return damage;
}

// True: no Substitute in the way; NotFail: it took the hit; Null: the hit did nothing.
Result Battle::meet_substitute(int p, int target, ActiveMove& move) {
  if (!move.is_status() && p != target) {
    if (guard(0) == Ability::AuraBreak || guard(1) == Ability::AuraBreak) move.aura_break = true;
    if (move.id == Move::Surf && ability(p) == Ability::GulpMissile && act(p).forme == Species::Cramorant) {
      const bool half = 2 * mon(p).hp <= mon(p).max_hp;
      change_forme(p, half ? Species::CramorantGorging : Species::CramorantGulping, false, true);
    }
  }
  Active& theirs = act(target);
  if (!theirs.has(Volatile::Substitute) || p == target || move.has_flag(kFlagBypasssub) || move.infiltrates) {
    return Result::True;
  }
  const Result calculated = damage_of(p, target, move);
  if (!calculated.is(Result::Number)) return Result::Null;
  const int dealt = std::min<int>(calculated.amount, theirs.substitute_hp);
  theirs.substitute_hp = static_cast<std::int16_t>(theirs.substitute_hp - dealt);
  if (theirs.substitute_hp == 0) remove_volatile(target, Volatile::Substitute);
  if (dealt != 0) recoil(p, dealt, move);
  if (const Fraction drain = move.row->drain; drain.denominator != 0) {
    heal(p, (dealt * drain.numerator + drain.denominator - 1) / drain.denominator);
  }
  after_substitute_hit(p, target, move);
  return Result::NotFail;
}

// A hit draws lots at the user's own cost or gain.
void Battle::self_effects(int p, ActiveMove& move) {
  if (move.no_self || move.self_dropped) return;
  if (move.curse_of_others) {
    chance_.secondary(100);
    boost(p, {1, 1, 0, 0, -1, 0, 0}, p, Cause::Move);
    move.self_dropped = true;
    return;
  }
  if (!move.has(kTraitHasSelf)) return;
  const Effect& self = move.row->self;
  if (self.has_boosts()) {
    const int chance = self.chance == 0 ? 100 : self.chance * move.chance_factor;
    if (chance_.secondary(chance)) boost(p, self.boosts, p, Cause::Move);
    if (move.most_hits == 0) move.self_dropped = true;
    return;
  }
  if (self.condition != Volatile::None) {
    add_volatile(p, self.condition, who_of(p), move.id);
    return;
  }
  max_effect(p, move);
}

void Battle::secondaries(int p, int target, const ActiveMove& move, bool on_substitute) {
  if (move.no_secondaries || !move.has(kTraitHasSecondary)) return;
  const bool dusty = guard(target) == Ability::ShieldDust;
  for (const Effect& effect : move.row->secondaries) {
    if (effect.chance == 0) break;
    if (dusty && !effect.self && !on_substitute) continue;
    const int chance = effect.chance * move.chance_factor;
    const bool overflows = effect.self || effect.has_boosts();
    if (!chance_.secondary(overflows ? chance % 256 : chance)) continue;
    if (effect.self) {
      if (!move.self_dropped && effect.has_boosts()) boost(p, effect.boosts, p, Cause::Move);
      continue;
    }
    if (on_substitute) continue;
    if (effect.has_boosts() && !mon(target).fainted) boost(target, effect.boosts, p, Cause::Move);
    if (effect.status != Status::None) try_status(target, effect.status, who_of(p), Cause::Move);
    if (effect.condition != Volatile::None) add_volatile(target, effect.condition, who_of(p), move.id);
    if (effect.special) special_secondary(p, target, move);
  }
}

void Battle::special_secondary(int p, int target, const ActiveMove& move) {
  switch (move.id) {
    case Move::AnchorShot:
      if (act(p).on_field) trap(target, p);
      break;
    case Move::BurningJealousy:
      if (act(target).stats_raised) try_status(target, Status::Brn, who_of(p), Cause::Move);
      break;
    case Move::ThroatChop:
      add_volatile(target, Volatile::ThroatChop, who_of(p));
      break;
    case Move::TriAttack: {
      constexpr std::array<Status, 3> kStatuses{Status::Brn, Status::Par, Status::Frz};
      try_status(target, kStatuses[index_of(chance_.below(3))], who_of(p), Cause::Move);
      break;
    }
    default:
      break;
  }
}

// Keeps a Pokémon from switching while the trapper stays.
void Battle::trap(int p, int trapper) {
  if (mon(trapper).hp == 0) return;
  if (!add_volatile(p, Volatile::Trapped, who_of(trapper))) return;
  act(trapper).set(Volatile::Trapper);
}

void Battle::force_out(int p, int target) {
  if (mon(target).hp == 0 || mon(p).hp == 0 || !can_switch(target)) return;
  if (!act(target).has(Volatile::Dynamax)) act(target).forced_out = true;
}

// The target's answers to a hit that did damage.
void Battle::on_damaging_hit(int p, int target, ActiveMove& move, int dealt) {
  const bool contact = move.has_flag(kFlagContact);
  const Ability own = ability(target);
  see_hit(s_, target);
  if (contact && (own == Ability::RoughSkin || own == Ability::IronBarbs)) {
    damage(p, mon(p).base_max_hp / 8, target, Cause::Ability);
  }
  if (contact && own == Ability::Aftermath && mon(target).hp == 0)
    damage(p, mon(p).base_max_hp / 4, target, Cause::Ability);
  if (contact && item(target) == Item::RockyHelmet) damage(p, mon(p).base_max_hp / 6, target, Cause::Item);
  if (mon(target).status == Status::Frz && move.type == Type::Fire && !move.is_status()) cure_status(mon(target));
  Active& theirs = act(target);
  if (theirs.has(Volatile::Counter) && move.category == Category::Physical) {
    theirs.counter_damage = static_cast<std::int16_t>(2 * dealt);
  }
  if (theirs.has(Volatile::MirrorCoat) && move.category == Category::Special) {
    theirs.mirror_coat_damage = static_cast<std::int16_t>(2 * dealt);
  }
  answer_by_ability(p, target, move);
  if (item(target) == Item::WeaknessPolicy && !move.has(kTraitFixedDamage) && move.type_mod > 0) use_item(target);
}

void Battle::answer_by_ability(int p, int target, const ActiveMove& move) {
  const bool contact = move.has_flag(kFlagContact);
  switch (ability(target)) {
    case Ability::CursedBody:
      if (!act(p).has(Volatile::Disable) && !move.is_max && !move.is_future && move.id != Move::Struggle &&
          chance_.chance(3, 10)) {
        add_volatile(p, Volatile::Disable, who_of(target));
      }
      break;
    case Ability::EffectSpore:
      if (contact && !is_immune_to_powder(p) && ability(p) != Ability::Overcoat) {
        const int roll = chance_.percent();
        if (roll < 30)
          try_status(p,
                     roll < 11   ? Status::Slp
                     : roll < 21 ? Status::Par
                                 : Status::Psn,
                     who_of(target), Cause::Ability);
      }
      break;
    case Ability::FlameBody:
      if (contact && chance_.chance(3, 10)) try_status(p, Status::Brn, who_of(target), Cause::Ability);
      break;
    case Ability::Static:
      if (contact && chance_.chance(3, 10)) try_status(p, Status::Par, who_of(target), Cause::Ability);
      break;
    case Ability::GulpMissile:
      spit(p, target);
      break;
    case Ability::Illusion:
      if (act(target).illusion == kNoSlot) break;
      act(target).illusion = kNoSlot;
      see_active(s_, target);
      break;
    case Ability::Justified:
      if (move.type == Type::Dark) boost(target, {1, 0, 0, 0, 0, 0, 0}, p, Cause::Ability);
      break;
    case Ability::Stamina:
      boost(target, {0, 1, 0, 0, 0, 0, 0}, p, Cause::Ability);
      break;
    case Ability::WaterCompaction:
      if (move.type == Type::Water) boost(target, {0, 2, 0, 0, 0, 0, 0}, p, Cause::Ability);
      break;
    case Ability::WeakArmor:
      if (move.category == Category::Physical) boost(target, {0, -1, 0, 0, 2, 0, 0}, target, Cause::Ability);
      break;
    case Ability::TanglingHair:
      if (contact) boost(p, {0, 0, 0, 0, -1, 0, 0}, target, Cause::Ability);
      break;
    case Ability::Mummy:
      if (contact && mon(p).ability != Ability::Mummy) set_ability(p, Ability::Mummy, false);
      break;
    case Ability::WanderingSpirit:
      if (contact) swap_abilities(p, target);
      break;
    default:
      break;
  }
}

// Cramorant throws what it caught.
void Battle::spit(int p, int target) {
  const Species forme = act(target).forme;
  if (active_bench_ || mon(p).hp == 0 || !act(p).on_field || is_semi_invulnerable(target)) return;
  if (forme != Species::CramorantGulping && forme != Species::CramorantGorging) return;
  damage(p, mon(p).base_max_hp / 4, target, Cause::Ability);
  if (forme == Species::CramorantGulping) {
    boost(p, {0, -1, 0, 0, 0, 0, 0}, target, Cause::Ability);
  } else {
    try_status(p, Status::Par, who_of(target), Cause::Move);
  }
  wear(target, Species::Cramorant);
}

}  // namespace tengen::pokemon
