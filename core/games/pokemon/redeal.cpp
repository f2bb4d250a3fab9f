#include "games/pokemon/redeal.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "games/pokemon/battle.hpp"
#include "games/pokemon/legal.hpp"
#include "games/pokemon/set_ids.hpp"

namespace tengen::pokemon {

namespace {

using Slots = std::array<std::int8_t, kTeam>;

// What everybody sees of a Pokémon.
struct Facts {
  int percent = 100;
  bool is_benched = false;
  Status status = Status::None;
  std::uint8_t status_count = 0;
  std::uint8_t sleep_length = 0;
  Who status_source = kNoSlot;
  bool is_fainted = false;
  bool has_other_item = false;
  Item item = Item::None;
  Item last_item = Item::None;
  bool has_other_ability = false;
  Ability ability = Ability::None;
  bool has_other_forme = false;
  Species species = Species::None;
  bool busted = false;
  bool forme_regression = false;
  Gender gender = Gender::None;
  MoveSlots moves{};
  std::uint8_t used = 0;
};

Facts facts_of(const Pokemon& p, const MoveSlots& own_moves, int percent) {
  Facts facts;
  facts.percent = percent;
  facts.status = p.status;
  facts.status_count = p.status_count;
  facts.sleep_length = p.sleep_length;
  facts.status_source = p.status_source;
  facts.is_fainted = p.fainted;
  facts.has_other_item = p.item != p.set_item;
  facts.item = p.item;
  facts.last_item = p.last_item;
  facts.has_other_ability = p.ability != p.base_ability;
  facts.ability = p.ability;
  facts.has_other_forme = p.species != make_pokemon(set_of(p)).species;
  facts.species = p.species;
  facts.busted = p.busted;
  facts.forme_regression = p.forme_regression;
  facts.gender = p.gender;
  facts.moves = own_moves;
  facts.used = p.used;
  return facts;
}

int find_slot(const MoveSlots& moves, Move id) {
  for (int i = 0; i < kMoveSlots; ++i) {
    if (id != Move::None && moves[index_of(i)].id == id) return i;
  }
  return -1;
}

void put_hp(Pokemon& p, const Facts& facts, Rng& rng) {
  p.fainted = facts.is_fainted;
  int hp = facts.is_fainted ? 0 : draw_hp(facts.percent, p.base_max_hp, rng);
  // Regenerator heals out of sight.
  if (facts.is_benched && hp > 0 && p.ability == Ability::Regenerator) hp += p.base_max_hp / 3;
  p.hp = static_cast<std::int16_t>(std::min<int>(hp, p.base_max_hp));
}

// A set that has gone through what was seen.
Pokemon put_facts(const Set& set, const Facts& facts, Rng& rng) {
  Pokemon p = make_pokemon(set);
  if (facts.has_other_forme) {
    p.species = facts.species;
    p.stats = stats_of(p, p.species);
    p.max_hp = p.base_max_hp = static_cast<std::int16_t>(max_hp_of(p, p.species));
  }
  put_hp(p, facts, rng);
  p.status = facts.status;
  p.status_count = facts.status_count;
  p.sleep_length = facts.sleep_length;
  p.status_source = facts.status_source;
  if (facts.has_other_item) p.item = facts.item;
  p.last_item = facts.last_item;
  if (facts.has_other_ability) p.ability = facts.ability;
  p.busted = facts.busted;
  p.forme_regression = facts.forme_regression;
  for (int i = 0; i < kMoveSlots; ++i) {
    MoveSlot& move = p.moves[index_of(i)];
    const int before = find_slot(facts.moves, move.id);
    if (before < 0) continue;
    const MoveSlot& old = facts.moves[index_of(before)];
    move.pp = static_cast<std::uint8_t>(std::max(0, move.max_pp - (old.max_pp - old.pp)));
    p.used = static_cast<std::uint8_t>(p.used | (facts.used >> before & 1) << i);
  }
  return p;
}

void remap(Who& who, int side, const Slots& to) {
  if (who != kNoSlot && side_of(who) == side) who = who_at(side, to[index_of(slot_of(who))]);
}

void remap(std::int8_t& slot, const Slots& to) {
  if (slot != kNoSlot) slot = to[index_of(slot)];
}

// Puts a side's team into another order: `to` by the old slot.
void reorder(State& state, int side, const Slots& to) {
  Side& own = state.sides[index_of(side)];
  const auto team = own.team;
  for (int i = 0; i < kTeam; ++i) own.team[index_of(to[index_of(i)])] = team[index_of(i)];
  for (std::int8_t& slot : own.order) remap(slot, to);
  remap(own.active, to);
  remap(own.fainted_this_turn, to);
  remap(own.field.illusion, to);
  for (Side& each : state.sides) {
    for (Pokemon& p : each.team) remap(p.status_source, side, to);
    for (Who* who : {&each.field.partial_trapper, &each.field.trapper, &each.field.attract_source,
                     &each.field.yawn_source, &each.field.attacked_by, &each.future_source, &each.web_source}) {
      remap(*who, side, to);
    }
  }
  for (int i = 0; i < state.queued; ++i) {
    Action& action = state.queue[index_of(i)];
    if (action.side != side) continue;
    remap(action.slot, to);
    remap(action.to, to);
  }
  Knowledge& known = state.known[index_of(1 - side)];
  for (std::uint8_t i = 0; i < known.count; ++i) {
    known.seen[i].slot = static_cast<std::uint8_t>(to[known.seen[i].slot % kTeam]);
  }
}

// The seen first, in the order they were met.
Slots meeting_order(const Knowledge& known) {
  Slots to{};
  to.fill(kNoSlot);
  std::int8_t next = 0;
  for (int i = 0; i < known.count; ++i) to[known.seen[index_of(i)].slot % kTeam] = next++;
  for (std::int8_t& slot : to) {
    if (slot == kNoSlot) slot = next++;
  }
  return to;
}

// One who was never noted is known by the looks of it, no more.
void note_active(const Side& side, Knowledge& known) {
  const std::int8_t slot = side.field.illusion != kNoSlot ? side.field.illusion : side.active;
  known.active = kNone;
  for (std::uint8_t i = 0; i < known.count; ++i) {
    if (known.seen[i].slot == slot) known.active = i;
  }
  const Pokemon& shown = side.team[index_of(slot)];
  const int forme = forme_of(shown.set_species, shown.set_item);
  if (known.active != kNone || known.count >= kTeamSize || forme < 0) return;
  known.active = known.count;
  Seen& one = known.seen[known.count++];
  one = {};
  one.sets = one.sure = SetMask::all();
  one.forme = static_cast<std::uint16_t>(forme);
  one.slot = static_cast<std::uint8_t>(slot);
}

// Moves that it is known to have. PP of others may be less for having been Max Moves, which nobody can tell.
MoveSlots shown_moves(MoveSlots moves, const Seen& seen) {
  for (MoveSlot& move : moves) {
    if (move.id == Move::None || move.pp == move.max_pp) continue;
    const SetMask has = sets_with(seen.forme, move.id);
    if (seen.sets.empty() || (seen.sets & has) != (seen.sets & all_sets(seen.forme))) move.pp = move.max_pp;
  }
  return moves;
}

std::array<Facts, kTeamSize> look(const Side& side, const Knowledge& known) {
  std::array<Facts, kTeamSize> facts{};
  for (std::uint8_t i = 0; i < known.count; ++i) {
    const bool is_active = i == known.active;
    const Pokemon& p = is_active ? side.pokemon() : side.team[i];
    const bool is_copy = is_active && side.field.transformed;
    const int percent = is_active ? shown_percent(p.hp, p.max_hp) : known.seen[i].percent;
    facts[i] = facts_of(p, shown_moves(is_copy ? side.field.own_moves : p.moves, known.seen[i]), percent);
    facts[i].is_benched = !is_active;
    facts[i].gender = side.team[i].gender;
  }
  return facts;
}

// Puts a drawn team behind what was seen.
void put_team(Side& side, const Knowledge& known, const Team& team, Rng& rng) {
  const auto facts = look(side, known);
  const bool is_disguise = team.disguised != kNone && known.active != kNone;
  std::size_t next = known.count;
  for (std::size_t i = 0; i < kTeamSize; ++i) {
    const Member& member = team.members[i];
    Set set = to_set(member);
    const std::size_t slot = member.seen != kNone ? member.seen : next++;
    if (slot >= kTeamSize) continue;
    Facts seen;
    if (member.seen != kNone) {
      seen = facts[slot];
      set.gender = seen.gender;
    }
    if (is_disguise && member.seen == known.active) {
      seen = {};
      seen.percent = known.before_hp;
    } else if (is_disguise && i == team.disguised) {
      seen = facts[known.active];
      seen.has_other_forme = false;
      side.active = static_cast<std::int8_t>(slot);
    }
    side.team[slot] = put_facts(set, seen, rng);
  }
  if (!is_disguise && known.active != kNone) side.active = static_cast<std::int8_t>(known.active);
  side.field.illusion = is_disguise ? static_cast<std::int8_t>(known.active) : kNoSlot;
}

// Whether a Choice item, or an ability like one, holds it to its last move shows only in what it does next.
void fit_lock(Side& side) {
  const Pokemon& p = side.pokemon();
  Active& field = side.field;
  const bool has_moved = p.used != 0 && find_slot(p.moves, field.last_base_move) >= 0 && !field.transformed;
  if (p.item == p.set_item) {
    field.drop(Volatile::ChoiceLock);
    field.choice_move = Move::None;
    if (has_moved && is_choice(p.item)) {
      field.set(Volatile::ChoiceLock);
      field.choice_move = field.last_base_move;
    }
  }
  const bool is_tactic = has_moved && p.ability == Ability::GorillaTactics;
  field.gorilla_move = is_tactic ? field.last_base_move : Move::None;
}

// Numbers that were a share of hidden hit points: as good as full, or anything less.
std::int16_t share_of(int value, int full_before, int full, Rng& rng) {
  if (value <= 0) return static_cast<std::int16_t>(value);
  if (value >= full_before || full <= 2) return static_cast<std::int16_t>(std::max(1, full));
  return static_cast<std::int16_t>(1 + rng.below(static_cast<std::uint32_t>(full - 1)));
}

// What stands on the field has the numbers of who is drawn for it.
void fit_field(Side& side, const Pokemon& before, Rng& rng) {
  Pokemon& p = side.pokemon();
  Active& field = side.field;
  if (field.has(Volatile::Dynamax) && p.species != Species::Shedinja) {
    const int percent = shown_percent(before.hp, before.max_hp);
    p.max_hp = static_cast<std::int16_t>(2 * p.base_max_hp);
    p.hp = static_cast<std::int16_t>(p.fainted ? 0 : draw_hp(percent, p.max_hp, rng));
  }
  field.substitute_hp = share_of(field.substitute_hp, before.max_hp / 4, p.max_hp / 4, rng);
  for (std::int16_t* number : {&field.counter_damage, &field.mirror_coat_damage, &field.last_attack_damage}) {
    *number = share_of(*number, before.max_hp, p.max_hp, rng);
  }
  if (field.hurt_this_turn >= 0) field.hurt_this_turn = p.hp;
  if (!field.transformed) {
    if (p.set_species != before.set_species) {
      field.forme = p.species;
      field.types = data(p.species).types;
      field.weight = data(p.species).weight;
    }
    field.stats = stats_of(p, field.forme);
  }
  field.speed = field.stats[kSpe];
  fit_lock(side);
  if (side.wish_hp > 0) {
    const auto wisher = std::ranges::find_if(side.team, [](const Pokemon& one) {
      const int slot = find_slot(one.moves, Move::Wish);
      return slot >= 0 && one.moves[index_of(slot)].pp < one.moves[index_of(slot)].max_pp;
    });
    side.wish_hp = static_cast<std::int16_t>((wisher != side.team.end() ? wisher->base_max_hp : p.base_max_hp) / 2);
  }
}

// The order of the party behind the active one; whom an Illusion looks like is the last who stands.
void shuffle_party(Side& side, Rng& rng) {
  std::iota(side.order.begin(), side.order.end(), std::int8_t{0});
  std::swap(side.order[0], side.order[index_of(side.active)]);
  for (std::size_t i = kTeam; i > 2; --i) {
    std::swap(side.order[i - 1], side.order[1 + rng.below(static_cast<std::uint32_t>(i - 1))]);
  }
  if (side.field.illusion == kNoSlot) return;
  const auto place = std::ranges::find(side.order, side.field.illusion);
  if (place != side.order.end()) std::rotate(place, place + 1, side.order.end());
}

// How long something lasts in all, given that it has gone on for so long: even chances among least … most.
int redraw_length(int least, int most, int gone, Rng& rng) {
  const int from = std::clamp(gone + 1, least, most);
  return from + static_cast<int>(rng.below(static_cast<std::uint32_t>(most - from + 1)));
}

// When somebody wakes, comes to its senses or gets free shows when it happens, to both sides. Rest's sleep is known.
void redraw_lengths(State& state, Rng& rng) {
  for (int p = 0; p < 2; ++p) {
    Side& side = state.sides[index_of(p)];
    for (int slot = 0; slot < kTeam; ++slot) {
      Pokemon& one = side.team[index_of(slot)];
      if (one.status != Status::Slp || one.status_source == who_at(p, slot)) continue;
      const int gone = std::max(0, one.sleep_length - one.status_count);
      one.sleep_length = static_cast<std::uint8_t>(redraw_length(2, 4, gone, rng));
      one.status_count = static_cast<std::uint8_t>(std::max(1, one.sleep_length - gone));
    }
    Active& field = side.field;
    const auto redraw = [&](std::uint8_t& left, std::uint8_t& length, int least, int most) {
      const int gone = std::max(0, length - left);
      length = static_cast<std::uint8_t>(redraw_length(least, most, gone, rng));
      left = static_cast<std::uint8_t>(std::max(1, length - gone));
    };
    if (field.has(Volatile::Confusion)) redraw(field.confusion_count, field.confusion_length, 2, 5);
    if (field.has(Volatile::LockedMove)) redraw(field.locked_turns, field.locked_length, 2, 3);
    if (field.has(Volatile::PartiallyTrapped)) redraw(field.left(Volatile::PartiallyTrapped), field.bind_length, 5, 6);
  }
}

// In the middle of a turn the other side has chosen already, and nobody has seen what.
void redraw_choice(State& state, int p, Rng& rng) {
  const Side& side = state.sides[index_of(p)];
  if (locked_move_of(side.field) != Move::None || side.field.transformed) return;
  for (int i = 0; i < state.queued; ++i) {
    Action& action = state.queue[index_of(i)];
    if (action.side != p || action.step != Step::Move || action.move == Move::Struggle) continue;
    std::array<Move, kMoveSlots> choice{};
    std::uint32_t count = 0;
    for (const MoveSlot& move : side.pokemon().moves) {
      const bool is_bound = !action.max && side.field.has(Volatile::ChoiceLock) && move.id != side.field.choice_move;
      if (move.id != Move::None && move.pp > 0 && !is_bound) choice[count++] = move.id;
    }
    if (count > 0) action.move = choice[rng.below(count)];
    action.speed = side.field.speed;
    action.prankster = action.custap = false;
  }
}

}  // namespace

int shown_percent(int hp, int max_hp) {
  if (hp <= 0) return 0;
  return hp >= max_hp ? 100 : std::min(99, (100 * hp + max_hp - 1) / max_hp);
}

int draw_hp(int percent, int max_hp, Rng& rng) {
  if (percent >= 100 || max_hp <= 1) return max_hp;
  const int least = std::clamp(max_hp * (percent - 1) / 100 + 1, 1, max_hp - 1);
  const int most = percent == 99 ? max_hp - 1 : std::clamp(max_hp * percent / 100, least, max_hp - 1);
  return least + static_cast<int>(rng.below(static_cast<std::uint32_t>(most - least + 1)));
}

State redeal(const State& state, int viewer, Rng& rng) {
  State dealt = state;
  const int p = 1 - viewer;
  Side& other = dealt.sides[index_of(p)];
  Knowledge& known = dealt.known[index_of(viewer)];
  note_active(other, known);
  reorder(dealt, p, meeting_order(known));
  const Pokemon before = other.pokemon();
  put_team(other, known, draw_team(known, rng), rng);
  if (other.field.transformed) {
    other.field.own_moves = other.pokemon().moves;
    other.pokemon().moves = before.moves;
  }
  fit_field(other, before, rng);
  shuffle_party(other, rng);
  redraw_lengths(dealt, rng);
  redraw_choice(dealt, p, rng);
  for (Knowledge& each : dealt.known) each.is_settled = 1;
  if (!dealt.mid_turn) {
    Chance chance(rng);
    Battle(dealt, chance).find_choices();
  }
  return dealt;
}

}  // namespace tengen::pokemon
