#include "games/pokemon/redeal.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "games/pokemon/battle.hpp"
#include "games/pokemon/legal.hpp"
#include "games/pokemon/set_ids.hpp"
#include "games/pokemon/sight.hpp"

namespace tengen::pokemon {

namespace {

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
    // A fainted Pokémon stays fainted, even if the viewer's knowledge does not list it.
    if (member.seen == kNone && i != team.disguised && side.team[slot].fainted) continue;
    Facts seen;
    if (member.seen != kNone) {
      seen = facts[slot];
      set.gender = seen.gender;
    }
    if (is_disguise && member.seen == known.active) {
      seen = {};
      seen.percent = known.before_hp;
      seen.moves = facts[slot].moves;
      seen.used = facts[slot].used;
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

// Sets the lock of a Choice item or a similar ability by the drawn set: nobody has seen yet if there is one.
void fit_lock(Side& side) {
  const Pokemon& p = side.pokemon();
  Active& field = side.field;
  const bool has_moved = p.used != 0 && find_slot(p.moves, field.last_base_move) >= 0;
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

// Fits the numbers of the field to the Pokémon that was drawn for it.
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
  const bool is_known = locked_move_of(side.field) != Move::None || side.field.transformed;
  for (int i = 0; i < state.queued; ++i) {
    Action& action = state.queue[index_of(i)];
    if (action.side != p) continue;
    action.speed = side.field.speed;
    if (action.step != Step::Move || action.move == Move::Struggle || is_known) continue;
    std::array<Move, kMoveSlots> choice{};
    std::uint32_t count = 0;
    for (const MoveSlot& move : side.pokemon().moves) {
      const bool is_bound = !action.max && side.field.has(Volatile::ChoiceLock) && move.id != side.field.choice_move;
      if (move.id != Move::None && move.pp > 0 && !is_bound) choice[count++] = move.id;
    }
    if (count > 0) action.move = choice[rng.below(count)];
    action.prankster = action.custap = false;
  }
}

}  // namespace

int draw_hp(int percent, int max_hp, Rng& rng) {
  if (percent >= 100 || max_hp <= 1) return max_hp;
  const int least = std::clamp(max_hp * (percent - 1) / 100 + 1, 1, max_hp - 1);
  const int most = percent == 99 ? max_hp - 1 : std::clamp(max_hp * percent / 100, least, max_hp - 1);
  return least + static_cast<int>(rng.below(static_cast<std::uint32_t>(most - least + 1)));
}

State redeal(const State& state, int viewer, Rng& rng, SetOdds odds) {
  State dealt = state;
  dealt.luck = rng.next();
  const int p = 1 - viewer;
  Side& other = dealt.sides[index_of(p)];
  Knowledge& known = dealt.known[index_of(viewer)];
  order_by_sight(dealt, viewer);
  const Pokemon before = other.pokemon();
  put_team(other, known, draw_team(known, rng, odds), rng);
  if (other.field.transformed) {
    other.field.own_moves = other.pokemon().moves;
    other.pokemon().moves = before.moves;
    other.pokemon().used = before.used;
  }
  fit_field(other, before, rng);
  shuffle_party(other, rng);
  redraw_lengths(dealt, rng);
  redraw_choice(dealt, p, rng);
  for (Knowledge& each : dealt.known) each.is_settled = 1;
  if (!dealt.mid_turn) {
    Chance chance(rng);
    Battle(dealt, chance).find_choices();
    // A trap that has been sprung is hidden no more.
    Active& own = dealt.sides[index_of(viewer)].field;
    if (own.trapped == Trapped::Hidden && state.sides[index_of(viewer)].field.trapped == Trapped::Yes) {
      own.trapped = Trapped::Yes;
    }
  }
  return dealt;
}

void redraw_chance(State& state, Rng& rng) {
  state.luck = rng.next();
  redraw_lengths(state, rng);
}

}  // namespace tengen::pokemon
