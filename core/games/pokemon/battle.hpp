#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "games/pokemon/active_move.hpp"
#include "games/pokemon/chance.hpp"
#include "games/pokemon/modifier.hpp"
#include "games/pokemon/result.hpp"
#include "games/pokemon/state.hpp"

namespace tengen::pokemon {

// Sources of damage, stages and statuses, as far as abilities and items distinguish them.
enum class Cause : std::uint8_t {
  Move,
  Confusion,
  Recoil,
  Weather,
  Status,
  Item,
  Ability,
  Intimidate,
  MirrorArmor,
  StickyWeb,
  ToxicSpikes,
  Hazard,
  Condition
};

// A Pokémon with what holds for it on the field; off it, a fresh one.
struct Unit {
  const Pokemon& mon;
  const Active& field;
  int side;
};

struct TypeList {
  std::array<Type, 3> types{Type::None, Type::None, Type::None};
  int count = 0;

  void add(Type type) { types[index_of(count++)] = type; }
  bool has(Type type) const {
    for (int i = 0; i < count; ++i) {
      if (types[index_of(i)] == type) return true;
    }
    return false;
  }
};

struct Damage {
  int amount = 0;
  bool done = true;  // false: kept off altogether
};

// A stat at a stage from -6 to 6.
int staged(int stat, int stage);

// The rules: plays a state on from choices to the next choice or the end. Sides are 0 and 1; a Pokémon on the field is
// named by its side, p, and its foe is 1 - p.
class Battle {
 public:
  Battle(State& state, Chance& chance) : s_(state), chance_(chance) {}

  // The first Pokémon come in.
  void start();
  // One legal choice of each side; -1 for a side that waits.
  void choose(int first, int second);

  // Returns the damage that a hit of side p's move would do now, with this object's luck; 0 if it does none.
  int damage_of_hit(int p, Move move, bool max, int hit);
  // The Max Move that a move of the active Pokémon would become now.
  ActiveMove max_move_now(int p, Move move);
  // Determines the choices of the next requests again, for a state whose sets were exchanged.
  void find_choices();

 private:
  static constexpr int kMoveDepth = 6;
  struct Fainting {
    Who who = kNoSlot;
    std::int8_t source = -1;
    Cause cause = Cause::Condition;
    bool by_future = false;
  };

  Pokemon& mon(int p) { return s_.sides[index_of(p)].pokemon(); }
  const Pokemon& mon(int p) const { return s_.sides[index_of(p)].pokemon(); }
  Active& act(int p) { return s_.sides[index_of(p)].field; }
  const Active& act(int p) const { return s_.sides[index_of(p)].field; }
  const Pokemon& team(int side, int slot) const { return s_.sides[index_of(side)].team[index_of(slot)]; }
  Unit unit(int p) const { return {mon(p), act(p), p}; }
  Who who_of(int p) const { return who_at(p, s_.sides[index_of(p)].active); }
  bool is_active(Who who) const {
    return who != kNoSlot && act(side_of(who)).on_field && s_.sides[index_of(side_of(who))].active == slot_of(who);
  }
  bool is_over() const { return s_.winner != Winner::Nobody; }
  static ActiveMove make_move(Move id);

  // queries.cpp
  Ability ability(const Unit& unit) const;
  Ability ability(int p) const { return ability(unit(p)); }
  Ability guard(int p) const;
  bool is_suppressed(int p) const;
  bool active_on_field() const;
  Item item(const Unit& unit) const { return unit.field.on_field ? unit.mon.item : Item::None; }
  Item item(int p) const { return item(unit(p)); }
  TypeList types(const Unit& unit) const;
  bool has_type(const Unit& unit, Type type) const;
  bool is_weather_suppressed() const;
  Weather weather() const;
  bool is_grounded(const Unit& unit) const;
  bool is_grounded(int p) const { return is_grounded(unit(p)); }
  bool is_semi_invulnerable(int p) const;
  bool is_protected_type(int p, Status status) const;
  bool is_immune_to_powder(int p) const;
  bool is_immune_to_weather(int p, Weather weather) const;
  bool is_hit_by(int p, const ActiveMove& move) const;
  bool is_hit_by_type(int p, Type type) const;
  int effectiveness(int p, const ActiveMove& move) const;
  bool has_unbroken_disguise(int p, const ActiveMove& move) const;
  int plain_stat(int p, Stat stat) const;
  int speed(int p) const;
  int action_speed(int p) const;
  void update_speed(int p);
  void update_speeds();
  int undynamaxed_hp(int p, int hp) const;
  int weight(int p) const;
  bool can_switch(int side) const;
  std::array<int, 2> by_speed();
  bool is_move_queued(int p) const;
  bool is_anyone_to_act() const;

