#include "games/pokemon/views.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include "games/pokemon/sight.hpp"
#include "rng.hpp"

namespace tengen::pokemon {

namespace {

constexpr int kParts = 8;

// Field by field: states have padding.
class Hash {
 public:
  template <class... Values>
  Hash& add(const Values&... values) {
    (add_one(values), ...);
    return *this;
  }
  std::uint64_t value() const { return mix64(hash_); }

 private:
  template <class T>
  void add_one(const T& value) {
    if constexpr (std::is_same_v<T, MoveSlot>) {
      add(value.id, value.pp, value.max_pp);
    } else if constexpr (std::is_same_v<T, SetMask>) {
      add(value.words);
    } else if constexpr (requires { value.begin(); }) {
      for (const auto& each : value) add_one(each);
    } else {
      hash_ = (hash_ ^ static_cast<std::uint64_t>(value)) * std::uint64_t{0x9e3779b97f4a7c15};
      hash_ ^= hash_ >> 32;
    }
  }

  std::uint64_t hash_ = 0x243f6a8885a308d3;
};

void add(Hash& hash, const Pokemon& p) {
  hash.add(p.species, p.set_species, p.hp, p.max_hp, p.base_max_hp, p.stats, p.moves, p.level, p.gender, p.ability,
           p.base_ability, p.item, p.set_item, p.last_item, p.status, p.status_count, p.sleep_length, p.status_source,
           p.disabled, p.disabled_max, p.used, p.fainted, p.gigantamax, p.busted, p.forme_regression);
}

void add(Hash& hash, const Active& field) {
  hash.add(field.volatiles, field.turns, field.boosts, field.stats, field.types, field.added_type, field.forme,
           field.weight, field.own_moves, field.choice_move, field.gorilla_move, field.encore_move, field.disable_move,
           field.locked_move, field.charging_move, field.locked_turns, field.confusion_count, field.locked_length,
           field.confusion_length, field.bind_length, field.stall_counter, field.substitute_hp, field.chi_strikes,
           field.dynamax_turns, field.slow_start, field.partial_trapper, field.partial_trap_stays, field.trapper,
           field.attract_source, field.yawn_source, field.counter_damage, field.mirror_coat_damage, field.lost_focus);
  hash.add(field.last_move, field.last_base_move, field.last_move_used, field.move_this_turn, field.this_turn,
           field.last_turn, field.hurt_this_turn, field.attacked_by, field.last_attack_damage, field.active_turns,
           field.move_actions, field.on_field, field.transformed, field.newly_switched, field.stats_raised,
           field.stats_lowered, field.used_item, field.must_switch, field.pivot, field.forced_out, field.trapped,
           field.maybe_trapped, field.trap_shown, field.illusion);
}

void add(Hash& hash, const Side& side) {
  for (const Pokemon& p : side.team) add(hash, p);
  add(hash, side.field);
  hash.add(side.active, side.left, side.request, side.dynamax_used, side.fainted_this_turn, side.conditions, side.laid,
           side.wish_hp, side.wish_turn, side.future_turn, side.future_source, side.healing_wish);
}

std::uint64_t hash_of(const State& state) {
  Hash hash;
  for (const Side& side : state.sides) add(hash, side);
  for (int i = 0; i < state.queued; ++i) {
    const Action& action = state.queue[index_of(i)];
    hash.add(action.step, action.side, action.slot, action.to, action.move, action.max);
  }
  hash.add(state.mid_turn, state.turn, state.winner, state.weather, state.weather_turns, state.terrain,
           state.terrain_turns, state.trick_room, state.gravity, state.ion_deluge, state.last_successful_move);
  return hash.value();
}

// Small numbers side by side: hashed a word at a time, which is what keys cost that a search asks for at every step.
class Words {
 public:
  template <class T>
  Words& put(T value, int bits) {
    if (used_ + bits > 64) take();
    word_ |= static_cast<std::uint64_t>(value) << used_;
    used_ += bits;
    return *this;
  }
  Words& put_word(std::uint64_t word) {
    mix(word);
    return *this;
  }
  std::uint64_t hash() {
    take();
    return mix64(hash_);
  }

 private:
  void take() {
    mix(word_);
    word_ = 0;
    used_ = 0;
  }
  void mix(std::uint64_t word) {
    hash_ = (hash_ ^ word) * std::uint64_t{0x9e3779b97f4a7c15};
    hash_ ^= hash_ >> 32;
  }

