#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "games/go/context.hpp"

// What the numbers of KataGo's networks mean, one position at a time.
namespace tengen::katago {

// Where every cell of a board comes to stand, by symmetry; made when first asked for.
class TransformedCells {
 public:
  TransformedCells(int width, int height) : width_(width), height_(height) {}

  std::span<const std::size_t> by(int symmetry);

 private:
  int width_;
  int height_;
  std::array<std::vector<std::size_t>, 8> by_;
};

// What a network's version and its file say about how its outputs are scaled.
struct PostProcess {
  int version = 8;
  double score_mean = 20.0;
  double score_stdev = 20.0;
  double lead = 20.0;
  double variance_time = 40.0;
  double shortterm_value_error = 0.25;
  double shortterm_score_error = 30.0;
};

// What a network's graph answers about one position, for the player to move, the board transformed by a symmetry.
struct Outputs {
  std::span<const float> policy;      // [points + 1], log-odds, the pass last
  std::span<const float> optimistic;  // the same of a player who expects luck; may be empty
  std::span<const float> value;       // log-odds of win, loss, no result
  std::span<const float> score;       // mean, deviation, lead, time; from version 9 on the errors of value and score
  std::span<const float> ownership;   // [points]
};

// How such an answer is to be read.
struct ReadSettings {
  std::span<const std::size_t> transformed;  // where each cell stands in the outputs
  std::span<const bool> legal;               // [points + 1]
  bool white_to_move = false;
  bool may_lack_result = false;
  bool passing_hacks = true;  // a pass has 95 % of the policy at most
  double optimism = 0.0;      // share of the optimistic policy
  double temperature = 1.0;   // above 1 flattens the policy
};

enum Number {
  kWhiteWin,
  kWhiteLoss,
  kNoResultShare,
  kWhiteScoreMean,    // points; a game without a result counts as 0
  kWhiteScoreMeanSq,  // of the squares
  kWhiteLead,
  kVarTimeLeft,  // turns; this and the errors are -1 where a network does not tell
  kShorttermWinlossError,
  kShorttermScoreError,
  kNumberCount,
};
using Numbers = std::array<float, kNumberCount>;

// Writes the policy, -1 where a move is illegal, and White's ownership, both by the cells of the board itself.
Numbers read_outputs(const Outputs& outputs, const ReadSettings& asked, const PostProcess& post,
                     std::span<float> policy, std::span<float> white_ownership);

// What a score that is normally distributed is worth to Black: the mean of 2/π · atan((score - center) / (scale ·
// √area)) with the factors of the context, once around 0 and once around the center.
double score_utility(double score, double stdev, int area, const go::Context& context);

// The utility for Black that a search takes for these outputs.
double utility(const Numbers& numbers, int area, const go::Context& context);

}  // namespace tengen::katago