  // health.cpp
  Damage filter_damage(int p, int amount, int source, Cause cause);
  Damage damage(int p, int amount, int source, Cause cause);
  int take(int p, int amount, int source, Cause cause);
  void direct_damage(int p, int amount);
  int heal(int p, int amount);
  void set_hp(int p, int hp);
  void faint(int p, int source, Cause cause);
  bool settle_faints(bool check_win);
  void settle_faint(const Fainting& fainting);
  void after_faint(const Fainting& fainting, int length);
  Stat best_stat(int p) const;
  bool check_winner(int last);
  void win(Winner winner);
  void emergency_exit(int p);
  void check_emergency_exit(int p, int hp_before);

  // status.cpp
  bool boost(int p, Boosts boosts, int source, Cause cause);
  void guard_boosts(int p, Boosts& boosts, int source, Cause cause);
  bool is_sleep_barred(int p, Who source) const;
  bool is_status_barred(int p, Status status, Who source) const;
  bool try_status(int p, Status status, Who source, Cause cause);
  bool set_status(int p, Status status, Who source, Cause cause);
  bool cure_status(Pokemon& target);
  bool is_volatile_barred(int p, Volatile v) const;
  bool add_volatile(int p, Volatile v, Who source, Move by = Move::None);
  bool restart_volatile(int p, Volatile v);
  bool start_volatile(int p, Volatile v, Who source, Move by);
  bool start_attract(int p, Who source);
  bool start_encore(int p);
  bool start_disable(int p);
  bool start_smack_down(int p);
  void start_dynamax(int p);
  bool knock_down(int p);
  bool remove_volatile(int p, Volatile v);
  void end_volatile(int p, Volatile v);
  static Volatile volatile_of(Move move);

  // items.cpp
  bool is_in_a_pinch(int p) const;
  void finish_item(int p);
  bool use_item(int p);
  void taste(int p, Item berry);
  bool eat_item(int p);
  bool is_item_bound(Item item, int holder, int other) const;
  Item take_item(int p, int taker, bool& refused);
  bool set_item(int p, Item item);
  void start_item(int p);
  void check_white_herb(int p);
  void update_item(int p);

  // abilities.cpp
  void start_ability(int p);
  void boost_on_start(int p, Ability own);
  void end_ability(int p);
  bool set_ability(int p, Ability to, bool by_forme);
  void reset_ability_state(int p);
  void swap_abilities(int a, int b);
  void trace(int p);
  void update();
  void update_one(int p);
  void weather_changed(bool by_ability);
  bool set_weather(Weather weather);
  void clear_weather();
  bool set_terrain(Terrain terrain);
  void clear_terrain();
  void update_cherrim(int p);
  void restore_ice_face(int p);
  void update_school(int p);
  void update_mimicry(int p);

  // formes.cpp
  void wear(int p, Species forme);
  void change_forme(int p, Species forme, bool for_good, bool with_ability);
  void update_max_hp(int p);
  bool transform(int p);
  void clear_volatiles(int p);

  // move_run.cpp
  int move_slot(int p, Move move) const;
  ActiveMove make_max_move(int p, const ActiveMove& base) const;
  int deduct_pp(int p, Move move, int amount);
  void set_active(ActiveMove* move, int p);
  void clear_active();
  void run_move(const Action& action);
  void after_move(int p);
  MoveResult before_move(int p, const ActiveMove& move);
  bool is_stopped_by_confusion(int p);
  bool use_move(int p, Move id, bool max, bool locked, Move called_by, bool bounced);
  Result try_use_move(int p, Move id, bool max, bool locked, Move called_by, bool bounced);
  bool is_sheer(int p, const ActiveMove& move) const;
  static bool is_own_side(Target target);
  static bool is_sided(Target target);
  void press(int p, int target, bool has_target, const ActiveMove& move);
  void change_type(int p, ActiveMove& move);
  bool modify_move(int p, ActiveMove& move);
  void change_stance(int p, const ActiveMove& move);
  void modify_own_move(int p, ActiveMove& move);
  Result try_move(int p, int target, const ActiveMove& move);
  bool is_below_majesty(int p, int target, const ActiveMove& move) const;
  bool charge(int p, const ActiveMove& move);
  void prepare_hit(int p, const ActiveMove& move);

