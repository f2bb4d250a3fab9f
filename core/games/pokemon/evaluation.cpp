#include "games/pokemon/evaluation.hpp"

#include <algorithm>
#include <cmath>

#include "games/pokemon/duels.hpp"
#include "games/pokemon/matchup.hpp"

namespace tengen::pokemon {

namespace {

// Fitted to how battles ended that the search played with itself; scripts/pokemon_evaluation.py.
constexpr Features kWeights = {
    0.139F,   // kStanding
    0.198F,   // kHealth
    0.878F,   // kStandingShare
    0.741F,   // kHealthShare
    -0.105F,  // kBurnt
    -0.174F,  // kParalysed
    -0.234F,  // kPoisoned
    -0.147F,  // kBadlyPoisoned
    -0.050F,  // kAsleep
    -0.335F,  // kFrozen
    0.060F,   // kOffence
    0.019F,   // kDefence
    0.037F,   // kSpeed
    -0.432F,  // kRocks
    -0.579F,  // kSpikesLaid
    -0.082F,  // kToxicSpikesLaid
    -0.042F,  // kWebs
    0.018F,   // kScreensLeft
    0.131F,   // kSubstitute
    -0.246F,  // kSeeded
    -0.071F,  // kConfused
    0.261F,   // kDrowsy
    -0.018F,  // kBound
    0.406F,   // kMayDynamax
    0.003F,   // kDynamaxed
    0.091F,   // kComing
    0.011F,   // kHeldItems
    0.149F,   // kThreat
    0.002F,   // kKnockOut
    0.147F,   // kFirstKnockOut
    0.033F,   // kFaster
    0.193F,   // kDuels
    0.115F,   // kAnswers
    0.065F,   // kSweep
    0.027F,   // kActiveDuels
};

float share(int hp, int most) { return most > 0 ? static_cast<float>(hp) / static_cast<float>(most) : 0.0F; }

// Each stage adds less than the one before.
float stage_worth(int stage) {
  constexpr std::array<float, 7> kWorth{0.0F, 1.0F, 1.7F, 2.2F, 2.55F, 2.8F, 3.0F};
  return stage >= 0 ? kWorth[index_of(stage)] : -kWorth[index_of(-stage)];
}

// The share of physical attacks among a Pokémon's attacks.
float physical_share(const Pokemon& mon) {
  int physical = 0;
  int all = 0;
  for (const MoveSlot& slot : mon.moves) {
    const Category category = data(slot.id).category;
    if (slot.id == Move::None || category == Category::Status) continue;
    ++all;
    if (category == Category::Physical) ++physical;
  }
  return all == 0 ? 0.5F : static_cast<float>(physical) / static_cast<float>(all);
}

// What waits for who comes in, if it can be hurt by hazards at all.
void add_hazards(const Side& side, const Pokemon& mon, float sign, Features& out) {
  if (mon.item == Item::HeavyDutyBoots || mon.ability == Ability::MagicGuard) return;
  const auto& types = data(mon.species).types;
  if (side.count(SideCondition::StealthRock) != 0 || side.count(SideCondition::GMaxSteelsurge) != 0) {
    const Type stone = side.count(SideCondition::StealthRock) != 0 ? Type::Rock : Type::Steel;
    int mod = 0;
    for (const Type type : types) mod += kTypeChart[index_of(stone)][index_of(type)];
    out[kRocks] += sign * std::ldexp(0.125F, std::clamp(mod, -2, 2));
  }
  const bool floats = types[0] == Type::Flying || types[1] == Type::Flying || mon.ability == Ability::Levitate;
  if (floats) return;
  constexpr std::array<float, 4> kSpikesPart{0.0F, 0.125F, 0.1667F, 0.25F};
  out[kSpikesLaid] += sign * kSpikesPart[std::min<std::size_t>(side.count(SideCondition::Spikes), 3)];
  const bool is_poisonable = mon.status == Status::None && types[0] != Type::Poison && types[1] != Type::Poison &&
                             types[0] != Type::Steel && types[1] != Type::Steel;
  if (is_poisonable) out[kToxicSpikesLaid] += sign * static_cast<float>(side.count(SideCondition::ToxicSpikes));
  if (side.count(SideCondition::StickyWeb) != 0) out[kWebs] += sign;
}

void add_status(const Pokemon& mon, float sign, Features& out) {
  switch (mon.status) {
    case Status::Brn:
      out[kBurnt] += sign * (mon.ability == Ability::Guts ? -0.5F : 0.3F + 0.7F * physical_share(mon));
      break;
    case Status::Par:
      out[kParalysed] += sign;
      break;
    case Status::Psn:
      out[kPoisoned] += sign;
      break;
    case Status::Tox:
      out[kBadlyPoisoned] += sign;
      break;
    case Status::Slp:
      out[kAsleep] += sign;
      break;
    case Status::Frz:
      out[kFrozen] += sign;
      break;
    case Status::None:
      break;
  }
}

void add_team(const Side& side, float sign, Features& out) {
  for (int slot = 0; slot < kTeam; ++slot) {
    const Pokemon& mon = side.team[index_of(slot)];
    if (mon.hp <= 0) continue;
    out[kStanding] += sign;
    out[kHealth] += sign * share(mon.hp, mon.max_hp);
    if (mon.status != Status::None) add_status(mon, sign, out);
    if (mon.item != Item::None) out[kHeldItems] += sign;
    if (slot != side.active) add_hazards(side, mon, sign, out);
  }
}

void add_field(const State& state, int index, float sign, Features& out) {
  const Side& side = state.sides[index_of(index)];
  const Active& field = side.field;
  for (const SideCondition screen : {SideCondition::Reflect, SideCondition::LightScreen, SideCondition::AuroraVeil}) {
    const float weight = screen == SideCondition::AuroraVeil ? 2.0F : 1.0F;
    out[kScreensLeft] += sign * weight * static_cast<float>(side.count(screen));
  }
  if (!side.dynamax_used) out[kMayDynamax] += sign;
  if (side.wish_hp > 0) out[kComing] += sign;
  if (side.healing_wish) out[kComing] += 2 * sign;
  if (side.future_turn != 0) out[kComing] -= sign;
  for (const SideCondition lasting : {SideCondition::GMaxCannonade, SideCondition::GMaxVineLash,
                                      SideCondition::GMaxVolcalith, SideCondition::GMaxWildfire}) {
    if (side.count(lasting) != 0) out[kBound] += sign;
  }
  if (!field.on_field) return;
  const Pokemon& mon = side.pokemon();
  const float physical = physical_share(mon);
  const auto& boosts = field.boosts;
  out[kOffence] += sign * (physical * stage_worth(boosts[kAtk]) + (1.0F - physical) * stage_worth(boosts[kSpa]));
  out[kDefence] += sign * 0.5F * (stage_worth(boosts[kDef]) + stage_worth(boosts[kSpd]));
  out[kSpeed] += sign * stage_worth(boosts[kSpe]);
  out[kDynamaxed] += sign * static_cast<float>(field.dynamax_turns);
  if (field.volatiles == 0) return;
  if (field.has(Volatile::Substitute)) out[kSubstitute] += sign;
  if (field.has(Volatile::LeechSeed)) out[kSeeded] += sign;
  if (field.has(Volatile::Confusion)) out[kConfused] += sign;
  if (field.has(Volatile::Yawn)) out[kDrowsy] += sign;
  if (field.has(Volatile::PartiallyTrapped)) out[kBound] += sign;
}

// How much of its strength a Pokémon brings to bear in the coming turn.
float readiness(const Pokemon& mon, const Active& field) {
  float ready = 1.0F;
  if (mon.status == Status::Par) ready *= 0.75F;
  if (mon.status == Status::Slp) ready *= 0.35F;
  if (mon.status == Status::Frz) ready *= 0.25F;
  if (field.has(Volatile::Confusion)) ready *= 0.75F;
  return ready;
}

void add_matchup(const State& state, Features& out) {
  const Side& first = state.sides[0];
  const Side& second = state.sides[1];
  if (!first.field.on_field || !second.field.on_field) return;
  const std::array<Fighter, 2> there{make_fighter(state, 0, first.active), make_fighter(state, 1, second.active)};
  const bool is_first_faster = is_faster(state, there[0], there[1]);
  const bool is_second_faster = is_faster(state, there[1], there[0]);
  out[kFaster] += (is_first_faster ? 1.0F : 0.0F) - (is_second_faster ? 1.0F : 0.0F);
  for (int p = 0; p < 2; ++p) {
    const float sign = p == 0 ? 1.0F : -1.0F;
    const Fighter& own = there[index_of(p)];
    const Fighter& foe = there[index_of(1 - p)];
    const Threat threat = best_threat(state, own, foe, 1 - p, own.is_big);
    const float ready = readiness(*own.mon, *own.field);
    const float taken = foe.hp > 0.0F ? std::min(1.0F, threat.damage / foe.hp) : 0.0F;
    out[kThreat] += sign * ready * taken;
    if (taken < 1.0F) continue;
    out[kKnockOut] += sign * ready;
    if (threat.is_first || (p == 0 ? is_first_faster : is_second_faster)) out[kFirstKnockOut] += sign * ready;
  }
}

double value_on_field(const Side& side) {
  double all = 0.0;
  for (const Pokemon& p : side.team) all += static_cast<double>(share(p.hp, p.max_hp));
  const Pokemon& there = side.pokemon();
  return 0.5 * static_cast<double>(share(there.hp, there.max_hp)) + 0.3 * side.left / kTeam + 0.2 * all / kTeam;
}

}  // namespace

Features find_features(const State& state) {
  Features out{};
  Features second{};
  add_team(state.sides[0], 1.0F, out);
  add_team(state.sides[1], 1.0F, second);
  out[kStandingShare] = (out[kStanding] - second[kStanding]) / std::max(1.0F, out[kStanding] + second[kStanding]);
  out[kHealthShare] = (out[kHealth] - second[kHealth]) / std::max(0.1F, out[kHealth] + second[kHealth]);
  for (std::size_t i = 0; i < kFeatures; ++i) out[i] -= second[i];
  add_field(state, 0, 1.0F, out);
  add_field(state, 1, -1.0F, out);
  add_matchup(state, out);
  const Duels duels = find_duels(state);
  out[kDuels] = duels.mean;
  out[kAnswers] = duels.answers;
  out[kSweep] = duels.sweep;
  out[kActiveDuels] = duels.active;
  return out;
}

double evaluate(const State& state, int which) {
  if (which == kField) return value_on_field(state.sides[0]) - value_on_field(state.sides[1]);
  const Features features = find_features(state);
  float sum = 0.0F;
  for (std::size_t i = 0; i < kFeatures; ++i) sum += kWeights[i] * features[i];
  return static_cast<double>(std::tanh(sum));
}

}  // namespace tengen::pokemon
