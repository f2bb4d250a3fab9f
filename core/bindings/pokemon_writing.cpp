#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bindings/pokemon_position.hpp"
#include "games/pokemon/battle.hpp"
#include "games/pokemon/data.hpp"
#include "games/pokemon/legal.hpp"

namespace tengen {

using namespace pokemon;

namespace {

std::string str(std::string_view view) { return std::string(view); }

std::string with(std::string text, char mark, std::string_view more) { return text.append(1, mark).append(more); }
std::string with(std::string text, char mark, int number) {
  return with(std::move(text), mark, std::to_string(number));
}

template <class T>
nb::object unless(bool usual, const T& value) {
  return usual ? nb::none() : nb::cast(value);
}

// Lengths that an engine may draw turn by turn are left out of short forms.
bool hides_turns(Volatile v) {
  return v == Volatile::Confusion || v == Volatile::LockedMove || v == Volatile::PartiallyTrapped;
}

Move move_of(const Active& field, Volatile v) {
  switch (v) {
    case Volatile::ChoiceLock:
      return field.choice_move;
    case Volatile::Encore:
      return field.encore_move;
    case Volatile::Disable:
      return field.disable_move;
    case Volatile::LockedMove:
      return field.locked_move;
    case Volatile::TwoTurnMove:
      return field.charging_move;
    default:
      return Move::None;
  }
}

std::string short_volatile(const Active& field, Volatile v) {
  std::string text = str(kVolatileIds[index_of(v)]);
  if (v == Volatile::Substitute) return with(text, ':', field.substitute_hp);
  if (v == Volatile::Dynamax) return with(text, ':', field.dynamax_turns);
  if (v == Volatile::Stall) text = with(text, ':', field.stall_counter);
  if (v == Volatile::ChiStrike) text = with(text, ':', field.chi_strikes);
  if (const Move move = move_of(field, v); move != Move::None) text = with(text, ':', data(move).id);
  if (field.left(v) != 0 && !hides_turns(v)) text = with(text, '/', field.left(v));
  return text;
}

std::string join(std::vector<std::string> parts, const char* between, bool sorted) {
  if (sorted) std::sort(parts.begin(), parts.end());
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) text.append(i == 0 ? "" : between).append(parts[i]);
  return text;
}

std::string short_types(const Active& field) {
  std::vector<std::string> names;
  for (const Type type : field.types) {
    if (type != Type::None) names.push_back(str(kTypeNames[index_of(type)]));
  }
  std::string text = join(names, "/", false);
  if (field.added_type != Type::None) text = with(text, '+', kTypeNames[index_of(field.added_type)]);
  return text;
}

std::string short_conditions(const Side& side) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < kSideConditions; ++i) {
    const int count = side.conditions[i];
    if (count == 0) continue;
    std::string text = str(kSideConditionIds[i]);
    if (i >= kHazards) {
      text = with(text, '/', count);
    } else if (count > 1) {
      text = with(text, ':', count);
    }
    parts.push_back(text);
  }
  std::string text = join(parts, " ", true);
  std::vector<std::string> slots;
  if (side.future_source != kNoSlot) slots.emplace_back("@futuremove");
  if (side.healing_wish) slots.emplace_back("@healingwish");
  if (side.wish_hp != 0) slots.emplace_back("@wish");
  for (const std::string& slot : slots) text.append(text.empty() ? "" : " ").append(slot);
  return text;
}

const char* request_name(Request request) {
  switch (request) {
    case Request::Move:
      return "move";
    case Request::Switch:
      return "switch";
    case Request::None:
      return "none";
    default:
      return "wait";
  }
}

std::string timed(std::string_view id, int turns) {
  return id.empty() || turns == 0 ? str(id) : with(str(id), '/', turns);
}

template <class Write>
std::string of_team(const Side& side, Write write) {
  std::vector<std::string> parts;
  for (const Pokemon& p : side.team) parts.push_back(write(p));
  return join(parts, ",", false);
}

std::string status_name(const Pokemon& p) {
  return p.fainted ? "x" : p.status == Status::None ? "-" : str(kStatusIds[index_of(p.status)]);
}