  // move_steps.cpp
  bool try_hit(int p, int target, ActiveMove& move);
  bool try_sided_move(int p, int target, ActiveMove& move);
  Result try_conditions(int p, int target, ActiveMove& move);
  bool stalls_again(int p);
  bool is_about_to_attack(int p) const;
  Result foresee(int p, int target);
  bool is_reached(int p, int target, const ActiveMove& move) const;
  Result meet_guards(int p, int target, ActiveMove& move);
  bool is_stopped_by_protection(int p, int target, ActiveMove& move);
  bool is_stopped_by_ability(int p, int target, ActiveMove& move);
  bool is_immune(int p, int target, const ActiveMove& move) const;
  int accuracy_stage(int p, int target, const ActiveMove& move) const;
  int modified_accuracy(int p, const ActiveMove& move, int accuracy) const;
  bool never_misses(int p, int target, const ActiveMove& move) const;
  bool is_accurate(int p, int target, const ActiveMove& move);
  bool hits_again(int p, int target, const ActiveMove& move);
  void break_protection(int target);
  void steal_boosts(int p, int target);

  // move_hit.cpp
  int count_hits(const ActiveMove& move);
  Result hit_loop(int p, int target, ActiveMove& move);
  void recoil(int p, int dealt, const ActiveMove& move);
  Result hit(int p, int target, ActiveMove& move);
  Result meet_substitute(int p, int target, ActiveMove& move);
  void self_effects(int p, ActiveMove& move);
  void secondaries(int p, int target, const ActiveMove& move, bool on_substitute);
  void special_secondary(int p, int target, const ActiveMove& move);
  void trap(int p, int trapper);
  void force_out(int p, int target);
  void on_damaging_hit(int p, int target, ActiveMove& move, int dealt);
  void answer_by_ability(int p, int target, const ActiveMove& move);
  void spit(int p, int target);

  // move_effects.cpp, max_moves.cpp
  Result try_hit_of_move(int p, int target, ActiveMove& move);
  Result effects(int p, int target, ActiveMove& move, Result damage, bool on_substitute);
  void on_hit(int target, const ActiveMove& move);
  Result special_effect(int p, int target, ActiveMove& move);
  Result healing_effect(int p, int target, Move move);
  Result field_effect(int p, int target, Move move);
  bool add_side_condition(int side, SideCondition condition, int source);
  bool remove_side_condition(int side, SideCondition condition);
  bool remove_hazards(int side);
  bool defog(int p, int target);
  bool blow_away(int p, int target);
  bool change_court();
  bool heal_team(int p);
  Result drum(int p);
  Result eat_berry_of(int p, int target);
  void make_drowsy(int p, int target);
  Result heal_by_weather(int p, Move move);
  void split_pain(int p, int target);
  Result rest(int p);
  Result talk_in_sleep(int p);
  Result sap_strength(int p, int target);
  bool swap_items(int p, int target);
  bool make_wish(int p);
  void after_hit(int p, int target, const ActiveMove& move);
  void after_substitute_hit(int p, int target, const ActiveMove& move);
  void spin(int p);
  void after_secondaries(int p, int target, const ActiveMove& move);
  void pick_pocket(int p, int thief);
  void after_secondaries_of_user(int p, int target, const ActiveMove& move);
  void max_effect(int p, const ActiveMove& move);
  void g_max_effect(int p, Move move);
  void g_max_effect_on_foe(int p, int foe, Move move);
  void replenish(int p);
  void start_gravity();

  // damage.cpp, power.cpp
  Result damage_of(int p, int target, ActiveMove& move);
  Result damage_of(const Unit& source, int target, ActiveMove& move);
  Result fixed_damage(const Unit& source, int target, const ActiveMove& move) const;
  bool draws_crit(const Unit& source, int target, const ActiveMove& move);
  int attack_of(const Unit& source, int target, const ActiveMove& move) const;
  void scale_by_target(int target, const ActiveMove& move, Modifier& chain) const;
  void scale_by_user(const Unit& source, int target, const ActiveMove& move, bool physical, Modifier& chain) const;
  int defence_of(const Unit& source, int target, const ActiveMove& move) const;
  int finish_damage(const Unit& source, int target, ActiveMove& move, int base);
  int last_modifiers(const Unit& source, int target, const ActiveMove& move, int damage) const;
  void scale_by_defender(int target, const ActiveMove& move, Modifier& chain) const;
  int confusion_damage(int p);
  int power_of(const Unit& source, int target, const ActiveMove& move) const;
  int modified_power(const Unit& source, int target, const ActiveMove& move, int power) const;
  void scale_power_by_ability(int target, const ActiveMove& move, Ability mine, Modifier& chain) const;
  void scale_power_by_aura(const ActiveMove& move, Modifier& chain) const;
  void scale_power_by_item(const Unit& source, const ActiveMove& move, Modifier& chain) const;
  void scale_power_by_terrain(const Unit& source, int target, const ActiveMove& move, Modifier& chain) const;
  void scale_own_power(const Unit& source, int target, const ActiveMove& move, Modifier& chain) const;

