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
  kFastCatch = kFastTaken + 51,        // [set][whose][its cards that they have]: a card of the set is captured
  kFastLay = kFastCatch + 5 * 2 * 4,   // the same: one is laid down
  kFastUnseen = kFastLay + 5 * 2 * 4,  // [is laid][unseen cards of the month]
  kFastPile = kFastUnseen + 2 * 4,     // [is own]: a ppuk is eaten
  kFastBomb = kFastPile + 2,
  kFastShake,
  kFastBonus,
  kFastDummy,
  kFastGo,                        // [opponent's points][cards in hand]: going on
  kFastGos = kFastGo + 8 * 11,    // [gos so far]
  kFastLead = kFastGos + 6,       // [own points above the least for a go]
  kFastThreats = kFastLead + 8,   // [opponent's sets that lack one card]
  kFastTimes = kFastThreats + 6,  // [log2 of what multiplies own points]
  kFastCount = kFastTimes + 6,
};

using FastWeights = std::array<float, kFastCount>;

}  // namespace tengen::matgo