int pp_sum(const Pokemon& p) {
  int sum = 0;
  for (const MoveSlot& slot : p.moves) sum += slot.pp;
  return sum;
}

nb::list short_side(const Side& side) {
  const Active& field = side.field;
  const Pokemon& own = side.pokemon();
  std::vector<std::string> volatiles;
  for (int v = 0; v < kVolatiles; ++v) {
    if (field.has(static_cast<Volatile>(v))) volatiles.push_back(short_volatile(field, static_cast<Volatile>(v)));
  }
  std::vector<std::string> boosts;
  for (const int stage : field.boosts) boosts.push_back(std::to_string(stage));
  nb::list out;
  out.append(request_name(side.request));
  out.append(static_cast<int>(side.active));
  out.append(of_team(side, status_name));
  out.append(join(boosts, ",", false));
  out.append(
      of_team(side, [](const Pokemon& p) { return p.item == Item::None ? std::string("-") : str(data(p.item).id); }));
  out.append(str(data(own.ability).id));
  out.append(str(data(field.forme).id));
  out.append(short_types(field));
  out.append(join(volatiles, " ", true));
  out.append(short_conditions(side));
  out.append(of_team(side, [](const Pokemon& p) { return std::to_string(pp_sum(p)); }));
  out.append(static_cast<int>(own.max_hp));
  return out;
}

const char* winner_name(Winner winner) {
  switch (winner) {
    case Winner::First:
      return "p1";
    case Winner::Second:
      return "p2";
    case Winner::Tie:
      return "tie";
    default:
      return "";
  }
}

nb::object write_volatile(const Active& field, Volatile v) {
  if (!field.has(v)) return nb::none();
  nb::dict out;
  out["duration"] = unless(field.left(v) == 0, static_cast<int>(field.left(v)));
  if (const Move move = move_of(field, v); move != Move::None) out["move"] = str(data(move).id);
  if (v == Volatile::Substitute) out["hp"] = static_cast<int>(field.substitute_hp);
  if (v == Volatile::Stall) out["counter"] = static_cast<int>(field.stall_counter);
  if (v == Volatile::Dynamax) out["turns"] = static_cast<int>(field.dynamax_turns);
  if (v == Volatile::Confusion) out["time"] = static_cast<int>(field.confusion_count);
  if (v == Volatile::LockedMove) out["trueDuration"] = static_cast<int>(field.locked_turns);
  return out;
}

nb::object write_result(MoveResult result) {
  if (result == MoveResult::Undefined || result == MoveResult::Skipped) return nb::none();
  return nb::cast(result == MoveResult::Worked);
}

void write_active(const Side& side, nb::dict& out) {
  const Active& field = side.field;
  const Pokemon& own = side.pokemon();
  if (own.fainted) return;
  constexpr std::array<const char*, kBoosts> kNames{"atk", "def", "spa", "spd", "spe", "accuracy", "evasion"};
  nb::dict boosts;
  for (std::size_t i = 0; i < kBoosts; ++i)
    boosts[kNames[i]] = unless(field.boosts[i] == 0, static_cast<int>(field.boosts[i]));
  out["boosts"] = unless(field.boosts == Boosts{}, boosts);
  nb::dict volatiles;
  for (int v = 0; v < kVolatiles; ++v) {
    volatiles[nb::cast(str(kVolatileIds[index_of(v)]))] = write_volatile(field, static_cast<Volatile>(v));
  }
  out["volatiles"] = unless(field.volatiles == 0, volatiles);
  out["forme"] = unless(field.forme == own.species, str(data(field.forme).id));
  out["transformed"] = unless(!field.transformed, true);
  const auto name = [](Move move) { return unless(move == Move::None, str(data(move).id)); };
  out["lastMove"] = name(field.last_move);
  out["lastMoveUsed"] = name(field.last_move_used);
  out["moveThisTurn"] = name(field.move_this_turn);
  out["moveThisTurnResult"] = write_result(field.this_turn);
  out["moveLastTurnResult"] = write_result(field.last_turn);
  out["activeTurns"] = unless(field.active_turns == 0, static_cast<int>(field.active_turns));
  out["activeMoveActions"] = unless(field.move_actions == 0, static_cast<int>(field.move_actions));
  out["newlySwitched"] = unless(!field.newly_switched, true);
  out["illusion"] = unless(field.illusion == kNoSlot, static_cast<int>(field.illusion));
  out["speed"] = static_cast<int>(field.speed);
}

