#include "bindings/bound_pool.hpp"

#include <algorithm>
#include <string>

namespace tengen {

void check_pool(const SearchSettings& settings, const RulesFacts& facts, int threads, int max_threads) {
  check_settings(settings);
  check_fits(settings, facts.facts);
  if (threads < 1 || threads > max_threads) {
    throw nb::value_error(("threads must be from 1 to " + std::to_string(max_threads)).c_str());
  }
  if (facts.action_count > kMaxActions) throw nb::value_error("a game can have at most 65535 actions");
}

int find_heuristic(const RulesFacts& facts, const std::string& evaluator) {
  const auto colon = evaluator.find(':');
  if (colon == std::string::npos) return -1;
  const auto at = std::find(facts.heuristics.begin(), facts.heuristics.end(), evaluator.substr(colon + 1));
  if (at != facts.heuristics.end()) return static_cast<int>(at - facts.heuristics.begin());
  throw nb::value_error(("this game has no evaluator " + evaluator).c_str());
}

Constraints read_constraints(const RulesFacts& facts, std::int64_t include_visits,
                             const std::vector<RestrictionTuple>& restrictions, std::int64_t visits) {
  if (include_visits < 1) throw nb::value_error("include_visits must be at least 1");
  if (visits < 0) throw nb::value_error("visits must be at least 1, or 0 for those of the settings");
  Constraints result;
  result.visits = visits;
  result.include_visits = include_visits;
  for (const auto& [player, actions, until_depth, allow] : restrictions) {
    check_index(player, facts.facts.players, "player");
    for (const Action action : actions) check_index(action, facts.action_count, "action");
    if (until_depth < 1) throw nb::value_error("a restriction's until_depth must be at least 1");
    result.restrictions.push_back({player, actions, until_depth, allow});
  }
  return result;
}

Actions read_include(const Actions& include, const Actions& legal) {
  Actions result;
  for (const Action action : include) {
    if (!std::binary_search(legal.begin(), legal.end(), action)) {
      throw nb::value_error(("include: action " + std::to_string(action) + " is illegal here").c_str());
    }
    if (std::find(result.begin(), result.end(), action) == result.end()) result.push_back(action);
  }
  return result;
}

}  // namespace tengen
