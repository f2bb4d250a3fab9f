#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "search/joint.hpp"
#include "search/select.hpp"

// What is special about a root: constraints, guaranteed visits, noise, forced playouts and Gumbel's sequential halving.
namespace tengen {

// The weight of an included action that the search would never have visited: it is not dropped.
inline constexpr double kLeastWeight = 1e-3;

// One legal action at the root, beside the edge and child of the same index: a root has a child for every edge.
struct RootMove {
  Action action = 0;
  double prior = 0.0;  // as evaluated, before noise and temperature
  double logit = 0.0;  // Gumbel: log of the prior searched with
  double gumbel = 0.0;
  std::int64_t base = 0;    // free visits before this search began
  std::int64_t forced = 0;  // visits made only because they were guaranteed, under way included
  bool included = false;
  bool allowed = true;
};

template <Game G>
class Root {
 public:
  // `viewer` is whose actions are included.
  void constrain(const Constraints& constraints, int viewer, int players, int action_count) {
    constraints_ = constraints;
    viewer_ = viewer;
    until_.clear();
    deepest_ = 0;
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

  const Constraints& constraints() const { return constraints_; }
  const std::vector<RootMove>& moves() const { return moves_; }
  bool is_open() const { return open_; }
  bool is_full() const { return full_; }
  std::int64_t budget() const { return budget_; }
  const Child<G>& guaranteed() const { return guaranteed_; }

  bool restricts(int depth) const { return depth < deepest_; }
  bool is_allowed(int player, Action action, int depth) const {
    return depth >= deepest_ || depth >= until_[static_cast<std::size_t>(player)][static_cast<std::size_t>(action)];
  }
  bool is_included(Action action) const {
    return std::find(constraints_.include.begin(), constraints_.include.end(), action) != constraints_.include.end();
  }

  // Ends a search of the root: the node gets back its priors as they were evaluated. Which visits were guaranteed stays
  // known for another search of it.
  void close(Node<G>& node) {
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      node.edges[i].prior = static_cast<float>(moves_[i].prior);
      if (moves_[i].forced > 0) forced_before_[moves_[i].action] = moves_[i].forced;
    }
    moves_.clear();
    open_ = false;
  }

  // Another root, or an empty tree.
  void forget() {
    forced_before_.clear();
    guaranteed_ = Child<G>{};
  }

  // Starts counting for a new search of the root: how much it may spend, and whether it is a full one.
  void begin(const SearchSettings& settings, Rng& rng) {
    full_ = settings.fast_visits <= 0 || constraints_.visits > 0 || rng.uniform() < settings.full_probability;
    budget_ = full_ ? settings.visits : settings.fast_visits;
    if (constraints_.visits > 0) budget_ = constraints_.visits;
  }

  // Gives every action of an evaluated root its child, and the root its noise.
  void open(Arena& arena, const SearchSettings& settings, Node<G>& node, int player, Rng& rng) {
    for (int i = node.child_count; i < node.edge_count; ++i) open_child(arena, node, i);
    moves_.resize(node.edge_count);
    double mass = 0.0;
    for (int i = 0; i < node.edge_count; ++i) mass += static_cast<double>(node.edges[i].prior);
    for (int i = 0; i < node.edge_count; ++i) {
      RootMove& move = moves_[static_cast<std::size_t>(i)];
      move.action = static_cast<Action>(node.edges[i].label);
      move.prior = static_cast<double>(node.edges[i].prior) / mass;
      const auto forced = forced_before_.find(move.action);
      if (forced != forced_before_.end()) move.forced = forced->second;
      move.base = std::int64_t{node.children[i].visits} - move.forced;
      move.included = is_included(move.action);
      move.allowed = is_allowed(player, move.action, 0);
    }
    shape_priors(settings, node, rng);
    if (settings.gumbel_actions > 0) prepare_gumbel(settings, node, rng);
    open_ = true;
  }

  // The same where everyone decides: choices are opened by the node itself.
  void open_joint() { open_ = true; }

  // Visits that count against the budget: all but those up to each included action's minimum.
  template <bool kWithWaiting>
  std::int64_t counted(const Node<G>& node, const Child<G>& self) const {
    std::int64_t result = self.visits + (kWithWaiting ? self.waiting : 0);
    for_included(node, [&](std::int64_t visits, std::int64_t waiting) {
      result -= std::min(visits + (kWithWaiting ? waiting : 0), constraints_.include_visits);
    });
    return result;
  }

  template <bool kWithWaiting>
  bool owes_visits(const Node<G>& node) const {
    if (constraints_.include.empty()) return false;
    if (!open_) return true;
    bool owes = false;
    for_included(node, [&](std::int64_t visits, std::int64_t waiting) {
      owes = owes || visits + (kWithWaiting ? waiting : 0) < constraints_.include_visits;
    });
    return owes;
  }

