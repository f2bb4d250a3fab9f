#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "games/pokemon/data.hpp"
#include "games/pokemon/knowledge.hpp"

// The whole truth of a battle as a value. Nothing in here is relative to a viewer.
namespace tengen::pokemon {

inline constexpr int kTeam = 6;
inline constexpr int kMoveSlots = 4;
inline constexpr std::int8_t kNoSlot = -1;
inline constexpr int kLastTurn = 1000;

// A choice of a side. Team slots are the order of the team at the start, whatever the order of the party is now.
inline constexpr int kSwitch = 0;    // 0-5: to the Pokémon in this team slot
inline constexpr int kUseMove = 6;   // 6-9: the move in this slot
inline constexpr int kDynamax = 10;  // 10-13: Dynamax, then the move in this slot
inline constexpr int kActions = 14;

// Names one of the twelve: 0-5 the first side's team slots, 6-11 the second's. kNoSlot: nobody.
using Who = std::int8_t;
constexpr int side_of(Who who) { return who >= kTeam ? 1 : 0; }
constexpr int slot_of(Who who) { return who >= kTeam ? who - kTeam : who; }
constexpr Who who_at(int side, int slot) { return static_cast<Who>(side * kTeam + slot); }

struct MoveSlot {
  Move id = Move::None;
  std::uint8_t pp = 0;
  std::uint8_t max_pp = 0;

  friend bool operator==(const MoveSlot&, const MoveSlot&) = default;
};
using MoveSlots = std::array<MoveSlot, kMoveSlots>;

// A member of a team, on the field or not.
struct Pokemon {
  Species species = Species::None;      // the forme it returns to when it leaves
  Species set_species = Species::None;  // the forme in the team
  std::int16_t hp = 0;
  std::int16_t max_hp = 0;                     // doubled by Dynamax
  std::int16_t base_max_hp = 0;                // never doubled
  std::array<std::int16_t, kStats> stats{};    // of `species`
  MoveSlots moves{};                           // copied ones after Transform: Active::own_moves has the own
  std::array<std::uint8_t, kStats + 1> evs{};  // HP first
  std::array<std::uint8_t, kStats + 1> ivs{};
  std::uint8_t level = 100;
  Gender gender = Gender::None;
  Ability ability = Ability::None;
  Ability base_ability = Ability::None;
  Ability set_ability = Ability::None;
  Item item = Item::None;
  Item set_item = Item::None;
  Item last_item = Item::None;  // used up or taken
  Status status = Status::None;
  std::uint8_t status_count = 0;  // sleep: attempts to move left; bad poison: stages so far
  std::uint8_t sleep_length = 0;
  Who status_source = kNoSlot;
  std::uint8_t disabled = 0;      // a bit a move slot, as of the end of the last turn
  std::uint8_t disabled_max = 0;  // … by what stops a Dynamaxed Pokémon too, if it stops all moves
  std::uint8_t used = 0;          // a bit a move slot, since it came in
  bool fainted = false;
  bool gigantamax = false;
  bool busted = false;            // Disguise and Ice Face: hit, the forme has not changed yet
  bool forme_regression = false;  // returns to the forme of its set when it faints

  friend bool operator==(const Pokemon&, const Pokemon&) = default;
};

// How a move went. Undefined: none was tried; Skipped: it neither worked nor failed (Protect, recharging).
enum class MoveResult : std::uint8_t { Undefined, Skipped, Failed, Worked };
enum class Trapped : std::uint8_t { No, Yes, Hidden };

// What holds only while a Pokémon is on the field.
struct Active {
  std::uint64_t volatiles = 0;                   // a bit for each Volatile
  std::array<std::uint8_t, kVolatiles> turns{};  // of volatiles that end by themselves: turns left
  Boosts boosts{};
  std::array<std::int16_t, kStats> stats{};  // before stages: those of the forme, or copied
  std::array<Type, 2> types{Type::None, Type::None};
  Type added_type = Type::None;
  Species forme = Species::None;
  std::uint16_t weight = 0;
  MoveSlots own_moves{};  // while transformed

  Move choice_move = Move::None;  // Choice items' lock
  Move gorilla_move = Move::None;
  Move encore_move = Move::None;
  Move disable_move = Move::None;
  Move locked_move = Move::None;
  Move charging_move = Move::None;
  std::uint8_t locked_turns = 0;  // how long the rampage lasts in truth
  std::uint8_t confusion_count = 0;
  // How long these were to last when they began: what is left is hidden, what has gone by is not.
  std::uint8_t locked_length = 0;
  std::uint8_t confusion_length = 0;
  std::uint8_t bind_length = 0;
  std::uint16_t stall_counter = 0;  // the next Protect works with a chance of 1 in so many
  std::int16_t substitute_hp = 0;
  std::uint8_t chi_strikes = 0;
  std::uint8_t dynamax_turns = 0;
  std::uint8_t slow_start = 0;
  Who partial_trapper = kNoSlot;
  bool partial_trap_stays = false;  // set by a G-Max Move: outlasts its user
  Who trapper = kNoSlot;
  Who attract_source = kNoSlot;
  Who yawn_source = kNoSlot;
  std::int16_t counter_damage = -1;  // -1: not hit yet
  std::int16_t mirror_coat_damage = -1;
  bool lost_focus = false;

