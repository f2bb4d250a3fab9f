#include "nets/katago/outputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "games/go/grid.hpp"

namespace tengen::katago {

namespace {

constexpr double kMaxPass = 19.0;  // times all other moves together: 95 %
constexpr double kUnknown = -1.0;
constexpr double kStaticScale = 2.0;  // of the score's utility around 0, in square roots of the area
constexpr double kMaxDeviations = 5.0;
constexpr int kMinSteps = 20;  // on either side of the mean
constexpr int kMaxSteps = 100;

double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

void read_policy(const Outputs& outputs, const ReadSettings& asked, std::span<float> policy) {
  const auto cells = static_cast<int>(policy.size()) - 1;
  std::array<double, go::kMaxPoints + 1> odds;
  double highest = -std::numeric_limits<double>::infinity();
  for (int cell = 0; cell <= cells; ++cell) {
    const auto at = static_cast<std::size_t>(cell);
    if (!asked.legal[at]) continue;
    const std::size_t from = cell == cells ? at : asked.transformed[at];
    double logit = static_cast<double>(outputs.policy[from]);
    if (asked.optimism != 0.0) logit += (static_cast<double>(outputs.optimistic[from]) - logit) * asked.optimism;
    odds[at] = logit / asked.temperature;
    highest = std::max(highest, odds[at]);
  }
  double others = 0.0;
  const auto pass = static_cast<std::size_t>(cells);
  for (std::size_t at = 0; at <= pass; ++at) {
    if (!asked.legal[at]) continue;
    odds[at] = std::exp(odds[at] - highest);
    if (at < pass) others += odds[at];
  }
  if (!asked.legal[pass]) odds[pass] = 0.0;
  if (asked.passing_hacks && others > 0.0) odds[pass] = std::min(odds[pass], kMaxPass * others);
  const double total = others + odds[pass];
  for (std::size_t at = 0; at <= pass; ++at) {
    policy[at] = asked.legal[at] ? static_cast<float>(odds[at] / total) : -1.0F;
  }
}

}  // namespace

std::span<const std::size_t> TransformedCells::by(int symmetry) {
  std::vector<std::size_t>& cells = by_[static_cast<std::size_t>(symmetry)];
  for (int cell = static_cast<int>(cells.size()); cell < width_ * height_; ++cell) {
    cells.push_back(static_cast<std::size_t>(go::transform_cell(cell, width_, height_, symmetry)));
  }
  return cells;
}

Numbers read_outputs(const Outputs& outputs, const ReadSettings& asked, const PostProcess& post,
                     std::span<float> policy, std::span<float> white_ownership) {
  read_policy(outputs, asked, policy);
  const float sign = asked.white_to_move ? 1.0F : -1.0F;
  for (std::size_t cell = 0; cell < white_ownership.size(); ++cell) {
    white_ownership[cell] = sign * outputs.ownership[asked.transformed[cell]];
  }
  const auto value = [&](std::size_t i) { return static_cast<double>(outputs.value[i]); };
  const auto score = [&](std::size_t i) { return static_cast<double>(outputs.score[i]); };
  const double highest = std::max({value(0), value(1), asked.may_lack_result ? value(2) : value(0)});
  double win = std::exp(value(0) - highest);
  double loss = std::exp(value(1) - highest);
  double none = asked.may_lack_result ? std::exp(value(2) - highest) : 0.0;
  const double total = win + loss + none;
  win /= total, loss /= total, none /= total;
  const double mean = score(0) * post.score_mean;
  const double stdev = softplus(score(1)) * post.score_stdev;
  const double has_result = 1.0 - none;
  double var_time = kUnknown;
  double value_error = kUnknown;
  double score_error = kUnknown;
  if (post.version >= 9) var_time = softplus(score(3)) * post.variance_time;
  if (post.version >= 14) {
    value_error = softplus(score(4) / 2) * std::sqrt(post.shortterm_value_error);
    score_error = softplus(score(5) / 2) * std::sqrt(post.shortterm_score_error);
  } else if (post.version >= 10) {
    value_error = std::sqrt(softplus(score(4)) * post.shortterm_value_error);
    score_error = std::sqrt(softplus(score(5)) * post.shortterm_score_error);
  } else if (post.version == 9) {
    value_error = softplus(score(4));
    score_error = softplus(score(5)) * 10.0;
  }
  const auto narrow = [](double number) { return static_cast<float>(number); };
  const double side = static_cast<double>(sign);
  return {narrow(asked.white_to_move ? win : loss),
          narrow(asked.white_to_move ? loss : win),
          narrow(none),
          narrow(side * mean * has_result),
          narrow((mean * mean + stdev * stdev) * has_result),
          narrow(side * score(2) * post.lead * has_result),
          narrow(var_time),
          narrow(value_error),
          narrow(score_error)};
}

double score_utility(double score, double stdev, int area, const go::Context& context) {
  const auto by_zero = static_cast<double>(context.static_factor);
  const auto by_center = static_cast<double>(context.dynamic_factor);
  if (by_zero == 0.0 && by_center == 0.0) return 0.0;
  const double root = std::sqrt(static_cast<double>(area));
  const double wide = kStaticScale * root;
  const double narrow = static_cast<double>(context.scale) * root;
  const double off = score - static_cast<double>(context.center);
  // Even steps of a third of the steeper curve's scale are exact to 1e-8; Gauss-Hermite nodes would be too far apart.
  const double least = by_center == 0.0 ? wide : (by_zero == 0.0 ? narrow : std::min(wide, narrow));
  const double wanted = std::ceil(3.0 * kMaxDeviations * stdev / least);
  const int steps = static_cast<int>(std::clamp(wanted, double{kMinSteps}, double{kMaxSteps}));
  const double step = kMaxDeviations / steps;
  // atan(u) + atan(v) for the two scores that are as far above and below the mean.
  const auto pair = [](double mean, double away) {
    return std::atan2(2.0 * mean, 1.0 - (mean - away) * (mean + away));
  };
  double sum = 0.0;
  double weights = 0.0;
  double weight = 1.0;
  // The normal distribution's density at step i + 1 over that at step i is exp(-step² · (i + 1/2)).
  double ratio = std::exp(-step * step / 2.0);
  const double change = std::exp(-step * step);
  for (int i = 0; i <= steps; ++i) {
    const double away = i * step * stdev;
    const double share = i == 0 ? 0.5 : weight;
    double worth = 0.0;
    if (by_zero != 0.0) worth += by_zero * pair(score / wide, away / wide);
    if (by_center != 0.0) worth += by_center * pair(off / narrow, away / narrow);
    sum += share * worth;
    weights += 2.0 * share;
    weight *= ratio;
    ratio *= change;
  }
  return 2.0 / std::numbers::pi * sum / weights;
}

double utility(const Numbers& numbers, int area, const go::Context& context) {
  const auto number = [&](Number which) { return static_cast<double>(numbers[which]); };
  const double mean = number(kWhiteScoreMean);
  const double stdev = std::sqrt(std::max(number(kWhiteScoreMeanSq) - mean * mean, 0.0));
  const double won = number(kWhiteLoss) - number(kWhiteWin);
  return static_cast<double>(context.win_factor) * won -
         static_cast<double>(context.white_no_result) * number(kNoResultShare) +
         score_utility(-mean, stdev, area, context);
}

}  // namespace tengen::katago
