// What each residual does.
#include <algorithm>
#include <utility>

#include "games/pokemon/battle.hpp"
#include "games/pokemon/seeing.hpp"
#include "games/pokemon/teams.hpp"

namespace tengen::pokemon {

void Battle::weather_residual() {
  if (s_.weather == Weather::None) return;
  if (s_.weather_turns > 0 && --s_.weather_turns == 0) {
    clear_weather();
    return;
  }
  const Weather now = weather();
  if ((s_.weather == Weather::Sand || s_.weather == Weather::Hail) && now == Weather::None) return;
  if (now != Weather::None) {
    for (const int p : by_speed()) {
      if (act(p).on_field && mon(p).hp > 0) weather_on(p, now);
    }
  }
  update();
}

void Battle::weather_on(int p, Weather now) {
  const int most = mon(p).base_max_hp;
  switch (ability(p)) {
    case Ability::DrySkin:
      if (now == Weather::Rain) heal(p, most / 8);
      if (now == Weather::Sun) damage(p, most / 8, p, Cause::Ability);
      break;
    case Ability::IceBody:
      if (now == Weather::Hail) heal(p, most / 16);
      break;
    case Ability::SolarPower:
      if (now == Weather::Sun) damage(p, most / 8, p, Cause::Ability);
      break;
    default:
      break;
  }
  if (now == Weather::Sand || now == Weather::Hail) damage(p, most / 16, -1, Cause::Weather);
}

void Battle::land_future_sight(int p) {
  Side& side = s_.sides[index_of(p)];
  if ((s_.turn - 1) % 256 < side.future_turn) return;
  const Who source = std::exchange(side.future_source, kNoSlot);
  side.future_turn = 0;
  if (!act(p).on_field || mon(p).hp == 0 || source == who_of(p)) return;
  remove_volatile(p, Volatile::Protect);
  const int user = side_of(source);
  const bool bench = !is_active(source);
  depth_ = 0;
  ActiveMove& move = pool_[index_of(depth_++)];
  move = make_move(Move::FutureSight);
  move.ignore_immunity = false;
  move.is_future = true;
  move.flags = kFlagFuturemove;
  if (!bench && ability(user) == Ability::Infiltrator) move.infiltrates = true;
  set_active(&move, user);
  active_bench_ = bench;
  if (bench) bench_field_ = fresh_active(team(user, slot_of(source)));
  future_source_ = source;
  hit_with_future_sight(user, p, move);
  if (!bench && item(user) == Item::LifeOrb && mon(user).hp > 0)
    damage(user, mon(user).base_max_hp / 10, user, Cause::Item);
  future_source_ = kNoSlot;
  clear_active();
  check_winner(-1);
}

Unit Battle::future_unit() const {
  return {team(side_of(future_source_), slot_of(future_source_)), bench_field_, side_of(future_source_)};
}

void Battle::hit_with_future_sight(int user, int target, ActiveMove& move) {
  if (!is_reached(user, target, move) || !meet_guards(user, target, move).is_hit() || !is_hit_by(target, move)) return;
  bool accurate = false;
  if (active_bench_) {
    const int stage = -act(target).boosts[kEvasion];
    const int accuracy = stage >= 0 ? move.accuracy * (3 + stage) / 3 : move.accuracy * 3 / (3 - stage);
    accurate = ability(target) == Ability::NoGuard || chance_.accuracy(accuracy);
  } else {
    accurate = is_accurate(user, target, move);
  }
  if (accurate) hit_loop(user, target, move);
}

void Battle::grant_wish(int p) {
  Side& side = s_.sides[index_of(p)];
  if ((s_.turn - 1) % 256 <= side.wish_turn) return;
  const int amount = std::exchange(side.wish_hp, std::int16_t{0});
  side.wish_turn = 0;
  if (act(p).on_field) heal(p, amount);
}

void Battle::g_max_residual(int p, SideCondition condition) {
  Type spared = Type::Water;
  if (condition == SideCondition::GMaxVineLash) spared = Type::Grass;
  if (condition == SideCondition::GMaxVolcalith) spared = Type::Rock;
  if (condition == SideCondition::GMaxWildfire) spared = Type::Fire;
  if (!has_type(unit(p), spared)) damage(p, mon(p).base_max_hp / 6, p, Cause::Condition);
}

void Battle::leftovers(int p) {
  const int most = mon(p).base_max_hp;
  if (mon(p).hp < mon(p).max_hp) see_item(s_, p);
  if (item(p) == Item::Leftovers) heal(p, most / 16);
  if (item(p) != Item::BlackSludge) return;
  if (has_type(unit(p), Type::Poison)) {
    heal(p, most / 16);
  } else {
    damage(p, most / 8, -1, Cause::Item);
  }
}

void Battle::poison_residual(int p) {
  Pokemon& own = mon(p);
  if (own.status == Status::Psn) damage(p, own.base_max_hp / 8, -1, Cause::Status);
  if (own.status != Status::Tox) return;
  if (own.status_count < 15) ++own.status_count;
  damage(p, std::max(1, own.base_max_hp / 16) * own.status_count, -1, Cause::Status);
}

void Battle::volatile_residual(int p, Volatile v) {
  Active& field = act(p);
  if (!field.has(v)) return;
  if (field.left(v) > 0 && --field.left(v) == 0) {
    end_volatile(p, v);
    return;
  }
  switch (v) {
    case Volatile::LeechSeed:
      leech(p);
      break;
    case Volatile::Curse:
      damage(p, mon(p).base_max_hp / 4, -1, Cause::Condition);
      break;
    case Volatile::PartiallyTrapped: {
      const int trapper = side_of(field.partial_trapper);
      const bool there = is_active(field.partial_trapper) && mon(trapper).hp > 0 && act(trapper).active_turns > 0;
      if (!there && !field.partial_trap_stays) {
        field.drop(v);
      } else {
        damage(p, mon(p).base_max_hp / 8, trapper, Cause::Condition);
      }
      break;
    }
    case Volatile::Encore: {
      const int slot = move_slot(p, field.encore_move);
      if (slot < 0 || mon(p).moves[index_of(slot)].pp == 0) field.drop(v);
      break;
    }
    case Volatile::LockedMove:
      if (mon(p).status == Status::Slp) field.drop(v);
      if (field.locked_turns > 0) --field.locked_turns;
      break;
    default:
      break;
  }
}

void Battle::leech(int p) {
  const int foe = 1 - p;
  if (!act(foe).on_field || mon(foe).hp == 0) return;
  const Damage done = damage(p, mon(p).base_max_hp / 8, foe, Cause::Condition);
  if (done.done && done.amount > 0) heal(foe, done.amount);
}

void Battle::ability_residual(int p) {
  Active& field = act(p);
  Pokemon& own = mon(p);
  switch (ability(p)) {
    case Ability::SpeedBoost:
      if (field.active_turns > 0) boost(p, {0, 0, 0, 0, 1, 0, 0}, p, Cause::Ability);
      break;
    case Ability::Harvest:
      if ((weather() == Weather::Sun || chance_.chance(1, 2)) && own.hp > 0 && own.item == Item::None &&
          is_berry(own.last_item)) {
        set_item(p, own.last_item);
        own.last_item = Item::None;
      }
      break;
    case Ability::SlowStart:
      if (field.active_turns > 0 && field.slow_start > 0) --field.slow_start;
      break;
    default:
      break;
  }
}

void Battle::forme_residual(int p) {
  Pokemon& own = mon(p);
  switch (ability(p)) {
    case Ability::HungerSwitch:
      if (data(act(p).forme).base == Species::Morpeko) {
        change_forme(p, act(p).forme == Species::Morpeko ? Species::MorpekoHangry : Species::Morpeko, false, true);
      }
      break;
    case Ability::PowerConstruct:
      if (data(own.species).base != Species::Zygarde || act(p).transformed || own.hp == 0) return;
      if (act(p).forme == Species::ZygardeComplete || 2 * own.hp > own.max_hp) return;
      change_forme(p, Species::ZygardeComplete, true, true);
      own.forme_regression = true;
      break;
    case Ability::Schooling:
      update_school(p);
      break;
    default:
      break;
  }
}

}  // namespace tengen::pokemon