nb::dict write_pokemon(const Side& side, std::size_t slot) {
  const Pokemon& p = side.team[slot];
  nb::dict out;
  out["species"] = str(data(p.species).id);
  out["hp"] = static_cast<int>(p.hp);
  out["maxhp"] = unless(p.max_hp == p.base_max_hp, static_cast<int>(p.max_hp));
  const bool in_forme = static_cast<int>(slot) == side.active && !p.fainted && !side.field.transformed;
  nb::list stats;
  stats.append(static_cast<int>(p.base_max_hp));
  for (const int stat : in_forme ? side.field.stats : p.stats) stats.append(stat);
  out["stats"] = stats;
  out["fainted"] = unless(!p.fainted, true);
  if (!p.fainted) out["status"] = unless(p.status == Status::None, str(kStatusIds[index_of(p.status)]));
  nb::dict state;
  if (p.status == Status::Slp) state["time"] = static_cast<int>(p.status_count);
  if (p.status == Status::Tox) state["stage"] = static_cast<int>(p.status_count);
  if (!p.fainted && (p.status == Status::Slp || p.status == Status::Tox)) out["statusState"] = state;
  out["ability"] = str(data(p.ability).id);
  out["item"] = str(data(p.item).id);
  out["lastItem"] = unless(p.last_item == Item::None, str(data(p.last_item).id));
  nb::list moves;
  for (std::size_t i = 0; i < kMoveSlots; ++i) {
    if (p.moves[i].id == Move::None) continue;
    nb::list row;
    row.append(str(data(p.moves[i].id).id));
    row.append(static_cast<int>(p.moves[i].pp));
    row.append(static_cast<int>(p.moves[i].max_pp));
    nb::dict flags;
    const bool here = static_cast<int>(slot) == side.active && !p.fainted;
    if ((p.disabled >> i & 1U) != 0) flags["disabled"] = true;
    if (here && (p.used >> i & 1U) != 0) flags["used"] = true;
    if (here && side.field.transformed) flags["virtual"] = true;
    if (nb::len(flags) != 0) row.append(flags);
    moves.append(row);
  }
  out["moves"] = moves;
  if (static_cast<int>(slot) == side.active) write_active(side, out);
  return out;
}

nb::dict write_side(const State& state, int index) {
  const Side& side = state.sides[index_of(index)];
  nb::dict out;
  out["active"] = static_cast<int>(side.active);
  out["left"] = static_cast<int>(side.left);
  out["dynamaxUsed"] = side.dynamax_used;
  if (side.request != Request::None) {
    out["request"] = request_name(side.request);
    out["legal"] = write_actions(legal_choices(state, index));
  }
  nb::list order;
  for (const int slot : side.order) order.append(slot);
  out["order"] = order;
  nb::dict conditions;
  bool any = false;
  for (std::size_t i = 0; i < kSideConditions; ++i) {
    const int count = side.conditions[i];
    any = any || count != 0;
    conditions[nb::cast(str(kSideConditionIds[i]))] = nb::none();
    if (count == 0) continue;
    nb::dict condition;
    const bool layered = i <= index_of(SideCondition::ToxicSpikes);
    if (layered) condition["layers"] = count;
    if (i >= kHazards) condition["duration"] = count;
    conditions[nb::cast(str(kSideConditionIds[i]))] = condition;
  }
  out["conditions"] = unless(!any, conditions);
  nb::list team;
  for (std::size_t slot = 0; slot < kTeam; ++slot) team.append(write_pokemon(side, slot));
  out["team"] = team;
  return out;
}

