#pragma once

#include "search/bandit.hpp"

// Which way a visit goes at a node below the root that one player decides.
namespace tengen {

// By PUCT where everything is available and priors add up to 1: the hot path of games without hidden information.
template <Game G>
int select_by_puct(const SearchSettings& settings, const Node<G>& node, const Child<G>& self, int player) {
  const double parent_visits = visits_below(self);
  const bool may_widen = node.child_count < widening_limit(settings, parent_visits, node.edge_count);
  const Puct rule(settings, parent_visits);
  int best = -1;
  double best_score = kLowest;
  double visited_mass = 0.0;
  for (int i = 0; i < node.child_count; ++i) {
    const Child<G>& child = node.children[i];
    const auto prior = static_cast<double>(node.edges[i].prior);
    visited_mass += prior;
    double s = child_value(settings, child, player);
    if (!is_decided(settings, child)) s += rule.bonus(prior, child.visits + child.waiting);
    if (s > best_score) best_score = s, best = i;
  }
  if (may_widen) {
    const double fpu = first_play_value(settings, self.mean(player), node.values().player(player), visited_mass, false);
    if (fpu + rule.explore * static_cast<double>(node.edges[node.child_count].prior) > best_score)
      best = node.child_count;
  }
  return best;
}

// The same by UCB1.
template <Game G>
int select_by_ucb1(const SearchSettings& settings, const Node<G>& node, const Child<G>& self, int player, Rng& rng) {
  const double parent_visits = visits_below(self);
  const int limit = widening_limit(settings, parent_visits, node.edge_count);
  if (node.child_count < limit) {
    return node.child_count + static_cast<int>(rng.below(static_cast<std::uint32_t>(limit - node.child_count)));
  }
  // Ucb1::bonus() with one root the less a child.
  const double explore = settings.c_ucb1 * std::sqrt(std::log(parent_visits));
  int best = -1;
  double best_score = kLowest;
  for (int i = 0; i < node.child_count; ++i) {
    const Child<G>& child = node.children[i];
    double s = child_value(settings, child, player);
    if (!is_decided(settings, child)) s += explore / std::sqrt(child.visits + child.waiting);
    if (s > best_score) best_score = s, best = i;
  }
  return best;
}

// By either rule among the edges for which `available(index)` holds: in hidden games, and where actions are avoided.
// Priors are renormalized over what is available, and in a hidden game an action's node was visited as often as the
// action was available. Answers an edge index, visited or not; -1 if there is none.
template <class Bandit, Game G, class Available>
int select_available(const SearchSettings& settings, const Node<G>& node, const Child<G>& self, int player, Rng& rng,
                     const Available& available) {
  const double parent_visits = visits_below(self);
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
  if (considered >= widening_limit(settings, parent_visits, node.edge_count)) unvisited = 0;
  if (!Bandit::kUsesPriors && unvisited > 0) {
    for (int skip = static_cast<int>(rng.below(static_cast<std::uint32_t>(unvisited))), i = first_unvisited;; ++i) {
      if (available(i) && skip-- == 0) return i;
    }
  }
  const double scale = mass > 0.0 ? 1.0 / mass : 0.0;
  const Bandit rule(settings, parent_visits);
  int best = -1;
  double best_score = kLowest;
  for (int i = 0; i < node.child_count; ++i) {
    if (!available(i)) continue;
    const Child<G>& child = node.children[i];
    Bandit own = rule;
    if constexpr (G::kFacts.hidden) {
      own = Bandit(settings, std::max(1.0, static_cast<double>(node.edges[i].hidden.available)));
    }
    double s = child_value(settings, child, player);
    if (!is_decided(settings, child)) {
      s += own.bonus(static_cast<double>(node.edges[i].prior) * scale, child.visits + child.waiting);
    }
    if (s > best_score) best_score = s, best = i;
  }
  if (unvisited > 0) {
    const double fpu =
        first_play_value(settings, self.mean(player), node.values().player(player), visited_mass * scale, false);
    const double prior = static_cast<double>(node.edges[first_unvisited].prior) * scale;
    if (fpu + rule.explore * prior > best_score) best = first_unvisited;
  }
  return best;
}

}  // namespace tengen
