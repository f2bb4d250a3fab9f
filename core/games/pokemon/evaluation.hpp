#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "games/pokemon/state.hpp"

// What an unfinished battle is worth, and which choices are plausible, without playing on.
namespace tengen::pokemon {

// What a battle is judged by. All are what the first side has, less what the second has.
enum Feature : std::uint8_t {
  kStanding,       // Pokémon that have not fainted
  kHealth,         // shares of HP, added up
  kStandingShare,  // the first two as shares of what both sides have
  kHealthShare,
  kBurnt,
  kParalysed,
  kPoisoned,
  kBadlyPoisoned,
  kAsleep,
  kFrozen,
  kOffence,  // stages of who is on the field, the more the less each adds
  kDefence,
  kSpeed,
  kRocks,  // what hazards would take of the bench, as shares of HP
  kSpikesLaid,
  kToxicSpikesLaid,
  kWebs,
  kScreensLeft,  // turns left
  kSubstitute,
  kSeeded,
  kConfused,
  kDrowsy,
  kBound,  // partial traps, G-Max residuals
  kMayDynamax,
  kDynamaxed,  // turns left
  kComing,     // Wish, Healing Wish, the foe's Future Sight
  kHeldItems,
  kThreat,         // what the best attack takes of what its target has left
  kKnockOut,       // it takes all, …
  kFirstKnockOut,  // … and comes first
  kFaster,
  kFeatures
};
using Features = std::array<float, kFeatures>;

Features find_features(const State& state);

// Names of the ways in which positions are judged; the best one last.
inline constexpr std::array<std::string_view, 2> kHeuristics{"field", "matchup"};

// What the first side may expect, from -1 to 1. `which` is one of kHeuristics: "field" is half by the HP of who is on
// the field, three tenths by who is left, two tenths by the HP of all; "matchup" goes by the features above, with
// weights that were fitted to how battles ended.
double evaluate(const State& state, int which);

// How plausible each of a side's choices is, by what it would do at once: damage, knock-outs, who gets hit on coming
// in. One number for each of `legal`; they add up to 1.
void find_policy(const State& state, int side, std::span<const std::int32_t> legal, std::span<float> out);

}  // namespace tengen::pokemon