  std::uint64_t hash_ = 0x243f6a8885a308d3;
  std::uint64_t word_ = 0;
  int used_ = 0;
};

void add(Words& words, const Side& side, std::uint64_t volatiles) {
  const Active& field = side.field;
  words.put_word(volatiles);
  for (const std::int8_t stage : field.boosts) words.put(stage + 6, 4);
  words.put(field.dynamax_turns, 2).put(field.on_field, 1).put(field.transformed, 1).put(field.must_switch, 1);
  words.put(side.left, 3).put(side.request, 2).put(side.dynamax_used, 1).put(side.healing_wish, 1);
  words.put(side.wish_turn, 10).put(side.future_turn, 10).put(field.stall_counter, 10);
  words.put(field.encore_move, 12).put(field.disable_move, 12).put(field.locked_move, 12).put(field.charging_move, 12);
  for (const std::uint8_t count : side.conditions) words.put(count, 4);
}

// Hides how long random durations will still last, but not how long they have lasted.
void hide_lengths(State& state) {
  for (int p = 0; p < 2; ++p) {
    Side& side = state.sides[index_of(p)];
    for (int slot = 0; slot < kTeam; ++slot) {
      Pokemon& one = side.team[index_of(slot)];
      if (one.status != Status::Slp || one.status_source == who_at(p, slot)) continue;
      one.sleep_length = static_cast<std::uint8_t>(one.sleep_length - one.status_count);
      one.status_count = 0;
    }
    const auto hide = [](std::uint8_t& left, std::uint8_t& length) {
      length = static_cast<std::uint8_t>(length - left);
      left = 0;
    };
    Active& field = side.field;
    if (field.has(Volatile::Confusion)) hide(field.confusion_count, field.confusion_length);
    if (field.has(Volatile::LockedMove)) hide(field.locked_turns, field.locked_length);
    if (field.has(Volatile::PartiallyTrapped)) hide(field.left(Volatile::PartiallyTrapped), field.bind_length);
  }
}

// As everybody sees it: hit points are percents, of its set nothing is left.
Pokemon public_part(const Facts& facts, std::uint16_t forme) {
  Pokemon p;
  p.set_species = static_cast<Species>(forme);
  p.species = facts.has_other_forme ? facts.species : Species::None;
  p.hp = static_cast<std::int16_t>(facts.percent);
  p.level = 0;
  p.gender = facts.gender;
  p.status = facts.status;
  p.status_count = facts.status_count;
  p.sleep_length = facts.sleep_length;
  p.status_source = facts.status_source;
  p.fainted = facts.is_fainted;
  if (facts.has_other_item) p.item = facts.item;
  p.used = facts.has_other_item ? 1 : 0;  // what it holds now is known, were it nothing
  p.last_item = facts.last_item;
  if (facts.has_other_ability) p.ability = facts.ability;
  p.busted = facts.busted;
  p.forme_regression = facts.forme_regression;
  std::size_t count = 0;
  for (int i = 0; i < kMoveSlots; ++i) {
    const MoveSlot& move = facts.moves[index_of(i)];
    if (move.id != Move::None && move.pp != move.max_pp) p.moves[count++] = move;
  }
  std::sort(p.moves.begin(), p.moves.begin() + static_cast<std::ptrdiff_t>(count),
            [](const MoveSlot& a, const MoveSlot& b) { return a.id < b.id; });
  return p;
}

void hide_field(Side& side, const Pokemon& before) {
  Active& field = side.field;
  field.drop(Volatile::ChoiceLock);
  field.choice_move = field.gorilla_move = Move::None;
  // The base move of a Max Move is not shown.
  if (data(field.last_move).has(kTraitMax)) field.last_base_move = field.last_move_used = Move::None;
  if (data(field.move_this_turn).has(kTraitMax)) field.move_this_turn = Move::None;
  field.own_moves = {};
  if (!field.transformed) field.stats = {};
  field.speed = 0;
  field.weight = 0;
  if (field.substitute_hp > 0) field.substitute_hp = field.substitute_hp >= before.max_hp / 4 ? 2 : 1;
  for (std::int16_t* number : {&field.counter_damage, &field.mirror_coat_damage, &field.last_attack_damage}) {
    *number = std::clamp<std::int16_t>(*number, -1, 1);
  }
  field.hurt_this_turn = field.hurt_this_turn < 0 ? std::int16_t{-1} : std::int16_t{0};
  field.trapped = Trapped::No;
  field.maybe_trapped = false;
  field.trap_shown = false;
  if (field.illusion != kNoSlot) {
    field.illusion = kNoSlot;
    field.forme = Species::None;
    field.types = {Type::None, Type::None};
  } else if (field.forme == before.species && !field.transformed) {
    field.forme = Species::None;
    if (field.types == data(before.species).types) field.types = {Type::None, Type::None};
  }
}

void hide_queue(State& state, int viewer) {
  for (int i = 0; i < state.queued; ++i) {
    Action& action = state.queue[index_of(i)];
    if (action.side != 1 - viewer || action.step != Step::Move) continue;
    action.move = Move::None;
  }
}

std::int16_t in_parts(int hp, int most) {
  return static_cast<std::int16_t>(hp <= 0 ? 0 : std::max(1, (kParts * hp + most / 2) / std::max(1, most)));
}

State look_at(const State& state, int viewer) {
  State view = state;
  view.luck = 0;
  Side& own = view.sides[index_of(viewer)];
  Side& other = view.sides[index_of(1 - viewer)];
  order_by_sight(view, viewer);
  hide_lengths(view);
  Knowledge& known = view.known[index_of(viewer)];
  const Pokemon before = other.pokemon();
  const auto facts = look(other, known);
  for (std::uint8_t i = 0; i < kTeamSize; ++i) {
    other.team[i] = i < known.count ? public_part(facts[i], known.seen[i].forme) : Pokemon{};
  }
  if (known.active != kNone) other.active = static_cast<std::int8_t>(known.active);
  hide_field(other, before);
  hide_queue(view, viewer);
  other.order = {};
  other.wish_hp = other.wish_hp > 0 ? 1 : 0;
  if (own.field.trapped == Trapped::Hidden) own.field.trapped = Trapped::No;
  for (Knowledge& each : view.known) each.is_settled = 0;
  return view;
}

}  // namespace

std::uint64_t key_of(const State& state) {
  Hash hash;
  hash.add(hash_of(state), state.luck);
  for (const Side& side : state.sides) {
    for (const Pokemon& p : side.team) hash.add(p.evs, p.ivs, p.set_ability);
    const Active& field = side.field;
    hash.add(side.order, side.web_source, field.speed, field.called_back, field.before_switch_out_done, field.unnerved,
             field.berserk_checked, field.tracing, field.weather_ending);
  }
  for (int i = 0; i < state.queued; ++i) {
    const Action& action = state.queue[index_of(i)];
    hash.add(action.prankster, action.custap, action.priority, action.order, action.speed);
  }
  for (const Knowledge& known : state.known) {
    for (const Seen& one : known.seen) hash.add(one.sets, one.sure, one.forme, one.slot, one.percent);
    hash.add(known.disguise, known.count, known.lead, known.active, known.since_start, known.before_hp,
             known.is_settled);
  }
  return hash.value();
}

State seen(const State& state, int viewer) { return look_at(state, viewer); }

bool is_item_shown(const Pokemon& seen) { return seen.used != 0; }

std::uint64_t view_key(const State& state, int viewer) {
  const State view = seen(state, viewer);
  Hash hash;
  hash.add(hash_of(view));
  const Knowledge& known = view.known[index_of(viewer)];
  for (std::uint8_t i = 0; i < known.count; ++i) {
    hash.add(known.seen[i].sets, known.seen[i].sure, known.seen[i].forme, known.seen[i].percent);
  }
  hash.add(known.disguise, known.count, known.lead, known.active);
  return hash.value();
}

std::uint64_t tree_key(const State& state, int viewer) {
  const Side& own = state.sides[index_of(viewer)];
  const Side& other = state.sides[index_of(1 - viewer)];
  const Knowledge& known = state.known[index_of(viewer)];
  Words words;
  for (const Pokemon& p : own.team) {
    words.put(in_parts(p.hp, p.max_hp), 4).put(p.status, 3).put(p.item != Item::None, 1);
  }
  words.put(own.active, 3).put(own.pokemon().item, 8);
  // The other side: the Pokémon that the viewer has seen, and the active one.
  const std::int8_t shown = other.field.illusion != kNoSlot ? other.field.illusion : other.active;
  for (std::uint8_t i = 0; i < known.count; ++i) {
    const Seen& one = known.seen[i];
    if (one.slot == shown) continue;
    const Pokemon& p = other.team[one.slot];
    words.put(i, 3).put(p.fainted ? 0 : in_parts(one.percent, 100), 4).put(p.status, 3).put(p.item != p.set_item, 1);
  }
  const Pokemon& there = other.pokemon();
  words.put(other.team[index_of(shown)].set_species, 12).put(in_parts(shown_percent(there.hp, there.max_hp), 100), 4);
  words.put(there.status, 3).put(there.item != there.set_item, 1);
  add(words, own, own.field.volatiles);
  add(words, other, other.field.volatiles & ~(std::uint64_t{1} << index_of(Volatile::ChoiceLock)));
  words.put(own.field.choice_move, 12).put(own.field.forme, 12).put(state.mid_turn, 1).put(state.turn, 10);
  words.put(state.winner, 2).put(state.weather, 3).put(state.weather_turns, 4).put(state.terrain, 3);
  words.put(state.terrain_turns, 4).put(state.trick_room, 3).put(state.gravity, 3);
  return words.hash();
}

}  // namespace tengen::pokemon
