#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "search/node.hpp"
#include "search/settings.hpp"

// The formulas of selection: what an action is worth to the player who decides, and what exploration adds to it.
namespace tengen {

inline constexpr double kLowest = -std::numeric_limits<double>::infinity();

// How many actions a node with that many visits may try.
inline int widening_limit(const SearchSettings& settings, double parent_visits, int edge_count) {
  if (settings.widening_factor <= 0.0) return edge_count;
  const double limit = std::ceil(settings.widening_factor * std::pow(parent_visits, settings.widening_exponent));
  return limit >= edge_count ? edge_count : std::max(1, static_cast<int>(limit));
}

// The visits of a node without its own evaluation, those under way included.
template <Game G>
double visits_below(const Child<G>& self) {
  return std::max(1.0, static_cast<double>(self.visits) + self.waiting - 1.0);
}

// A decided child has nothing left to explore.
template <Game G>
bool is_decided(const SearchSettings& settings, const Child<G>& child) {
  return settings.solve && child.node->is_proven();
}

// The value of a child for the player who decides, visits under way counted as losses.
template <Game G>
double child_value(const SearchSettings& settings, const Child<G>& child, int player) {
  if (is_decided(settings, child)) return child.node->values().player(player);
  const double visits = child.visits + settings.virtual_loss * child.waiting;
  if (visits <= 0.0) return 0.0;
  return (child.sum.player(player) - settings.virtual_loss * child.waiting) / visits;
}

// First-play urgency, what an unvisited action is taken to be worth: `mean` is that of the node's visits, `own` its own
// evaluation.
inline double first_play_value(const SearchSettings& settings, double mean, double own, double visited_mass,
                               bool is_root) {
  if (settings.fpu_value) return *settings.fpu_value;
  const double reduction = is_root ? settings.root_fpu_reduction : settings.fpu_reduction;
  if (settings.fpu_own_power > 0.0) mean = own + (mean - own) * std::pow(visited_mass, settings.fpu_own_power);
  return mean - reduction * std::sqrt(visited_mass);
}

// A rule gives an action its bonus for having had few of its node's visits.
struct Puct {
  static constexpr bool kUsesPriors = true;

  Puct(const SearchSettings& settings, double parent_visits, bool is_root = false)
      : explore(is_root ? settings.root_c_puct.value_or(settings.c_puct) : settings.c_puct) {
    if (settings.c_puct_log != 0.0) {
      const double base = is_root ? settings.root_c_puct_base.value_or(settings.c_puct_base) : settings.c_puct_base;
      explore += settings.c_puct_log * std::log((parent_visits + base) / base);
    }
    explore *= std::sqrt(parent_visits);
  }
  double bonus(double prior, double visits) const { return explore * prior / (1.0 + visits); }

  double explore;
};

struct Ucb1 {
  static constexpr bool kUsesPriors = false;  // unvisited actions are drawn, before any other

  Ucb1(const SearchSettings& settings, double parent_visits, bool /*is_root*/ = false)
      : explore(settings.c_ucb1), log_visits(std::log(parent_visits)) {}
  double bonus(double /*prior*/, double visits) const { return explore * std::sqrt(log_visits / visits); }

  double explore;
  double log_visits;
};

}  // namespace tengen
