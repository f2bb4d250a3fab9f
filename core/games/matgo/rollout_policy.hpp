#pragma once

#include <array>
#include <cstddef>

// The weights of a player that adds up what speaks for each card: fast enough for rollouts, and learned.
namespace tengen::matgo {

// Where each group of weights begins.
enum RolloutFeature : std::size_t {
  kRolloutCard = 0,                          // [card][floor cards of its month]: played
  kRolloutHand = kRolloutCard + 51 * 4,      // [others of the month in the hand][floor cards]
  kRolloutPoints = kRolloutHand + 4 * 4,     // [points that the captured cards bring at once]
  kRolloutTaken = kRolloutPoints + 8,        // [card]: taken from the floor
  kRolloutCatch = kRolloutTaken + 51,        // [set][cards of it that the mover has][the opponent]: one is captured
  kRolloutLay = kRolloutCatch + 5 * 4 * 4,   // the same: one is laid down
  kRolloutUnseen = kRolloutLay + 5 * 4 * 4,  // [is laid][unseen cards of the month]
  kRolloutPile = kRolloutUnseen + 2 * 4,     // [is own]: a ppuk is eaten
  kRolloutStage = kRolloutPile + 2,          // [cards in hand][floor cards]
  kRolloutNear = kRolloutStage + 11 * 4,     // [opponent's points][floor cards]
  kRolloutWent = kRolloutNear + 8 * 4,       // [nobody, the mover, the opponent went on][floor cards]
  kRolloutPi = kRolloutWent + 3 * 4,         // [mover's pi]: for each pi that is captured
  kRolloutOtherPi = kRolloutPi + 16,         // [opponent's pi]: the same
  kRolloutBomb = kRolloutOtherPi + 16,
  kRolloutShake,
  kRolloutBonus,
  kRolloutDummy,
  kRolloutGo,                               // [opponent's points][cards in hand]: going on
  kRolloutGos = kRolloutGo + 8 * 11,        // [gos so far]
  kRolloutLead = kRolloutGos + 6,           // [own points above the least for a go]
  kRolloutThreats = kRolloutLead + 8,       // [sets for which the opponent lacks one card that it can get]
  kRolloutHopes = kRolloutThreats + 6,      // [the same of the mover]
  kRolloutTimes = kRolloutHopes + 6,        // [log2 of what multiplies own points]
  kRolloutGoPi = kRolloutTimes + 6,         // [mover's pi]
  kRolloutGoOtherPi = kRolloutGoPi + 16,    // [opponent's pi]
  kRolloutGoYeol = kRolloutGoOtherPi + 16,  // [opponent's yeol]
  kRolloutGoRibbons = kRolloutGoYeol + 8,   // [opponent's ribbons]
  kRolloutGoTakes = kRolloutGoRibbons + 8,  // [cards in hand that match the floor]
  kRolloutCount = kRolloutGoTakes + 6,
};

using RolloutWeights = std::array<float, kRolloutCount>;

}  // namespace tengen::matgo
