#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include "search/joint.hpp"
#include "search/select.hpp"

// What is special about a root: constraints, guaranteed visits, noise, forced playouts and Gumbel's sequential halving.
namespace tengen {

// The weight of an included action that the search would never have visited: it is not dropped.
inline constexpr double kLeastWeight = 1e-3;

// How many standard deviations of their mean guaranteed visits must show an action to be better by before the search
// heeds them.
inline constexpr double kDoubt = 2.0;

// One legal action at the root, beside the edge and child of the same index: a root has a child for every edge.
struct RootMove {
  Action action = 0;
  double prior = 0.0;  // as evaluated, before noise and temperature
  double logit = 0.0;  // Gumbel: log of the prior searched with
  double gumbel = 0.0;
  std::int64_t base = 0;  // free visits before this search began
  int aside = -1;         // where its guaranteed visits are among Root::guaranteed()'s children
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

  // Guaranteed visits. Where one player decides they grow trees of their own, one below each child of this node, so
  // that the free search goes as if there were none; where everyone decides they are also among the root's visits, and
  // there is no node.
  const Child<G>& guaranteed() const { return guaranteed_; }
  Child<G>& guaranteed() { return guaranteed_; }
  std::int64_t visits_aside() const { return guaranteed_.node != nullptr ? guaranteed_.visits : 0; }

  bool restricts(int depth) const { return depth < deepest_; }
  bool is_allowed(int player, Action action, int depth) const {
    return depth >= deepest_ || depth >= until_[static_cast<std::size_t>(player)][static_cast<std::size_t>(action)];
  }
  bool is_included(Action action) const {
    return std::find(constraints_.include.begin(), constraints_.include.end(), action) != constraints_.include.end();
  }

  // Ends a search of the root: the node gets back its priors as they were evaluated. Guaranteed visits stay for another
  // search of it.
  void close(Node<G>& node) {
    for (std::size_t i = 0; i < moves_.size(); ++i) node.edges[i].prior = static_cast<float>(moves_[i].prior);
    moves_.clear();
    open_ = false;
  }

  // Another root, or an empty tree.
  void forget() {
    guaranteed_ = Child<G>{};
    seen_ = Seen{};
  }

  // A free visit came back with this value for who decides.
  void note(double value) {
    seen_.visits += 1.0;
    seen_.sum += value;
    seen_.squares += value * value;
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
      move.base = node.children[i].visits;
      move.aside = find_aside(move.action);
      move.included = is_included(move.action);
      move.allowed = is_allowed(player, move.action, 0);
    }
    shape_priors(settings, node, rng);
    if (settings.gumbel_actions > 0) prepare_gumbel(settings, node, rng);
    open_ = true;
  }

  // The same where everyone decides: choices are opened by the node itself.
  void open_joint() { open_ = true; }

  // Visits that count against the budget: where everyone decides, all but those up to each included action's minimum.
  template <bool kWithWaiting>
  std::int64_t counted(const Node<G>& node, const Child<G>& self) const {
    std::int64_t result = self.visits + (kWithWaiting ? self.waiting : 0);
    for_included_choices(node, [&](std::int64_t visits, std::int64_t waiting) {
      result -= std::min(visits + (kWithWaiting ? waiting : 0), constraints_.include_visits);
    });
    return result;
  }

  template <bool kWithWaiting>
  bool owes_visits(const Node<G>& node) const {
    if (constraints_.include.empty()) return false;
    if (!open_) return true;
    bool owes = owed<kWithWaiting>() >= 0;
    for_included_choices(node, [&](std::int64_t visits, std::int64_t waiting) {
      owes = owes || visits + (kWithWaiting ? waiting : 0) < constraints_.include_visits;
    });
    return owes;
  }

