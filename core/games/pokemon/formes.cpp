// Formes, Transform, and leaving the field.
#include <algorithm>

#include "games/pokemon/battle.hpp"
#include "games/pokemon/teams.hpp"

namespace tengen::pokemon {

// Stats, types and weight of a forme for a Pokémon on the field.
void Battle::wear(int p, Species forme) {
  Active& field = act(p);
  field.forme = forme;
  field.types = data(forme).types;
  field.added_type = Type::None;
  field.weight = data(forme).weight;
  field.stats = stats_of(mon(p), forme);
  field.speed = field.stats[kSpe];
}

// `for_good`: it keeps the forme when it leaves; `ability`: it gets the forme's ability then.
void Battle::change_forme(int p, Species forme, bool for_good, bool with_ability) {
  wear(p, forme);
  if (!for_good) return;
  Pokemon& own = mon(p);
  own.species = forme;
  own.stats = act(p).stats;
  update_max_hp(p);
  if (with_ability) {
    set_ability(p, data(forme).ability, true);
    own.base_ability = data(forme).ability;
  }
}

void Battle::update_max_hp(int p) {
  Pokemon& own = mon(p);
  const int base = max_hp_of(own, own.species);
  own.stats = stats_of(own, own.species);
  if (base == own.base_max_hp) return;
  const int most = act(p).has(Volatile::Dynamax) ? 2 * base : base;
  if (own.hp > 0) own.hp = static_cast<std::int16_t>(std::max(1, most - (own.max_hp - own.hp)));
  own.base_max_hp = static_cast<std::int16_t>(base);
  own.max_hp = static_cast<std::int16_t>(most);
}

// Becomes the foe: everything but HP.
bool Battle::transform(int p) {
  const int foe = 1 - p;
  Active& mine = act(p);
  const Active& theirs = act(foe);
  if (mon(foe).fainted || mine.illusion != kNoSlot || theirs.illusion != kNoSlot || theirs.has(Volatile::Substitute) ||
      theirs.transformed || mine.transformed) {
    return false;
  }
  wear(p, theirs.forme);
  mine.transformed = true;
  mine.weight = theirs.weight;
  mine.types = theirs.types;
  mine.added_type = theirs.added_type;
  mine.stats = theirs.stats;
  mine.own_moves = mon(p).moves;
  for (std::size_t i = 0; i < kMoveSlots; ++i) {
    const Move id = mon(foe).moves[i].id;
    const auto pp = std::min<std::uint8_t>(5, data(id).base_pp);
    mon(p).moves[i] = {id, pp, pp};
  }
  mon(p).used = 0;
  mon(p).disabled = 0;
  mon(p).disabled_max = 0;
  mine.boosts = theirs.boosts;
  for (const auto v : {Volatile::FocusEnergy, Volatile::ChiStrike}) {
    mine.drop(v);
    if (theirs.has(v)) mine.set(v);
  }
  mine.chi_strikes = theirs.chi_strikes;
  const Ability before = mon(p).ability;
  if (mon(p).hp > 0) {
    end_ability(p);
    mon(p).ability = mon(foe).ability;
    reset_ability_state(p);
    if (before != mon(p).ability) start_ability(p);
  }
  return true;
}

// Ends everything that holds only on the field. The Pokémon is then as it will come in again.
void Battle::clear_volatiles(int p) {
  Active& field = act(p);
  Pokemon& own = mon(p);
  if (field.has(Volatile::Trapper)) act(1 - p).drop(Volatile::Trapped);
  if (field.has(Volatile::Trapped)) act(1 - p).drop(Volatile::Trapper);
  if (field.transformed) {
    own.moves = field.own_moves;
    own.disabled = own.disabled_max = 0;  // those were of copied moves
  }
  own.ability = own.base_ability;
  field = fresh_active(own);
  field.on_field = true;
}

}  // namespace tengen::pokemon
