// The damage of a hit.
#include <algorithm>

#include "games/pokemon/battle.hpp"

namespace tengen::pokemon {

// Undefined: the move does no damage of itself; False: it cannot hit.
Result Battle::damage_of(int p, int target, ActiveMove& move) {
  return damage_of(active_bench_ && p == active_side_ ? future_unit() : unit(p), target, move);
}

Result Battle::damage_of(const Unit& source, int target, ActiveMove& move) {
  if (!is_hit_by(target, move)) return Result::False;
  if (move.has(kTraitFixedDamage)) return fixed_damage(source, target, move);
  int power = power_of(source, target, move);
  if (power == 0) return Result::Undefined;
  move.crit = draws_crit(source, target, move);
  power = std::max(1, modified_power(source, target, move, power));
  if (move.is_max && !source.field.has(Volatile::Dynamax)) power = 0;
  const int attack = attack_of(source, target, move);
  const int defence = defence_of(source, target, move);
  const std::int64_t level = 2 * source.mon.level / 5 + 2;
  const int base = static_cast<int>(level * power * attack / std::max(1, defence) / 50);
  return Result::number(finish_damage(source, target, move, base));
}

Result Battle::fixed_damage(const Unit& source, int target, const ActiveMove& move) const {
  switch (move.id) {
    case Move::SeismicToss:
    case Move::NightShade:
      return Result::number(source.mon.level);
    case Move::SuperFang:
    case Move::NaturesMadness:
      return Result::number(std::max(1, undynamaxed_hp(target, mon(target).hp) / 2));
    case Move::Counter:
      return Result::number(source.field.counter_damage > 0 ? source.field.counter_damage : 1);
    case Move::MirrorCoat:
      return Result::number(source.field.mirror_coat_damage > 0 ? source.field.mirror_coat_damage : 1);
    default:
      return Result::False;
  }
}

bool Battle::draws_crit(const Unit& source, int target, const ActiveMove& move) {
  bool crit = move.has(kTraitWillCrit);
  if (!crit) {
    int ratio = move.row->crit_ratio;
    if (source.field.has(Volatile::FocusEnergy)) ratio += 2;
    if (source.field.has(Volatile::ChiStrike)) ratio += source.field.chi_strikes;
    if (ability(source) == Ability::SuperLuck) ++ratio;
    const Item held = item(source);
    if (held == Item::ScopeLens) ++ratio;
    if (held == Item::Leek) {
      const Species base = data(source.mon.species).base;
      if (base == Species::Farfetchd || base == Species::Sirfetchd || data(source.mon.species).number == 83) ratio += 2;
    }
    constexpr std::array<int, 5> kOneIn{0, 24, 8, 2, 1};
    crit = chance_.crit(kOneIn[index_of(std::clamp(ratio, 1, 4))]);
  }
  if (!crit) return false;
  const Ability own = guard(target);
  if (own == Ability::BattleArmor || own == Ability::ShellArmor) return false;
  return !has_unbroken_disguise(target, move);
}

// The stat a hit is made with, after stages, abilities and items.
int Battle::attack_of(const Unit& source, int target, const ActiveMove& move) const {
  const bool physical = move.category == Category::Physical;
  const bool of_target = move.has(kTraitAttacksWithTarget);
  const Active& from = of_target ? act(target) : source.field;
  const Stat stat = move.has(kTraitAttacksWithDefence) ? kDef : physical ? kAtk : kSpa;
  int stage = from.boosts[stat];
  if (move.crit && stage < 0) stage = 0;
  if (guard(target) == Ability::Unaware && source.side != target) stage = 0;
  int attack = staged(from.stats[stat], stage);
  if (ability(source) == Ability::Hustle && physical) attack = modify(attack, 3, 2);
  Modifier chain;
  scale_by_target(target, move, chain);
  scale_by_user(source, target, move, physical, chain);
  return chain.apply(attack);
}

void Battle::scale_by_target(int target, const ActiveMove& move, Modifier& chain) const {
  const Ability own = guard(target);
  if (own == Ability::ThickFat && (move.type == Type::Ice || move.type == Type::Fire)) chain.by(1, 2);
  if (own == Ability::WaterBubble && move.type == Type::Fire) chain.by(1, 2);
}

void Battle::scale_by_user(const Unit& source, int target, const ActiveMove& move, bool physical,
                           Modifier& chain) const {
  const Pokemon& own = source.mon;
  const Ability mine = ability(source);
  const bool third = 3 * own.hp <= own.max_hp;
  switch (mine) {
    case Ability::HugePower:
      if (physical) chain.by(2, 1);
      break;
    case Ability::Guts:
      if (physical && own.status != Status::None) chain.by(3, 2);
      break;
    case Ability::SlowStart:
      if (physical && source.field.slow_start != 0) chain.by(1, 2);
      break;
    case Ability::SolarPower:
      if (!physical && weather() == Weather::Sun) chain.by(3, 2);
      break;
    case Ability::Defeatist:
      if (2 * own.hp <= own.max_hp) chain.by(1, 2);
      break;
    case Ability::Stakeout:
      if (act(target).active_turns == 0) chain.by(2, 1);
      break;
    case Ability::Blaze:
      if (third && move.type == Type::Fire) chain.by(3, 2);
      break;
    case Ability::Overgrow:
      if (third && move.type == Type::Grass) chain.by(3, 2);
      break;
    case Ability::Torrent:
      if (third && move.type == Type::Water) chain.by(3, 2);
      break;
    case Ability::Swarm:
      if (third && move.type == Type::Bug) chain.by(3, 2);
      break;
    case Ability::DragonsMaw:
      if (move.type == Type::Dragon) chain.by(3, 2);
      break;
    case Ability::Steelworker:
      if (move.type == Type::Steel) chain.by(3, 2);
      break;
    case Ability::Transistor:
      if (move.type == Type::Electric) chain.by(3, 2);
      break;
    case Ability::FlashFire:
      if (source.field.has(Volatile::FlashFire) && move.type == Type::Fire) chain.by(3, 2);
      break;
    case Ability::FlowerGift:
      if (physical && weather() == Weather::Sun && data(own.species).base == Species::Cherrim) chain.by(3, 2);
      break;
    case Ability::GorillaTactics:
      if (physical && !source.field.has(Volatile::Dynamax)) chain.by(3, 2);
      break;
    case Ability::WaterBubble:
      if (move.type == Type::Water) chain.by(2, 1);
      break;
    default:
      break;
  }
  const Item held = item(source);
  const Species base = data(own.species).base;
  if ((held == Item::ChoiceBand && physical) || (held == Item::ChoiceSpecs && !physical)) {
    if (!source.field.has(Volatile::Dynamax)) chain.by(3, 2);
  }
  if (held == Item::LightBall && base == Species::Pikachu) chain.by(2, 1);
  if (held == Item::ThickClub && physical && base == Species::Marowak) chain.by(2, 1);
}

int Battle::defence_of(const Unit& source, int target, const ActiveMove& move) const {
  const bool physical = move.category == Category::Physical || move.has(kTraitHitsDefence);
  const Stat stat = physical ? kDef : kSpd;
  int stage = act(target).boosts[stat];
  if (move.has(kTraitIgnoreDefence) || (move.crit && stage > 0)) stage = 0;
  if (ability(source) == Ability::Unaware && source.side != target) stage = 0;
  int defence = staged(act(target).stats[stat], stage);
  const Pokemon& own = mon(target);
  if (stat == kSpd && weather() == Weather::Sand && has_type(unit(target), Type::Rock)) defence = modify(defence, 3, 2);
  Modifier chain;
  switch (guard(target)) {
    case Ability::FurCoat:
      if (physical) chain.by(2, 1);
      break;
    case Ability::MarvelScale:
      if (physical && own.status != Status::None) chain.by(3, 2);
      break;
    case Ability::FlowerGift:
      if (!physical && weather() == Weather::Sun && data(own.species).base == Species::Cherrim) chain.by(3, 2);
      break;
    default:
      break;
  }
  const Item held = item(target);
  if (held == Item::Eviolite && data(own.species).can_evolve) chain.by(3, 2);
  if (held == Item::AssaultVest && !physical) chain.by(3, 2);
  return chain.apply(defence);
}

// From the base damage to what is dealt: weather, critical hit, roll, types, burn, and the rest.
int Battle::finish_damage(const Unit& source, int target, ActiveMove& move, int base) {
  int damage = base + 2;
  if (const Weather now = weather(); now == Weather::Sun || now == Weather::Rain) {
    const Type strong = now == Weather::Sun ? Type::Fire : Type::Water;
    const Type weak = now == Weather::Sun ? Type::Water : Type::Fire;
    if (move.type == strong) damage = modify(damage, 3, 2);
    if (move.type == weak) damage = modify(damage, 1, 2);
  }
  if (move.crit) damage = damage * 3 / 2;
  damage = damage * (100 - chance_.roll()) / 100;
  if (move.type != Type::None && has_type(source, move.type)) {
    damage = ability(source) == Ability::Adaptability ? damage * 2 : modify(damage, 3, 2);
  }
  const int type_mod = effectiveness(target, move);
  move.type_mod = static_cast<std::int8_t>(type_mod);
  for (int i = 0; i < type_mod; ++i) damage *= 2;
  for (int i = 0; i > type_mod; --i) damage /= 2;
  const bool burnt = source.mon.status == Status::Brn && move.category == Category::Physical;
  if (burnt && ability(source) != Ability::Guts && move.id != Move::Facade) damage = modify(damage, 1, 2);
  damage = last_modifiers(source, target, move, damage);
  if (move.bypass_protect) damage = modify(damage, 1, 4);
  return damage == 0 ? 1 : damage & 0xffff;
}

int Battle::last_modifiers(const Unit& source, int target, const ActiveMove& move, int damage) const {
  Modifier chain;
  const auto of_user = [&] {
    const Ability mine = ability(source);
    if (mine == Ability::Sniper && move.crit) chain.by(3, 2);
    if (mine == Ability::TintedLens && move.type_mod < 0) chain.by(2, 1);
    if (item(source) == Item::LifeOrb) chain.by4096(5324);
    if (item(source) == Item::ExpertBelt && move.type_mod > 0) chain.by4096(4915);
  };
  const bool user_first = source.field.speed >= act(target).speed;
  if (user_first) of_user();
  scale_by_defender(target, move, chain);
  if (!user_first) of_user();
  const Side& side = s_.sides[index_of(target)];
  const bool physical = move.category == Category::Physical;
  const bool own_screen = side.count(physical ? SideCondition::Reflect : SideCondition::LightScreen) != 0;
  if ((own_screen || side.count(SideCondition::AuroraVeil) != 0) && !move.crit && !move.infiltrates &&
      source.side != target) {
    chain.by(1, 2);
  }
  return chain.apply(damage);
}

void Battle::scale_by_defender(int target, const ActiveMove& move, Modifier& chain) const {
  const Move id = move.id;
  if (act(target).has(Volatile::Dynamax) &&
      (id == Move::BehemothBash || id == Move::BehemothBlade || id == Move::DynamaxCannon)) {
    chain.by(2, 1);
  }
  const Pokemon& own = mon(target);
  switch (guard(target)) {
    case Ability::Filter:
    case Ability::SolidRock:
    case Ability::PrismArmor:
      if (move.type_mod > 0) chain.by(3, 4);
      break;
    case Ability::Multiscale:
    case Ability::ShadowShield:
      if (own.hp >= own.max_hp) chain.by(1, 2);
      break;
    case Ability::Fluffy: {
      const bool fire = move.type == Type::Fire;
      const bool contact = move.has_flag(kFlagContact);
      if (fire != contact) fire ? chain.by(2, 1) : chain.by(1, 2);
      break;
    }
    case Ability::IceScales:
      if (move.category == Category::Special) chain.by(1, 2);
      break;
    case Ability::PunkRock:
      if (move.has_flag(kFlagSound)) chain.by(1, 2);
      break;
    default:
      break;
  }
  const Type shield = data(item(target)).shield;
  if (shield != Type::None && move.type == shield && (move.type_mod > 0 || shield == Type::Normal)) chain.by(1, 2);
}

int Battle::damage_of_hit(int p, Move id, bool max, int hit) {
  const int target = 1 - p;
  if (s_.queued == 0 && speed(p) > speed(target)) {  // between turns: the slower foe has its move still to come
    Action action;
    action.step = Step::Move;
    action.side = static_cast<std::int8_t>(target);
    action.slot = s_.sides[index_of(target)].active;
    push(action);
  }
  depth_ = 0;
  ActiveMove& move = pool_[index_of(depth_++)];
  move = make_move(id);
  if (max) {
    if (!move.is_status()) change_type(p, move);
    move = make_max_move(p, move);
  }
  set_active(&move, p);
  change_type(p, move);
  if (!modify_move(p, move) || is_own_side(move.target)) return 0;
  move.hit = static_cast<std::uint8_t>(hit);
  prepare_hit(p, move);
  if (!move.is_status() && (guard(0) == Ability::AuraBreak || guard(1) == Ability::AuraBreak)) move.aura_break = true;
  if (is_below_majesty(p, target, move) || !meet_guards(p, target, move).is_hit()) return 0;
  if (!try_hit_of_move(p, target, move).is(Result::True)) return 0;
  const Result damage = damage_of(p, target, move);
  return damage.is(Result::Number) ? damage.amount : 0;
}

ActiveMove Battle::max_move_now(int p, Move id) {
  ActiveMove move = make_move(id);
  if (!move.is_status()) change_type(p, move);
  return make_max_move(p, move);
}

MaxMove max_move_of(const State& state, int p, Move move) {
  State copy = state;
  Chance chance(0, false);
  const ActiveMove max = Battle(copy, chance).max_move_now(p, move);
  return {max.id, max.power};
}

std::array<int, 16> damage_rolls(const State& state, int p, Move move, bool max, bool crit, int hit) {
  std::array<int, 16> rolls{};
  for (int i = 0; i < 16; ++i) {
    State copy = state;
    Chance chance(15 - i, crit);
    rolls[index_of(i)] = Battle(copy, chance).damage_of_hit(p, move, max, hit);
  }
  return rolls;
}

// No type, no critical hit, and none of what changes attacks.
int Battle::confusion_damage(int p) {
  const Active& field = act(p);
  const int attack = staged(field.stats[kAtk], field.boosts[kAtk]);
  const int defence = staged(field.stats[kDef], field.boosts[kDef]);
  const int base = (2 * mon(p).level / 5 + 2) * 40 * attack / std::max(1, defence) / 50 + 2;
  return std::max(1, (base & 0xffff) * (100 - chance_.roll()) / 100);
}

}  // namespace tengen::pokemon
