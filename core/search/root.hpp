#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "search/bandit.hpp"
#include "search/constraints.hpp"
#include "search/guaranteed.hpp"

// The root of a tree: its statistics, its moves with their priors and noise, the constraints of the current search, and
// the combined results of its free and guaranteed visits. A RootPolicy decides how visits are spent.
namespace tengen {

// One legal action at the root. The edge and the child of the same index belong to it: a root has a child for every
// edge.
struct RootMove {
  Action action = 0;
  double prior = 0.0;         // as evaluated, before noise and temperature
  int guaranteed_child = -1;  // where its guaranteed visits are among those of Root::guaranteed
  bool included = false;
  bool allowed = true;
};

// Gives a root's priors, which add up to 1, its temperature and, if it is `noisy`, Dirichlet's noise.
void shape_priors(std::vector<double>& priors, const SearchSettings& settings, bool noisy, Rng& rng);

template <Game G>
class Root {
 public:
  explicit Root(const SearchSettings& settings) : settings_(settings) {}

  Child<G> stats;  // of the free visits; the node is the first of the tree
  GuaranteedVisits<G> guaranteed;

  const SearchSettings& settings() const { return settings_; }
  const Node<G>& node() const { return *stats.node; }
  int player() const { return node().actor; }  // who decides
  const ConstraintTable& constraints() const { return constraints_; }
  const std::vector<RootMove>& moves() const { return moves_; }
  bool is_open() const { return open_; }
  bool is_full() const { return full_; }
  std::int64_t budget() const { return budget_; }

  // Starts counting for a new search of the root: how much it may spend, and whether it is a full one. `viewer` is
  // whose actions are included.
  void begin(const ConstraintTable& constraints, int viewer, Rng& rng) {
    constraints_ = constraints;
    viewer_ = viewer;
    const std::int64_t asked = constraints.constraints().visits;
    full_ = settings_.fast_visits <= 0 || asked > 0 || rng.uniform() < settings_.full_probability;
    budget_ = asked > 0 ? asked : full_ ? settings_.visits : settings_.fast_visits;
  }

  // Gives every action of an evaluated root its child, and the root its noise.
  void open(Arena& arena, Rng& rng) {
    Node<G>& node = *stats.node;
    for (int i = node.child_count; i < node.edge_count; ++i) open_child(arena, node, i);
    moves_.resize(static_cast<std::size_t>(node.edge_count));
    double mass = 0.0;
    for (int i = 0; i < node.edge_count; ++i) mass += static_cast<double>(node.edges[i].prior);
    for (int i = 0; i < node.edge_count; ++i) {
      RootMove& move = moves_[static_cast<std::size_t>(i)];
      move.action = static_cast<Action>(node.edges[i].label);
      move.prior = static_cast<double>(node.edges[i].prior) / mass;
      move.guaranteed_child = guaranteed.find(move.action);
      move.included = constraints_.is_included(move.action);
      move.allowed = constraints_.is_allowed(player(), move.action, 0);
    }
    std::vector<double> priors(moves_.size());
    for (std::size_t i = 0; i < priors.size(); ++i) priors[i] = moves_[i].prior;
    shape_priors(priors, settings_, full_, rng);
    for (std::size_t i = 0; i < priors.size(); ++i) node.edges[i].prior = static_cast<float>(priors[i]);
    open_ = true;
  }

  // Like open(), at a joint root: its choices are added by the node itself.
  void open_joint() { open_ = true; }

  // Ends a search of the root: the node gets back its priors as they were evaluated. Guaranteed visits stay for another
  // search of it.
  void close() {
    for (std::size_t i = 0; i < moves_.size(); ++i) stats.node->edges[i].prior = static_cast<float>(moves_[i].prior);
    moves_.clear();
    open_ = false;
  }

  // Visits that count against the budget. If everyone decides, guaranteed visits are among the root's: those of this
  // search and of earlier ones do not count, nor do free visits up to each included action's minimum.
  template <bool kWithWaiting>
  std::int64_t counted() const {
    std::int64_t exempt = 0;
    for_included_choices([&](int, std::int64_t visits, std::int64_t waiting) {
      exempt += std::min(visits + (kWithWaiting ? waiting : 0), include_visits());
    });
    if (!guaranteed.has_trees()) exempt = std::max(exempt, std::int64_t{guaranteed.stats.visits});
    return stats.visits + (kWithWaiting ? stats.waiting : 0) - exempt;
  }

  template <bool kWithWaiting>
  bool lacks_guaranteed() const {
    if (constraints_.constraints().include.empty()) return false;
    if (!open_) return true;
    bool lacks = next_guaranteed<kWithWaiting>() >= 0;
    for_included_choices([&](int, std::int64_t visits, std::int64_t waiting) {
      lacks = lacks || visits + (kWithWaiting ? waiting : 0) < include_visits();
    });
    return lacks;
  }

