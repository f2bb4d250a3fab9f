#include "bindings/pokemon_position.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "games/pokemon/data.hpp"
#include "games/pokemon/legal.hpp"
#include "games/pokemon/teams.hpp"

namespace tengen {

using namespace pokemon;

namespace {

nb::object get(const nb::handle& dict, const char* key) {
  PyObject* value = PyDict_GetItemString(dict.ptr(), key);
  return value == nullptr ? nb::none() : nb::borrow(value);
}

bool has(const nb::handle& dict, const char* key) { return PyDict_GetItemString(dict.ptr(), key) != nullptr; }

int number(const nb::handle& dict, const char* key, int otherwise = 0) {
  const nb::object value = get(dict, key);
  return value.is_none() ? otherwise : static_cast<int>(nb::cast<double>(value));
}

bool flag(const nb::handle& dict, const char* key) {
  const nb::object value = get(dict, key);
  return PyObject_IsTrue(value.ptr()) == 1;
}

std::string text(const nb::handle& dict, const char* key) {
  const nb::object value = get(dict, key);
  return nb::isinstance<nb::str>(value) ? nb::cast<std::string>(value) : "";
}

template <class Id>
Id known(Id id, const std::string& name, const char* what) {
  if (id == Id::None && !name.empty())
    throw std::invalid_argument("no gen 8 random battle has the " + std::string(what) + " '" + name + "'");
  return id;
}

Species named_species(const std::string& id) { return known(find_species(id), id, "species"); }
Move named_move(const std::string& id) { return known(find_move(id), id, "move"); }
Ability named_ability(const std::string& id) { return known(find_ability(id), id, "ability"); }
Item named_item(const std::string& id) { return known(find_item(id), id, "item"); }

template <std::size_t N>
int index_in(const std::array<std::string_view, N>& names, std::string_view name) {
  const auto at = std::find(names.begin(), names.end(), name);
  return at == names.end() ? -1 : static_cast<int>(at - names.begin());
}

Who who(const std::string& name) { return name.size() < 4 ? kNoSlot : who_at(name[1] - '1', name[3] - '0'); }

std::vector<int> numbers(const nb::handle& list) {
  std::vector<int> out;
  for (const nb::handle value : nb::cast<nb::list>(list)) out.push_back(static_cast<int>(nb::cast<double>(value)));
  return out;
}

MoveSlots read_moves(const nb::handle& list, Pokemon* owner) {
  MoveSlots slots{};
  std::size_t i = 0;
  for (const nb::handle row : nb::cast<nb::list>(list)) {
    if (i == kMoveSlots) break;
    slots[i] = {named_move(nb::cast<std::string>(row[0])), static_cast<std::uint8_t>(nb::cast<int>(row[1])),
                static_cast<std::uint8_t>(nb::cast<int>(row[2]))};
    if (owner != nullptr && nb::len(row) > 3) {
      const nb::object flags = row[3];
      const auto bit = static_cast<std::uint8_t>(1U << i);
      if (flag(flags, "used")) owner->used |= bit;
      if (flag(flags, "disabled")) {
        owner->disabled |= bit;
        const std::string source = text(flags, "source");
        if (source == "Encore" || source == "Disable" || source == "Taunt" || source == "Assault Vest")
          owner->disabled_max |= bit;
      }
    }
    ++i;
  }
  return slots;
}

void read_status(const nb::handle& dict, Pokemon& p) {
  const std::string id = text(dict, "status");
  p.status = static_cast<Status>(std::max(0, index_in(kStatusIds, id)));
  const nb::object state = get(dict, "statusState");
  if (p.status == Status::None || state.is_none()) return;
  p.status_source = who(text(state, "source"));
  if (p.status == Status::Slp) {
    p.status_count = static_cast<std::uint8_t>(number(state, "time"));
    p.sleep_length = static_cast<std::uint8_t>(number(state, "startTime"));
  }
  if (p.status == Status::Tox) p.status_count = static_cast<std::uint8_t>(number(state, "stage"));
}

void read_spread(const nb::handle& dict, const char* key, int usual, std::array<std::uint8_t, 6>& out) {
  out.fill(static_cast<std::uint8_t>(usual));
  const nb::object list = get(dict, key);
  if (list.is_none()) return;
  const auto values = numbers(list);
  for (std::size_t i = 0; i < 6; ++i) out[i] = static_cast<std::uint8_t>(values.at(i));
}

Pokemon read_pokemon(const nb::handle& dict) {
  Pokemon p;
  p.species = named_species(text(dict, "species"));
  p.set_species = has(dict, "setSpecies") ? named_species(text(dict, "setSpecies")) : p.species;
  p.level = static_cast<std::uint8_t>(number(dict, "level", 100));
  const std::string gender = text(dict, "gender");
  p.gender = gender == "M" ? Gender::Male : gender == "F" ? Gender::Female : Gender::None;
  p.set_ability = named_ability(text(dict, "setAbility"));
  p.base_ability = has(dict, "baseAbility") ? named_ability(text(dict, "baseAbility")) : p.set_ability;
  p.ability = named_ability(text(dict, "ability"));
  p.set_item = named_item(text(dict, "setItem"));
  p.item = named_item(text(dict, "item"));
  p.last_item = named_item(text(dict, "lastItem"));
  read_spread(dict, "evs", 85, p.evs);
  read_spread(dict, "ivs", 31, p.ivs);
  p.gigantamax = flag(dict, "gigantamax");
  p.stats = stats_of(p, p.species);
  p.base_max_hp = static_cast<std::int16_t>(numbers(get(dict, "stats")).at(0));
  p.max_hp = static_cast<std::int16_t>(number(dict, "maxhp", p.base_max_hp));
  p.hp = static_cast<std::int16_t>(number(dict, "hp"));
  p.fainted = flag(dict, "fainted");
  p.forme_regression = flag(dict, "formeRegression");
  p.moves = read_moves(get(dict, "moves"), &p);
  read_status(dict, p);
  const nb::object state = get(dict, "abilityState");
  if (!state.is_none()) p.busted = flag(state, "busted");
  return p;
}

// The move that a volatile is about. nullptr: it is about none.
Move* move_held_by(Active& field, Volatile v) {
  switch (v) {
    case Volatile::ChoiceLock:
      return &field.choice_move;
    case Volatile::Encore:
      return &field.encore_move;
    case Volatile::Disable:
      return &field.disable_move;
    case Volatile::TwoTurnMove:
      return &field.charging_move;
    case Volatile::LockedMove:
      return &field.locked_move;
    default:
      return nullptr;
  }
}

void read_volatile(Active& field, Volatile v, const nb::handle& state) {
  field.set(v);
  field.left(v) = static_cast<std::uint8_t>(number(state, "duration"));
  const Who source = who(text(state, "source"));
  if (Move* move = move_held_by(field, v)) *move = find_move(text(state, "move"));
  switch (v) {
    case Volatile::LockedMove:
      field.locked_turns = static_cast<std::uint8_t>(number(state, "trueDuration"));
      field.locked_length = static_cast<std::uint8_t>(number(state, "length", field.locked_turns));
      break;
    case Volatile::Confusion:
      field.confusion_count = static_cast<std::uint8_t>(number(state, "time"));
      field.confusion_length = static_cast<std::uint8_t>(number(state, "length", field.confusion_count));
      break;
    case Volatile::Stall:
      field.stall_counter = static_cast<std::uint16_t>(number(state, "counter"));
      break;
    case Volatile::Substitute:
      field.substitute_hp = static_cast<std::int16_t>(number(state, "hp"));
      break;
    case Volatile::ChiStrike:
      field.chi_strikes = static_cast<std::uint8_t>(number(state, "layers"));
      break;
    case Volatile::Dynamax:
      field.dynamax_turns = static_cast<std::uint8_t>(number(state, "turns"));
      break;
    case Volatile::PartiallyTrapped: {
      field.partial_trapper = source;
      field.bind_length = static_cast<std::uint8_t>(number(state, "length", field.left(v)));
      const std::string by = text(state, "sourceEffect");
      field.partial_trap_stays = by.find("gmax") != std::string::npos;
      break;
    }
    case Volatile::Counter:
    case Volatile::MirrorCoat: {
      auto& damage = v == Volatile::Counter ? field.counter_damage : field.mirror_coat_damage;
      damage = static_cast<std::int16_t>(get(state, "slot").is_none() ? -1 : number(state, "damage"));
      break;
    }
    case Volatile::FocusPunch:
      field.lost_focus = flag(state, "lostFocus");
      break;
    case Volatile::Yawn:
      field.yawn_source = source;
      break;
    case Volatile::Attract:
      field.attract_source = source;
      break;
    default:
      break;
  }
}

MoveResult read_result(const nb::handle& dict, const char* key) {
  if (!has(dict, key)) return MoveResult::Undefined;
  const nb::object value = get(dict, key);
  return value.is_none()                     ? MoveResult::Skipped
         : PyObject_IsTrue(value.ptr()) == 1 ? MoveResult::Worked
                                             : MoveResult::Failed;
}

void read_ability_state(const nb::handle& dict, Active& field) {
  const nb::object state = get(dict, "abilityState");
  if (state.is_none()) return;
  field.unnerved = flag(state, "unnerved");
  field.berserk_checked = flag(state, "checkedBerserk");
  field.tracing = flag(state, "seek");
  field.weather_ending = flag(state, "ending");
  field.slow_start = static_cast<std::uint8_t>(number(state, "counter"));
  field.gorilla_move = find_move(text(state, "choiceLock"));
}

void read_history(const nb::handle& dict, Active& field) {
  field.last_move = find_move(text(dict, "lastMove"));
  field.last_move_used = find_move(text(dict, "lastMoveUsed"));
  field.last_base_move = data(field.last_move).has(kTraitMax) ? field.last_move_used : field.last_move;
  field.move_this_turn = find_move(text(dict, "moveThisTurn"));
  field.this_turn = read_result(dict, "moveThisTurnResult");
  field.last_turn = read_result(dict, "moveLastTurnResult");
  const nb::object hurt = get(dict, "hurtThisTurn");
  field.hurt_this_turn = static_cast<std::int16_t>(hurt.is_none() ? -1 : nb::cast<int>(hurt));
  field.active_turns = static_cast<std::uint8_t>(std::min(number(dict, "activeTurns"), 255));
  field.move_actions = static_cast<std::uint8_t>(std::min(number(dict, "activeMoveActions"), 255));
  const nb::object attacks = get(dict, "attackedBy");
  if (attacks.is_none()) return;
  for (const nb::handle attack : nb::cast<nb::list>(attacks)) {
    field.last_attack_damage = static_cast<std::int16_t>(number(attack, "damage"));
    if (flag(attack, "thisTurn") && number(attack, "damage") > 0) field.attacked_by = who(text(attack, "source"));
  }
}

Active read_active(const nb::handle& dict, const Pokemon& p) {
  Active field = fresh_active(p);
  field.newly_switched = flag(dict, "newlySwitched");
  field.on_field = flag(dict, "active");
  if (p.fainted || !field.on_field) {
    field.must_switch = flag(dict, "switchFlag");
    return field;
  }
  if (has(dict, "forme")) field.forme = named_species(text(dict, "forme"));
  field.types = data(field.forme).types;
  field.weight = static_cast<std::uint16_t>(number(dict, "weighthg", data(field.forme).weight));
  if (const nb::object list = get(dict, "types"); !list.is_none()) {
    field.types = {Type::None, Type::None};
    std::size_t i = 0;
    for (const nb::handle type : nb::cast<nb::list>(list)) {
      if (i < 2) field.types[i++] = find_type(nb::cast<std::string>(type));
    }
  }
  if (has(dict, "addedType")) field.added_type = find_type(text(dict, "addedType"));
  const auto stats = numbers(has(dict, "curStats") ? get(dict, "curStats") : get(dict, "stats"));
  const std::size_t first = has(dict, "curStats") ? 0 : 1;
  for (std::size_t i = 0; i < kStats; ++i) field.stats[i] = static_cast<std::int16_t>(stats.at(first + i));
  field.transformed = flag(dict, "transformed");
  if (const nb::object own = get(dict, "baseMoves"); !own.is_none()) field.own_moves = read_moves(own, nullptr);
  if (const nb::object boosts = get(dict, "boosts"); !boosts.is_none()) {
    constexpr std::array<const char*, kBoosts> kNames{"atk", "def", "spa", "spd", "spe", "accuracy", "evasion"};
    for (std::size_t i = 0; i < kBoosts; ++i) field.boosts[i] = static_cast<std::int8_t>(number(boosts, kNames[i]));
  }
  if (const nb::object volatiles = get(dict, "volatiles"); !volatiles.is_none()) {
    for (const auto [key, state] : nb::cast<nb::dict>(volatiles)) {
      const std::string id = nb::cast<std::string>(key);
      const int at = index_in(kVolatileIds, id);
      if (at < 0) throw std::invalid_argument("no gen 8 random battle has the volatile '" + id + "'");
      read_volatile(field, static_cast<Volatile>(at), state);
    }
  }
  read_ability_state(dict, field);
  read_history(dict, field);
  field.speed = static_cast<std::int16_t>(number(dict, "speed"));
  field.stats_raised = flag(dict, "statsRaisedThisTurn");
  field.stats_lowered = flag(dict, "statsLoweredThisTurn");
  field.used_item = flag(dict, "usedItemThisTurn");
  field.must_switch = flag(dict, "switchFlag");
  field.pivot = !text(dict, "switchFlag").empty();
  field.forced_out = flag(dict, "forceSwitchFlag");
  field.before_switch_out_done = flag(dict, "skipBeforeSwitchOutEventFlag");
  field.called_back = flag(dict, "beingCalledBack");
  if (const nb::object trapped = get(dict, "trapped"); !trapped.is_none()) {
    field.trapped = nb::isinstance<nb::str>(trapped) ? Trapped::Hidden
                    : flag(dict, "trapped")          ? Trapped::Yes
                                                     : Trapped::No;
  }
  field.maybe_trapped = flag(dict, "maybeTrapped");
  if (const nb::object seen = get(dict, "illusion"); !seen.is_none())
    field.illusion = static_cast<std::int8_t>(nb::cast<int>(seen));
  return field;
}

void read_conditions(const nb::handle& dict, Side& side) {
  const nb::object all = get(dict, "conditions");
  if (all.is_none()) return;
  std::vector<std::pair<int, std::size_t>> laid;
  for (const auto [key, state] : nb::cast<nb::dict>(all)) {
    const std::string id = nb::cast<std::string>(key);
    const int at = index_in(kSideConditionIds, id);
    if (at < 0) throw std::invalid_argument("no gen 8 random battle has the side condition '" + id + "'");
    const auto i = static_cast<std::size_t>(at);
    const bool hazard = i < kHazards;
    side.conditions[i] = static_cast<std::uint8_t>(hazard ? number(state, "layers", 1) : number(state, "duration"));
    if (hazard) laid.emplace_back(number(state, "order"), i);
    if (static_cast<SideCondition>(at) == SideCondition::StickyWeb) side.web_source = who(text(state, "source"));
  }
  std::sort(laid.begin(), laid.end());
  for (std::size_t i = 0; i < laid.size(); ++i) side.laid[laid[i].second] = static_cast<std::uint8_t>(i + 1);
}

void read_slot_conditions(const nb::handle& dict, Side& side) {
  const nb::object all = get(dict, "slotConditions");
  if (all.is_none()) return;
  if (const nb::object wish = get(all, "wish"); !wish.is_none()) {
    side.wish_hp = static_cast<std::int16_t>(number(wish, "hp"));
    side.wish_turn = static_cast<std::int16_t>(number(wish, "startingTurn"));
  }
  if (const nb::object future = get(all, "futuremove"); !future.is_none()) {
    side.future_turn = static_cast<std::int16_t>(number(future, "endingTurn"));
    side.future_source = who(text(future, "source"));
  }
  side.healing_wish = has(all, "healingwish");
}

Side read_side(const nb::handle& dict) {
  Side side;
  const auto order = numbers(get(dict, "order"));
  for (std::size_t i = 0; i < kTeam; ++i) side.order[i] = static_cast<std::int8_t>(order.at(i));
  side.active = static_cast<std::int8_t>(number(dict, "active"));
  side.left = static_cast<std::uint8_t>(number(dict, "left"));
  side.dynamax_used = flag(dict, "dynamaxUsed");
  const std::string request = text(dict, "request");
  side.request = request == "move" ? Request::Move : request == "switch" ? Request::Switch : Request::Wait;
  side.fainted_this_turn = static_cast<std::int8_t>(number(dict, "faintedThisTurn", kNoSlot));
  read_conditions(dict, side);
  read_slot_conditions(dict, side);
  std::size_t i = 0;
  const nb::list team = nb::cast<nb::list>(get(dict, "team"));
  for (const nb::handle member : team) {
    if (i < kTeam) side.team[i++] = read_pokemon(member);
  }
  side.field = read_active(team[static_cast<std::size_t>(side.active)], side.pokemon());
  return side;
}

// What a queue may hold at a request in mid-turn: an Emergency Exit on coming in leaves all but what begins a turn.
Step read_step(const std::string& choice) {
  constexpr std::array<std::pair<std::string_view, Step>, 6> kSteps{{{"move", Step::Move},
                                                                     {"residual", Step::Residual},
                                                                     {"switch", Step::Switch},
                                                                     {"runSwitch", Step::RunSwitch},
                                                                     {"runDynamax", Step::RunDynamax},
                                                                     {"priorityChargeMove", Step::PriorityCharge}}};
  for (const auto& [name, step] : kSteps) {
    if (name == choice) return step;
  }
  throw std::invalid_argument("no queue in mid-turn holds '" + choice + "'");
}

Action read_action(const nb::handle& dict) {
  Action action;
  action.step = read_step(text(dict, "choice"));
  action.order = order_of(action.step);
  if (action.step == Step::Residual) return action;
  const Who whose = who(text(dict, "pokemon"));
  action.side = static_cast<std::int8_t>(side_of(whose));
  action.slot = static_cast<std::int8_t>(slot_of(whose));
  if (const Who target = who(text(dict, "target")); action.step == Step::Switch && target != kNoSlot) {
    action.to = static_cast<std::int8_t>(slot_of(target));
  }
  action.move = named_move(text(dict, "moveid"));
  action.max = flag(dict, "maxMove") || action.step == Step::RunDynamax;
  const double fraction = has(dict, "fractionalPriority") ? nb::cast<double>(get(dict, "fractionalPriority")) : 0.0;
  action.custap = fraction > 0.0;
  action.priority = static_cast<std::int8_t>(number(dict, "priority"));
  action.speed = static_cast<std::int16_t>(number(dict, "speed"));
  return action;
}

}  // namespace

State read_position(const nb::dict& position) {
  State state;
  state.turn = static_cast<std::uint16_t>(number(position, "turn"));
  state.mid_turn = flag(position, "midTurn");
  state.last_successful_move = find_move(text(position, "lastSuccessfulMoveThisTurn"));
  const nb::object field = get(position, "field");
  if (const nb::object weather = get(field, "weather"); !weather.is_none()) {
    state.weather = static_cast<Weather>(std::max(0, index_in(kWeatherIds, text(weather, "id"))));
    state.weather_turns = static_cast<std::uint8_t>(number(weather, "duration"));
  }
  if (const nb::object terrain = get(field, "terrain"); !terrain.is_none()) {
    state.terrain = static_cast<Terrain>(std::max(0, index_in(kTerrainIds, text(terrain, "id"))));
    state.terrain_turns = static_cast<std::uint8_t>(number(terrain, "duration"));
  }
  if (const nb::object pseudo = get(field, "pseudoWeather"); !pseudo.is_none()) {
    const auto turns = [&](const char* id) {
      return has(pseudo, id) ? static_cast<std::uint8_t>(number(get(pseudo, id), "duration")) : std::uint8_t{0};
    };
    state.trick_room = turns("trickroom");
    state.gravity = turns("gravity");
    state.ion_deluge = has(pseudo, "iondeluge");
  }
  std::size_t i = 0;
  for (const nb::handle side : nb::cast<nb::list>(get(position, "sides"))) state.sides.at(i++) = read_side(side);
  if (const nb::object queue = get(position, "queue"); !queue.is_none()) {
    for (const nb::handle action : nb::cast<nb::list>(queue)) state.queue.at(state.queued++) = read_action(action);
  }
  const std::string winner = text(position, "winner");
  if (flag(position, "ended")) {
    state.winner = winner == "p1" ? Winner::First : winner == "p2" ? Winner::Second : Winner::Tie;
  }
  return state;
}

}  // namespace tengen