  // The edge for the next visit of an open root; -1 when nothing is allowed.
  int pick(const SearchSettings& settings, Node<G>& node, const Child<G>& self, int player, Rng& rng,
           bool& guaranteed) {
    const int owed = owed_edge(node);
    guaranteed = owed >= 0;
    if (guaranteed) {
      ++moves_[static_cast<std::size_t>(owed)].forced;
      return owed;
    }
    if (settings.gumbel_actions > 0 && full_) return pick_gumbel(settings, node, player);
    return pick_best(settings, node, self, player, rng);
  }

  // A guaranteed visit came back, or (with `values` null) was taken back.
  void settle(int edge, const Values<G>* values) {
    if (values == nullptr) {
      if (edge >= 0) --moves_[static_cast<std::size_t>(edge)].forced;
      return;
    }
    ++guaranteed_.visits;
    guaranteed_.sum.add(*values);
  }

  // What the free visits say the root is worth; the node's own evaluation before there are any.
  Values<G> free_value(const Node<G>& node, const Child<G>& self) const {
    const std::int64_t visits = std::int64_t{self.visits} - guaranteed_.visits;
    if (visits <= 0) return node.values();
    Values<G> result;
    result.add_scaled(self.sum, 1.0 / static_cast<double>(visits));
    result.add_scaled(guaranteed_.sum, -1.0 / static_cast<double>(visits));
    return result;
  }

  // The visits that the search would have given each action of its own accord.
  std::vector<double> weights(const SearchSettings& settings, const Node<G>& node, const Child<G>& self,
                              int player) const;
  // The policy that the search stands for: its training target.
  std::vector<double> policy(const SearchSettings& settings, const Node<G>& node, const Child<G>& self,
                             int player) const;
  // What the search says that the position is worth.
  Values<G> value(const SearchSettings& settings, const Node<G>& node, const Child<G>& self, int player) const;
  // The index to play without temperature; -1 if nothing was searched.
  int best(const SearchSettings& settings, const Node<G>& node, int player) const;

 private:
  template <class Visit>
  void for_included(const Node<G>& node, const Visit& visit) const {
    if (constraints_.include.empty()) return;
    if constexpr (G::kFacts.simultaneous) {
      if (node.joint != nullptr) {
        for (int i = 0; i < node.joint->count[viewer_]; ++i) {
          const Choice& choice = node.joint->choices[viewer_][i];
          if (is_included(choice.action)) visit(std::int64_t{choice.visits}, std::int64_t{choice.waiting});
        }
        return;
      }
    }
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      if (moves_[i].included) visit(std::int64_t{node.children[i].visits}, std::int64_t{node.children[i].waiting});
    }
  }

  int owed_edge(const Node<G>& node) const {
    int best = -1;
    std::int64_t fewest = constraints_.include_visits;
    if (constraints_.include.empty()) return best;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      const std::int64_t visits = std::int64_t{node.children[i].visits} + node.children[i].waiting;
      if (moves_[i].included && visits < fewest) fewest = visits, best = static_cast<int>(i);
    }
    return best;
  }

  // Visits that the search made of its own accord, those under way included. Guaranteed ones inform an action's value
  // and nothing else.
  double free_visits(const Node<G>& node, std::size_t i) const {
    const Child<G>& child = node.children[i];
    return static_cast<double>(std::int64_t{child.visits} + child.waiting - moves_[i].forced);
  }

  bool is_candidate(std::size_t i) const { return moves_[i].allowed || moves_[i].included; }

  double all_free_visits(const Child<G>& self) const {
    std::int64_t visits = std::int64_t{self.visits} + self.waiting;
    for (const RootMove& move : moves_) visits -= move.forced;
    return static_cast<double>(std::max<std::int64_t>(1, visits - 1));
  }

  void shape_priors(const SearchSettings& settings, Node<G>& node, Rng& rng);
  void prepare_gumbel(const SearchSettings& settings, const Node<G>& node, Rng& rng);
  int pick_best(const SearchSettings& settings, const Node<G>& node, const Child<G>& self, int player, Rng& rng) const;
  int pick_gumbel(const SearchSettings& settings, const Node<G>& node, int player) const;
  double gumbel_bonus(const SearchSettings& settings, const Node<G>& node, std::size_t index, int player,
                      double unvisited_value) const;
  double mixed_value(const Node<G>& node, int player) const;
  int best_free(const SearchSettings& settings, const Node<G>& node, int player) const;
  double score_of(const SearchSettings& settings, const Node<G>& node, std::size_t i, double visits,
                  double parent_visits, int player) const;

  Constraints constraints_;
  std::vector<std::vector<int>> until_;  // [player][action]
  int deepest_ = 0;
  std::int64_t budget_ = 0;
  bool full_ = true;
  bool open_ = false;
  Child<G> guaranteed_;
  std::vector<RootMove> moves_;
  std::unordered_map<Action, std::int64_t> forced_before_;
  int considered_ = 0;  // Gumbel: the actions that halving begins with
  int viewer_ = 0;
};

}  // namespace tengen

#include "search/root_rules.hpp"