  // switching.cpp
  void before_switch_out(int p);
  void switch_in(int p, int slot, bool dragged);
  void leave(int p);
  void disguise(int p);
  void drag_in(int p);
  void run_switches(std::array<int, 2> who);
  bool is_start_suppressed(int p) const;
  bool arrive(int p);
  void meet_hazard(int p, SideCondition hazard);

  // turn.cpp
  void add_choice(int p, int choice);
  void update_action(Action& action) const;
  void push(const Action& action);
  Action pop();
  void insert(const Action& action);
  void sort_queue();
  void cancel_actions(int p);
  void cancel_moves(int p);
  void drop_from(int length);
  void go_on();
  bool is_asking() const;
  bool perform(const Action& action);
  void run(const Action& action);
  void check_residual_exit(int p, int hp_before);
  bool after_steps();

  // residual.cpp, residual_effects.cpp, end_of_turn.cpp
  void run_residuals();
  void run_residual(std::uint8_t kind, int p, std::uint8_t what);
  void field_residual(std::uint8_t kind, int p, std::uint8_t what);
  void weather_residual();
  void weather_on(int p, Weather now);
  void land_future_sight(int p);
  Unit future_unit() const;
  void hit_with_future_sight(int user, int target, ActiveMove& move);
  void grant_wish(int p);
  void g_max_residual(int p, SideCondition condition);
  void leftovers(int p);
  void poison_residual(int p);
  void volatile_residual(int p, Volatile v);
  void leech(int p);
  void ability_residual(int p);
  void forme_residual(int p);
  void end_turn();
  void find_disabled(int p);
  void find_trapped(int p);

  State& s_;
  Chance& chance_;
  ActiveMove* active_ = nullptr;  // the move that is being used, and by whose side
  int active_side_ = -1;
  bool active_bench_ = false;  // Future Sight of a Pokémon that has left
  Who future_source_ = kNoSlot;
  Active bench_field_{};
  std::array<ActiveMove, kMoveDepth> pool_{};  // moves that call moves
  int depth_ = 0;
  std::array<Fainting, 4> faint_queue_{};
  int fainting_ = 0;
};

// Queries that nearly every rule makes.
inline Ability Battle::ability(const Unit& unit) const {
  if (!unit.field.on_field) return Ability::None;
  const Ability ability = unit.mon.ability;
  if (unit.field.transformed && (data(ability).flags & kAbilityNotransform) != 0) return Ability::None;
  return ability;
}

inline bool Battle::active_on_field() const { return active_bench_ ? false : act(active_side_).on_field; }

inline bool Battle::is_suppressed(int p) const {
  return active_ != nullptr && active_side_ >= 0 && active_side_ != p && active_on_field() && active_->ignore_ability;
}

// The ability of a Pokémon that a move meets.
inline Ability Battle::guard(int p) const {
  const Ability own = ability(p);
  return (data(own).flags & kAbilityBreakable) != 0 && is_suppressed(p) ? Ability::None : own;
}

inline TypeList Battle::types(const Unit& unit) const {
  TypeList list;
  for (const Type type : unit.field.types) {
    if (type == Type::None || (type == Type::Flying && unit.field.has(Volatile::Roost))) continue;
    list.add(type);
  }
  if (list.count == 0) list.add(unit.field.types[0] == Type::None ? Type::None : Type::Normal);
  if (unit.field.added_type != Type::None) list.add(unit.field.added_type);
  return list;
}

inline bool Battle::has_type(const Unit& unit, Type type) const { return types(unit).has(type); }

inline bool Battle::is_weather_suppressed() const {
  for (int p = 0; p < 2; ++p) {
    const Ability own = ability(p);
    if ((own == Ability::CloudNine || own == Ability::AirLock) && !act(p).weather_ending) return true;
  }
  return false;
}

inline Weather Battle::weather() const {
  return s_.weather == Weather::None || is_weather_suppressed() ? Weather::None : s_.weather;
}

// The sixteen amounts of damage that one hit of side p's move can do, from the lowest; the state stays as it is.
std::array<int, 16> damage_rolls(const State& state, int p, Move move, bool max, bool crit, int hit = 1);

// The Max Move that side p's move would become now, and its power; the move itself if it is Struggle.
struct MaxMove {
  Move move = Move::None;
  int power = 0;
};
MaxMove max_move_of(const State& state, int p, Move move);

}  // namespace tengen::pokemon
