// What moves do besides damage.
#include <algorithm>
#include <utility>

#include "games/pokemon/battle.hpp"

namespace tengen::pokemon {

// What a move says before it hits. True: goes on; anything else: it does not.
Result Battle::try_hit_of_move(int p, int target, ActiveMove& move) {
  switch (move.id) {
    case Move::Autotomize: {
      const int stage = act(target).boosts[kSpe];
      return Result::of(!(ability(target) == Ability::Contrary ? stage == -6 : stage == 6));
    }
    case Move::BrickBreak:
    case Move::PsychicFangs:
      for (const auto c : {SideCondition::Reflect, SideCondition::LightScreen, SideCondition::AuroraVeil}) {
        s_.sides[index_of(target)].count(c) = 0;
      }
      return Result::True;
    case Move::ClangorousSoul:
      if (!boost(p, move.row->hit.boosts, p, Cause::Move)) return Result::Null;
      move.no_boosts = true;
      return Result::True;
    case Move::Curse:
      return Result::of(move.curse_of_others || !act(target).has(Volatile::Curse));
    case Move::GrassKnot:
    case Move::LowKick:
    case Move::HeatCrash:
    case Move::HeavySlam:
      return act(target).has(Volatile::Dynamax) ? Result::Null : Result::True;
    case Move::HealingWish:
      return can_switch(p) ? Result::True : Result::NotFail;
    case Move::NaturePower: {
      constexpr std::array<Move, 5> kCalled{Move::TriAttack, Move::Thunderbolt, Move::EnergyBall, Move::Moonblast,
                                            Move::Psychic};
      use_move(p, kCalled[index_of(s_.terrain)], false, false, Move::NaturePower, false);
      return Result::Null;
    }
    case Move::Substitute:
      if (act(p).has(Volatile::Substitute) || 4 * mon(p).hp <= mon(p).max_hp || mon(p).max_hp == 1)
        return Result::NotFail;
      return Result::True;
    case Move::Yawn:
      return Result::of(mon(target).status == Status::None);
    default:
      return Result::True;
  }
}

// Answers the damage with what else was done; False: nothing was.
Result Battle::effects(int p, int target, ActiveMove& move, Result damage, bool on_substitute) {
  Result did = Result::Undefined;
  if (!on_substitute) {
    const MoveData& row = *move.row;
    const Effect& effect = row.hit;
    if (effect.has_boosts() && !move.no_boosts && !mon(target).fainted) {
      did = combine(did, boost(target, effect.boosts, p, Cause::Move) ? Result::True : Result::Null);
    }
    if (row.heal.denominator != 0 && !mon(target).fainted) {
      const Pokemon& healed = mon(target);
      if (healed.hp >= healed.max_hp) return Result::False;
      if (heal(target, rounded(healed.base_max_hp * row.heal.numerator, row.heal.denominator)) == 0)
        return Result::False;
      did = Result::True;
    }
    if (effect.status != Status::None) {
      if (!try_status(target, effect.status, who_of(p), Cause::Move)) return Result::False;
      did = combine(did, Result::True);
    }
    if (effect.condition != Volatile::None && !move.no_condition && !move.curse_of_others) {
      did = combine(did, Result::of(add_volatile(target, effect.condition, who_of(p), move.id)));
    }
    if (row.side_condition != SideCondition::None) {
      did = combine(did, Result::of(add_side_condition(target, row.side_condition, p)));
    }
    did = combine(did, special_effect(p, target, move));
    if (move.has(kTraitForceSwitch)) did = combine(did, Result::of(can_switch(target)));
    if (!is_sided(move.target)) on_hit(target, move);
  }
  if (move.has(kTraitSelfDestructIfHit) && !damage.is(Result::False)) faint(p, p, Cause::Move);
  if (move.self_switch) did = can_switch(p) ? Result{Result::True} : combine(did, Result::False);
  if (did.is(Result::Undefined)) did = Result::True;
  const Result sum = combine(damage, did);
  if (move.self_switch && mon(p).hp > 0 && (sum.is_truthy() || sum.is(Result::Number))) {
    act(p).must_switch = true;
    act(p).pivot = true;
  }
  return combine(damage, did.is(Result::Null) ? Result{Result::False} : did);
}

// What the target's state makes of being hit.
void Battle::on_hit(int target, const ActiveMove& move) {
  if (act(target).has(Volatile::FocusPunch) && !move.is_status()) act(target).lost_focus = true;
}

// Moves that a table cannot say. Undefined: it has nothing of the kind.
Result Battle::special_effect(int p, int target, ActiveMove& move) {
  switch (move.id) {
    case Move::Autotomize:
      if (act(p).weight > 1) act(p).weight = static_cast<std::uint16_t>(std::max(1, act(p).weight - 1000));
      return Result::Undefined;
    case Move::BanefulBunker:
    case Move::KingsShield:
    case Move::MaxGuard:
    case Move::Protect:
    case Move::SpikyShield:
      add_volatile(p, Volatile::Stall, who_of(p));
      return Result::Undefined;
    case Move::BellyDrum:
      return drum(p);
    case Move::BugBite:
      return eat_berry_of(p, target);
    case Move::ClangorousSoul:
      direct_damage(p, mon(p).max_hp * 33 / 100);
      return Result::Undefined;
    case Move::ClearSmog:
      act(target).boosts = {};
      return Result::Undefined;
    case Move::Curse:
      if (!move.curse_of_others) direct_damage(p, mon(p).max_hp / 2);
      return Result::Undefined;
    case Move::GMaxSnooze:
      make_drowsy(p, target);
      return Result::Undefined;
    case Move::PartingShot:
      if (!boost(target, {-1, 0, -1, 0, 0, 0, 0}, p, Cause::Move) && guard(target) != Ability::MirrorArmor) {
        move.self_switch = false;
      }
      return Result::True;  // it has worked, though nobody may be left to switch to
    case Move::SleepTalk:
      return talk_in_sleep(p);
    case Move::Substitute:
      direct_damage(p, mon(p).max_hp / 4);
      return Result::Undefined;
    case Move::Switcheroo:
    case Move::Trick:
      return swap_items(p, target) ? Result::Undefined : Result::False;
    case Move::Transform:
      return Result::of(transform(p));
    default:
      return healing_effect(p, target, move.id);
  }
}

// … of those that heal and mend.
Result Battle::healing_effect(int p, int target, Move move) {
  switch (move) {
    case Move::Aromatherapy:
    case Move::HealBell:
      return Result::of(heal_team(p));
    case Move::HealingWish:
      return Result::of(!std::exchange(s_.sides[index_of(p)].healing_wish, true));
    case Move::JungleHealing: {
      const bool healed = heal(p, modify(mon(p).max_hp, 1, 4)) > 0;
      return Result::of(cure_status(mon(p)) || healed);
    }
    case Move::Moonlight:
    case Move::MorningSun:
    case Move::Synthesis:
    case Move::ShoreUp:
      return heal_by_weather(p, move);
    case Move::PainSplit:
      split_pain(p, target);
      return Result::Undefined;
    case Move::Recycle:
      if (mon(p).item != Item::None || mon(p).last_item == Item::None) return Result::False;
      set_item(p, std::exchange(mon(p).last_item, Item::None));
      return Result::Undefined;
    case Move::Rest:
      return rest(p);
    case Move::StrengthSap:
      return sap_strength(p, target);
    case Move::Wish:
      return Result::of(make_wish(p));
    default:
      return field_effect(p, target, move);
  }
}

// … of those that change the field.
Result Battle::field_effect(int p, int target, Move move) {
  switch (move) {
    case Move::CourtChange:
      return Result::of(change_court());
    case Move::Defog:
      return Result::of(defog(p, target));
    case Move::Haze:
      for (int side = 0; side < 2; ++side) {
        if (act(side).on_field && mon(side).hp > 0) act(side).boosts = {};
      }
      return Result::Undefined;
    case Move::PlasmaFists:
      return Result::of(!std::exchange(s_.ion_deluge, true));
    case Move::RainDance:
      return Result::of(set_weather(Weather::Rain));
    case Move::TrickRoom:
      s_.trick_room = s_.trick_room != 0 ? 0 : 5;
      return Result::True;
    default:
      return Result::Undefined;
  }
}

bool Battle::add_side_condition(int side, SideCondition condition, int source) {
  Side& on = s_.sides[index_of(side)];
  std::uint8_t& count = on.count(condition);
  const int most = condition == SideCondition::Spikes ? 3 : condition == SideCondition::ToxicSpikes ? 2 : 1;
  if (index_of(condition) < kHazards) {
    if (count >= most) return false;
    if (count++ == 0) {
      on.laid[index_of(condition)] = static_cast<std::uint8_t>(*std::max_element(on.laid.begin(), on.laid.end()) + 1);
    }
    if (condition == SideCondition::StickyWeb) on.web_source = who_of(source);
    return true;
  }
  if (count != 0) return false;
  const bool screen = condition == SideCondition::Reflect || condition == SideCondition::LightScreen ||
                      condition == SideCondition::AuroraVeil;
  count = screen ? (item(source) == Item::LightClay ? 8 : 5) : 4;
  return true;
}

bool Battle::remove_side_condition(int side, SideCondition condition) {
  Side& on = s_.sides[index_of(side)];
  const bool was = on.count(condition) != 0;
  on.count(condition) = 0;
  if (was && index_of(condition) < kHazards) {
    const std::uint8_t place = std::exchange(on.laid[index_of(condition)], std::uint8_t{0});
    for (auto& other : on.laid) other = static_cast<std::uint8_t>(other - (other > place ? 1 : 0));
  }
  return was;
}

bool Battle::remove_hazards(int side) {
  bool any = false;
  for (std::size_t i = 0; i < kHazards; ++i) any = remove_side_condition(side, static_cast<SideCondition>(i)) || any;
  return any;
}

bool Battle::defog(int p, int target) {
  bool success = false;
  if (!act(target).has(Volatile::Substitute) || ability(p) == Ability::Infiltrator) {
    success = boost(target, {0, 0, 0, 0, 0, 0, -1}, p, Cause::Move);
  }
  return blow_away(p, target) || success;
}

// Hazards of both sides, screens of the target's, and the terrain.
bool Battle::blow_away(int p, int target) {
  for (const auto c : {SideCondition::Reflect, SideCondition::LightScreen, SideCondition::AuroraVeil}) {
    remove_side_condition(target, c);
  }
  const bool theirs = remove_hazards(target);
  const bool ours = remove_hazards(p);
  clear_terrain();
  return theirs || ours;
}

bool Battle::change_court() {
  Side& a = s_.sides[0];
  Side& b = s_.sides[1];
  const auto any = [](const Side& side) {
    return std::any_of(side.conditions.begin(), side.conditions.end(), [](auto count) { return count != 0; });
  };
  if (!any(a) && !any(b)) return false;
  std::swap(a.conditions, b.conditions);
  std::swap(a.laid, b.laid);
  std::swap(a.web_source, b.web_source);
  return true;
}

bool Battle::heal_team(int p) {
  bool success = false;
  Side& side = s_.sides[index_of(p)];
  for (Pokemon& other : side.team) success = cure_status(other) || success;
  return success;
}

Result Battle::drum(int p) {
  Pokemon& own = mon(p);
  if (2 * own.hp <= own.max_hp || act(p).boosts[kAtk] >= 6 || own.max_hp == 1) return Result::False;
  direct_damage(p, own.max_hp / 2);
  boost(p, {12, 0, 0, 0, 0, 0, 0}, p, Cause::Move);
  return Result::Undefined;
}

Result Battle::eat_berry_of(int p, int target) {
  const Item berry = mon(target).item;
  if (mon(p).hp == 0 || !is_berry(berry)) return Result::Undefined;
  bool refused = false;
  if (take_item(target, p, refused) != Item::None) taste(p, berry);
  return Result::Undefined;
}

void Battle::make_drowsy(int p, int target) {
  if (mon(target).hp == 0 || mon(target).status != Status::None || chance_.chance(1, 2)) return;
  add_volatile(target, Volatile::Yawn, who_of(p));
}

Result Battle::heal_by_weather(int p, Move move) {
  int factor = 2048;
  const Weather now = weather();
  if (move == Move::ShoreUp) {
    if (now == Weather::Sand) factor = 2732;
  } else if (now == Weather::Sun) {
    factor = 2732;
  } else if (now != Weather::None) {
    factor = 1024;
  }
  const int amount = (mon(p).max_hp * factor + 2047) / 4096;
  return heal(p, amount) > 0 ? Result::True : Result::NotFail;
}

void Battle::split_pain(int p, int target) {
  const int theirs = undynamaxed_hp(target, mon(target).hp);
  const int average = std::max(1, (theirs + mon(p).hp) / 2);
  set_hp(target, mon(target).hp - (theirs - average));
  set_hp(p, average);
}

Result Battle::rest(int p) {
  if (!set_status(p, Status::Slp, who_of(p), Cause::Move)) return Result::False;
  if (mon(p).status == Status::Slp) {
    mon(p).status_count = 3;
    mon(p).sleep_length = 3;
  }
  heal(p, mon(p).max_hp);
  return Result::Undefined;
}

Result Battle::talk_in_sleep(int p) {
  std::array<Move, kMoveSlots> options{};
  int count = 0;
  for (const MoveSlot& slot : mon(p).moves) {
    if (slot.id == Move::None || (data(slot.id).flags & (kFlagNosleeptalk | kFlagCharge)) != 0) continue;
    options[index_of(count++)] = slot.id;
  }
  if (count == 0) return Result::False;
  use_move(p, options[index_of(chance_.below(count))], false, false, Move::SleepTalk, false);
  return Result::Undefined;
}

Result Battle::sap_strength(int p, int target) {
  if (act(target).boosts[kAtk] == -6) return Result::False;
  const int attack = plain_stat(target, kAtk);
  const bool lowered = boost(target, {-1, 0, 0, 0, 0, 0, 0}, p, Cause::Move);
  return Result::of(heal(p, attack) > 0 || lowered);
}

bool Battle::swap_items(int p, int target) {
  bool refused[2] = {false, false};
  const Item theirs = take_item(target, p, refused[0]);
  const Item mine = take_item(p, p, refused[1]);
  const bool bound = (mine != Item::None && is_item_bound(mine, target, p)) ||
                     (theirs != Item::None && is_item_bound(theirs, p, target));
  if (refused[0] || refused[1] || (theirs == Item::None && mine == Item::None) || bound) {
    if (theirs != Item::None) mon(target).item = theirs;
    if (mine != Item::None) mon(p).item = mine;
    return false;
  }
  if (mine != Item::None) set_item(target, mine);
  if (theirs != Item::None) set_item(p, theirs);
  return true;
}

bool Battle::make_wish(int p) {
  Side& side = s_.sides[index_of(p)];
  if (side.wish_hp != 0) return false;
  side.wish_hp = static_cast<std::int16_t>(std::max(1, mon(p).max_hp / 2));
  side.wish_turn = static_cast<std::int16_t>((s_.turn - 1) % 256);
  return true;
}

// After a hit that did damage: Knock Off, Rapid Spin.
void Battle::after_hit(int p, int target, const ActiveMove& move) {
  if (move.id == Move::KnockOff) {
    bool refused = false;
    take_item(target, target, refused);
  }
  if (move.id == Move::RapidSpin && !move.sheer_force) spin(p);
}

void Battle::after_substitute_hit(int p, int target, const ActiveMove& move) {
  if (move.id == Move::RapidSpin && !move.sheer_force && mon(p).hp > 0) spin(p);
  if (move.id == Move::GMaxSnooze) make_drowsy(p, target);
}

void Battle::spin(int p) {
  remove_volatile(p, Volatile::LeechSeed);
  remove_hazards(p);
  remove_volatile(p, Volatile::PartiallyTrapped);
}

// Once all hits are done: what the target does.
void Battle::after_secondaries(int p, int target, const ActiveMove& move) {
  if (mon(target).status == Status::Frz && move.has(kTraitThawsTarget)) cure_status(mon(target));
  if (ability(target) == Ability::Berserk) {
    act(target).berserk_checked = true;
    const Pokemon& own = mon(target);
    if (p != target && own.hp > 0 && move.total_damage != 0) {
      const int dealt = move.most_hits > 0 ? move.total_damage : act(target).last_attack_damage;
      if (2 * own.hp <= own.max_hp && 2 * (own.hp + dealt) > own.max_hp) {
        boost(target, {0, 0, 1, 0, 0, 0, 0}, target, Cause::Ability);
      }
    }
  }
  if (ability(target) == Ability::Pickpocket && p != target && move.has_flag(kFlagContact)) pick_pocket(p, target);
}

void Battle::pick_pocket(int p, int thief) {
  if (mon(thief).item != Item::None || act(thief).must_switch || act(thief).forced_out) return;
  if (act(p).must_switch && !act(p).pivot) return;
  bool refused = false;
  const Item taken = take_item(p, thief, refused);
  if (taken != Item::None && !set_item(thief, taken)) mon(p).item = taken;
}

// … and what the user's item does.
void Battle::after_secondaries_of_user(int p, int target, const ActiveMove& move) {
  if (item(p) == Item::LifeOrb && p != target && !move.is_status() && !act(p).forced_out) {
    damage(p, mon(p).base_max_hp / 10, p, Cause::Item);
  }
  if (item(p) == Item::ThroatSpray && move.has_flag(kFlagSound)) use_item(p);
}

}  // namespace tengen::pokemon
