#pragma once

#include <cmath>
#include <limits>
#include <utility>

#include "search/node.hpp"
#include "search/settings.hpp"

// Which way a visit goes at a node that one player decides.
namespace tengen {

inline constexpr double kLowest = -std::numeric_limits<double>::infinity();

inline double exploration(const SearchSettings& settings, double parent_visits) {
  double c = settings.c_puct;
  if (settings.c_puct_log != 0.0) {
    c += settings.c_puct_log * std::log((parent_visits + settings.c_puct_base) / settings.c_puct_base);
  }
  return c * std::sqrt(parent_visits);
}

// How many actions a node with that many visits may try.
inline int widening_limit(const SearchSettings& settings, double parent_visits, int edge_count) {
  if (settings.widening_factor <= 0.0) return edge_count;
  const double limit = std::ceil(settings.widening_factor * std::pow(parent_visits, settings.widening_exponent));
  return limit >= edge_count ? edge_count : std::max(1, static_cast<int>(limit));
}

// A decided child has nothing left to explore.
template <Game G>
bool is_decided(const SearchSettings& settings, const Child<G>& child) {
  return settings.solve && child.node->proven;
}

// The value of a child for the player who decides, visits under way counted as losses.
template <Game G>
double child_value(const SearchSettings& settings, const Child<G>& child, int player) {
  if (is_decided(settings, child)) return child.node->values().player(player);
  const double visits = child.visits + settings.virtual_loss * child.waiting;
  if (visits <= 0.0) return 0.0;
  return (child.sum.player(player) - settings.virtual_loss * child.waiting) / visits;
}

// What an unvisited action is taken to be worth: `mean` is that of the node's visits, `own` its own evaluation.
inline double first_play_value(const SearchSettings& settings, double mean, double own, double visited_mass,
                               bool is_root) {
  if (!std::isnan(settings.fpu_value)) return settings.fpu_value;
  const double reduction = is_root ? settings.root_fpu_reduction : settings.fpu_reduction;
  if (settings.fpu_own_power > 0.0) mean = own + (mean - own) * std::pow(visited_mass, settings.fpu_own_power);
  return mean - reduction * std::sqrt(visited_mass);
}

// The score of a visited child. `prior` is renormalised over what is available; `parent_visits` is that action's own
// count of availability in a hidden game.
template <Game G>
double score(const SearchSettings& settings, const Child<G>& child, double prior, double parent_visits, double explore,
             int player) {
  const double visits = child.visits + child.waiting;
  const double value = child_value(settings, child, player);
  if (is_decided(settings, child)) return value;
  if (settings.rule == Rule::kUcb1) return value + settings.c_ucb1 * std::sqrt(std::log(parent_visits) / visits);
  return value + explore * prior / (1.0 + visits);
}

// Picks among the edges for which `available(index)` holds. Answers an edge index, visited or not; -1 if there is none.
template <Game G, class Available>
int select_edge(const SearchSettings& settings, const Node<G>& node, const Child<G>& self, int player, Rng& rng,
                const Available& available) {
  const double parent_visits = std::max(1.0, static_cast<double>(self.visits) + self.waiting - 1.0);
  const double explore = exploration(settings, parent_visits);
  const int limit = widening_limit(settings, parent_visits, node.edge_count);
  double mass = 0.0;
  double visited_mass = 0.0;
  int first_unvisited = -1;
  int unvisited = 0;
  int considered = 0;
  for (int i = 0; i < node.edge_count; ++i) {
    if (!available(i)) continue;
    mass += static_cast<double>(node.edges[i].prior);
    if (i < node.child_count) {
      visited_mass += static_cast<double>(node.edges[i].prior);
      ++considered;
    } else {
      if (first_unvisited < 0) first_unvisited = i;
      ++unvisited;
    }
  }
  if (considered >= limit) unvisited = 0;
  if (settings.rule == Rule::kUcb1 && unvisited > 0) {
    for (int skip = static_cast<int>(rng.below(static_cast<std::uint32_t>(unvisited))), i = first_unvisited;; ++i) {
      if (available(i) && skip-- == 0) return i;
    }
  }
  const double scale = mass > 0.0 ? 1.0 / mass : 0.0;
  int best = -1;
  double best_score = kLowest;
  for (int i = 0; i < node.child_count; ++i) {
    if (!available(i)) continue;
    double of_parent = parent_visits;
    double explore_here = explore;
    if constexpr (G::kFacts.hidden) {
      of_parent = std::max(1.0, static_cast<double>(node.edges[i].hidden.available));
      explore_here = exploration(settings, of_parent);
    }
    const double s = score(settings, node.children[i], static_cast<double>(node.edges[i].prior) * scale, of_parent,
                           explore_here, player);
    if (s > best_score) best_score = s, best = i;
  }
  if (unvisited > 0) {
    const double fpu =
        first_play_value(settings, self.mean(player), node.values().player(player), visited_mass * scale, false);
    const double prior = static_cast<double>(node.edges[first_unvisited].prior) * scale;
    if (fpu + explore * prior > best_score) best = first_unvisited;
  }
  return best;
}

// The same where everything is available and priors add up to 1: the hot path of games without hidden information.
template <Game G>
int select_any(const SearchSettings& settings, const Node<G>& node, const Child<G>& self, int player, Rng& rng) {
  const double parent_visits = std::max(1.0, static_cast<double>(self.visits) + self.waiting - 1.0);
  const int limit = widening_limit(settings, parent_visits, node.edge_count);
  const bool may_widen = node.child_count < limit;
  int best = -1;
  double best_score = kLowest;
  if (settings.rule == Rule::kUcb1) {
    if (may_widen) {
      return node.child_count + static_cast<int>(rng.below(static_cast<std::uint32_t>(limit - node.child_count)));
    }
    const double explore = settings.c_ucb1 * std::sqrt(std::log(parent_visits));
    for (int i = 0; i < node.child_count; ++i) {
      const Child<G>& child = node.children[i];
      double s = child_value(settings, child, player);
      if (!is_decided(settings, child)) s += explore / std::sqrt(child.visits + child.waiting);
      if (s > best_score) best_score = s, best = i;
    }
    return best;
  }
  const double explore = exploration(settings, parent_visits);
  double visited_mass = 0.0;
  for (int i = 0; i < node.child_count; ++i) {
    const Child<G>& child = node.children[i];
    const auto prior = static_cast<double>(node.edges[i].prior);
    visited_mass += prior;
    double s = child_value(settings, child, player);
    if (!is_decided(settings, child)) s += explore * prior / (1.0 + child.visits + child.waiting);
    if (s > best_score) best_score = s, best = i;
  }
  if (may_widen) {
    const double fpu = first_play_value(settings, self.mean(player), node.values().player(player), visited_mass, false);
    if (fpu + explore * static_cast<double>(node.edges[node.child_count].prior) > best_score) best = node.child_count;
  }
  return best;
}

}  // namespace tengen
