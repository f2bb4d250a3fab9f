#include "games/pokemon/sight.hpp"

#include <algorithm>
#include <span>

#include "games/pokemon/set_ids.hpp"

namespace tengen::pokemon {

namespace {

using Slots = std::array<std::int8_t, kTeam>;

bool is_crowned(Species species) { return species == Species::ZacianCrowned || species == Species::ZamazentaCrowned; }

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
  facts.has_other_forme = p.species != p.set_species && !is_crowned(p.species);
  facts.species = p.species;
  facts.busted = p.busted;
  facts.forme_regression = p.forme_regression;
  facts.gender = p.gender;
  facts.moves = own_moves;
  facts.used = p.used;
  return facts;
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
    known.seen[i].slot = static_cast<std::uint8_t>(to[index_of(known.seen[i].slot % kTeam)]);
  }
}

// The seen first, in the order they were met.
Slots meeting_order(const Knowledge& known) {
  Slots to{};
  to.fill(kNoSlot);
  std::int8_t next = 0;
  for (int i = 0; i < known.count; ++i) to[index_of(known.seen[index_of(i)].slot % kTeam)] = next++;
  for (std::int8_t& slot : to) {
    if (slot == kNoSlot) slot = next++;
  }
  return to;
}

// One who was never noted is known by the looks of it, no more.
void note_active(const Side& side, Knowledge& known) {
  const std::int8_t slot = side.field.illusion != kNoSlot ? side.field.illusion : side.active;
  known.active = kNone;
  // A Pokémon that takes another forme is no Zoroark.
  const Pokemon& there = side.pokemon();
  const bool has_changed = there.species != there.set_species && !is_crowned(there.species);
  if (side.field.transformed || has_changed || side.field.forme != there.species) known.disguise = {};
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

bool is_worn(const MoveSlots& moves) {
  return std::ranges::any_of(moves, [](const MoveSlot& move) { return move.pp < move.max_pp; });
}

// Returns true if a Pokémon bears marks that it can only have from the field.
bool has_met_foe(const Pokemon& p) {
  return p.fainted || p.hp < p.max_hp || p.status != Status::None || p.item != p.set_item ||
         p.last_item != Item::None || p.busted || p.forme_regression || p.used != 0 || is_worn(p.moves);
}

// The sets of a forme that have all moves that were used; all sets if none of them does.
SetMask sets_with_used(std::size_t forme, const MoveSlots& moves) {
  SetMask sets = SetMask::all();
  for (const MoveSlot& move : moves) {
    if (move.id == Move::None || move.pp == move.max_pp) continue;
    const SetMask fewer = sets & sets_with(forme, move.id);
    if (!fewer.empty()) sets = fewer;
  }
  return sets;
}

// Keeps used PP only of moves that it certainly has: others may have been used as Max Moves, or by a Zoroark.
void forget_hidden_moves(Facts& facts, const Seen& seen) {
  for (int i = 0; i < kMoveSlots; ++i) {
    MoveSlot& move = facts.moves[index_of(i)];
    if (move.id == Move::None || move.pp == move.max_pp) continue;
    const SetMask left = seen.sure & all_sets(seen.forme);
    if (!left.empty() && (left & sets_with(seen.forme, move.id)) == left) continue;
    move.pp = move.max_pp;
    facts.used = static_cast<std::uint8_t>(facts.used & ~(1U << i));
  }
}

}  // namespace

int find_slot(const MoveSlots& moves, Move id) {
  for (int i = 0; i < kMoveSlots; ++i) {
    if (id != Move::None && moves[index_of(i)].id == id) return i;
  }
  return -1;
}

int shown_percent(int hp, int max_hp) {
  if (hp <= 0) return 0;
  return hp >= max_hp ? 100 : std::min(99, (100 * hp + max_hp - 1) / max_hp);
}

void order_by_sight(State& state, int viewer) {
  Knowledge& known = state.known[index_of(viewer)];
  note_active(state.sides[index_of(1 - viewer)], known);
  reorder(state, 1 - viewer, meeting_order(known));
}

void note_met(State& state, int viewer) {
  const Side& side = state.sides[index_of(1 - viewer)];
  Knowledge& known = state.known[index_of(viewer)];
  const bool is_disguised = side.field.illusion != kNoSlot;
  for (int slot = 0; slot < kTeam; ++slot) {
    const Pokemon& p = side.team[index_of(slot)];
    const bool is_active = slot == side.active;
    if (is_active ? is_disguised : !has_met_foe(p)) continue;
    const auto seen = std::span(known.seen).first(known.count);
    if (std::ranges::any_of(seen, [&](const Seen& one) { return one.slot == slot; })) continue;
    const int forme = forme_of(p.set_species, p.set_item);
    if (forme < 0 || known.count >= kTeamSize) continue;
    Seen& one = known.seen[known.count++];
    one = {};
    const bool is_copy = is_active && side.field.transformed;
    one.sets = sets_with_used(static_cast<std::size_t>(forme), is_copy ? side.field.own_moves : p.moves);
    one.sure = one.sets;
    one.forme = static_cast<std::uint16_t>(forme);
    one.slot = static_cast<std::uint8_t>(slot);
    one.percent = static_cast<std::uint8_t>(shown_percent(p.hp, p.max_hp));
  }
}

std::array<Facts, kTeamSize> look(const Side& side, const Knowledge& known) {
  std::array<Facts, kTeamSize> facts{};
  for (std::uint8_t i = 0; i < known.count; ++i) {
    const bool is_active = i == known.active;
    const Pokemon& p = is_active ? side.pokemon() : side.team[i];
    const bool is_copy = is_active && side.field.transformed;
    const int percent = is_active ? shown_percent(p.hp, p.max_hp) : known.seen[i].percent;
    // Whatever a disguised one used, the moves of who it looks like are its own.
    const bool is_disguised = is_active && side.field.illusion != kNoSlot;
    facts[i] = facts_of(p, is_copy ? side.field.own_moves : is_disguised ? side.team[i].moves : p.moves, percent);
    if (is_disguised) facts[i].used = side.team[i].used;
    forget_hidden_moves(facts[i], known.seen[i]);
    facts[i].is_benched = !is_active;
    facts[i].gender = side.team[i].gender;
  }
  return facts;
}

}  // namespace tengen::pokemon
