// Statuses, stages, and what a Pokémon on the field is under.
#include <algorithm>

#include "games/pokemon/battle.hpp"
#include "games/pokemon/seeing.hpp"

namespace tengen::pokemon {

// Answers whether any stage changed.
bool Battle::boost(int p, Boosts boosts, int source, Cause cause) {
  if (mon(p).hp == 0 || !act(p).on_field || s_.sides[index_of(1 - p)].left == 0) return false;
  if (cause == Cause::Ability || cause == Cause::Intimidate) see_ability(s_, source < 0 ? p : source);
  Active& field = act(p);
  const Ability own = guard(p);
  if (own == Ability::Contrary || own == Ability::Simple) {
    const int factor = own == Ability::Contrary ? -1 : 2;
    for (auto& by : boosts) by = static_cast<std::int8_t>(by * factor);
  }
  for (std::size_t i = 0; i < boosts.size(); ++i) {
    boosts[i] = static_cast<std::int8_t>(std::clamp(field.boosts[i] + boosts[i], -6, 6) - field.boosts[i]);
  }
  guard_boosts(p, boosts, source, cause);
  bool raised = false;
  bool lowered = false;
  for (std::size_t i = 0; i < boosts.size(); ++i) {
    const int by = std::clamp(field.boosts[i] + boosts[i], -6, 6) - field.boosts[i];
    if (by == 0) continue;
    field.boosts[i] = static_cast<std::int8_t>(field.boosts[i] + by);
    (boosts[i] > 0 ? raised : lowered) = true;
    if (boosts[i] < 0 && source >= 0 && source != p) {
      if (ability(p) == Ability::Defiant) boost(p, {2, 0, 0, 0, 0, 0, 0}, p, Cause::Ability);
      if (ability(p) == Ability::Competitive) boost(p, {0, 0, 2, 0, 0, 0, 0}, p, Cause::Ability);
    }
  }
  if (raised) field.stats_raised = true;
  if (lowered) field.stats_lowered = true;
  return raised || lowered;
}

// Abilities that keep stages from being lowered.
void Battle::guard_boosts(int p, Boosts& boosts, int source, Cause cause) {
  const Ability own = guard(p);
  switch (own) {
    case Ability::ClearBody:
    case Ability::FullMetalBody:
      if (source == p) return;
      for (auto& by : boosts) by = std::max<std::int8_t>(by, 0);
      return;
    case Ability::InnerFocus:
    case Ability::Oblivious:
    case Ability::OwnTempo:
    case Ability::Scrappy:
      if (cause == Cause::Intimidate) boosts[kAtk] = 0;
      return;
    case Ability::MirrorArmor:
      if (source < 0 || source == p || cause == Cause::MirrorArmor) return;
      for (std::size_t i = 0; i < boosts.size(); ++i) {
        if (boosts[i] >= 0 || act(p).boosts[i] == -6) continue;
        Boosts back{};
        back[i] = boosts[i];
        boosts[i] = 0;
        const bool gone = cause == Cause::StickyWeb && !is_active(s_.sides[index_of(p)].web_source);
        if (!gone && mon(source).hp > 0) boost(source, back, p, Cause::MirrorArmor);
      }
      return;
    default:
      return;
  }
}

bool Battle::is_sleep_barred(int p, Who source) const {
  if (source == kNoSlot || side_of(source) == p) return false;
  for (const Pokemon& other : s_.sides[index_of(p)].team) {
    if (other.hp > 0 && other.status == Status::Slp &&
        (other.status_source == kNoSlot || side_of(other.status_source) != p)) {
      return true;
    }
  }
  return false;
}

// Abilities and terrains that keep a status away.
bool Battle::is_status_barred(int p, Status status, Who source) const {
  switch (guard(p)) {
    case Ability::Insomnia:
    case Ability::VitalSpirit:
      if (status == Status::Slp) return true;
      break;
    case Ability::Limber:
      if (status == Status::Par) return true;
      break;
    case Ability::WaterVeil:
    case Ability::WaterBubble:
      if (status == Status::Brn) return true;
      break;
    case Ability::PastelVeil:
      if (status == Status::Psn || status == Status::Tox) return true;
      break;
    case Ability::LeafGuard:
      if (weather() == Weather::Sun) return true;
      break;
    default:
      break;
  }
  if (s_.terrain != Terrain::None && is_grounded(p) && !is_semi_invulnerable(p)) {
    if (s_.terrain == Terrain::Misty || (s_.terrain == Terrain::Electric && status == Status::Slp)) return true;
  }
  return status == Status::Slp && is_sleep_barred(p, source);
}

bool Battle::try_status(int p, Status status, Who source, Cause cause) {
  return mon(p).status == Status::None && set_status(p, status, source, cause);
}

bool Battle::set_status(int p, Status status, Who source, Cause cause) {
  Pokemon& target = mon(p);
  if (target.hp == 0 || target.status == status) return false;
  const bool poison = status == Status::Psn || status == Status::Tox;
  const bool corroded =
      poison && source != kNoSlot && is_active(source) && ability(side_of(source)) == Ability::Corrosion;
  if (!corroded && is_protected_type(p, status)) return false;
  if (is_status_barred(p, status, source)) return false;
  target.status = status;
  target.status_count = 0;
  target.sleep_length = 0;
  target.status_source = source;
  if (status == Status::Slp) {
    target.sleep_length = static_cast<std::uint8_t>(2 + chance_.below(3));
    target.status_count = target.sleep_length;
  }
  if (ability(p) == Ability::Synchronize && source != kNoSlot && side_of(source) != p && cause != Cause::ToxicSpikes &&
      status != Status::Slp && status != Status::Frz && is_active(source)) {
    try_status(side_of(source), status, who_of(p), Cause::Ability);
  }
  if (item(p) == Item::LumBerry) eat_item(p);
  return true;
}

bool Battle::cure_status(Pokemon& target) {
  if (target.hp == 0 || target.status == Status::None) return false;
  target.status = Status::None;
  target.status_count = 0;
  target.sleep_length = 0;
  target.status_source = kNoSlot;
  return true;
}

// What keeps a volatile off a Pokémon before it starts.
bool Battle::is_volatile_barred(int p, Volatile v) const {
  const Active& field = act(p);
  const Ability own = guard(p);
  switch (v) {
    case Volatile::Flinch:
      return own == Ability::InnerFocus || field.has(Volatile::Dynamax) || field.has(Volatile::FocusPunch);
    case Volatile::Confusion:
      return own == Ability::OwnTempo || (s_.terrain == Terrain::Misty && is_grounded(p) && !is_semi_invulnerable(p));
    case Volatile::Yawn:
      return own == Ability::Insomnia || own == Ability::VitalSpirit ||
             (own == Ability::LeafGuard && weather() == Weather::Sun) ||
             (s_.terrain == Terrain::Electric && is_grounded(p) && !is_semi_invulnerable(p));
    case Volatile::Attract:
      return own == Ability::Oblivious || own == Ability::AromaVeil;
    case Volatile::Disable:
    case Volatile::Encore:
    case Volatile::Taunt:
    case Volatile::Torment:
      return own == Ability::AromaVeil;
    case Volatile::Trapped:
      return has_type(unit(p), Type::Ghost);
    default:
      return false;
  }
}

// A volatile that is there already: only some begin anew.
bool Battle::restart_volatile(int p, Volatile v) {
  Active& field = act(p);
  switch (v) {
    case Volatile::Stall:
      if (field.stall_counter < 729) field.stall_counter = static_cast<std::uint16_t>(field.stall_counter * 3);
      field.left(v) = 2;
      return true;
    case Volatile::LockedMove:
      if (field.locked_turns >= 2) field.left(v) = 2;
      return true;
    case Volatile::ChiStrike:
      if (field.chi_strikes >= 3) return false;
      ++field.chi_strikes;
      return true;
    case Volatile::SmackDown:
      knock_down(p);
      return true;
    default:
      return false;
  }
}

bool Battle::knock_down(int p) {
  Active& field = act(p);
  if (!field.has(Volatile::Fly) && !field.has(Volatile::Bounce)) return false;
  field.drop(Volatile::Fly);
  field.drop(Volatile::Bounce);
  cancel_moves(p);
  remove_volatile(p, Volatile::TwoTurnMove);
  return true;
}

bool Battle::add_volatile(int p, Volatile v, Who source, Move by) {
  Active& field = act(p);
  if (mon(p).hp == 0) return false;
  if (field.has(v)) return restart_volatile(p, v);
  if (is_volatile_barred(p, v)) return false;
  field.set(v);
  if (start_volatile(p, v, source, by)) return true;
  field.drop(v);
  return false;
}

// Turns that a volatile lasts by itself; 0: until something ends it.
static int turns_of(Volatile v) {
  switch (v) {
    case Volatile::Flinch:
    case Volatile::Protect:
    case Volatile::KingsShield:
    case Volatile::BanefulBunker:
    case Volatile::SpikyShield:
    case Volatile::MaxGuard:
    case Volatile::Counter:
    case Volatile::MirrorCoat:
    case Volatile::FocusPunch:
    case Volatile::Roost:
      return 1;
    case Volatile::LockedMove:
    case Volatile::TwoTurnMove:
    case Volatile::Stall:
    case Volatile::Fly:
    case Volatile::Bounce:
    case Volatile::PhantomForce:
    case Volatile::ThroatChop:
    case Volatile::Yawn:
      return 2;
    case Volatile::Encore:
    case Volatile::Taunt:
      return 3;
    case Volatile::Disable:
    case Volatile::MagnetRise:
      return 5;
    default:
      return 0;
  }
}

bool Battle::start_volatile(int p, Volatile v, Who source, Move by) {
  Active& field = act(p);
  field.left(v) = static_cast<std::uint8_t>(turns_of(v));
  switch (v) {
    case Volatile::Confusion:
      field.confusion_count = field.confusion_length = static_cast<std::uint8_t>(2 + chance_.below(4));
      break;
    case Volatile::PartiallyTrapped:
      field.left(v) = field.bind_length = static_cast<std::uint8_t>(5 + chance_.below(2));
      field.partial_trapper = source;
      field.partial_trap_stays = by == Move::GMaxCentiferno || by == Move::GMaxSandblast;
      break;
    case Volatile::LockedMove:
      field.locked_turns = field.locked_length = static_cast<std::uint8_t>(2 + chance_.below(2));
      field.locked_move = by;
      break;
    case Volatile::ChoiceLock:
      if (active_ == nullptr || active_->bounced) return false;
      field.choice_move = active_->id;
      break;
    case Volatile::Stall:
      field.stall_counter = 3;
      break;
    case Volatile::ChiStrike:
      field.chi_strikes = 1;
      break;
    case Volatile::Substitute:
      field.substitute_hp = static_cast<std::int16_t>(mon(p).max_hp / 4);
      field.drop(Volatile::PartiallyTrapped);
      break;
    case Volatile::Encore:
      return start_encore(p);
    case Volatile::Taunt:
      if (field.active_turns != 0 && !is_move_queued(p)) ++field.left(v);
      break;
    case Volatile::Disable:
      return start_disable(p);
    case Volatile::Torment:
      if (field.has(Volatile::Dynamax)) return false;
      if (by == Move::GMaxMeltdown) field.left(v) = 3;
      break;
    case Volatile::Attract:
      return start_attract(p, source);
    case Volatile::Yawn:
      field.yawn_source = source;
      break;
    case Volatile::Counter:
    case Volatile::MirrorCoat:
      field.counter_damage = field.mirror_coat_damage = -1;
      break;
    case Volatile::FocusPunch:
      field.lost_focus = false;
      break;
    case Volatile::SmackDown:
      return start_smack_down(p);
    case Volatile::Dynamax:
      start_dynamax(p);
      break;
    default:
      break;
  }
  return true;
}

bool Battle::start_attract(int p, Who source) {
  const Gender mine = mon(p).gender;
  const Gender theirs = team(side_of(source), slot_of(source)).gender;
  if (mine == Gender::None || theirs == Gender::None || mine == theirs) return false;
  act(p).attract_source = source;
  return true;
}

bool Battle::start_encore(int p) {
  Active& field = act(p);
  const Move move = data(field.last_move).has(kTraitMax) ? field.last_base_move : field.last_move;
  if (move == Move::None || field.has(Volatile::Dynamax)) return false;
  const int slot = move_slot(p, move);
  if ((data(move).flags & kFlagFailencore) != 0 || slot < 0 || mon(p).moves[index_of(slot)].pp == 0) return false;
  field.encore_move = move;
  if (!is_move_queued(p)) ++field.left(Volatile::Encore);
  return true;
}

bool Battle::start_disable(int p) {
  Active& field = act(p);
  if (is_move_queued(p) || (active_ != nullptr && active_side_ == p)) --field.left(Volatile::Disable);
  if (field.last_move == Move::None) return false;
  const int slot = move_slot(p, field.last_move);
  if (slot >= 0 && mon(p).moves[index_of(slot)].pp == 0) return false;
  field.disable_move = field.last_move;
  return true;
}

bool Battle::start_smack_down(int p) {
  Active& field = act(p);
  bool applies = has_type(unit(p), Type::Flying) || ability(p) == Ability::Levitate;
  if (s_.gravity != 0) applies = false;
  if (knock_down(p)) applies = true;
  if (field.has(Volatile::MagnetRise)) {
    field.drop(Volatile::MagnetRise);
    applies = true;
  }
  return applies;
}

void Battle::start_dynamax(int p) {
  Active& field = act(p);
  Pokemon& own = mon(p);
  field.dynamax_turns = 0;
  field.drop(Volatile::Substitute);
  field.drop(Volatile::Torment);
  if ((field.forme == Species::CramorantGulping || field.forme == Species::CramorantGorging) && !field.transformed) {
    change_forme(p, Species::Cramorant, false, true);
  }
  if (own.species == Species::Shedinja) return;
  own.max_hp = static_cast<std::int16_t>(own.max_hp * 2);
  own.hp = static_cast<std::int16_t>(own.hp * 2);
}

bool Battle::remove_volatile(int p, Volatile v) {
  Active& field = act(p);
  if (mon(p).hp == 0 || !field.has(v)) return false;
  end_volatile(p, v);
  return true;
}

// Ends a volatile with what follows from it.
void Battle::end_volatile(int p, Volatile v) {
  Active& field = act(p);
  switch (v) {
    case Volatile::LockedMove: {
      const bool tired = field.locked_turns <= 1;
      if (tired) add_volatile(p, Volatile::Confusion, who_of(p));
      break;
    }
    case Volatile::TwoTurnMove:
      field.drop(volatile_of(field.charging_move));
      break;
    case Volatile::Yawn:
      try_status(p, Status::Slp, field.yawn_source, Cause::Condition);
      break;
    case Volatile::Dynamax:
      if (mon(p).species != Species::Shedinja) {
        mon(p).hp = static_cast<std::int16_t>(undynamaxed_hp(p, mon(p).hp));
        mon(p).max_hp = mon(p).base_max_hp;
      }
      break;
    case Volatile::Trapped:
      if (act(1 - p).has(Volatile::Trapper)) act(1 - p).drop(Volatile::Trapper);
      break;
    default:
      break;
  }
  field.drop(v);
}

// The volatile that a charging move leaves beside TwoTurnMove.
Volatile Battle::volatile_of(Move move) {
  switch (move) {
    case Move::Fly:
      return Volatile::Fly;
    case Move::Bounce:
      return Volatile::Bounce;
    case Move::PhantomForce:
      return Volatile::PhantomForce;
    case Move::SolarBeam:
      return Volatile::SolarBeam;
    case Move::MeteorBeam:
      return Volatile::MeteorBeam;
    default:
      return Volatile::Geomancy;
  }
}

}  // namespace tengen::pokemon
