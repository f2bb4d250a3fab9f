#include "search/flat.hpp"

#include <algorithm>
#include <cmath>

namespace tengen {

namespace {

double mean(const std::vector<double>& numbers, std::size_t count) {
  double sum = 0.0;
  for (std::size_t k = 0; k < count; ++k) sum += numbers[k];
  return sum / static_cast<double>(count);
}

}  // namespace

void halve(std::vector<std::size_t>& left, const std::vector<FlatEnds>& ends, const FlatSettings& settings,
           std::span<const double> prior_bonus) {
  std::vector<double> values(ends.size());
  for (const std::size_t i : left) {
    const std::size_t worlds = ends[i].payoffs.size();
    values[i] = mean(ends[i].payoffs, worlds) - settings.penalty_weight * mean(ends[i].penalties, worlds) +
                (prior_bonus.empty() ? 0.0 : prior_bonus[i]);
  }
  std::ranges::stable_sort(left, [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  left.resize((left.size() + 1) / 2);
}

void summarize(FlatReport& report, const std::vector<FlatEnds>& ends, const std::vector<std::size_t>& left) {
  const auto whole = [&](std::size_t i) { return mean(ends[i].payoffs, ends[i].payoffs.size()); };
  std::size_t best = left.front();
  for (const std::size_t i : left) best = whole(i) > whole(best) ? i : best;
  const FlatEnds& top = ends[best];
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const FlatEnds& own = ends[i];
    const std::size_t worlds = own.payoffs.size();
    report.means.push_back(whole(best) + mean(own.payoffs, worlds) - mean(top.payoffs, worlds));
    report.penalties.push_back(mean(top.penalties, top.penalties.size()) + mean(own.penalties, worlds) -
                               mean(top.penalties, worlds));
    double wins = 0.0;
    for (const double payoff : own.payoffs) wins += payoff > 0 ? 1.0 : payoff < 0 ? 0.0 : 0.5;
    report.wins.push_back(wins / static_cast<double>(worlds));
    const double off = i == best ? report.means[i] : report.means[i] - whole(best);
    double squares = 0.0;
    for (std::size_t k = 0; k < worlds; ++k) {
      const double payoff = own.payoffs[k] - (i == best ? 0.0 : top.payoffs[k]);
      squares += (payoff - off) * (payoff - off);
    }
    const auto count = static_cast<double>(worlds);
    report.errors.push_back(worlds > 1 ? std::sqrt(squares / (count - 1) / count) : 0.0);
  }
}

}  // namespace tengen
