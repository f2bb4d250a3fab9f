// A turn: choices become actions in a queue, which are run in order until somebody must choose again.
#include <algorithm>

#include "games/pokemon/battle.hpp"
#include "games/pokemon/legal.hpp"
#include "games/pokemon/seeing.hpp"
#include "games/pokemon/teams.hpp"

namespace tengen::pokemon {

std::uint16_t order_of(Step step) {
  switch (step) {
    case Step::Start:
      return 2;
    case Step::InstantSwitch:
      return 3;
    case Step::BeforeTurnMove:
      return 5;
    case Step::RunSwitch:
      return 101;
    case Step::Switch:
      return 103;
    case Step::RunDynamax:
      return 105;
    case Step::PriorityCharge:
      return 107;
    case Step::Move:
      return 200;
    default:
      return 300;
  }
}

namespace {

// Below 0: a comes first.
int compare(const Action& a, const Action& b) {
  if (a.order != b.order) return a.order - b.order;
  if (a.priority != b.priority) return b.priority - a.priority;
  if (a.custap != b.custap) return a.custap ? -1 : 1;
  return b.speed - a.speed;
}

}  // namespace

void Battle::start() {
  s_.mid_turn = true;
  for (int p = 0; p < 2; ++p) {
    Side& side = s_.sides[index_of(p)];
    side.left = 0;
    for (const Pokemon& own : side.team)
      side.left = static_cast<std::uint8_t>(side.left + (own.species != Species::None));
    side.field = fresh_active(side.pokemon());
    side.field.on_field = true;
    side.request = Request::Wait;
    if (side.pokemon().ability == Ability::Illusion) disguise(p);
    see_active(s_, p);
    update_speed(p);
  }
  run_switches({0, 1});
  for (Side& side : s_.sides) side.field.newly_switched = true;
  update();
  if (after_steps()) return;
  go_on();
}

// Choices of both sides; -1 for one that waits.
void Battle::choose(int first, int second) {
  update_speeds();
  std::array<Action, kQueue> rest = s_.queue;
  const int left = s_.queued;
  s_.queued = 0;
  if (first >= 0) add_choice(0, first);
  if (second >= 0) add_choice(1, second);
  for (Side& side : s_.sides) side.request = Request::Wait;
  sort_queue();
  for (int i = 0; i < left; ++i) push(rest[index_of(i)]);
  if (!s_.mid_turn) {
    Action residual;
    residual.order = order_of(Step::Residual);
    push(residual);
    s_.mid_turn = true;
  }
  go_on();
}

void Battle::add_choice(int p, int choice) {
  Side& side = s_.sides[index_of(p)];
  Action action;
  action.side = static_cast<std::int8_t>(p);
  action.slot = side.active;
  if (choice < kUseMove) {
    action.step = side.request == Request::Switch ? Step::InstantSwitch : Step::Switch;
    action.to = static_cast<std::int8_t>(choice);
    action.order = order_of(action.step);
    action.speed = static_cast<std::int16_t>(action_speed(p));
    side.field.must_switch = false;
    side.field.pivot = false;
    push(action);
    return;
  }
  const Move locked = locked_move_of(side.field);
  const int slot = choice >= kDynamax ? choice - kDynamax : choice - kUseMove;
  action.move = locked != Move::None ? locked : must_struggle(s_, p) ? Move::Struggle : mon(p).moves[index_of(slot)].id;
  action.max =
      locked == Move::None && action.move != Move::Struggle && (choice >= kDynamax || act(p).has(Volatile::Dynamax));
  const auto add = [&](Step step) {
    Action extra = action;
    extra.step = step;
    extra.order = order_of(step);
    extra.priority = 0;
    extra.speed = static_cast<std::int16_t>(action_speed(p));
    push(extra);
  };
  if (action.max && !act(p).has(Volatile::Dynamax)) add(Step::RunDynamax);
  if (!action.max && action.move == Move::FocusPunch) add(Step::PriorityCharge);
  if (!action.max && (action.move == Move::Counter || action.move == Move::MirrorCoat)) add(Step::BeforeTurnMove);
  action.step = Step::Move;
  action.order = order_of(Step::Move);
  if (item(p) == Item::CustapBerry && is_in_a_pinch(p)) action.custap = eat_item(p);
  update_action(action);
  push(action);
}

// Priority and speed of an action as things stand.
void Battle::update_action(Action& action) const {
  if (action.side < 0) return;
  const int p = action.side;
  if (action.step == Step::Move) {
    Move id = action.move;
    Type type = data(id).type;
    bool status = data(id).category == Category::Status;
    if (action.max) {
      const ActiveMove max = make_max_move(p, make_move(id));
      id = max.id;
      type = max.type;
      status = max.is_status();
    }
    int priority = data(id).priority;
    if (id == Move::GrassyGlide && s_.terrain == Terrain::Grassy && is_grounded(p)) ++priority;
    const Ability own = ability(p);
    action.prankster = false;
    if (own == Ability::Prankster && status) {
      ++priority;
      action.prankster = !action.max;
    }
    if (own == Ability::GaleWings && type == Type::Flying && mon(p).hp == mon(p).max_hp) ++priority;
    if (own == Ability::Triage && (data(id).flags & kFlagHeal) != 0) priority += 3;
    action.priority = static_cast<std::int8_t>(priority);
  }
  action.speed = static_cast<std::int16_t>(action_speed(p));
}

void Battle::push(const Action& action) {
  if (s_.queued < kQueue) s_.queue[s_.queued++] = action;
}

Action Battle::pop() {
  const Action next = s_.queue[0];
  std::move(s_.queue.begin() + 1, s_.queue.begin() + s_.queued, s_.queue.begin());
  s_.queue[--s_.queued] = {};
  return next;
}

// Puts an action where it belongs without sorting the others.
void Battle::insert(const Action& action) {
  int at = 0;
  while (at < s_.queued && compare(action, s_.queue[index_of(at)]) > 0) ++at;
  if (at < s_.queued && compare(action, s_.queue[index_of(at)]) == 0 && chance_.swaps_tie()) ++at;
  if (s_.queued >= kQueue) return;
  std::move_backward(s_.queue.begin() + at, s_.queue.begin() + s_.queued, s_.queue.begin() + s_.queued + 1);
  s_.queue[index_of(at)] = action;
  ++s_.queued;
}

void Battle::sort_queue() {
  for (int i = 1; i < s_.queued; ++i) {
    for (int j = i; j > 0; --j) {
      Action& before = s_.queue[index_of(j - 1)];
      Action& after = s_.queue[index_of(j)];
      const int compared = compare(after, before);
      if (compared > 0 || (compared == 0 && !(before.side != after.side && chance_.swaps_tie()))) break;
      std::swap(before, after);
    }
  }
}

void Battle::cancel_actions(int p) {
  const auto end = std::remove_if(s_.queue.begin(), s_.queue.begin() + s_.queued,
                                  [&](const Action& action) { return action.side == p; });
  drop_from(static_cast<int>(end - s_.queue.begin()));
}

void Battle::cancel_moves(int p) {
  const auto end = std::remove_if(s_.queue.begin(), s_.queue.begin() + s_.queued,
                                  [&](const Action& action) { return action.side == p && action.step == Step::Move; });
  drop_from(static_cast<int>(end - s_.queue.begin()));
}

void Battle::drop_from(int length) {
  for (int i = length; i < s_.queued; ++i) s_.queue[index_of(i)] = {};
  s_.queued = static_cast<std::uint8_t>(length);
}

// Runs actions until a choice is due or the battle is over.
void Battle::go_on() {
  while (s_.queued > 0) {
    run(pop());
    if (is_over() || is_asking()) return;
  }
  end_turn();
}

bool Battle::is_asking() const {
  return s_.sides[0].request == Request::Switch || s_.sides[1].request == Request::Switch;
}

// False: its Pokémon is not there any more, so that nothing happens at all.
bool Battle::perform(const Action& action) {
  const int p = action.side;
  const bool is_there = p >= 0 && act(p).on_field && s_.sides[index_of(p)].active == action.slot;
  switch (action.step) {
    case Step::Move:
      if (!is_there) return false;
      run_move(action);
      break;
    case Step::RunDynamax:
      if (is_there) add_volatile(p, Volatile::Dynamax, who_of(p));
      s_.sides[index_of(p)].dynamax_used = true;
      break;
    case Step::BeforeTurnMove:
      if (!is_there) return false;
      add_volatile(p, action.move == Move::Counter ? Volatile::Counter : Volatile::MirrorCoat, who_of(p));
      break;
    case Step::PriorityCharge:
      if (!is_there) return false;
      add_volatile(p, Volatile::FocusPunch, who_of(p));
      break;
    case Step::InstantSwitch:
    case Step::Switch:
      switch_in(p, action.to, false);
      break;
    case Step::RunSwitch: {
      std::array<int, 2> who{p, -1};
      if (s_.queued > 0 && s_.queue[0].step == Step::RunSwitch) who[1] = pop().side;
      run_switches(who);
      break;
    }
    case Step::Residual:
      clear_active();
      update_speeds();
      run_residuals();
      break;
    default:
      break;
  }
  return true;
}

void Battle::run(const Action& action) {
  const int p = action.side;
  const int hp_before = p >= 0 ? mon(p).hp : 0;
  const std::array<int, 2> all_hp{undynamaxed_hp(0, mon(0).hp), undynamaxed_hp(1, mon(1).hp)};
  if (!perform(action)) return;
  for (int side = 0; side < 2; ++side) {
    if (!act(side).forced_out) continue;
    if (mon(side).hp > 0) drag_in(side);
    act(side).forced_out = false;
  }
  clear_active();
  settle_faints(true);
  if (is_over()) return;
  if (s_.queued == 0) {
    for (Side& side : s_.sides) {
      if (side.pokemon().fainted) side.field.must_switch = true;
    }
  } else if (s_.queue[0].step == Step::InstantSwitch) {
    return;
  }
  update();
  if (action.step == Step::Residual) {
    for (int side = 0; side < 2; ++side) check_residual_exit(side, all_hp[index_of(side)]);
  }
  if (action.step == Step::RunSwitch && mon(p).hp > 0) check_emergency_exit(p, hp_before);
  after_steps();
}

void Battle::check_residual_exit(int p, int hp_before) {
  const Pokemon& own = mon(p);
  if (own.hp == 0 || !act(p).on_field) return;
  const int most = undynamaxed_hp(p, own.max_hp);
  if (2 * undynamaxed_hp(p, own.hp) <= most && 2 * hp_before > most) emergency_exit(p);
}

// Asks for replacements; else puts what is left into order again. True: somebody is asked.
bool Battle::after_steps() {
  bool asks = false;
  for (int p = 0; p < 2; ++p) {
    Active& field = act(p);
    if (!field.must_switch) continue;
    if (!can_switch(p)) {
      field.must_switch = false;
      field.pivot = false;
      continue;
    }
    if (mon(p).hp > 0 && !field.before_switch_out_done) {
      before_switch_out(p);
      field.before_switch_out_done = true;
      settle_faints(true);
      if (is_over()) return true;
    }
    asks = asks || field.must_switch;
  }
  if (asks) {
    for (Side& side : s_.sides) side.request = side.field.must_switch ? Request::Switch : Request::Wait;
    return true;
  }
  if (s_.queued > 0 && (s_.queue[0].step == Step::Move || s_.queue[0].step == Step::RunDynamax)) {
    update_speeds();
    for (int i = 0; i < s_.queued; ++i) update_action(s_.queue[index_of(i)]);
    sort_queue();
  }
  return false;
}

}  // namespace tengen::pokemon
