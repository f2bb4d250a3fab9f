// Using a move, from trying to what comes after it.
#include <algorithm>

#include "games/pokemon/battle.hpp"
#include "games/pokemon/legal.hpp"
#include "games/pokemon/seeing.hpp"

namespace tengen::pokemon {

ActiveMove Battle::make_move(Move id) {
  const MoveData& row = data(id);
  ActiveMove move;
  move.row = &row;
  move.id = id;
  move.type = row.type;
  move.category = row.category;
  move.target = row.target;
  move.flags = row.flags;
  move.power = row.power;
  move.accuracy = row.accuracy;
  move.priority = row.priority;
  move.least_hits = row.hits.numerator;
  move.most_hits = row.hits.denominator;
  move.is_max = row.has(kTraitMax);
  move.ignore_ability = row.has(kTraitIgnoreAbility);
  move.ignore_immunity = row.category == Category::Status && id != Move::ThunderWave;
  move.multi_accuracy = row.has(kTraitMultiAccuracy);
  move.self_switch = row.has(kTraitSelfSwitch);
  return move;
}

static Move max_move_of(Type type) {
  switch (type) {
    case Type::Flying:
      return Move::MaxAirstream;
    case Type::Dark:
      return Move::MaxDarkness;
    case Type::Fire:
      return Move::MaxFlare;
    case Type::Bug:
      return Move::MaxFlutterby;
    case Type::Water:
      return Move::MaxGeyser;
    case Type::Ice:
      return Move::MaxHailstorm;
    case Type::Fighting:
      return Move::MaxKnuckle;
    case Type::Electric:
      return Move::MaxLightning;
    case Type::Psychic:
      return Move::MaxMindstorm;
    case Type::Poison:
      return Move::MaxOoze;
    case Type::Grass:
      return Move::MaxOvergrowth;
    case Type::Ghost:
      return Move::MaxPhantasm;
    case Type::Ground:
      return Move::MaxQuake;
    case Type::Rock:
      return Move::MaxRockfall;
    case Type::Fairy:
      return Move::MaxStarfall;
    case Type::Steel:
      return Move::MaxSteelspike;
    case Type::Dragon:
      return Move::MaxWyrmwind;
    default:
      return Move::MaxStrike;
  }
}

// The Max Move that a move becomes, by the type it has now.
ActiveMove Battle::make_max_move(int p, const ActiveMove& base) const {
  if (base.id == Move::Struggle) return base;
  if (base.is_status()) {
    ActiveMove guard = make_move(Move::MaxGuard);
    guard.base_move = base.id;
    guard.priority = base.priority;
    return guard;
  }
  const Pokemon& own = mon(p);
  const Move g_max = own.gigantamax ? data(own.set_species).g_max_move : Move::None;
  const bool is_g_max = g_max != Move::None && data(g_max).type == base.type;
  ActiveMove move = make_move(is_g_max ? g_max : max_move_of(base.type));
  const bool fixed = move.id == Move::GMaxDrumSolo || move.id == Move::GMaxFireball || move.id == Move::GMaxHydrosnipe;
  if (!fixed) move.power = base.row->max_power;
  move.category = base.category;
  move.ignore_immunity = false;
  move.base_move = base.id;
  move.priority = base.priority;
  return move;
}

int Battle::move_slot(int p, Move move) const {
  const MoveSlots& slots = mon(p).moves;
  const auto at = std::find_if(slots.begin(), slots.end(), [&](const MoveSlot& slot) { return slot.id == move; });
  return move == Move::None || at == slots.end() ? -1 : static_cast<int>(at - slots.begin());
}

// Answers how much there was to take.
int Battle::deduct_pp(int p, Move move, int amount) {
  const int slot = move_slot(p, move);
  if (slot < 0) return 0;
  mon(p).used = static_cast<std::uint8_t>(mon(p).used | 1U << slot);
  if (!act(p).has(Volatile::Dynamax)) see_move(s_, p, move);
  std::uint8_t& pp = mon(p).moves[index_of(slot)].pp;
  const int taken = std::min<int>(pp, amount);
  pp = static_cast<std::uint8_t>(pp - taken);
  return taken;
}

Move locked_move_of(const Active& field) {
  if (field.has(Volatile::TwoTurnMove)) return field.charging_move;
  if (field.has(Volatile::LockedMove) && !field.has(Volatile::Dynamax)) return field.locked_move;
  return Move::None;
}

void Battle::set_active(ActiveMove* move, int p) {
  active_ = move;
  active_side_ = p;
  active_bench_ = false;
}

void Battle::clear_active() {
  active_ = nullptr;
  active_side_ = -1;
}

void Battle::run_move(const Action& action) {
  const int p = action.side;
  Active& field = act(p);
  depth_ = 0;
  field.move_actions = static_cast<std::uint8_t>(std::min(field.move_actions + 1, 255));
  Move base = action.move;
  if (base != Move::Struggle && !action.max && field.has(Volatile::Encore)) base = field.encore_move;
  ActiveMove& tried = pool_[index_of(depth_++)];
  tried = make_move(base);
  tried.priority = action.priority;
  tried.prankster = action.prankster;
  if (action.max) tried = make_max_move(p, tried);
  set_active(&tried, p);
  const MoveResult before = before_move(p, tried);
  if (before != MoveResult::Worked) {
    remove_volatile(p, Volatile::TwoTurnMove);
    remove_volatile(p, Volatile::DestinyBond);
    clear_active();
    field.this_turn = before;
    return;
  }
  if (base == Move::FocusPunch && !action.max && field.has(Volatile::FocusPunch) && field.lost_focus) {
    clear_active();
    field.this_turn = MoveResult::Failed;
    return;
  }
  const bool locked = locked_move_of(field) != Move::None;
  if (!locked && deduct_pp(p, base, 1) == 0 && base != Move::Struggle) {
    clear_active();
    field.this_turn = MoveResult::Failed;
    return;
  }
  field.last_move = tried.id;
  field.last_base_move = base;
  field.move_this_turn = tried.id;
  const bool worked = use_move(p, base, action.max, locked, Move::None, false);
  s_.last_successful_move = worked && active_ != nullptr ? active_->id : Move::None;
  after_move(p);
  settle_faints(true);
  check_winner(-1);
}

void Battle::after_move(int p) {
  if (active_ != nullptr && active_->id == Move::SparklingAria) {
    const int foe = 1 - p;
    const bool washed = act(foe).has(Volatile::SparklingAria);
    act(0).drop(Volatile::SparklingAria);
    act(1).drop(Volatile::SparklingAria);
    if (!mon(p).fainted && washed && active_->hit_target && !active_->sheer_force && mon(foe).hp > 0 &&
        mon(foe).status == Status::Brn) {
      cure_status(mon(foe));
    }
  }
  Active& field = act(p);
  if (field.has(Volatile::LockedMove) && field.left(Volatile::LockedMove) == 1)
    remove_volatile(p, Volatile::LockedMove);
  for (const int side : {p, 1 - p}) {
    if (act(side).on_field) check_white_herb(side);
  }
}

// Whether the Pokémon gets to move. Worked: it does; Failed and Skipped as the move is remembered.
MoveResult Battle::before_move(int p, const ActiveMove& move) {
  Active& field = act(p);
  Pokemon& own = mon(p);
  if (own.status == Status::Slp) {
    if (own.status_count > 0) --own.status_count;
    if (own.status_count == 0) {
      cure_status(own);
    } else if (!move.has(kTraitSleepUsable)) {
      return MoveResult::Failed;
    }
  } else if (own.status == Status::Frz && !move.has_flag(kFlagDefrost)) {
    if (!chance_.before_move(1, 5)) return MoveResult::Failed;
    cure_status(own);
  }
  if (field.has(Volatile::Flinch)) return MoveResult::Failed;
  if (field.has(Volatile::Disable) && move.id == field.disable_move) return MoveResult::Failed;
  if (field.has(Volatile::ThroatChop) && !move.is_max && move.has_flag(kFlagSound)) return MoveResult::Failed;
  if (s_.gravity != 0 && move.has_flag(kFlagGravity)) return MoveResult::Failed;
  if (field.has(Volatile::Taunt) && move.is_status()) return MoveResult::Failed;
  if (field.has(Volatile::Confusion) && is_stopped_by_confusion(p)) return MoveResult::Failed;
  if (field.has(Volatile::Attract) && chance_.before_move(1, 2)) return MoveResult::Failed;
  if (own.status == Status::Par && chance_.before_move(1, 4)) return MoveResult::Failed;
  if (field.has(Volatile::ChoiceLock)) {
    if (!is_choice(own.item)) {
      field.drop(Volatile::ChoiceLock);
    } else if (!field.has(Volatile::Dynamax) && move.id != field.choice_move && move.id != Move::Struggle) {
      return MoveResult::Failed;
    }
  }
  if (ability(p) == Ability::GorillaTactics && !move.is_max && move.id != Move::Struggle &&
      field.gorilla_move != Move::None && field.gorilla_move != move.id) {
    return MoveResult::Failed;
  }
  if (move.id != Move::DestinyBond) remove_volatile(p, Volatile::DestinyBond);
  return MoveResult::Worked;
}

bool Battle::is_stopped_by_confusion(int p) {
  Active& field = act(p);
  if (--field.confusion_count == 0) {
    remove_volatile(p, Volatile::Confusion);
    return false;
  }
  if (!chance_.before_move(33, 100)) return false;
  damage(p, confusion_damage(p), p, Cause::Confusion);
  return true;
}

bool Battle::use_move(int p, Move id, bool max, bool locked, Move called_by, bool bounced) {
  act(p).this_turn = MoveResult::Undefined;
  const Result result = try_use_move(p, id, max, locked, called_by, bounced);
  if (act(p).this_turn == MoveResult::Undefined) {
    act(p).this_turn = result.is(Result::Null) ? MoveResult::Skipped
                       : result.is_truthy()    ? MoveResult::Worked
                                               : MoveResult::Failed;
  }
  return result.is_truthy();
}

Result Battle::try_use_move(int p, Move id, bool max, bool locked, Move called_by, bool bounced) {
  if (depth_ >= kMoveDepth) return Result::False;
  ActiveMove& move = pool_[index_of(depth_++)];
  move = make_move(id);
  move.bounced = bounced;
  act(p).last_move_used = id;
  if (active_ != nullptr) {
    move.priority = active_->priority;
    if (!bounced) move.prankster = active_->prankster;
  }
  if (max) {
    const bool prankster = move.prankster;
    if (!move.is_status()) change_type(p, move);
    move = make_max_move(p, move);
    move.prankster = prankster;
  }
  move.locked = locked;
  move.called_by = called_by;
  move.called = called_by != Move::None || bounced;
  if (locked || move.called) move.ignore_ability = false;
  set_active(&move, p);
  change_type(p, move);
  if (!modify_move(p, move) || mon(p).fainted) return Result::False;
  const int target = is_own_side(move.target) ? p : 1 - p;
  const bool has_target =
      target == p || act(target).on_field || is_sided(move.target) || move.has_flag(kFlagFuturemove);
  press(p, target, has_target, move);
  const Result tried = try_move(p, target, move);
  if (!tried.is(Result::True)) return tried;
  if (move.has(kTraitSelfDestruct)) faint(p, p, Cause::Move);
  bool worked = false;
  if (is_sided(move.target)) {
    worked = try_sided_move(p, target, move);
  } else {
    if (!has_target) return Result::False;
    worked = try_hit(p, target, move);
  }
  if (worked && move.row->after_boosts != Boosts{}) boost(p, move.row->after_boosts, p, Cause::Move);
  if (mon(p).hp == 0) faint(p, p, Cause::Move);
  const int hp_before = mon(p).hp;
  if (!worked) {
    if (move.has(kTraitCrash)) damage(p, mon(p).base_max_hp / 2, p, Cause::Condition);
    if (p != target && !move.is_status()) check_emergency_exit(p, hp_before);
    return Result::False;
  }
  if (!is_sheer(p, move) && !move.has_flag(kFlagFuturemove)) {
    after_secondaries_of_user(p, target, move);
    if (p != target && !move.is_status()) check_emergency_exit(p, hp_before);
  }
  return Result::True;
}

// Sheer Force gave up the move's secondary effects, and whoever used it has the ability still.
bool Battle::is_sheer(int p, const ActiveMove& move) const {
  return move.sheer_force && ability(p) == Ability::SheerForce;
}

bool Battle::is_own_side(Target target) {
  return target == Target::Self || target == Target::Allies || target == Target::AllyTeam || target == Target::AllySide;
}

// Moves that go to a side or the field, not to a Pokémon.
bool Battle::is_sided(Target target) {
  return target == Target::All || target == Target::FoeSide || target == Target::AllySide || target == Target::AllyTeam;
}

// Pressure takes one more PP.
void Battle::press(int p, int target, bool has_target, const ActiveMove& move) {
  if (move.locked || (move.called && move.called_by == Move::None)) return;
  bool pressed = target != p && has_target && move.target != Target::FoeSide;
  if (move.target == Target::All || move.has_flag(kFlagMustpressure)) pressed = true;
  const int foe = 1 - p;
  if (!pressed || ability(foe) != Ability::Pressure || mon(foe).hp == 0) return;
  deduct_pp(p,
            move.called_by != Move::None   ? move.called_by
            : move.base_move != Move::None ? move.base_move
                                           : move.id,
            1);
}

// Types that a move, an ability or the field changes.
void Battle::change_type(int p, ActiveMove& move) {
  if (move.id == Move::AuraWheel) {
    move.type = act(p).forme == Species::MorpekoHangry ? Type::Dark : Type::Electric;
  }
  if (move.id == Move::MultiAttack) {
    const Type memory = data(item(p)).memory;
    move.type = memory == Type::None ? Type::Normal : memory;
  }
  const Ability own = ability(p);
  const Type painted = own == Ability::Pixilate      ? Type::Fairy
                       : own == Ability::Aerilate    ? Type::Flying
                       : own == Ability::Refrigerate ? Type::Ice
                                                     : Type::None;
  if (painted != Type::None && move.type == Type::Normal &&
      (move.id != Move::MultiAttack || (active_ != nullptr && active_->is_max))) {
    move.type = painted;
    move.type_boosted = true;
  }
  if (s_.ion_deluge && move.type == Type::Normal) move.type = Type::Electric;
}

// What the move itself, abilities, items and statuses make of it. False: it cannot be used after all.
bool Battle::modify_move(int p, ActiveMove& move) {
  modify_own_move(p, move);
  Active& field = act(p);
  if (ability(p) == Ability::StanceChange) change_stance(p, move);
  if (mon(p).status == Status::Frz && move.has_flag(kFlagDefrost)) cure_status(mon(p));
  if (field.has(Volatile::ThroatChop) && !move.is_max && move.has_flag(kFlagSound)) return false;
  if (s_.gravity != 0 && move.has_flag(kFlagGravity)) return false;
  switch (ability(p)) {
    case Ability::GorillaTactics:
      if (field.gorilla_move == Move::None && !move.is_max && move.id != Move::Struggle) field.gorilla_move = move.id;
      break;
    case Ability::Infiltrator:
      move.infiltrates = true;
      break;
    case Ability::MoldBreaker:
    case Ability::Teravolt:
    case Ability::Turboblaze:
      move.ignore_ability = true;
      break;
    case Ability::Scrappy:
      move.ignore_ghost = true;
      break;
    case Ability::SereneGrace:
      move.chance_factor = 2;
      break;
    case Ability::SheerForce:
      if (move.has(kTraitHasSecondary)) {
        move.no_secondaries = true;
        move.no_self = true;
        move.sheer_force = true;
      }
      break;
    case Ability::SkillLink:
      move.least_hits = move.most_hits;
      move.multi_accuracy = false;
      break;
    case Ability::UnseenFist:
      if (move.has_flag(kFlagContact)) move.flags &= ~kFlagProtect;
      break;
    default:
      break;
  }
  if (is_choice(item(p))) add_volatile(p, Volatile::ChoiceLock, who_of(p));
  return true;
}

void Battle::change_stance(int p, const ActiveMove& move) {
  if (data(act(p).forme).base != Species::Aegislash || act(p).transformed) return;
  if (move.is_status() && move.id != Move::KingsShield) return;
  const Species to = move.id == Move::KingsShield ? Species::Aegislash : Species::AegislashBlade;
  if (act(p).forme != to) change_forme(p, to, false, true);
}

void Battle::modify_own_move(int p, ActiveMove& move) {
  const int foe = 1 - p;
  switch (move.id) {
    case Move::Blizzard:
      if (weather() == Weather::Hail) move.accuracy = 0;
      break;
    case Move::Hurricane:
    case Move::Thunder:
      if (weather() == Weather::Rain) move.accuracy = 0;
      if (weather() == Weather::Sun) move.accuracy = 50;
      break;
    case Move::Curse:
      if (!has_type(unit(p), Type::Ghost)) {
        move.target = Target::Self;
        move.curse_of_others = true;
      }
      break;
    case Move::PhotonGeyser:
      if (plain_stat(p, kAtk) > plain_stat(p, kSpa)) move.category = Category::Physical;
      break;
    case Move::ShellSideArm: {
      const int power = 2 * mon(p).level / 5 + 2;
      const int physical = power * 90 * plain_stat(p, kAtk) / std::max(1, plain_stat(foe, kDef)) / 50;
      const int special = power * 90 * plain_stat(p, kSpa) / std::max(1, plain_stat(foe, kSpd)) / 50;
      if (physical > special || (physical == special && chance_.chance(1, 2))) {
        move.category = Category::Physical;
        move.flags |= kFlagContact;
      }
      break;
    }
    case Move::Struggle:
      move.type = Type::None;
      break;
    default:
      break;
  }
}

// Charging, and what keeps a move from being tried. True: it goes on; Null: not now; False: it fails.
Result Battle::try_move(int p, int target, const ActiveMove& move) {
  if (move.has_flag(kFlagCharge) && !charge(p, move)) return Result::Null;
  return Result::of(!is_below_majesty(p, target, move));
}

// Queenly Majesty: no priority moves.
bool Battle::is_below_majesty(int p, int target, const ActiveMove& move) const {
  return target == 1 - p && move.target != Target::FoeSide && move.priority > 0 &&
         guard(target) == Ability::QueenlyMajesty;
}

// False: the turn is spent with charging.
bool Battle::charge(int p, const ActiveMove& move) {
  Active& field = act(p);
  const Volatile own = volatile_of(move.id);
  if (field.has(own)) {
    field.drop(own);
    return true;
  }
  if (move.id == Move::MeteorBeam) boost(p, {0, 0, 1, 0, 0, 0, 0}, p, Cause::Move);
  if (move.id == Move::SolarBeam && weather() == Weather::Sun) return true;
  if (item(p) == Item::PowerHerb && use_item(p)) return true;
  add_volatile(p, Volatile::TwoTurnMove, who_of(p));
  field.charging_move = move.id;
  add_volatile(p, own, who_of(p));
  prepare_hit(p, move);
  return false;
}

// Libero: the user takes the move's type.
void Battle::prepare_hit(int p, const ActiveMove& move) {
  if (ability(p) != Ability::Libero || move.bounced || move.has_flag(kFlagFuturemove) || move.has(kTraitCallsMove))
    return;
  if (move.type == Type::None || data(act(p).forme).number == 773) return;
  const TypeList list = types(unit(p));
  if (list.count == 1 && list.types[0] == move.type) return;
  act(p).types = {move.type, Type::None};
  act(p).added_type = Type::None;
}

}  // namespace tengen::pokemon
