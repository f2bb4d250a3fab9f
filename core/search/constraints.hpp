#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "game.hpp"

// What one search of a root must and may visit, beyond the settings.
namespace tengen {

// Actions of one player that are left out (or, with allow, are the only ones) at depths below until_depth: 1 means the
// root only.
struct Restriction {
  int player = 0;
  Actions actions;
  int until_depth = 1;
  bool allow = false;
};

struct Constraints {
  Actions include;                  // legal actions of the root's viewer, no duplicates
  std::int64_t include_visits = 1;  // the visits that each of them is guaranteed
  std::vector<Restriction> restrictions;
  std::int64_t visits = 0;  // instead of the settings' visits; 0 keeps those
};

// The same, quick to ask.
class ConstraintTable {
 public:
  ConstraintTable() = default;
  ConstraintTable(const Constraints& constraints, int players, int action_count);

  const Constraints& constraints() const { return constraints_; }
  bool restricts(int depth) const { return depth < deepest_; }
  bool is_allowed(int player, Action action, int depth) const {
    return depth >= deepest_ || depth >= until_[static_cast<std::size_t>(player)][static_cast<std::size_t>(action)];
  }
  bool is_included(Action action) const {
    return std::find(constraints_.include.begin(), constraints_.include.end(), action) != constraints_.include.end();
  }

 private:
  Constraints constraints_;
  std::vector<std::vector<int>> until_;  // [player][action]: allowed from this depth on
  int deepest_ = 0;
};

}  // namespace tengen
