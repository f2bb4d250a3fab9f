#pragma once

#include <numeric>
#include <vector>

#include "search/root.hpp"

// How the free visits of a root are spent, and what is read from them: a tree is given such a policy.
namespace tengen {

// The weight of an included action that the search would never have visited: it is not dropped.
inline constexpr double kMinWeight = 1e-3;

template <Game G>
class RootPolicy {
 public:
  virtual ~RootPolicy() = default;

  // A search of the root begins: it was opened.
  virtual void prepare(const Root<G>& /*root*/, Rng& /*rng*/) {}
  // The index of the move for the next free visit; -1 when nothing is allowed.
  virtual int select(const Root<G>& root, Rng& rng) const = 0;
  // The visits that the search would have given each move of its own accord.
  virtual std::vector<double> weights(const Root<G>& root) const = 0;
  // The policy that the search stands for: its training target.
  virtual std::vector<double> policy(const Root<G>& root) const = 0;
  // What the search says that the position is worth.
  virtual Values<G> value(const Root<G>& root) const = 0;
  // The index to play without temperature; -1 if nothing was searched.
  virtual int best(const Root<G>& root) const = 0;
};

// As below the root, by PUCT or UCB1, with forced playouts, which are pruned from the weights again.
template <Game G, class Bandit>
class BanditRootPolicy : public RootPolicy<G> {
 public:
  int select(const Root<G>& root, Rng& rng) const override;
  std::vector<double> weights(const Root<G>& root) const override;

  std::vector<double> policy(const Root<G>& root) const override {
    std::vector<double> result = weights(root);
    if (root.settings().solve && root.node().is_proven()) keep_proven(root, result);
    return normalized(std::move(result));
  }

  Values<G> value(const Root<G>& root) const override { return root.free_value(); }

  int best(const Root<G>& root) const override {
    const int proven = proven_best(root);
    return proven >= 0 ? proven : most_visited(root);
  }

 protected:
  static std::vector<double> normalized(std::vector<double> weights) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    if (total > 0.0) {
      for (double& x : weights) x /= total;
    }
    return weights;
  }

  // In a root that is proven, the best move: the shortest win, a draw, or the longest way to a loss; else -1.
  static int proven_best(const Root<G>& root) {
    if (!root.settings().solve || !root.node().is_proven()) return -1;
    int best = -1;
    for (std::size_t i = 0; i < root.moves().size(); ++i) {
      if (root.node().children[i].node->is_proven() &&
          (best < 0 || is_better(root, i, static_cast<std::size_t>(best)))) {
        best = static_cast<int>(i);
      }
    }
    return best;
  }

  // In a root that is proven, keeps the visits of moves that are as good as the best one, and removes all others.
  static void keep_proven(const Root<G>& root, std::vector<double>& weights) {
    const auto best = static_cast<std::size_t>(proven_best(root));
    double kept = 0.0;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (!root.node().children[i].node->is_proven() || is_better(root, best, i)) weights[i] = 0.0;
      kept += weights[i];
    }
    if (kept == 0.0) weights[best] = 1.0;
  }

  static bool is_better(const Root<G>& root, std::size_t i, std::size_t other) {
    const Node<G>& first = *root.node().children[i].node;
    const Node<G>& second = *root.node().children[other].node;
    const int player = root.player();
    return is_better_proof(first.values().player(player), first.proof, second.values().player(player), second.proof);
  }

  // The favorite, or an action whose guaranteed visits beat it with more visits; where there are no free visits, the
  // best of the guaranteed.
  static int most_visited(const Root<G>& root);

 private:
  // The score that a child would have after so many free visits.
  static double score(const Root<G>& root, const Bandit& rule, const Child<G>& child, double prior, double visits) {
    const double value = child_value(root.settings(), child, root.player());
    if (is_decided(root.settings(), child)) return value;
    return value + rule.bonus(prior, Bandit::kUsesPriors ? visits : std::max(1.0, visits));
  }

  // The visits that an action of this prior is forced to have.
  static double forced_visits(const Root<G>& root, double prior, double parent_visits) {
    return std::sqrt(root.settings().forced_playouts * prior * parent_visits);
  }
};

