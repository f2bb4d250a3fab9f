#include "search/root.hpp"

#include <cmath>

namespace tengen {

void shape_priors(std::vector<double>& priors, const SearchSettings& settings, bool noisy, Rng& rng) {
  const std::size_t count = priors.size();
  double mass = 0.0;
  for (double& prior : priors) mass += prior = std::pow(prior, 1.0 / settings.root_policy_temperature);
  for (double& prior : priors) prior /= mass;
  if (settings.wide_root_noise > 0.0) {
    for (double& prior : priors) prior = std::pow(prior, 1.0 / (4.0 * settings.wide_root_noise + 1.0));
  }
  if (settings.noise_fraction <= 0.0 || !noisy) return;
  std::vector<double> noise(count);
  double total = 0.0;
  for (double& x : noise) total += x = rng.gamma(settings.noise_alpha / static_cast<double>(count));
  for (std::size_t i = 0; i < count; ++i) {
    const double share = total > 0.0 ? noise[i] / total : 1.0 / static_cast<double>(count);
    priors[i] += settings.noise_fraction * (share - priors[i]);
  }
}

}  // namespace tengen
