#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "games/pokemon/state.hpp"

// What an unfinished battle is worth, without playing on.
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
  kDuels,        // how every Pokémon does against every other, alone, on average
  kAnswers,      // the same of the best against each of the other team
  kSweep,        // the same of the best of all against its worst foe
  kActiveDuels,  // the same of who is on the field against the bench
  kFeatures
};
using Features = std::array<float, kFeatures>;

Features find_features(const State& state);

// Names of the ways in which positions are judged; the best one last.
inline constexpr std::array<std::string_view, 3> kHeuristics{"field", "playout", "matchup"};
enum Heuristic : std::uint8_t { kField, kPlayout, kMatchup };

// What the first side may expect, from -1 to 1. `which` is one of kHeuristics: "field" is half by the HP of who is on
// the field, three tenths by who is left, two tenths by the HP of all; "matchup" goes by the features above, with
// weights that were fitted to how battles ended. "playout", which plays on by the policy, is Pokemon's own.
double evaluate(const State& state, int which);

}  // namespace tengen::pokemon
