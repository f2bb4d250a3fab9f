// Items: using, eating, taking and giving them, and what they do by themselves.
#include "games/pokemon/battle.hpp"
#include "games/pokemon/seeing.hpp"

namespace tengen::pokemon {

namespace {

bool is_pinch_berry(Item item) {
  switch (item) {
    case Item::AguavBerry:
    case Item::FigyBerry:
    case Item::IapapaBerry:
    case Item::MagoBerry:
    case Item::WikiBerry:
    case Item::SalacBerry:
    case Item::CustapBerry:
      return true;
    default:
      return false;
  }
}

bool heals(Item item) {
  return item == Item::SitrusBerry || (is_pinch_berry(item) && item != Item::SalacBerry && item != Item::CustapBerry);
}

}  // namespace

bool Battle::is_in_a_pinch(int p) const {
  const Pokemon& own = mon(p);
  return 4 * own.hp <= own.max_hp || (2 * own.hp <= own.max_hp && ability(p) == Ability::Gluttony);
}

void Battle::finish_item(int p) {
  Pokemon& own = mon(p);
  see_item(s_, p);
  own.last_item = own.item;
  own.item = Item::None;
  act(p).used_item = true;
  if (ability(p) == Ability::Unburden) add_volatile(p, Volatile::Unburden, who_of(p));
}

bool Battle::use_item(int p) {
  Pokemon& own = mon(p);
  if (own.hp == 0 || !act(p).on_field || own.item == Item::None) return false;
  if (own.item == Item::WeaknessPolicy) boost(p, {2, 0, 2, 0, 0, 0, 0}, p, Cause::Item);
  if (own.item == Item::ThroatSpray) boost(p, {0, 0, 1, 0, 0, 0, 0}, p, Cause::Item);
  if (own.item == Item::WhiteHerb) {
    for (auto& stage : act(p).boosts) stage = std::max<std::int8_t>(stage, 0);
  }
  finish_item(p);
  return true;
}

// What a berry does to who eats it.
void Battle::taste(int p, Item berry) {
  Pokemon& own = mon(p);
  switch (berry) {
    case Item::SitrusBerry:
      heal(p, own.base_max_hp / 4);
      break;
    case Item::AguavBerry:
    case Item::FigyBerry:
    case Item::IapapaBerry:
    case Item::MagoBerry:
    case Item::WikiBerry:
      heal(p, own.base_max_hp / 3);
      break;
    case Item::SalacBerry:
      boost(p, {0, 0, 0, 0, 1, 0, 0}, p, Cause::Item);
      break;
    case Item::ChestoBerry:
      if (own.status == Status::Slp) cure_status(own);
      break;
    case Item::LumBerry:
      cure_status(own);
      remove_volatile(p, Volatile::Confusion);
      break;
    default:
      break;
  }
  if (ability(p) == Ability::CheekPouch) heal(p, own.base_max_hp / 3);
}

bool Battle::eat_item(int p) {
  Pokemon& own = mon(p);
  if (own.item == Item::None || own.hp == 0 || !act(p).on_field) return false;
  const Ability foe = ability(1 - p);
  const bool unnerves = foe == Ability::Unnerve || foe == Ability::AsOneGlastrier || foe == Ability::AsOneSpectrier;
  if (unnerves && act(1 - p).unnerved) return false;
  if (ability(p) == Ability::Berserk && heals(own.item) && !act(p).berserk_checked) return false;
  taste(p, own.item);
  finish_item(p);
  return true;
}

// Items that their holder or a thief must not part with.
static bool is_bound(Item item, const Pokemon& holder, const Pokemon& other) {
  const auto is_one = [&](std::uint16_t number) {
    return data(holder.species).number == number || data(other.species).number == number;
  };
  if (data(item).memory != Type::None) return is_one(773);
  if (item == Item::GriseousOrb) return is_one(487);
  if (item == Item::RustedShield) return is_one(889);
  if (item == Item::RustedSword) return is_one(888);
  return false;
}

bool Battle::is_item_bound(Item item, int holder, int other) const { return is_bound(item, mon(holder), mon(other)); }

// Takes an item away from p; `taker` may be p itself. None: it has none, or keeps it (then `refused`).
Item Battle::take_item(int p, int taker, bool& refused) {
  Pokemon& own = mon(p);
  refused = false;
  if (own.item == Item::None) return Item::None;
  const bool by_knock_off = active_ != nullptr && active_->id == Move::KnockOff;
  if (guard(p) == Ability::StickyHold && own.hp > 0 && (taker != p || by_knock_off)) {
    refused = true;
    return Item::None;
  }
  if (ability(p) == Ability::Unburden) add_volatile(p, Volatile::Unburden, who_of(p));
  if (is_item_bound(own.item, p, taker)) {
    refused = true;
    return Item::None;
  }
  see_item(s_, p);
  const Item taken = own.item;
  own.item = Item::None;
  return taken;
}

bool Battle::set_item(int p, Item item) {
  if (mon(p).hp == 0 || !act(p).on_field) return false;
  mon(p).item = item;
  start_item(p);
  return true;
}

// What an item does when its holder comes in or gets it.
void Battle::start_item(int p) {
  const Item own = item(p);
  if (is_choice(own)) remove_volatile(p, Volatile::ChoiceLock);
  if (own == Item::WhiteHerb) check_white_herb(p);
}

void Battle::check_white_herb(int p) {
  if (item(p) != Item::WhiteHerb) return;
  for (const auto stage : act(p).boosts) {
    if (stage < 0) {
      use_item(p);
      return;
    }
  }
}

// Berries that are eaten as soon as their time has come.
void Battle::update_item(int p) {
  const Pokemon& own = mon(p);
  const Item held = item(p);
  switch (held) {
    case Item::SitrusBerry:
      if (2 * own.hp <= own.max_hp) eat_item(p);
      break;
    case Item::AguavBerry:
    case Item::FigyBerry:
    case Item::IapapaBerry:
    case Item::MagoBerry:
    case Item::WikiBerry:
    case Item::SalacBerry:
      if (is_in_a_pinch(p)) eat_item(p);
      break;
    case Item::ChestoBerry:
      if (own.status == Status::Slp) eat_item(p);
      break;
    case Item::LumBerry:
      if (own.status != Status::None || act(p).has(Volatile::Confusion)) eat_item(p);
      break;
    default:
      break;
  }
}

}  // namespace tengen::pokemon