template <Game G, class Bandit>
int BanditRootPolicy<G, Bandit>::select(const Root<G>& root, Rng& rng) const {
  const SearchSettings& settings = root.settings();
  const Node<G>& node = root.node();
  const std::size_t count = root.moves().size();
  const double parent_visits = visits_below(root.stats);
  double visited_mass = 0.0;
  int visited = 0;
  int unvisited = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!root.is_candidate(i)) continue;
    const double visits = root.free_visits(i);
    if (visits <= 0) {
      ++unvisited;
      continue;
    }
    ++visited;
    const auto prior = static_cast<double>(node.edges[i].prior);
    visited_mass += prior;
    if (root.is_full() && visits < forced_visits(root, prior, parent_visits)) return static_cast<int>(i);
  }
  const bool may_widen = unvisited > 0 && visited < widening_limit(settings, parent_visits, visited + unvisited);
  int skip = -1;
  if (!Bandit::kUsesPriors && may_widen) skip = static_cast<int>(rng.below(static_cast<std::uint32_t>(unvisited)));
  const double fpu = first_play_value(settings, root.free_value().player(root.player()),
                                      node.values().player(root.player()), std::min(1.0, visited_mass), true);
  const Bandit rule(settings, parent_visits, true);
  const double favorite_value = root.favorite_value();
  int best = -1;
  double best_score = kLowest;
  for (std::size_t i = 0; i < count; ++i) {
    if (!root.is_candidate(i)) continue;
    const Child<G> child = root.known(i, favorite_value);
    const auto prior = static_cast<double>(node.edges[i].prior);
    const double visits = root.free_visits(i);
    if (visits <= 0) {
      if (!may_widen) continue;
      if (skip == 0) return static_cast<int>(i);
      if (skip > 0) --skip;
    }
    const bool is_known = child.visits + child.waiting > 0 || is_decided(settings, child);
    double s = is_known ? score(root, rule, child, prior, visits) : fpu + rule.explore * prior;
    if (is_known && settings.wide_root_noise > 0.0 && rng.below(2) == 0) {
      s += settings.wide_root_noise * std::abs(rng.normal());
    }
    if (s > best_score) best_score = s, best = static_cast<int>(i);
  }
  return best;
}

template <Game G, class Bandit>
int BanditRootPolicy<G, Bandit>::most_visited(const Root<G>& root) {
  int best = root.favorite();
  const bool is_free = best >= 0;
  const double favorite_value = root.favorite_value();
  std::uint32_t most_visits = is_free ? root.node().children[best].visits : 0;
  double best_value = is_free ? favorite_value : kLowest;
  for (std::size_t i = 0; i < root.moves().size() && root.guaranteed.has_trees(); ++i) {
    if (is_free && !root.beats_favorite(i, favorite_value)) continue;
    const Child<G> child = root.joined(i);
    if (child.visits == 0) continue;
    const double value = child_value(root.settings(), child, root.player());
    if (is_free ? child.visits < most_visits || (child.visits == most_visits && value <= best_value)
                : value <= best_value)
      continue;
    best = static_cast<int>(i);
    most_visits = child.visits;
    best_value = value;
  }
  return best;
}

template <Game G, class Bandit>
std::vector<double> BanditRootPolicy<G, Bandit>::weights(const Root<G>& root) const {
  const SearchSettings& settings = root.settings();
  std::vector<double> result(root.moves().size(), 0.0);
  const int best = most_visited(root);
  if (best < 0) return result;
  const double favorite_value = root.favorite_value();
  const double parent_visits = visits_below(root.stats);
  const Bandit rule(settings, parent_visits, true);
  const auto top = static_cast<std::size_t>(best);
  const Child<G> chosen = root.known(top, favorite_value);
  const double target =
      score(root, rule, chosen, static_cast<double>(root.node().edges[top].prior), chosen.visits + chosen.waiting);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Child<G> child = root.known(i, favorite_value);
    double kept = child.visits;
    if (settings.forced_playouts > 0.0 && root.is_full() && i != top && kept > 0.0) {
      // Forced playouts go, as far as the search would not have made them of its own accord: until the action's score
      // reaches the best one's. A single visit that is left was none of its own.
      const auto prior = static_cast<double>(root.node().edges[i].prior);
      const double least = std::max(0.0, kept - forced_visits(root, prior, parent_visits));
      const double gap = target - child_value(settings, child, root.player());
      const double wanted = gap > 0.0 ? rule.explore * prior / gap - 1.0 : kept;
      kept = std::clamp(std::ceil(wanted), std::min(std::ceil(least), kept), kept);
      if (kept <= 1.0) kept = 0.0;
    }
    if (root.moves()[i].included && root.guaranteed_child(i) != nullptr) kept = std::max(kept, kMinWeight);
    result[i] = kept;
  }
  return result;
}

}  // namespace tengen
