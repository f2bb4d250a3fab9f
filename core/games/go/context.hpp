#pragma once

#include <cstdint>

namespace tengen::go {

// What evaluations depend on beside the position: what results are worth, and what a network is told. The rules do not
// know of it, and states do not hold it: a root of a search has one, by the game that it is given.
struct Context {
  float playout_doubling_advantage = 0.0F;  // of advantage_player; the other one has the negative
  float white_draw_equivalent = 0.5F;       // wins that a draw is worth to White
  float static_factor = 0.0F;               // of the score's utility around 0
  float dynamic_factor = 0.0F;              // of the score's utility around the center
  float center = 0.0F;                      // points, in Black's view
  float scale = 0.75F;                      // of the utility around the center, in square roots of the area
  float win_factor = 1.0F;                  // of winning in the utility
  float white_no_result = 0.0F;             // utility of a game without result, for White
  float policy_optimism = 0.0F;             // share of the optimistic policy, in networks that have one
  float root_policy_optimism = 0.0F;        // the same for the position that is asked about
  float policy_temperature = 1.0F;          // above 1 flattens what a network answers
  std::int32_t root_symmetries = 1;   // ways to see the position that is asked about; their mean is its evaluation
  std::uint8_t advantage_player = 0;  // a seat
  bool passing_hacks = false;         // the end of a game that would not be won is hidden from a network
  std::uint8_t ignore_history = 0;    // 1: of moves before the root; 2: of all moves
};

}  // namespace tengen::go
