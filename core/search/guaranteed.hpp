#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "search/node.hpp"

// Visits that a root's included actions are guaranteed, whatever the search thinks of them.
namespace tengen {

// How many standard deviations of their mean guaranteed visits must show an action to be better by before they count
// like free ones.
inline constexpr double kDoubt = 2.0;

template <Game G>
class GuaranteedVisits {
 public:
  // If one player decides, guaranteed visits grow separate trees, one below each child of this node, and do not affect
  // the free search. If everyone decides, they are also counted among the root's visits, and there is no node.
  Child<G> stats;

  bool has_trees() const { return stats.node != nullptr; }
  std::int64_t visits_in_trees() const { return has_trees() ? stats.visits : 0; }

  // Return the index of an action's guaranteed visits among the children; -1 if it has none.
  int find(Action action) const {
    for (int i = 0; has_trees() && i < stats.node->child_count; ++i) {
      if (stats.node->edges[i].label == static_cast<Label<G>>(action)) return i;
    }
    return -1;
  }

  // Count a guaranteed visit that was backed up; only used if everyone decides.
  void count(const Values<G>& values) {
    ++stats.visits;
    stats.sum.add(values);
  }

  // Record the value of a free visit for the player who decides.
  void note_free(double value) {
    free_.visits += 1.0;
    free_.sum += value;
    free_.squares += value * value;
  }

  // By how much the mean of so many guaranteed visits must be better to prove anything.
  double margin(std::uint32_t visits) const { return kDoubt * free_.deviation() / std::sqrt(visits); }

  // While both guaranteed and free visits remain, their batches alternate: neither kind waits for the other, and the
  // batches of free visits are the same as without guaranteed ones.
  void take_turn() { is_turn_ = !is_turn_; }
  bool is_turn() const { return is_turn_; }

  // Reset for another root or an empty tree.
  void clear() {
    stats = Child<G>{};
    free_ = Spread{};
  }

 private:
  // The spread of the values of free visits.
  struct Spread {
    double visits = 0.0;
    double sum = 0.0;
    double squares = 0.0;

    // One that is off by a full win counts from the start: a few visits prove nothing.
    double deviation() const {
      const double all = squares - (visits > 0.0 ? sum * sum / visits : 0.0);
      return std::sqrt((1.0 + std::max(0.0, all)) / (1.0 + visits));
    }
  };

  Spread free_;
  bool is_turn_ = false;
};

}  // namespace tengen
