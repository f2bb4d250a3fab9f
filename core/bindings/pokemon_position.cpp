#include "bindings/pokemon_position.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/pokemon_values.hpp"
#include "games/pokemon/audit.hpp"
#include "games/pokemon/set_ids.hpp"
#include "games/pokemon/sight.hpp"

namespace tengen {

using namespace pokemon;
using namespace pokemon_values;

namespace {

// The keys that the simulator writes. Those that the rules do not need are accepted and ignored.
constexpr std::array<string_view, 10> kPositionKeys{
    "turn",        "midTurn", "ended", "winner", "lastMove", "lastSuccessfulMoveThisTurn",
    "effectOrder", "field",   "sides", "queue"};
constexpr std::array<string_view, 3> kFieldKeys{"weather", "terrain", "pseudoWeather"};
constexpr std::array<string_view, 15> kSideKeys{"team",        "active",       "order",           "left",
                                                "request",     "totalFainted", "faintedThisTurn", "faintedLastTurn",
                                                "dynamaxUsed", "canDynamax",   "conditions",      "slotConditions",
                                                "legal",       "offered",      "lockedTo"};
constexpr std::array<string_view, 14> kQueueKeys{"choice",         "pokemon",      "target",
                                                 "moveid",         "move",         "maxMove",
                                                 "order",          "priority",     "fractionalPriority",
                                                 "speed",          "sourceEffect", "moveSlot",
                                                 "originalTarget", "side"};
constexpr std::array<string_view, 3> kPseudoWeathers{"trickroom", "gravity", "iondeluge"};
constexpr std::array<string_view, 4> kSlotConditions{"wish", "futuremove", "healingwish", "lunardance"};

void read_conditions(const Fields& in, Side& side) {
  constexpr std::array<int, kSideConditions> kMost{3, 2, 1, 1, 1, 8, 8, 8, 4, 4, 4, 4};
  std::vector<std::pair<int, std::size_t>> laid;
  read_effects(in, "conditions", kSideConditionIds, "side condition", [&](std::size_t i, const Fields& state) {
    const bool hazard = i < kHazards;
    const int count = hazard ? state.number("layers", 1, kMost[i], 1) : state.need_number("duration", 1, kMost[i]);
    side.conditions[i] = static_cast<std::uint8_t>(count);
    if (hazard) laid.emplace_back(state.number("order", 0, 1 << 30, 0), i);
    if (static_cast<SideCondition>(i) == SideCondition::StickyWeb) side.web_source = who_at(state, "source");
  });
  std::sort(laid.begin(), laid.end());
  for (std::size_t i = 0; i < laid.size(); ++i) side.laid[laid[i].second] = static_cast<std::uint8_t>(i + 1);
}

void read_slot_conditions(const Fields& in, int foe, Side& side) {
  read_effects(in, "slotConditions", kSlotConditions, "slot condition", [&](std::size_t i, const Fields& state) {
    if (kSlotConditions[i] == "wish") {
      side.wish_hp = static_cast<std::int16_t>(state.whole_part("hp", 1, kMostStat, 1));
      side.wish_turn = static_cast<std::int16_t>(state.number("startingTurn", 0, kLastTurn + 1, 0));
    } else if (kSlotConditions[i] == "futuremove") {
      side.future_turn = static_cast<std::int16_t>(state.need_number("endingTurn", 0, kLastTurn + kMostTurns));
      side.future_source = who_at(state, "source");
      if (side.future_source == kNoSlot) side.future_source = pokemon::who_at(foe, 0);
      if (side_of(side.future_source) != foe) {
        refuse_value(state.at("source"), "a Pokémon of the other side", state.get("source"));
      }
    } else {
      side.healing_wish = true;
    }
  });
}

void read_team(const Fields& in, Side& side) {
  const nb::object team = in.need("team");
  const Place place = in.at("team");
  check_list(team, place);
  if (nb::len(team) != kTeam) {
    refuse(place, "a side has 6 Pokémon, got " + std::to_string(nb::len(team)) +
                      "; for a smaller battle add Pokémon with \"fainted\": true");
  }
  side.active = static_cast<std::int8_t>(in.number("active", 0, kTeam - 1, 0));
  for (int i = 0; i < kTeam; ++i) {
    const Place each{&place, {}, i};
    const Fields member(team[index_of(i)], each);
    side.team[index_of(i)] = read_pokemon(member);
    if (i == side.active) side.field = read_active(member, side.team[index_of(i)]);
  }
}

// The party order: the active one first.
void read_order(const Fields& in, Side& side) {
  std::array<int, kTeam> order{0, 1, 2, 3, 4, 5};
  std::rotate(order.begin(), order.begin() + side.active, order.begin() + side.active + 1);
  if (in.has("order")) read_numbers(in, "order", 0, kTeam - 1, order);
  for (std::size_t i = 0; i < kTeam; ++i) side.order[i] = static_cast<std::int8_t>(order[i]);
  std::sort(order.begin(), order.end());
  if (side.order[0] != side.active || std::adjacent_find(order.begin(), order.end()) != order.end()) {
    refuse_value(in.at("order"), "the six team slots, the active one (" + std::to_string(side.active) + ") first",
                 in.get("order"));
  }
}

void read_side(const Fields& in, int index, Side& side) {
  in.allow(kSideKeys);
  read_team(in, side);
  read_order(in, side);
  const auto left = std::ranges::count_if(side.team, [](const Pokemon& p) { return !p.fainted; });
  side.left = static_cast<std::uint8_t>(left);
  if (in.number("left", 0, kTeam, side.left) != side.left) {
    refuse_value(in.at("left"), std::to_string(left) + ", the number of Pokémon that have not fainted", in.get("left"));
  }
  side.dynamax_used = in.flag("dynamaxUsed");
  constexpr std::array kRequests{Request::Move, Request::Switch, Request::Wait, Request::None};
  side.request = kRequests[index_of(in.option("request", {"move", "switch", "wait", "none"}, 0))];
  side.fainted_this_turn = static_cast<std::int8_t>(in.number("faintedThisTurn", 0, kTeam - 1, kNoSlot));
  read_conditions(in, side);
  read_slot_conditions(in, 1 - index, side);
}

// Reads an action that is left at a request in mid-turn. An Emergency Exit on coming in leaves nearly a whole turn.
Action read_action(const Fields& in) {
  constexpr std::array kSteps{Step::Move,      Step::Residual,   Step::Switch,
                              Step::RunSwitch, Step::RunDynamax, Step::PriorityCharge};
  in.allow(kQueueKeys);
  in.need("choice");
  Action action;
  action.step = kSteps[index_of(
      in.option("choice", {"move", "residual", "switch", "runSwitch", "runDynamax", "priorityChargeMove"}, 0))];
  action.order = order_of(action.step);
  if (action.step == Step::Residual) return action;
  in.need("pokemon");
  const Who whose = who_at(in, "pokemon");
  if (whose == kNoSlot) refuse_value(in.at("pokemon"), "a Pokémon such as 'p1:3'", in.get("pokemon"));
  action.side = static_cast<std::int8_t>(side_of(whose));
  action.slot = static_cast<std::int8_t>(slot_of(whose));
  if (action.step == Step::Switch) {
    in.need("target");
    const Who target = who_at(in, "target");
    if (target != kNoSlot) action.to = static_cast<std::int8_t>(slot_of(target));
  }
  if (action.step == Step::Move) in.need("moveid");
  action.move = move_at(in, "moveid");
  action.max = in.has("maxMove") || action.step == Step::RunDynamax;
  const nb::object fraction = in.get("fractionalPriority");
  if (!fraction.is_none()) {
    const bool is_float = nb::isinstance<nb::float_>(fraction);
    action.custap = is_float ? nb::cast<double>(fraction) > 0.0 : in.number("fractionalPriority", -1, 1, 0) > 0;
  }
  action.priority = static_cast<std::int8_t>(in.number("priority", -8, 8, 0));
  action.speed = static_cast<std::int16_t>(in.number("speed", -32768, 32767, 0));
  return action;
}

void read_field(const Fields& position, State& state) {
  const nb::object given = position.get("field");
  if (given.is_none()) return;
  const Fields in(given, position.at("field"));
  in.allow(kFieldKeys);
  if (const nb::object one = in.get("weather"); !one.is_none()) {
    const Fields weather(one, in.at("weather"));
    state.weather = static_cast<Weather>(id_at(weather, "id", kWeatherIds));
    state.weather_turns = static_cast<std::uint8_t>(weather.number("duration", 0, 8, 0));
  }
  if (const nb::object one = in.get("terrain"); !one.is_none()) {
    const Fields terrain(one, in.at("terrain"));
    state.terrain = static_cast<Terrain>(id_at(terrain, "id", kTerrainIds));
    state.terrain_turns = static_cast<std::uint8_t>(terrain.number("duration", 0, 8, 0));
  }
  read_effects(in, "pseudoWeather", kPseudoWeathers, "pseudo-weather", [&](std::size_t at, const Fields& room) {
    if (kPseudoWeathers[at] == "iondeluge") {
      state.ion_deluge = true;
    } else {
      (kPseudoWeathers[at] == "gravity" ? state.gravity : state.trick_room) =
          static_cast<std::uint8_t>(room.need_number("duration", 1, 5));
    }
  });
}

void read_queue(const Fields& in, State& state) {
  const nb::object queue = in.get("queue");
  if (queue.is_none()) return;
  const Place place = in.at("queue");
  check_list(queue, place);
  if (nb::len(queue) > kQueue) {
    refuse(place, "at most " + std::to_string(kQueue) + " actions can be left, got " + std::to_string(nb::len(queue)));
  }
  for (const nb::handle action : queue) {
    const Place each{&place, {}, state.queued};
    state.queue[state.queued] = read_action(Fields(action, each));
    ++state.queued;
  }
}

}  // namespace

State read_position(const nb::dict& position) {
  const Place top;
  const Fields in(position, top);
  in.allow(kPositionKeys);
  State state;
  state.turn = static_cast<std::uint16_t>(in.number("turn", 0, kLastTurn + 1, 1));
  state.mid_turn = in.flag("midTurn");
  state.last_successful_move = find_move(in.text("lastSuccessfulMoveThisTurn"));
  read_field(in, state);
  const nb::object sides = in.need("sides");
  const Place place = in.at("sides");
  check_list(sides, place);
  if (nb::len(sides) != 2) refuse(place, "a battle has 2 sides, got " + std::to_string(nb::len(sides)));
  for (int i = 0; i < 2; ++i) {
    const Place each{&place, {}, i};
    read_side(Fields(sides[index_of(i)], each), i, state.sides[index_of(i)]);
  }
  read_queue(in, state);
  const int winner = in.option("winner", {"p1", "p2", "tie", ""}, 3);
  if (in.flag("ended")) {
    state.winner = winner == 0 ? Winner::First : winner == 1 ? Winner::Second : Winner::Tie;
  }
  return state;
}

State read_battle(const nb::dict& position, const Knowledge* known, int viewer) {
  State state = read_position(position);
  if (known != nullptr) {
    const Side& other = state.sides[index_of(1 - viewer)];
    for (std::size_t i = 0; i < known->count; ++i) {
      const Seen& one = known->seen[i];
      const Pokemon& p = other.team[one.slot];
      if (forme_of(p.set_species, p.set_item) == one.forme) continue;
      throw std::invalid_argument("known: Pokémon " + std::to_string(i) + " is '" +
                                  std::string(forme_names()[one.forme]) + "', but slot " + std::to_string(one.slot) +
                                  " of the other side holds '" + std::string(data(p.set_species).id) + "'");
    }
    state.known[index_of(viewer)] = *known;
  }
  for (int side = 0; side < 2; ++side) note_met(state, side);
  return state;
}

void check_battle(const State& state) {
  const std::string fault = fault_of(state);
  if (!fault.empty()) throw std::invalid_argument("the position cannot be played on: " + fault);
}

}  // namespace tengen