nb::object write_timed(std::string_view id, int turns) {
  if (id.empty()) return nb::none();
  nb::dict out;
  out["id"] = str(id);
  out["duration"] = unless(turns == 0, turns);
  return out;
}

}  // namespace

nb::dict write_position(const State& state) {
  nb::dict out;
  out["turn"] = static_cast<int>(state.turn);
  out["midTurn"] = unless(!state.mid_turn, true);
  out["ended"] = unless(state.winner == Winner::Nobody, true);
  out["winner"] = unless(state.winner == Winner::Nobody, std::string(winner_name(state.winner)));
  nb::dict field;
  field["weather"] = write_timed(kWeatherIds[index_of(state.weather)], state.weather_turns);
  field["terrain"] = write_timed(kTerrainIds[index_of(state.terrain)], state.terrain_turns);
  out["field"] = field;
  nb::list sides;
  for (int side = 0; side < 2; ++side) sides.append(write_side(state, side));
  out["sides"] = sides;
  return out;
}

void write_drawn_sets(const State& state, nb::dict& position) {
  constexpr std::array<const char*, 3> kGenders{"N", "M", "F"};
  const nb::list sides = nb::cast<nb::list>(position["sides"]);
  for (std::size_t side = 0; side < 2; ++side) {
    const nb::list team = nb::cast<nb::list>(sides[side]["team"]);
    for (std::size_t slot = 0; slot < kTeam; ++slot) {
      const Pokemon& p = state.sides[side].team[slot];
      nb::dict out = nb::cast<nb::dict>(team[slot]);
      out["active"] = unless(state.sides[side].active != static_cast<int>(slot) || p.fainted, true);
      out["level"] = static_cast<int>(p.level);
      out["gender"] = kGenders[index_of(p.gender)];
      out["setSpecies"] = unless(p.set_species == p.species, str(data(p.set_species).id));
      out["setAbility"] = str(data(p.set_ability).id);
      out["baseAbility"] = unless(p.base_ability == p.set_ability, str(data(p.base_ability).id));
      out["setItem"] = str(data(p.set_item).id);
      out["gigantamax"] = unless(!p.gigantamax, true);
      nb::list evs, ivs;
      for (const int value : p.evs) evs.append(value);
      for (const int value : p.ivs) ivs.append(value);
      out["evs"] = evs;
      out["ivs"] = ivs;
    }
  }
}

void write_max_moves(const State& state, int index, nb::dict& position) {
  const Side& side = state.sides[index_of(index)];
  if (side.pokemon().fainted) return;
  nb::list moves;
  for (const MoveSlot& slot : side.pokemon().moves) {
    if (slot.id == Move::None) continue;
    const MaxMove max = max_move_of(state, index, slot.id);
    moves.append(std::pair<std::string, int>(data(max.move).id, max.power));
  }
  const nb::object team = position["sides"][index_of(index)]["team"];
  team[index_of(side.active)]["maxMoves"] = moves;
}

nb::list write_outcome(const State& state) {
  std::vector<std::string> pseudo;
  if (state.gravity != 0) pseudo.push_back(timed("gravity", state.gravity));
  if (state.ion_deluge) pseudo.emplace_back("iondeluge/1");
  if (state.trick_room != 0) pseudo.push_back(timed("trickroom", state.trick_room));
  nb::list field;
  field.append(timed(kWeatherIds[index_of(state.weather)], state.weather_turns));
  field.append(timed(kTerrainIds[index_of(state.terrain)], state.terrain_turns));
  field.append(join(pseudo, " ", true));
  nb::list out;
  out.append(winner_name(state.winner));
  out.append(field);
  for (const Side& side : state.sides) out.append(short_side(side));
  return out;
}

nb::list write_hp(const State& state) {
  nb::list out;
  for (const Side& side : state.sides) {
    for (const Pokemon& p : side.team) out.append(static_cast<int>(p.hp));
  }
  return out;
}

nb::list write_actions(std::uint16_t actions) {
  nb::list out;
  for (int action = 0; action < kActions; ++action) {
    if ((static_cast<unsigned>(actions) >> action & 1U) != 0) out.append(action);
  }
  return out;
}

}  // namespace tengen
