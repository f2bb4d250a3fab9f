#pragma once

#include <array>
#include <cstddef>

// The weights of a player that adds up what speaks for each card: fast enough for rollouts, and learned.
namespace tengen::matgo {

// Where each group of weights begins.
enum FastAt : std::size_t {
  kFastCard = 0,                       // [card][floor cards of its month]: played
  kFastHand = kFastCard + 51 * 4,      // [others of the month in the hand][floor cards]
  kFastPoints = kFastHand + 4 * 4,     // [points that the captured cards bring at once]
  kFastTaken = kFastPoints + 8,        // [card]: taken from the floor
  kFastCatch = kFastTaken + 51,        // [set][cards of it that the mover has][the opponent]: one is captured
  kFastLay = kFastCatch + 5 * 4 * 4,   // the same: one is laid down
  kFastUnseen = kFastLay + 5 * 4 * 4,  // [is laid][unseen cards of the month]
  kFastPile = kFastUnseen + 2 * 4,     // [is own]: a ppuk is eaten
  kFastStage = kFastPile + 2,          // [cards in hand][floor cards]
  kFastNear = kFastStage + 11 * 4,     // [opponent's points][floor cards]
  kFastWent = kFastNear + 8 * 4,       // [nobody, the mover, the opponent went on][floor cards]
  kFastPi = kFastWent + 3 * 4,         // [mover's pi]: for each pi that is captured
  kFastOtherPi = kFastPi + 16,         // [opponent's pi]: the same
  kFastBomb = kFastOtherPi + 16,
  kFastShake,
  kFastBonus,
  kFastDummy,
  kFastGo,                            // [opponent's points][cards in hand]: going on
  kFastGos = kFastGo + 8 * 11,        // [gos so far]
  kFastLead = kFastGos + 6,           // [own points above the least for a go]
  kFastThreats = kFastLead + 8,       // [sets for which the opponent lacks one card that it can get]
  kFastHopes = kFastThreats + 6,      // [the same of the mover]
  kFastTimes = kFastHopes + 6,        // [log2 of what multiplies own points]
  kFastGoPi = kFastTimes + 6,         // [mover's pi]
  kFastGoOtherPi = kFastGoPi + 16,    // [opponent's pi]
  kFastGoYeol = kFastGoOtherPi + 16,  // [opponent's yeol]
  kFastGoRibbons = kFastGoYeol + 8,   // [opponent's ribbons]
  kFastGoTakes = kFastGoRibbons + 8,  // [cards in hand that match the floor]
  kFastCount = kFastGoTakes + 6,
};

using FastWeights = std::array<float, kFastCount>;

}  // namespace tengen::matgo
