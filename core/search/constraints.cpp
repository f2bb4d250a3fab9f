#include "search/constraints.hpp"

namespace tengen {

ConstraintTable::ConstraintTable(const Constraints& constraints, int players, int action_count)
    : constraints_(constraints) {
  if (constraints.restrictions.empty()) return;
  until_.assign(static_cast<std::size_t>(players), std::vector<int>(static_cast<std::size_t>(action_count), 0));
  for (const Restriction& rule : constraints.restrictions) {
    auto& until = until_[static_cast<std::size_t>(rule.player)];
    if (rule.allow) std::fill(until.begin(), until.end(), rule.until_depth);
    for (const Action action : rule.actions)
      until[static_cast<std::size_t>(action)] = rule.allow ? 0 : rule.until_depth;
    deepest_ = std::max(deepest_, rule.until_depth);
  }
}

}  // namespace tengen
