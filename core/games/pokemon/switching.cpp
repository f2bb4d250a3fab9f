// Coming in and going out.
#include <algorithm>

#include "games/pokemon/battle.hpp"
#include "games/pokemon/seeing.hpp"
#include "games/pokemon/teams.hpp"

namespace tengen::pokemon {

// What ends before a Pokémon is even asked who shall replace it.
void Battle::before_switch_out(int p) { remove_volatile(p, Volatile::Dynamax); }

// `dragged`: by a move of the foe, so nobody has chosen.
void Battle::switch_in(int p, int slot, bool dragged) {
  Side& side = s_.sides[index_of(p)];
  if (slot == side.active && act(p).on_field) return;
  if (act(p).on_field && mon(p).hp > 0) {
    act(p).called_back = true;
    if (!act(p).before_switch_out_done && !dragged) {
      before_switch_out(p);
      update();
    }
    see_leave(s_, p);
    leave(p);
  } else {
    mon(p).status = mon(p).fainted ? Status::None : mon(p).status;
  }
  const auto new_at = std::find(side.order.begin(), side.order.end(), static_cast<std::int8_t>(slot));
  std::iter_swap(side.order.begin(), new_at);
  side.active = static_cast<std::int8_t>(slot);
  side.field = fresh_active(side.pokemon());
  side.field.on_field = true;
  side.pokemon().used = 0;
  if (side.pokemon().ability == Ability::Illusion) disguise(p);
  see_active(s_, p);
  if (dragged) {
    run_switches({p, -1});
    return;
  }
  update_speed(p);
  Action action;
  action.step = Step::RunSwitch;
  action.side = static_cast<std::int8_t>(p);
  action.slot = static_cast<std::int8_t>(slot);
  action.order = order_of(action.step);
  action.speed = act(p).speed;
  insert(action);
}

void Battle::leave(int p) {
  switch (ability(p)) {
    case Ability::NaturalCure:
      cure_status(mon(p));
      break;
    case Ability::Regenerator: {
      Pokemon& own = mon(p);
      own.hp = static_cast<std::int16_t>(std::min<int>(own.max_hp, own.hp + own.base_max_hp / 3));
      break;
    }
    default:
      break;
  }
  end_ability(p);
  cancel_actions(p);
  clear_volatiles(p);
}

// Illusion shows the last of the party that can fight.
void Battle::disguise(int p) {
  Side& side = s_.sides[index_of(p)];
  side.field.illusion = kNoSlot;
  for (int at = kTeam - 1; at > 0; --at) {
    const int slot = side.order[index_of(at)];
    const Pokemon& other = side.team[index_of(slot)];
    if (other.fainted || other.species == Species::None) continue;
    side.field.illusion = static_cast<std::int8_t>(slot);
    return;
  }
}

void Battle::drag_in(int p) {
  Side& side = s_.sides[index_of(p)];
  std::array<int, kTeam> options{};
  int count = 0;
  for (std::size_t at = 1; at < kTeam; ++at) {
    const int slot = side.order[at];
    if (!side.team[index_of(slot)].fainted && side.team[index_of(slot)].species != Species::None)
      options[index_of(count++)] = slot;
  }
  if (count == 0) return;
  const int slot = options[index_of(chance_.below(count))];
  if (mon(p).hp == 0 || act(p).has(Volatile::Dynamax)) return;
  switch_in(p, slot, true);
}

namespace {

// Abilities that start before all others or after them.
int start_priority(Ability ability) {
  switch (ability) {
    case Ability::Unnerve:
    case Ability::AsOneGlastrier:
    case Ability::AsOneSpectrier:
      return 1;
    case Ability::Schooling:
    case Ability::Mimicry:
      return -1;
    case Ability::FlowerGift:
    case Ability::IceFace:
      return -2;
    default:
      return 0;
  }
}

}  // namespace

// Everything that happens to Pokémon that have just come in, the faster one first: status, Healing Wish, hazards in
// the order they were laid, ability, item. Some abilities are earlier or later than all that.
void Battle::run_switches(std::array<int, 2> who) {
  const auto order = by_speed();
  const auto comes_in = [&](int p) { return who[0] == p || who[1] == p; };
  const std::array<Ability, 2> abilities{mon(0).ability, mon(1).ability};
  for (int priority = 1; priority >= -2; --priority) {
    for (const int p : order) {
      if (priority == 0 && comes_in(p) && arrive(p)) return;
      if (comes_in(p) && start_priority(abilities[index_of(p)]) == priority && act(p).on_field &&
          mon(p).ability == abilities[index_of(p)] && !is_start_suppressed(p)) {
        if (mon(p).ability == Ability::Imposter) {
          transform(p);
        } else {
          start_ability(p);
        }
        if (settle_faints(true)) return;
      }
      if (priority == 0 && act(p).on_field) {
        if (!comes_in(p) && ability(p) == Ability::PastelVeil) start_ability(p);
        if (comes_in(p) && item(p) != Item::None && item(p) != Item::WhiteHerb) start_item(p);
      }
      if (priority == -2 && act(p).on_field) check_white_herb(p);
      if (settle_faints(true)) return;
    }
  }
}

bool Battle::is_start_suppressed(int p) const {
  return (data(mon(p).ability).flags & kAbilityBreakable) != 0 && is_suppressed(p);
}

// Status, slot and side conditions. True: the battle is over.
bool Battle::arrive(int p) {
  if (!act(p).on_field) return false;
  Side& side = s_.sides[index_of(p)];
  Pokemon& own = mon(p);
  if (own.status == Status::Tox) own.status_count = 0;
  if (side.healing_wish && own.hp > 0 && (own.hp < own.max_hp || own.status != Status::None)) {
    own.hp = own.max_hp;
    cure_status(own);
    side.healing_wish = false;
  }
  const auto laid = side.laid;
  for (int place = 1; place <= kHazards; ++place) {
    const auto at = std::find(laid.begin(), laid.end(), place);
    if (at == laid.end()) break;
    meet_hazard(p, static_cast<SideCondition>(at - laid.begin()));
    if (settle_faints(true)) return true;
    if (!act(p).on_field) return false;
  }
  return false;
}

void Battle::meet_hazard(int p, SideCondition hazard) {
  Side& side = s_.sides[index_of(p)];
  const bool boots = item(p) == Item::HeavyDutyBoots;
  const int layers = side.count(hazard);
  switch (hazard) {
    case SideCondition::StealthRock:
    case SideCondition::GMaxSteelsurge: {
      if (boots) return;
      ActiveMove stone = make_move(Move::StealthRock);
      stone.type = hazard == SideCondition::StealthRock ? Type::Rock : Type::Steel;
      const int mod = effectiveness(p, stone);
      const int most = mon(p).max_hp;
      damage(p, mod >= 0 ? (most << mod) / 8 : most / (8 << -mod), -1, Cause::Hazard);
      return;
    }
    case SideCondition::Spikes: {
      if (boots || !is_grounded(p)) return;
      constexpr std::array<int, 4> kPart{0, 3, 4, 6};
      damage(p, kPart[index_of(layers)] * mon(p).max_hp / 24, -1, Cause::Hazard);
      return;
    }
    case SideCondition::ToxicSpikes:
      if (!is_grounded(p)) return;
      if (has_type(unit(p), Type::Poison)) {
        remove_side_condition(p, hazard);
      } else if (!has_type(unit(p), Type::Steel) && !boots) {
        try_status(p, layers >= 2 ? Status::Tox : Status::Psn, who_of(1 - p), Cause::ToxicSpikes);
      }
      return;
    case SideCondition::StickyWeb:
      if (boots || !is_grounded(p)) return;
      boost(p, {0, 0, 0, 0, -1, 0, 0}, side.web_source == kNoSlot ? 1 - p : side_of(side.web_source), Cause::StickyWeb);
      return;
    default:
      return;
  }
}

}  // namespace tengen::pokemon
