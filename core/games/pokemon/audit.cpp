#include "games/pokemon/audit.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "games/pokemon/battle.hpp"
#include "games/pokemon/legal.hpp"
#include "games/pokemon/set_ids.hpp"
#include "games/pokemon/team_draw.hpp"
#include "games/pokemon/teams.hpp"

namespace tengen::pokemon {

namespace {

const char* fault_of(const Pokemon& p) {
  if (p.species == Species::None || p.species >= Species::Count) return "no species";
  if (p.ability >= Ability::Count || p.item >= Item::Count) return "no such ability or item";
  if (p.hp < 0 || p.hp > p.max_hp || p.max_hp < p.base_max_hp || p.base_max_hp <= 0) return "HP out of range";
  if (p.max_hp != p.base_max_hp && p.max_hp != 2 * p.base_max_hp)
    return "a maximum of HP that is neither plain nor doubled";
  if (p.fainted != (p.hp == 0)) return "fainted and HP do not go together";
  for (const MoveSlot& slot : p.moves) {
    if (slot.id >= Move::Count || slot.pp > slot.max_pp) return "PP out of range";
  }
  if (p.status > Status::Tox) return "no such status";
  if (p.status == Status::Slp && (p.status_count < 1 || p.status_count > 4)) return "a length of sleep out of range";
  if (p.status == Status::Tox && p.status_count > 15) return "a stage of poison out of range";
  return nullptr;
}

const char* fault_of(const Active& field, const Pokemon& own) {
  if (std::any_of(field.boosts.begin(), field.boosts.end(), [](int stage) { return stage < -6 || stage > 6; })) {
    return "a stage out of range";
  }
  if (field.forme == Species::None || field.types[0] == Type::None) return "no forme or type on the field";
  if (field.volatiles >> kVolatiles != 0) return "no such volatile";
  for (int v = 0; v < kVolatiles; ++v) {
    const int turns = field.turns[index_of(v)];
    if (turns > 6 || (turns != 0 && !field.has(static_cast<Volatile>(v)))) return "a duration out of range";
  }
  if (field.has(Volatile::Dynamax) && field.dynamax_turns > 3) return "Dynamax that does not end";
  const bool is_doubled = own.max_hp != own.base_max_hp;  // who faints keeps the doubled maximum
  if (!own.fainted && is_doubled != (field.has(Volatile::Dynamax) && own.species != Species::Shedinja))
    return "HP and Dynamax differ";
  if (field.has(Volatile::Substitute) && field.substitute_hp <= 0) return "a Substitute without HP";
  if (field.on_field == own.fainted) return "on the field and fainted";
  return nullptr;
}

const char* fault_of(const State& state, int index) {
  const Side& side = state.sides[index_of(index)];
  std::array<std::int8_t, kTeam> order = side.order;
  std::sort(order.begin(), order.end());
  if (order != std::array<std::int8_t, kTeam>{0, 1, 2, 3, 4, 5}) return "an order that is none";
  if (side.order[0] != side.active) return "the active one is not first in its party";
  int left = 0;
  for (int slot = 0; slot < kTeam; ++slot) {
    const Pokemon& p = side.team[index_of(slot)];
    if (const char* fault = fault_of(p); fault != nullptr) return fault;
    if (slot != side.active && !p.fainted && p.max_hp != p.base_max_hp) return "Dynamaxed on the bench";
    left += p.fainted ? 0 : 1;
  }
  if (left != side.left) return "a wrong count of who is left";
  if (left == 0) return "nobody is left, and nobody has won";
  if (side.request == Request::Move && side.pokemon().fainted) return "who has fainted is asked to move";
  constexpr std::array<std::uint8_t, kSideConditions> kMost{3, 2, 1, 1, 1, 8, 8, 8, 4, 4, 4, 4};
  for (std::size_t i = 0; i < kSideConditions; ++i) {
    if (side.conditions[i] > kMost[i]) return "a side condition out of range";
  }
  const bool asked = side.request == Request::Move || side.request == Request::Switch;
  if (asked == (legal_choices(state, index) == 0)) return "asked without a choice, or not asked with one";
  return fault_of(side.field, side.pokemon());
}

int draw(std::uint16_t choices, Rng& rng) {
  if (choices == 0) return -1;
  int skip = static_cast<int>(rng.below(static_cast<std::uint32_t>(std::popcount(choices))));
  while (skip-- > 0) choices = static_cast<std::uint16_t>(choices & (choices - 1));
  return std::countr_zero(choices);
}

std::array<Set, kTeam> drawn_team(Rng& rng) {
  const Team team = draw_team(rng);
  std::array<Set, kTeam> sets;
  std::transform(team.members.begin(), team.members.end(), sets.begin(), to_set);
  return sets;
}

void audit_battle(std::uint64_t seed, Audit& sum) {
  Rng rng(seed);
  State state = make_state(drawn_team(rng), drawn_team(rng));
  Chance chance(rng);
  Battle(state, chance).start();
  for (;;) {
    const std::string fault = fault_of(state);
    if (!fault.empty()) {
      if (sum.faults++ == 0)
        sum.fault = fault + " in the battle of seed " + std::to_string(seed) + ", turn " + std::to_string(state.turn);
      return;
    }
    if (state.winner != Winner::Nobody) break;
    ++sum.choices;
    const int first = draw(legal_choices(state, 0), rng);
    const int second = draw(legal_choices(state, 1), rng);
    Battle(state, chance).choose(first, second);
  }
  sum.turns += state.turn;
  sum.ties += state.winner == Winner::Tie ? 1 : 0;
  sum.first_wins += state.winner == Winner::First ? 1 : 0;
}

}  // namespace

std::string fault_of(const State& state) {
  const bool over = state.winner != Winner::Nobody;
  if (state.turn > kLastTurn + 1) return "a turn after the last";
  if (state.weather_turns > 5 || state.terrain_turns > 5 || state.trick_room > 5 || state.gravity > 5) {
    return "a duration of the field out of range";
  }
  if (!over && state.mid_turn != (state.sides[0].request != Request::Move))
    return "a request that does not fit the moment";
  for (int side = 0; side < 2; ++side) {
    const bool ended_badly = over && state.sides[index_of(side)].request != Request::None;
    if (ended_badly) return "somebody is asked after the end";
    const char* fault = fault_of(state, side);
    if (fault != nullptr && !over) return fault;
  }
  return "";
}

Audit audit(std::uint64_t seed, std::uint64_t battles) {
  Audit sum;
  for (; sum.battles < battles; ++sum.battles) audit_battle(mix64(seed + sum.battles), sum);
  return sum;
}

}  // namespace tengen::pokemon
