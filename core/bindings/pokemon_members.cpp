#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "bindings/pokemon_values.hpp"
#include "games/pokemon/set_ids.hpp"
#include "games/pokemon/teams.hpp"

// Reads Pokémon of a position.
namespace tengen::pokemon_values {

namespace {

// The keys that the simulator writes. Those that the rules do not need are accepted and ignored.
constexpr std::array<string_view, 66> kPokemonKeys{"species",
                                                   "setSpecies",
                                                   "level",
                                                   "gender",
                                                   "setAbility",
                                                   "setItem",
                                                   "evs",
                                                   "ivs",
                                                   "nature",
                                                   "gigantamax",
                                                   "dynamaxLevel",
                                                   "stats",
                                                   "hp",
                                                   "maxhp",
                                                   "fainted",
                                                   "active",
                                                   "forme",
                                                   "types",
                                                   "addedType",
                                                   "curStats",
                                                   "status",
                                                   "statusState",
                                                   "ability",
                                                   "baseAbility",
                                                   "abilityState",
                                                   "item",
                                                   "itemState",
                                                   "lastItem",
                                                   "usedItemThisTurn",
                                                   "ateBerry",
                                                   "moves",
                                                   "baseMoves",
                                                   "boosts",
                                                   "volatiles",
                                                   "transformed",
                                                   "illusion",
                                                   "trapped",
                                                   "maybeTrapped",
                                                   "maybeDisabled",
                                                   "switchFlag",
                                                   "forceSwitchFlag",
                                                   "skipBeforeSwitchOutEventFlag",
                                                   "newlySwitched",
                                                   "beingCalledBack",
                                                   "lastMove",
                                                   "lastMoveUsed",
                                                   "moveThisTurn",
                                                   "moveThisTurnResult",
                                                   "moveLastTurnResult",
                                                   "activeTurns",
                                                   "activeMoveActions",
                                                   "timesAttacked",
                                                   "attackedBy",
                                                   "hurtThisTurn",
                                                   "lastDamage",
                                                   "statsRaisedThisTurn",
                                                   "statsLoweredThisTurn",
                                                   "truantTurn",
                                                   "speed",
                                                   "weighthg",
                                                   "speciesState",
                                                   "formeRegression",
                                                   "knownType",
                                                   "apparentType",
                                                   "maxMoves",
                                                   "position"};
constexpr std::array<string_view, 4> kMoveFlags{"disabled", "source", "used", "virtual"};
constexpr std::array<string_view, 7> kBoostKeys{"atk", "def", "spa", "spd", "spe", "accuracy", "evasion"};
constexpr std::array<string_view, 5> kAttackKeys{"source", "damage", "move", "thisTurn", "damageValue"};

void read_spread(const Fields& in, const char* key, int usual, int most, std::array<std::uint8_t, 6>& out) {
  std::array<int, 6> values{};
  values.fill(usual);
  if (in.has(key)) read_numbers(in, key, 0, most, values);
  std::transform(values.begin(), values.end(), out.begin(), [](int value) { return static_cast<std::uint8_t>(value); });
}

void read_move_flags(nb::handle value, const Place& place, std::size_t slot, Pokemon& owner) {
  const Fields in(value, place);
  in.allow(kMoveFlags);
  const auto bit = static_cast<std::uint8_t>(1U << slot);
  if (in.flag("used")) owner.used |= bit;
  const nb::object disabled = in.get("disabled");
  if (nb::isinstance<nb::str>(disabled) ? in.option("disabled", {"hidden"}, 0) != 0 : !in.flag("disabled")) return;
  owner.disabled |= bit;
  const std::string source = in.text("source");
  if (source == "Encore" || source == "Disable" || source == "Taunt" || source == "Assault Vest") {
    owner.disabled_max |= bit;
  }
}

// A move is [id, PP, most PP, flags], of which all but the id may be missing, or its id alone.
MoveSlot read_move(nb::handle row, const Place& place, std::size_t slot, Pokemon* owner) {
  const bool is_name = nb::isinstance<nb::str>(row);
  if (!is_name) check_list(row, place);
  const std::size_t count = is_name ? 1 : nb::len(row);
  if (count < 1 || count > 4) refuse_value(place, "[id, PP, most PP, flags]", row);
  const Place id_place{&place, {}, 0}, pp_place{&place, {}, 1}, most_place{&place, {}, 2}, flags_place{&place, {}, 3};
  const std::string id = is_name ? to_text(row, place) : to_text(row[0], id_place);
  const Move move = find_named(id, is_name ? place : id_place, "move", find_move);
  if (move == Move::None) refuse_value(place, "[id, PP, most PP, flags]", row);
  const int most = count > 2 ? to_number(row[2], most_place, 1, 64) : data(move).pp;
  const int pp = count > 1 ? to_number(row[1], pp_place, 0, most) : most;
  if (owner != nullptr && count > 3) read_move_flags(row[3], flags_place, slot, *owner);
  return {move, static_cast<std::uint8_t>(pp), static_cast<std::uint8_t>(most)};
}

MoveSlots read_moves(const Fields& in, const char* key, Pokemon* owner) {
  const Place place = in.at(key);
  const nb::object list = in.need(key);
  check_list(list, place);
  const std::size_t count = nb::len(list);
  if (count < 1 || count > kMoveSlots) refuse_value(place, "a list of one to four moves", list);
  MoveSlots slots{};
  for (std::size_t i = 0; i < count; ++i) {
    slots[i] = read_move(list[i], Place{&place, {}, static_cast<int>(i)}, i, owner);
  }
  return slots;
}

void read_status(const Fields& in, Pokemon& p) {
  p.status = static_cast<Status>(id_at(in, "status", kStatusIds));
  if (p.status == Status::None || p.fainted) {
    p.status = Status::None;
    return;
  }
  const nb::object given = in.get("statusState");
  const nb::dict none;
  const Fields state(given.is_none() ? nb::handle(none) : nb::handle(given), in.at("statusState"));
  p.status_source = who_at(state, "source");
  if (p.status == Status::Slp) {
    p.status_count = static_cast<std::uint8_t>(state.number("time", 1, 4, 2));
    p.sleep_length = static_cast<std::uint8_t>(state.number("startTime", p.status_count, 4, p.status_count));
  }
  if (p.status == Status::Tox) p.status_count = static_cast<std::uint8_t>(state.number("stage", 0, 15, 0));
}

// Reads the set of a Pokémon. Missing values are those of the generator or of the rules.
void read_set(const Fields& in, Pokemon& p) {
  in.need("species");
  p.species = species_at(in, "species");
  if (p.species == Species::None) refuse_value(in.at("species"), "the id of a species", in.get("species"));
  p.set_species = in.has("setSpecies") ? species_at(in, "setSpecies") : p.species;
  p.gender = std::array{Gender::Male, Gender::Female, Gender::None}[index_of(in.option("gender", {"M", "F", "N"}, 2))];
  in.need(in.has("ability") ? "ability" : "setAbility");
  p.set_ability = ability_at(in, in.has("setAbility") ? "setAbility" : "ability");
  p.base_ability = in.has("baseAbility") ? ability_at(in, "baseAbility") : p.set_ability;
  p.ability = in.has("ability") ? ability_at(in, "ability") : p.set_ability;
  p.set_item = item_at(in, in.has("setItem") ? "setItem" : "item");
  p.item = in.has("item") ? item_at(in, "item") : p.set_item;
  p.last_item = item_at(in, "lastItem");
  const int forme = forme_of(p.set_species, p.set_item);
  const int usual = forme < 0 ? 100 : keys()[keys_of(static_cast<std::size_t>(forme))[0]].level;
  p.level = static_cast<std::uint8_t>(in.number("level", 1, 100, usual));
  read_spread(in, "evs", 85, 252, p.evs);
  read_spread(in, "ivs", 31, 31, p.ivs);
  p.gigantamax = in.flag("gigantamax");
}

void read_hp(const Fields& in, Pokemon& p) {
  p.stats = stats_of(p, p.species);
  p.base_max_hp = static_cast<std::int16_t>(max_hp_of(p, p.species));
  if (in.has("stats")) {
    std::array<int, 6> stats{};
    read_numbers(in, "stats", 1, kMostStat, stats);
    p.base_max_hp = static_cast<std::int16_t>(stats[0]);
    // On the field they are those of its present forme.
    if (!in.has("active")) {
      std::transform(stats.begin() + 1, stats.end(), p.stats.begin(),
                     [](int stat) { return static_cast<std::int16_t>(stat); });
    }
  }
  const int most = in.number("maxhp", 1, 2 * kMostStat, p.base_max_hp);
  if (most != p.base_max_hp && most != 2 * p.base_max_hp) {
    refuse_value(in.at("maxhp"),
                 std::to_string(p.base_max_hp) + " or, while Dynamaxed, " + std::to_string(2 * p.base_max_hp),
                 in.get("maxhp"));
  }
  p.max_hp = static_cast<std::int16_t>(most);
  p.fainted = in.flag("fainted");
  p.hp = static_cast<std::int16_t>(in.number("hp", 0, most, p.fainted ? 0 : most));
  if (p.fainted && p.hp != 0) refuse_value(in.at("hp"), "0 because the Pokémon has fainted", in.get("hp"));
  p.fainted = p.hp == 0;
}

}  // namespace

Pokemon read_pokemon(const Fields& in) {
  in.allow(kPokemonKeys);
  Pokemon p;
  read_set(in, p);
  read_hp(in, p);
  p.forme_regression = in.flag("formeRegression");
  p.moves = read_moves(in, "moves", &p);
  read_status(in, p);
  if (const nb::object given = in.get("abilityState"); !given.is_none()) {
    p.busted = Fields(given, in.at("abilityState")).flag("busted");
  }
  return p;
}

namespace {

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

std::uint8_t turns_at(const Fields& in, const char* key, int otherwise = 0) {
  return static_cast<std::uint8_t>(in.number(key, 0, kMostTurns, otherwise));
}

void read_volatile(Active& field, Volatile v, const Fields& in) {
  field.set(v);
  field.left(v) = turns_at(in, "duration");
  if (Move* move = move_held_by(field, v)) {
    in.need("move");
    *move = move_at(in, "move");
  }
  switch (v) {
    case Volatile::LockedMove:
      field.locked_turns = static_cast<std::uint8_t>(in.number("trueDuration", 0, kMostTurns, 2));
      field.locked_length = turns_at(in, "length", field.locked_turns);
      break;
    case Volatile::Confusion:
      field.confusion_count = static_cast<std::uint8_t>(in.need_number("time", 1, kMostTurns));
      field.confusion_length = turns_at(in, "length", field.confusion_count);
      break;
    case Volatile::Stall:
      field.stall_counter = static_cast<std::uint16_t>(in.number("counter", 1, 729, 3));
      break;
    case Volatile::Substitute:
      field.substitute_hp = static_cast<std::int16_t>(in.need_number("hp", 1, kMostStat));
      break;
    case Volatile::ChiStrike:
      field.chi_strikes = static_cast<std::uint8_t>(in.number("layers", 1, 3, 1));
      break;
    case Volatile::Dynamax:
      field.dynamax_turns = static_cast<std::uint8_t>(in.number("turns", 0, 3, 0));
      break;
    case Volatile::PartiallyTrapped:
      field.partial_trapper = who_at(in, "source");
      field.bind_length = turns_at(in, "length", field.left(v));
      if (const nb::object by = in.get("sourceEffect"); nb::isinstance<nb::str>(by)) {
        field.partial_trap_stays = in.text("sourceEffect").find("gmax") != std::string::npos;
      }
      break;
    case Volatile::Counter:
    case Volatile::MirrorCoat: {
      auto& damage = v == Volatile::Counter ? field.counter_damage : field.mirror_coat_damage;
      damage = static_cast<std::int16_t>(in.has("slot") ? in.number("damage", 0, 2 * kMostStat, 0) : -1);
      break;
    }
    case Volatile::FocusPunch:
      field.lost_focus = in.flag("lostFocus");
      break;
    case Volatile::Yawn:
      field.yawn_source = who_at(in, "source");
      break;
    case Volatile::Attract:
      field.attract_source = who_at(in, "source");
      break;
    default:
      break;
  }
}

MoveResult read_result(const Fields& in, const char* key) {
  if (!in.has_key(key)) return MoveResult::Undefined;
  return in.get(key).is_none() ? MoveResult::Skipped : in.flag(key) ? MoveResult::Worked : MoveResult::Failed;
}

void read_ability_state(const Fields& in, Active& field) {
  const nb::object given = in.get("abilityState");
  if (given.is_none()) return;
  const Fields state(given, in.at("abilityState"));
  field.unnerved = state.flag("unnerved");
  field.berserk_checked = state.flag("checkedBerserk");
  field.tracing = state.flag("seek");
  field.weather_ending = state.flag("ending");
  field.slow_start = static_cast<std::uint8_t>(state.number("counter", 0, 255, 0));
  field.gorilla_move = find_move(state.text("choiceLock"));
}

void read_history(const Fields& in, Active& field) {
  field.last_move = find_move(in.text("lastMove"));
  field.last_move_used = find_move(in.text("lastMoveUsed"));
  field.last_base_move = data(field.last_move).has(kTraitMax) ? field.last_move_used : field.last_move;
  field.move_this_turn = find_move(in.text("moveThisTurn"));
  field.this_turn = read_result(in, "moveThisTurnResult");
  field.last_turn = read_result(in, "moveLastTurnResult");
  field.hurt_this_turn = static_cast<std::int16_t>(in.number("hurtThisTurn", 0, 2 * kMostStat, -1));
  field.active_turns = static_cast<std::uint8_t>(std::min(in.number("activeTurns", 0, kMostCount, 0), 255));
  field.move_actions = static_cast<std::uint8_t>(std::min(in.number("activeMoveActions", 0, kMostCount, 0), 255));
  const nb::object attacks = in.get("attackedBy");
  if (attacks.is_none()) return;
  const Place place = in.at("attackedBy");
  check_list(attacks, place);
  int i = 0;
  for (const nb::handle one : attacks) {
    const Fields attack(one, Place{&place, {}, i++});
    attack.allow(kAttackKeys);
    const int damage = attack.number("damage", 0, 2 * kMostStat, 0);
    field.last_attack_damage = static_cast<std::int16_t>(damage);
    if (attack.flag("thisTurn") && damage > 0) field.attacked_by = who_at(attack, "source");
  }
}

Type read_type(nb::handle value, const Place& place) {
  const std::string name = to_text(value, place);
  const Type type = find_type(name);
  if (type == Type::None && name != kTypeNames[index_of(Type::None)]) {
    refuse_value(place, "a type such as 'Fire'", value);
  }
  return type;
}

// The looks and numbers of a Pokémon on the field: forme, types, weight, stats and stages.
void read_forme(const Fields& in, const Pokemon& p, Active& field) {
  if (in.has("forme")) field.forme = species_at(in, "forme");
  if (field.forme == Species::None) field.forme = p.species;
  field.types = data(field.forme).types;
  field.weight = static_cast<std::uint16_t>(in.number("weighthg", 1, 65535, data(field.forme).weight));
  if (const nb::object list = in.get("types"); !list.is_none()) {
    const Place place = in.at("types");
    check_list(list, place);
    if (nb::len(list) < 1 || nb::len(list) > 2) refuse_value(place, "a list of one or two types", list);
    field.types = {Type::None, Type::None};
    for (std::size_t i = 0; i < nb::len(list); ++i) {
      field.types[i] = read_type(list[i], Place{&place, {}, static_cast<int>(i)});
    }
  }
  if (in.has("addedType")) field.added_type = read_type(in.get("addedType"), in.at("addedType"));
  field.stats = stats_of(p, field.forme);
  if (in.has("curStats")) {
    std::array<int, kStats> stats{};
    read_numbers(in, "curStats", 1, kMostStat, stats);
    for (std::size_t i = 0; i < kStats; ++i) field.stats[i] = static_cast<std::int16_t>(stats[i]);
  } else if (in.has("stats")) {
    std::array<int, kStats + 1> stats{};
    read_numbers(in, "stats", 1, kMostStat, stats);
    for (std::size_t i = 0; i < kStats; ++i) field.stats[i] = static_cast<std::int16_t>(stats[i + 1]);
  }
  if (const nb::object given = in.get("boosts"); !given.is_none()) {
    const Fields boosts(given, in.at("boosts"));
    boosts.allow(kBoostKeys);
    for (std::size_t i = 0; i < kBoosts; ++i) {
      field.boosts[i] = static_cast<std::int8_t>(boosts.number(kBoostKeys[i].data(), -6, 6, 0));
    }
  }
}

void read_leaving(const Fields& in, Active& field) {
  const nb::object wanted = in.get("switchFlag");
  field.pivot = nb::isinstance<nb::str>(wanted) && !in.text("switchFlag").empty();
  field.must_switch = field.pivot || (!nb::isinstance<nb::str>(wanted) && in.flag("switchFlag"));
}

}  // namespace

Active read_active(const Fields& in, const Pokemon& p) {
  Active field = fresh_active(p);
  field.newly_switched = in.flag("newlySwitched");
  field.on_field = !p.fainted && (!in.has("active") || in.flag("active"));
  read_leaving(in, field);
  if (!field.on_field) {
    field.pivot = false;
    return field;
  }
  read_forme(in, p, field);
  field.transformed = in.flag("transformed");
  if (in.has("baseMoves")) field.own_moves = read_moves(in, "baseMoves", nullptr);
  read_effects(in, "volatiles", kVolatileIds, "volatile",
               [&](std::size_t at, const Fields& state) { read_volatile(field, static_cast<Volatile>(at), state); });
  read_ability_state(in, field);
  read_history(in, field);
  field.speed = static_cast<std::int16_t>(in.number("speed", -32768, 32767, field.stats[kSpe]));
  field.stats_raised = in.flag("statsRaisedThisTurn");
  field.stats_lowered = in.flag("statsLoweredThisTurn");
  field.used_item = in.flag("usedItemThisTurn");
  field.forced_out = in.flag("forceSwitchFlag");
  field.before_switch_out_done = in.flag("skipBeforeSwitchOutEventFlag");
  field.called_back = in.flag("beingCalledBack");
  if (nb::isinstance<nb::str>(in.get("trapped"))) {
    in.option("trapped", {"hidden"}, 0);
    field.trapped = Trapped::Hidden;
  } else {
    field.trapped = in.flag("trapped") ? Trapped::Yes : Trapped::No;
  }
  field.maybe_trapped = in.flag("maybeTrapped");
  field.illusion = static_cast<std::int8_t>(in.number("illusion", 0, kTeam - 1, kNoSlot));
  return field;
}

}  // namespace tengen::pokemon_values
