#include "games/pokemon/policy.hpp"

#include <algorithm>
#include <cmath>

#include "games/pokemon/matchup.hpp"

namespace tengen::pokemon {

namespace {

// Fitted to what the search chose; scripts/pokemon_policy.py.
constexpr PolicyFeatures kPolicyWeights = {
    3.891F,   // kHit
    0.446F,   // kHitKnocksOut
    0.438F,   // kHitFirst
    0.685F,   // kHitPriority
    -2.470F,  // kHitDestroysSelf
    0.741F,   // kHitSwitches
    -0.008F,  // kHitInDanger
    -1.664F,  // kGrow
    0.220F,   // kGrowHealthy
    0.428F,   // kGrowLate
    0.627F,   // kStatus
    -0.779F,  // kStatusUseless
    1.877F,   // kStatusHazard
    1.263F,   // kStatusScreen
    3.048F,   // kStatusHeal
    1.089F,   // kStatusAilment
    1.475F,   // kStatusBoost
    0.051F,   // kStatusInDanger
    0.857F,   // kStatusSubstitute
    0.433F,   // kStatusProtect
    -0.025F,  // kStatusAsMax
    0.104F,   // kSwitchOut
    1.173F,   // kSwitchFromDanger
    0.963F,   // kSwitchFromDoom
    -0.607F,  // kSwitchFromStages
    2.146F,   // kSwitchAnswer
    -2.630F,  // kSwitchHurt
    0.527F,   // kSwitchFaster
    2.824F,   // kReplaceAnswer
    -2.842F,  // kReplaceHurt
    1.116F,   // kReplaceFaster
    -0.133F,  // kComesHealthy
};

constexpr float kMostDanger = 1.2F;

// Who stands where, and what the foe would do to who is there; the same for all choices.
struct Scene {
  const State& state;
  int side;
  Fighter own;
  Fighter foe;
  bool is_there = false;
  bool is_met = false;
  bool is_free = false;  // somebody must come in: nothing is lost by it
  bool is_faster = false;
  float danger = 0.0F;
  float stages = 0.0F;

