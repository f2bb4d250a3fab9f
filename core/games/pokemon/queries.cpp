// What holds now: types, grounding, weather, abilities and items in force, speed.
#include <algorithm>

#include "games/pokemon/battle.hpp"

namespace tengen::pokemon {

namespace {

// A stage as the simulator applies it to a stat.
int apply_stage(int stat, int stage) {
  stage = std::clamp(stage, -6, 6);
  return stage >= 0 ? stat * (2 + stage) / 2 : stat * 2 / (2 - stage);
}

}  // namespace

int staged(int stat, int stage) { return apply_stage(stat, stage); }

bool Battle::is_grounded(const Unit& unit) const {
  if (s_.gravity != 0 || unit.field.has(Volatile::SmackDown) || item(unit) == Item::IronBall) return true;
  if (has_type(unit, Type::Flying)) return false;
  if (ability(unit) == Ability::Levitate && !is_suppressed(unit.side)) return false;
  return !unit.field.has(Volatile::MagnetRise) && item(unit) != Item::AirBalloon;
}

bool Battle::is_semi_invulnerable(int p) const {
  const Active& field = act(p);
  return field.has(Volatile::Fly) || field.has(Volatile::Bounce) || field.has(Volatile::PhantomForce);
}

bool Battle::is_protected_type(int p, Status status) const {
  const TypeList list = types(unit(p));
  switch (status) {
    case Status::Brn:
      return list.has(Type::Fire);
    case Status::Par:
      return list.has(Type::Electric);
    case Status::Psn:
    case Status::Tox:
      return list.has(Type::Poison) || list.has(Type::Steel);
    case Status::Frz:
      return list.has(Type::Ice) || weather() == Weather::Sun;
    default:
      return false;
  }
}

bool Battle::is_immune_to_powder(int p) const { return has_type(unit(p), Type::Grass); }

bool Battle::is_immune_to_weather(int p, Weather weather) const {
  const TypeList list = types(unit(p));
  const Ability own = guard(p);
  if (own == Ability::Overcoat) return true;
  if (weather == Weather::Sand) {
    return list.has(Type::Rock) || list.has(Type::Ground) || list.has(Type::Steel) || own == Ability::SandRush;
  }
  return list.has(Type::Ice) || own == Ability::IceBody;
}

// False: a move of this type does nothing to it.
bool Battle::is_hit_by(int p, const ActiveMove& move) const {
  if (move.ignore_immunity || move.type == Type::None) return true;
  if (move.ignore_ghost && (move.type == Type::Normal || move.type == Type::Fighting)) return true;
  if (move.type == Type::Ground) return move.id == Move::ThousandArrows || is_grounded(p);
  return is_hit_by_type(p, move.type);
}

bool Battle::is_hit_by_type(int p, Type type) const {
  const TypeList list = types(unit(p));
  for (int i = 0; i < list.count; ++i) {
    if (kTypeChart[index_of(type)][index_of(list.types[index_of(i)])] == kImmune) return false;
  }
  return true;
}

// How often damage is doubled, less how often it is halved.
int Battle::effectiveness(int p, const ActiveMove& move) const {
  const TypeList list = types(unit(p));
  const bool shown_forme = !move.is_status() && has_unbroken_disguise(p, move);
  int sum = 0;
  for (int i = 0; i < list.count; ++i) {
    int mod = kTypeChart[index_of(move.type)][index_of(list.types[index_of(i)])];
    if (mod == kImmune) mod = 0;
    if (move.id == Move::FreezeDry && list.types[index_of(i)] == Type::Water) mod = 1;
    if (move.id == Move::ThousandArrows && move.type == Type::Ground && list.has(Type::Flying) && !is_grounded(p))
      mod = 0;
    if (shown_forme) mod = 0;
    sum += mod;
  }
  return std::clamp(sum, -6, 6);
}

// Mimikyu in its disguise, and Eiscue with its ice before a physical move: no critical hit, no type counts.
bool Battle::has_unbroken_disguise(int p, const ActiveMove& move) const {
  const Ability own = guard(p);
  const Species forme = act(p).forme;
  const bool mimikyu = own == Ability::Disguise && forme == Species::Mimikyu;
  const bool eiscue = own == Ability::IceFace && forme == Species::Eiscue && move.category == Category::Physical;
  if (!mimikyu && !eiscue) return false;
  if (act(p).has(Volatile::Substitute) && !move.has_flag(kFlagBypasssub) && !move.infiltrates) return false;
  return is_hit_by(p, move);
}

// A stat with its stages, before items and abilities.
int Battle::plain_stat(int p, Stat stat) const { return apply_stage(act(p).stats[stat], act(p).boosts[stat]); }

int Battle::speed(int p) const {
  const Active& field = act(p);
  Modifier chain;
  const Ability own = ability(p);
  switch (own) {
    case Ability::Chlorophyll:
      if (weather() == Weather::Sun) chain.by(2, 1);
      break;
    case Ability::SwiftSwim:
      if (weather() == Weather::Rain) chain.by(2, 1);
      break;
    case Ability::SandRush:
      if (weather() == Weather::Sand) chain.by(2, 1);
      break;
    case Ability::SlushRush:
      if (weather() == Weather::Hail) chain.by(2, 1);
      break;
    case Ability::SurgeSurfer:
      if (s_.terrain == Terrain::Electric) chain.by(2, 1);
      break;
    case Ability::SlowStart:
      if (field.slow_start != 0) chain.by(1, 2);
      break;
    default:
      break;
  }
  if (field.has(Volatile::Unburden) && mon(p).item == Item::None && own != Ability::None) chain.by(2, 1);
  if (item(p) == Item::ChoiceScarf && !field.has(Volatile::Dynamax)) chain.by(3, 2);
  int speed = chain.apply(plain_stat(p, kSpe));
  if (mon(p).status == Status::Par) speed = speed * 50 / 100;
  return std::min(speed, 10000);
}

int Battle::action_speed(int p) const {
  const int own = speed(p);
  return (s_.trick_room != 0 ? 10000 - own : own) & 0x1fff;
}

void Battle::update_speed(int p) {
  if (act(p).on_field) act(p).speed = static_cast<std::int16_t>(action_speed(p));
}

void Battle::update_speeds() {
  update_speed(0);
  update_speed(1);
}

int Battle::undynamaxed_hp(int p, int hp) const {
  if (!act(p).has(Volatile::Dynamax)) return hp;
  const int base = mon(p).base_max_hp;
  const int most = mon(p).max_hp;
  return (hp * base + most - 1) / most;
}

int Battle::weight(int p) const {
  int weight = act(p).weight;
  const Ability own = guard(p);
  if (own == Ability::HeavyMetal) weight *= 2;
  if (own == Ability::LightMetal) weight /= 2;
  return std::max(1, weight);
}

bool Battle::can_switch(int side) const {
  if (s_.sides[index_of(side)].left == 0) return false;
  for (int slot = 0; slot < kTeam; ++slot) {
    if (slot != s_.sides[index_of(side)].active && !team(side, slot).fainted &&
        team(side, slot).species != Species::None) {
      return true;
    }
  }
  return false;
}

// Both sides, the faster Pokémon first.
std::array<int, 2> Battle::by_speed() {
  const int first = act(0).speed;
  const int second = act(1).speed;
  const bool swap = first == second ? act(0).on_field && act(1).on_field && chance_.swaps_tie() : second > first;
  return swap ? std::array{1, 0} : std::array{0, 1};
}

bool Battle::is_move_queued(int p) const {
  if (!act(p).on_field) return false;
  return std::any_of(s_.queue.begin(), s_.queue.begin() + s_.queued, [&](const Action& action) {
    return action.step == Step::Move && action.side == p && action.slot == s_.sides[index_of(p)].active;
  });
}

bool Battle::is_anyone_to_act() const {
  return std::any_of(s_.queue.begin(), s_.queue.begin() + s_.queued, [](const Action& action) {
    return action.step == Step::Move || action.step == Step::Switch || action.step == Step::InstantSwitch;
  });
}

}  // namespace tengen::pokemon