  // The included action (its index) that is furthest from its guaranteed visits; -1 if none lacks any.
  template <bool kWithWaiting>
  int next_guaranteed() const {
    int furthest = -1;
    std::int64_t fewest = include_visits();
    if (constraints_.constraints().include.empty()) return furthest;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      if (!moves_[i].included) continue;
      const Child<G>* made = guaranteed_child(i);
      const std::int64_t visits =
          made == nullptr ? 0 : std::int64_t{made->visits} + (kWithWaiting ? made->waiting : 0U);
      if (visits < fewest) fewest = visits, furthest = static_cast<int>(i);
    }
    return furthest;
  }

  // Like next_guaranteed(), for the viewer's choices at a joint root.
  int next_guaranteed_choice() const {
    int furthest = -1;
    std::int64_t fewest = include_visits();
    for_included_choices([&](int i, std::int64_t visits, std::int64_t waiting) {
      if (visits + waiting < fewest) fewest = visits + waiting, furthest = i;
    });
    return furthest;
  }

  void set_guaranteed_child(int move, int child) { moves_[static_cast<std::size_t>(move)].guaranteed_child = child; }

  // A move's guaranteed visits; null if there are none.
  const Child<G>* guaranteed_child(std::size_t i) const {
    return moves_[i].guaranteed_child < 0 ? nullptr : &guaranteed.stats.node->children[moves_[i].guaranteed_child];
  }

  // Return true if free visits may select the move.
  bool is_candidate(std::size_t i) const { return moves_[i].allowed || moves_[i].included; }

  // The number of free visits of a move, including those in progress.
  double free_visits(std::size_t i) const {
    return static_cast<double>(node().children[i].visits) + node().children[i].waiting;
  }

  // The action that the free visits favor, the better one of equals; -1 if there are none.
  int favorite() const {
    int best = -1;
    std::uint32_t most_visits = 0;
    for (int i = 0; i < static_cast<int>(moves_.size()); ++i) {
      const Child<G>& child = node().children[i];
      if (child.visits == 0 || child.visits < most_visits) continue;
      const bool is_better =
          best < 0 || child.visits > most_visits ||
          child_value(settings_, child, player()) > child_value(settings_, node().children[best], player());
      if (is_better) best = i, most_visits = child.visits;
    }
    return best;
  }

  // The favorite's value, with which guaranteed visits are compared. Visits in progress do not count.
  double favorite_value() const {
    if (!guaranteed.has_trees()) return -kLowest;
    const int index = favorite();
    if (index < 0) return -kLowest;
    Child<G> child = node().children[index];
    child.waiting = 0;
    return child_value(settings_, child, player());
  }

  // Return true if guaranteed visits prove an action to be better than the favorite. Then they count like free visits;
  // otherwise they only affect the values of that action.
  bool beats_favorite(std::size_t i, double favorite_value) const {
    const Child<G>* made = guaranteed_child(i);
    if (made == nullptr || made->visits == 0) return false;
    return joined(i).mean(player()) - guaranteed.margin(made->visits) > favorite_value;
  }

  // An action's free and guaranteed visits together. The node is the one with more visits below it.
  Child<G> joined(std::size_t i) const {
    Child<G> result = node().children[i];
    const Child<G>* made = guaranteed_child(i);
    if (made == nullptr) return result;
    if (made->visits > result.visits) result.node = made->node;
    result.visits += made->visits;
    result.sum.add(made->sum);
    return result;
  }

  // The statistics of an action: its free visits, and its guaranteed ones if they count like free visits.
  Child<G> known(std::size_t i, double favorite_value) const {
    return beats_favorite(i, favorite_value) ? joined(i) : node().children[i];
  }

  // The mean value of the free visits and of the guaranteed ones that count like them; the node's own evaluation if
  // there are none.
  Values<G> free_value() const {
    double visits = stats.visits;
    Values<G> sum = stats.sum;
    if (!guaranteed.has_trees()) {
      visits -= guaranteed.stats.visits;
      sum.add_scaled(guaranteed.stats.sum, -1.0);
    }
    const double favorite = favorite_value();
    for (std::size_t i = 0; i < moves_.size() && guaranteed.has_trees(); ++i) {
      if (!beats_favorite(i, favorite)) continue;
      visits += guaranteed_child(i)->visits;
      sum.add(guaranteed_child(i)->sum);
    }
    if (visits <= 0.0) return node().values();
    Values<G> result;
    result.add_scaled(sum, 1.0 / visits);
    return result;
  }

 private:
  std::int64_t include_visits() const { return constraints_.constraints().include_visits; }

  // visit(index, visits, waiting) for the viewer's included choices where everyone decides.
  template <class Visit>
  void for_included_choices([[maybe_unused]] const Visit& visit) const {
    if constexpr (G::kFacts.simultaneous) {
      if (constraints_.constraints().include.empty() || node().joint == nullptr) return;
      for (int i = 0; i < node().joint->count[viewer_]; ++i) {
        const Choice& choice = node().joint->choices[viewer_][i];
        if (constraints_.is_included(choice.action)) visit(i, choice.visits, choice.waiting);
      }
    }
  }

  const SearchSettings& settings_;
  ConstraintTable constraints_;
  std::vector<RootMove> moves_;
  std::int64_t budget_ = 0;
  int viewer_ = 0;
  bool full_ = true;
  bool open_ = false;
};

}  // namespace tengen