  const Side& ours() const { return state.sides[index_of(side)]; }
  const Side& theirs() const { return state.sides[index_of(1 - side)]; }
};

// What is done to it in a turn, of what it has left.
float danger_of(const State& state, int side, const Fighter& own, const Fighter& foe) {
  if (own.hp <= 0.0F) return 1.0F;
  return std::min(kMostDanger, best_threat(state, foe, own, side, foe.is_big).damage / own.hp);
}

Scene look(const State& state, int side) {
  Scene scene{.state = state, .side = side, .own = {}, .foe = {}};
  const Side& ours = scene.ours();
  const Side& theirs = scene.theirs();
  scene.is_met = theirs.field.on_field && theirs.pokemon().hp > 0;
  if (scene.is_met) scene.foe = make_fighter(state, 1 - side, theirs.active);
  scene.is_there = ours.field.on_field;
  if (scene.is_there) scene.own = make_fighter(state, side, ours.active);
  scene.is_free = ours.request == Request::Switch;
  if (scene.is_free || !scene.is_there) return scene;
  for (const std::int8_t stage : ours.field.boosts) scene.stages += static_cast<float>(stage);
  if (!scene.is_met) return scene;
  scene.is_faster = is_faster(state, scene.own, scene.foe);
  scene.danger = danger_of(state, side, scene.own, scene.foe);
  return scene;
}

// What follows tells put(feature, number) what a choice is judged by.
template <class Put>
void judge_status(const Scene& scene, Move id, const Put& put) {
  const MoveData& row = data(id);
  if (row.side_condition != SideCondition::None) {
    const bool is_hazard = index_of(row.side_condition) < kHazards;
    const Side& where = is_hazard ? scene.theirs() : scene.ours();
    const int most = id == Move::Spikes ? 3 : id == Move::ToxicSpikes ? 2 : 1;
    if (where.count(row.side_condition) >= most) {
      put(kStatusUseless, 1.0F);
    } else if (is_hazard) {
      put(kStatusHazard, static_cast<float>(where.left) / kTeam);
    } else {
      put(kStatusScreen, 1.0F);
    }
  } else if (row.heal.denominator != 0 || (row.flags & kFlagHeal) != 0) {
    put(kStatusHeal, 1.0F - scene.own.hp);
    if (scene.own.hp >= 1.0F) put(kStatusUseless, 1.0F);
  } else if (row.hit.status != Status::None || id == Move::Yawn) {
    put(scene.foe.mon->status == Status::None ? kStatusAilment : kStatusUseless, 1.0F);
  } else if (row.target == Target::Self && row.hit.has_boosts()) {
    put(kStatusBoost, scene.own.hp);
  } else if (id == Move::Substitute) {
    const bool can = scene.own.hp > 0.25F && !scene.own.field->has(Volatile::Substitute);
    put(can ? kStatusSubstitute : kStatusUseless, 1.0F);
  } else if (row.has(kTraitStalling)) {
    put(scene.own.field->has(Volatile::Stall) ? kStatusUseless : kStatusProtect, 1.0F);
  }
}

template <class Put>
void judge_move(const Scene& scene, Move id, bool max, const Put& put) {
  const MoveData& row = data(id);
  const float danger = std::min(1.0F, scene.danger);
  if (row.category == Category::Status) {
    put(kStatus, 1.0F);
    put(kStatusInDanger, danger);
    if (max) {
      put(kStatusAsMax, 1.0F);
    } else {
      judge_status(scene, id, put);
    }
    return;
  }
  const float damage =
      expected_damage(scene.state, scene.own, scene.foe, 1 - scene.side, id, max) / std::max(0.02F, scene.foe.hp);
  put(kHit, std::min(1.0F, damage));
  put(kHitInDanger, std::min(1.0F, damage) * danger);
  const bool has_priority = row.priority > 0 && !max;
  if (damage >= 1.0F) {
    put(kHitKnocksOut, 1.0F);
    if (has_priority) put(kHitPriority, 1.0F);
    if (has_priority || scene.is_faster) put(kHitFirst, 1.0F);
  }
  if (max) return;
  if (row.has(kTraitSelfDestruct)) put(kHitDestroysSelf, scene.own.hp);
  if (row.has(kTraitSelfSwitch)) put(kHitSwitches, 1.0F);
}

template <class Put>
void judge_switch(const Scene& scene, int slot, const Put& put) {
  const Fighter in = make_fighter(scene.state, scene.side, slot);
  put(kComesHealthy, in.hp);
  if (!scene.is_free) {
    put(kSwitchOut, 1.0F);
    put(kSwitchFromDanger, std::min(1.0F, scene.danger));
    put(kSwitchFromDoom, scene.danger >= 1.0F && !scene.is_faster ? 1.0F : 0.0F);
    put(kSwitchFromStages, scene.stages / 6.0F);
  }
  if (!scene.is_met) return;
  const float answer =
      best_threat(scene.state, in, scene.foe, 1 - scene.side, false).damage / std::max(0.05F, scene.foe.hp);
  put(scene.is_free ? kReplaceAnswer : kSwitchAnswer, std::min(1.0F, answer));
  put(scene.is_free ? kReplaceHurt : kSwitchHurt, danger_of(scene.state, scene.side, in, scene.foe));
  if (is_faster(scene.state, in, scene.foe)) put(scene.is_free ? kReplaceFaster : kSwitchFaster, 1.0F);
}

template <class Put>
void judge(const Scene& scene, int action, const Put& put) {
  if (action < kUseMove) return judge_switch(scene, action - kSwitch, put);
  if (!scene.is_there || !scene.is_met) return;
  const bool grows = action >= kDynamax;
  const int slot = grows ? action - kDynamax : action - kUseMove;
  judge_move(scene, scene.ours().pokemon().moves[index_of(slot)].id, grows || scene.own.is_big, put);
  if (!grows) return;
  put(kGrow, 1.0F);
  put(kGrowHealthy, scene.own.hp);
  put(kGrowLate, 1.0F - static_cast<float>(scene.ours().left) / kTeam);
}

}  // namespace

void find_policy_features(const State& state, int side, std::span<const std::int32_t> legal,
                          std::span<PolicyFeatures> out) {
  const Scene scene = look(state, side);
  for (std::size_t i = 0; i < legal.size(); ++i) {
    out[i].fill(0.0F);
    judge(scene, legal[i], [&](PolicyFeature feature, float number) { out[i][feature] = number; });
  }
}

void find_policy(const State& state, int side, std::span<const std::int32_t> legal, std::span<float> out) {
  const Scene scene = look(state, side);
  float total = 0.0F;
  for (std::size_t i = 0; i < legal.size(); ++i) {
    float sum = 0.0F;
    judge(scene, legal[i], [&](PolicyFeature feature, float number) { sum += kPolicyWeights[feature] * number; });
    out[i] = std::exp(sum);
    total += out[i];
  }
  for (float& each : out) each /= total;
}

}  // namespace tengen::pokemon