  Move last_move = Move::None;       // as it came out: a Max Move's id while Dynamaxed
  Move last_base_move = Move::None;  // … its base move
  Move last_move_used = Move::None;  // also called by another move
  Move move_this_turn = Move::None;
  MoveResult this_turn = MoveResult::Undefined;
  MoveResult last_turn = MoveResult::Undefined;
  std::int16_t hurt_this_turn = -1;      // HP after the last damage
  Who attacked_by = kNoSlot;             // who last dealt damage to it this turn
  std::int16_t last_attack_damage = -1;  // of the last attack at all, -1 if none; 0: it did no damage
  std::int16_t speed = 0;                // as last computed for the order of actions
  std::uint8_t active_turns = 0;
  std::uint8_t move_actions = 0;
  bool on_field = false;  // false once it fainted
  bool transformed = false;
  bool newly_switched = false;
  bool called_back = false;
  bool stats_raised = false;  // this turn
  bool stats_lowered = false;
  bool used_item = false;
  bool must_switch = false;  // fainted or pivoting: the side is asked for a replacement
  bool pivot = false;        // … by a move of its own
  bool forced_out = false;
  bool before_switch_out_done = false;
  bool unnerved = false;
  bool berserk_checked = false;
  bool tracing = false;
  bool weather_ending = false;  // Cloud Nine leaves the field
  Trapped trapped = Trapped::No;
  bool maybe_trapped = false;
  bool trap_shown = false;         // a switch was refused this turn: the hidden trap is known
  std::int8_t illusion = kNoSlot;  // team slot it looks like

  bool has(Volatile v) const { return (volatiles >> index_of(v) & 1U) != 0; }
  std::uint8_t& left(Volatile v) { return turns[index_of(v)]; }
  std::uint8_t left(Volatile v) const { return turns[index_of(v)]; }
  void set(Volatile v) { volatiles |= std::uint64_t{1} << index_of(v); }
  void drop(Volatile v) {
    volatiles &= ~(std::uint64_t{1} << index_of(v));
    turns[index_of(v)] = 0;
  }

  friend bool operator==(const Active&, const Active&) = default;
};

enum class Request : std::uint8_t { Wait, Move, Switch, None };

struct Side {
  std::array<Pokemon, kTeam> team{};                       // by team slot
  Active field{};                                          // of the active one
  std::array<std::int8_t, kTeam> order{0, 1, 2, 3, 4, 5};  // team slots in party order, the active one first
  std::int8_t active = 0;
  std::uint8_t left = kTeam;
  Request request = Request::Wait;
  bool dynamax_used = false;
  std::int8_t fainted_this_turn = kNoSlot;
  std::array<std::uint8_t, kSideConditions> conditions{};
  std::array<std::uint8_t, kHazards> laid{};  // order in which hazards came
  Who web_source = kNoSlot;                   // who laid the Sticky Web
  std::int16_t wish_hp = 0;                   // 0: no wish
  std::int16_t wish_turn = 0;
  std::int16_t future_turn = 0;  // ends then; 0: none
  Who future_source = kNoSlot;
  bool healing_wish = false;

  Pokemon& pokemon() { return team[static_cast<std::size_t>(active)]; }
  const Pokemon& pokemon() const { return team[static_cast<std::size_t>(active)]; }
  std::uint8_t& count(SideCondition c) { return conditions[index_of(c)]; }
  std::uint8_t count(SideCondition c) const { return conditions[index_of(c)]; }

  friend bool operator==(const Side&, const Side&) = default;
};

// An action that waits for its place in the turn.
enum class Step : std::uint8_t {
  Start,
  InstantSwitch,
  BeforeTurnMove,
  RunSwitch,
  Switch,
  RunDynamax,
  PriorityCharge,
  Move,
  Residual,
  BeforeTurn
};

struct Action {
  Step step = Step::Residual;
  std::int8_t side = kNoSlot;
  std::int8_t slot = kNoSlot;  // whose action; of a side's Pokémon that has left it is dropped
  std::int8_t to = kNoSlot;    // the team slot that switches in
  Move move = Move::None;
  bool max = false;
  bool prankster = false;
  bool custap = false;
  std::int8_t priority = 0;
  std::uint16_t order = 0;
  std::int16_t speed = 0;

  friend bool operator==(const Action&, const Action&) = default;
};
inline constexpr int kQueue = 8;

// The place of a kind of action within a turn: the lower, the earlier.
std::uint16_t order_of(Step step);

enum class Winner : std::uint8_t { Nobody, First, Second, Tie };

struct State {
  std::uint64_t luck = 0;  // of the next step: every draw comes from it. Nobody sees it, and redeal() draws it anew
  std::array<Side, 2> sides{};
  std::array<Action, kQueue> queue{};  // in order; the rest of the turn while someone chooses in mid-turn
  std::uint8_t queued = 0;
  bool mid_turn = false;
  std::uint16_t turn = 0;
  Winner winner = Winner::Nobody;
  Weather weather = Weather::None;
  std::uint8_t weather_turns = 0;
  Terrain terrain = Terrain::None;
  std::uint8_t terrain_turns = 0;
  std::uint8_t trick_room = 0;
  std::uint8_t gravity = 0;
  bool ion_deluge = false;
  Move last_successful_move = Move::None;  // this turn
  std::array<Knowledge, 2> known{};        // what each side knows of the other's team

  friend bool operator==(const State&, const State&) = default;
};

static_assert(std::is_trivially_copyable_v<State>);

}  // namespace tengen::pokemon