  // The included action (its index) that is furthest from its guaranteed visits; -1 if none is owed any.
  template <bool kWithWaiting>
  int owed() const {
    int furthest = -1;
    std::int64_t fewest = constraints_.include_visits;
    if (constraints_.include.empty()) return furthest;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      if (!moves_[i].included) continue;
      const Child<G>* made = aside(i);
      const std::int64_t visits =
          made == nullptr ? 0 : std::int64_t{made->visits} + (kWithWaiting ? made->waiting : 0U);
      if (visits < fewest) fewest = visits, furthest = static_cast<int>(i);
    }
    return furthest;
  }

  // While both guaranteed and free visits are left, batches of them take turns: neither waits for the other, and free
  // visits that are under way together are the same ones as without the others.
  void take_turn() { is_guaranteed_turn_ = !is_guaranteed_turn_; }
  bool is_guaranteed_turn() const { return is_guaranteed_turn_; }

  void set_aside(int move, int child) { moves_[static_cast<std::size_t>(move)].aside = child; }

  // The edge for the next free visit of an open root; -1 when nothing is allowed.
  int pick(const SearchSettings& settings, Node<G>& node, const Child<G>& self, int player, Rng& rng) {
    if (settings.gumbel_actions > 0 && full_) return pick_gumbel(settings, node, player);
    return pick_best(settings, node, self, player, rng);
  }

  // Where everyone decides: a guaranteed visit came back.
  void settle(const Values<G>& values) {
    ++guaranteed_.visits;
    guaranteed_.sum.add(values);
  }

  // What the free visits say the root is worth, with guaranteed ones that they heed; the node's own evaluation before
  // there are any.
  Values<G> free_value(const SearchSettings& settings, const Node<G>& node, const Child<G>& self, int player) const {
    double visits = self.visits;
    Values<G> sum = self.sum;
    if (guaranteed_.node == nullptr) {
      visits -= guaranteed_.visits;
      sum.add_scaled(guaranteed_.sum, -1.0);
    }
    const double bar = bar_of(settings, node, player);
    for (std::size_t i = 0; i < moves_.size() && guaranteed_.node != nullptr; ++i) {
      if (!is_heeded(node, i, player, bar)) continue;
      visits += aside(i)->visits;
      sum.add(aside(i)->sum);
    }
    if (visits <= 0.0) return node.values();
    Values<G> result;
    result.add_scaled(sum, 1.0 / visits);
    return result;
  }

  // An action's guaranteed visits; null if there are none.
  const Child<G>* aside(std::size_t i) const {
    return moves_[i].aside < 0 ? nullptr : &guaranteed_.node->children[moves_[i].aside];
  }

  // The value of the action that the free search favors, which is what guaranteed visits are measured by. Visits under
  // way have shown nothing yet.
  double bar_of(const SearchSettings& settings, const Node<G>& node, int player) const {
    if (guaranteed_.node == nullptr) return -kLowest;
    const int index = most_visited(settings, node, player);
    if (index < 0) return -kLowest;
    Child<G> favorite = node.children[index];
    favorite.waiting = 0;
    return child_value(settings, favorite, player);
  }

  // Whether guaranteed visits have shown an action to be better than the free search's own favorite. Then they count
  // like its free ones; until then they tell about that action and nothing else.
  bool is_heeded(const Node<G>& node, std::size_t i, int player, double bar) const {
    const Child<G>* made = aside(i);
    if (made == nullptr || made->visits == 0) return false;
    return joined(node, i).mean(player) - kDoubt * seen_.deviation() / std::sqrt(made->visits) > bar;
  }

  // An action's free and guaranteed visits together. The node is the one with more visits below it.
  Child<G> joined(const Node<G>& node, std::size_t i) const {
    Child<G> result = node.children[i];
    const Child<G>* made = aside(i);
    if (made == nullptr) return result;
    if (made->visits > result.visits) result.node = made->node;
    result.visits += made->visits;
    result.sum.add(made->sum);
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
  // The values that free visits came back with.
  struct Seen {
    double visits = 0.0;
    double sum = 0.0;
    double squares = 0.0;

    // One that is off by a full win counts from the start: a few visits prove nothing.
    double deviation() const {
      const double all = squares - (visits > 0.0 ? sum * sum / visits : 0.0);
      return std::sqrt((1.0 + std::max(0.0, all)) / (1.0 + visits));
    }
  };

  template <class Visit>
  void for_included_choices([[maybe_unused]] const Node<G>& node, [[maybe_unused]] const Visit& visit) const {
    if constexpr (G::kFacts.simultaneous) {
      if (constraints_.include.empty() || node.joint == nullptr) return;
      for (int i = 0; i < node.joint->count[viewer_]; ++i) {
        const Choice& choice = node.joint->choices[viewer_][i];
        if (is_included(choice.action)) visit(std::int64_t{choice.visits}, std::int64_t{choice.waiting});
      }
    }
  }

  int find_aside(Action action) const {
    if (guaranteed_.node == nullptr) return -1;
    for (int i = 0; i < guaranteed_.node->child_count; ++i) {
      if (guaranteed_.node->edges[i].label == static_cast<std::uint32_t>(action)) return i;
    }
    return -1;
  }

  // Visits that the search made of its own accord, those under way included.
  static double free_visits(const Node<G>& node, std::size_t i) {
    return static_cast<double>(node.children[i].visits) + node.children[i].waiting;
  }

  bool is_candidate(std::size_t i) const { return moves_[i].allowed || moves_[i].included; }

  static double all_free_visits(const Child<G>& self) {
    return std::max(1.0, static_cast<double>(self.visits) + self.waiting - 1.0);
  }

  void shape_priors(const SearchSettings& settings, Node<G>& node, Rng& rng);
  void prepare_gumbel(const SearchSettings& settings, const Node<G>& node, Rng& rng);
  int pick_best(const SearchSettings& settings, const Node<G>& node, const Child<G>& self, int player, Rng& rng) const;
  int pick_gumbel(const SearchSettings& settings, const Node<G>& node, int player) const;
  double gumbel_bonus(const SearchSettings& settings, const Node<G>& node, std::size_t index, int player,
                      double unvisited_value) const;
  double mixed_value(const Node<G>& node, int player) const;
  int most_visited(const SearchSettings& settings, const Node<G>& node, int player) const;
  int best_known(const SearchSettings& settings, const Node<G>& node, int player) const;
  Child<G> known(const Node<G>& node, std::size_t i, int player, double bar) const {
    return is_heeded(node, i, player, bar) ? joined(node, i) : node.children[i];
  }
  double score_of(const SearchSettings& settings, const Child<G>& child, double prior, double visits,
                  double parent_visits, int player) const;

  Constraints constraints_;
  std::vector<std::vector<int>> until_;  // [player][action]
  int deepest_ = 0;
  std::int64_t budget_ = 0;
  bool full_ = true;
  bool open_ = false;
  bool is_guaranteed_turn_ = false;
  Child<G> guaranteed_;
  Seen seen_;
  std::vector<RootMove> moves_;
  int considered_ = 0;  // Gumbel: the actions that halving begins with
  int viewer_ = 0;
};

}  // namespace tengen

#include "search/root_rules.hpp"
