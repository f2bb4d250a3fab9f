#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "games/pokemon/state.hpp"

// Which choices are plausible, without playing on: by what each would do at once.
namespace tengen::pokemon {

// What a choice is judged by. An attack, a move without damage and a switch each have their own; the others are 0.
enum PolicyFeature : std::uint8_t {
  kHit,           // what the attack takes of what its target has left, at most all
  kHitKnocksOut,  // it takes all, …
  kHitFirst,      // … and comes before the foe, …
  kHitPriority,   // … by priority
  kHitDestroysSelf,
  kHitSwitches,
  kHitInDanger,    // what it takes, times what the foe would take
  kGrow,           // Dynamax, now
  kGrowHealthy,    // that, times the share of HP
  kGrowLate,       // that, times the share of the team that has fainted
  kStatus,         // any move without damage
  kStatusUseless,  // it would do nothing
  kStatusHazard,   // times the share of the foe's team that is left
  kStatusScreen,
  kStatusHeal,  // times the share of HP that is missing
  kStatusAilment,
  kStatusBoost,     // times the share of HP
  kStatusInDanger,  // any, times what the foe would take
  kStatusSubstitute,
  kStatusProtect,
  kStatusAsMax,       // Max Guard
  kSwitchOut,         // instead of a move
  kSwitchFromDanger,  // times what the foe would take of who is there
  kSwitchFromDoom,    // the foe takes all of it, and first
  kSwitchFromStages,  // times the stages that are lost
  kSwitchAnswer,      // what who comes in would take of the foe
  kSwitchHurt,        // what the foe would take of who comes in
  kSwitchFaster,
  kReplaceAnswer,  // the same where somebody must come in
  kReplaceHurt,
  kReplaceFaster,
  kComesHealthy,  // the share of HP of who comes in
  kPolicyFeatures
};
using PolicyFeatures = std::array<float, kPolicyFeatures>;

// One for each of a side's choices.
void find_policy_features(const State& state, int side, std::span<const std::int32_t> legal,
                          std::span<PolicyFeatures> out);

// How plausible each of a side's choices is: one number for each of `legal`; they add up to 1.
void find_policy(const State& state, int side, std::span<const std::int32_t> legal, std::span<float> out);

}  // namespace tengen::pokemon
