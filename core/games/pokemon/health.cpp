// HP: damage, healing, fainting, and who has won.
#include <algorithm>

#include "games/pokemon/battle.hpp"
#include "games/pokemon/seeing.hpp"

namespace tengen::pokemon {

// What abilities and items make of damage that is about to be done.
Damage Battle::filter_damage(int p, int amount, int source, Cause cause) {
  const ActiveMove* move = cause == Cause::Move ? active_ : nullptr;
  Pokemon& target = mon(p);
  const Ability own = guard(p);
  const bool by_attack = cause == Cause::Move || cause == Cause::Confusion;  // hurting itself counts as one
  if (own == Ability::Disguise && by_attack && act(p).forme == Species::Mimikyu) {
    target.busted = true;
    return {0, true};
  }
  if (own == Ability::IceFace && cause == Cause::Move && act(p).forme == Species::Eiscue && move != nullptr &&
      move->category == Category::Physical) {
    target.busted = true;
    return {0, true};
  }
  if (own == Ability::Berserk) {
    const bool many_hits = move != nullptr && move->most_hits > 1;
    const bool sheer = move != nullptr && source >= 0 && is_sheer(source, *move);
    act(p).berserk_checked = !by_attack || many_hits || sheer;
  }
  if (own == Ability::MagicGuard && !by_attack) return {0, false};
  if (own == Ability::RockHead && cause == Cause::Recoil && active_ != nullptr && active_->id != Move::Struggle) {
    return {0, false};
  }
  const bool would_faint = target.hp == target.max_hp && amount >= target.hp;
  if (would_faint && by_attack) {
    if (own == Ability::Sturdy) return {target.hp - 1, true};
    if (item(p) == Item::FocusSash && use_item(p)) return {target.hp - 1, true};
  }
  return {amount, true};
}

// Damage from anything. Answers how much was done; `done` is false where an ability keeps it off altogether.
Damage Battle::damage(int p, int amount, int source, Cause cause) {
  Pokemon& target = mon(p);
  if (target.hp == 0) return {0, true};
  if (!act(p).on_field) return {0, false};
  if (amount != 0 || cause != Cause::Move) amount = std::max(amount, 1);
  if (cause == Cause::Weather && is_immune_to_weather(p, s_.weather)) return {0, true};
  const Damage allowed = filter_damage(p, amount, source, cause);
  if (!allowed.done) return allowed;
  if (cause == Cause::Item) see_item(s_, source < 0 ? p : source);
  if (cause == Cause::Ability) see_ability(s_, source < 0 ? p : source);
  amount = allowed.amount;
  if (amount == 0) return {0, true};
  amount = take(p, amount, source, cause);
  act(p).hurt_this_turn = target.hp;
  if (cause == Cause::Move && active_ != nullptr && source >= 0 && active_->row->drain.denominator != 0) {
    const Fraction drain = active_->row->drain;
    heal(source, rounded(amount * drain.numerator, drain.denominator));
  }
  return {amount, true};
}

// Takes HP away without asking anybody. Answers how much there was to take.
int Battle::take(int p, int amount, int source, Cause cause) {
  Pokemon& target = mon(p);
  if (target.hp == 0 || amount <= 0) return 0;
  const int taken = std::min<int>(amount, target.hp);
  target.hp = static_cast<std::int16_t>(target.hp - taken);
  if (target.hp == 0) faint(p, source, cause);
  return taken;
}

void Battle::direct_damage(int p, int amount) {
  if (mon(p).hp == 0 || amount == 0) return;
  take(p, std::max(amount, 1), p, Cause::Condition);
}

// Answers how much was healed: 0 for somebody at full HP, who cannot be.
int Battle::heal(int p, int amount) {
  Pokemon& target = mon(p);
  if (amount <= 0 || target.hp == 0 || !act(p).on_field || target.hp >= target.max_hp) return 0;
  const int healed = std::min(amount, target.max_hp - target.hp);
  target.hp = static_cast<std::int16_t>(target.hp + healed);
  return healed;
}

void Battle::set_hp(int p, int hp) {
  Pokemon& target = mon(p);
  if (target.hp == 0) return;
  target.hp = static_cast<std::int16_t>(std::clamp<int>(hp, 1, target.max_hp));
}

void Battle::faint(int p, int source, Cause cause) {
  Pokemon& target = mon(p);
  const Who who = who_of(p);
  if (target.fainted) return;
  for (int i = 0; i < fainting_; ++i) {
    if (faint_queue_[index_of(i)].who == who) return;
  }
  target.hp = 0;
  act(p).must_switch = false;
  act(p).pivot = false;
  const bool by_future = active_ != nullptr && active_->is_future && cause == Cause::Move;
  if (by_future && active_bench_) source = -1;
  faint_queue_[index_of(fainting_++)] = {who, static_cast<std::int8_t>(source), cause, by_future};
}

bool Battle::settle_faints(bool check_win) {
  if (is_over()) return true;
  const int length = fainting_;
  if (length == 0) return false;
  Fainting last{};
  while (fainting_ > 0) {
    const int waiting = fainting_;
    last = faint_queue_[0];
    std::move(faint_queue_.begin() + 1, faint_queue_.begin() + fainting_, faint_queue_.begin());
    --fainting_;
    if (team(side_of(last.who), slot_of(last.who)).fainted) continue;
    settle_faint(last);
    if (fainting_ >= waiting) check_win = true;
  }
  if (check_win && check_winner(side_of(last.who))) return true;
  after_faint(last, length);
  return false;
}

void Battle::settle_faint(const Fainting& fainting) {
  const int p = side_of(fainting.who);
  Side& side = s_.sides[index_of(p)];
  if (side.left > 0) --side.left;
  for (int other = 0; other < 2; ++other) {
    if (ability(other) == Ability::SoulHeart) boost(other, {0, 0, 1, 0, 0, 0, 0}, other, Cause::Ability);
  }
  const int source = fainting.source;
  if (act(p).has(Volatile::DestinyBond) && source == 1 - p && fainting.cause == Cause::Move && !fainting.by_future &&
      !act(source).has(Volatile::Dynamax)) {
    faint(source, -1, Cause::Condition);
  }
  end_ability(p);
  Pokemon& target = side.pokemon();
  if (target.forme_regression && !act(p).transformed) {
    target.species = target.set_species;
    target.base_ability = target.set_ability;
  }
  const bool must_switch = act(p).must_switch;
  const bool forced_out = act(p).forced_out;
  clear_volatiles(p);
  act(p).must_switch = must_switch;
  act(p).forced_out = forced_out;
  act(p).on_field = false;
  target.fainted = true;
  if (target.forme_regression) {
    update_max_hp(p);
    target.forme_regression = false;
  }
  side.fainted_this_turn = side.active;
}

// Who knocked somebody out with a move may grow by it.
void Battle::after_faint(const Fainting& fainting, int length) {
  const int source = fainting.source;
  if (source < 0 || fainting.cause != Cause::Move || source == side_of(fainting.who)) return;
  Boosts boosts{};
  const auto by = static_cast<std::int8_t>(length);
  switch (ability(source)) {
    case Ability::Moxie:
    case Ability::ChillingNeigh:
    case Ability::AsOneGlastrier:
      boosts[kAtk] = by;
      break;
    case Ability::GrimNeigh:
    case Ability::AsOneSpectrier:
      boosts[kSpa] = by;
      break;
    case Ability::BeastBoost:
      boosts[best_stat(source)] = by;
      break;
    default:
      return;
  }
  boost(source, boosts, source, Cause::Ability);
}

Stat Battle::best_stat(int p) const {
  const auto& stats = act(p).stats;
  return static_cast<Stat>(std::max_element(stats.begin(), stats.end()) - stats.begin());
}

// `last`: the side whose Pokémon fainted last, which wins if nobody is left. -1: nobody fainted just now.
bool Battle::check_winner(int last) {
  if (is_over()) return true;
  const bool none_left[2] = {s_.sides[0].left == 0, s_.sides[1].left == 0};
  if (none_left[0] && none_left[1]) {
    win(last < 0 ? Winner::Tie : last == 0 ? Winner::First : Winner::Second);
    return true;
  }
  if (!none_left[0] && !none_left[1]) return false;
  win(none_left[1] ? Winner::First : Winner::Second);
  return true;
}

void Battle::win(Winner winner) {
  s_.winner = winner;
  for (Side& side : s_.sides) side.request = Request::None;
}

// Emergency Exit: HP fell to half or below.
void Battle::emergency_exit(int p) {
  if (ability(p) != Ability::EmergencyExit) return;
  if (!can_switch(p) || act(p).forced_out || act(p).must_switch) return;
  for (Side& side : s_.sides) {
    side.field.must_switch = false;
    side.field.pivot = false;
  }
  act(p).must_switch = true;
}

void Battle::check_emergency_exit(int p, int hp_before) {
  const Pokemon& target = mon(p);
  if (2 * target.hp <= target.max_hp && 2 * hp_before > target.max_hp) emergency_exit(p);
}

}  // namespace tengen::pokemon
