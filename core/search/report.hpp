#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <tuple>
#include <vector>

#include "search/tree.hpp"

// The result of a search.
namespace tengen {

struct MoveReport {
  int player = 0;
  Action action = 0;
  std::int64_t visits = 0;
  double prior = 0.0;   // as evaluated, before noise and temperature
  double weight = 0.0;  // the visits that the search would have made of its own accord
  double policy = 0.0;  // share in the policy that the search stands for
  bool included = false;
  bool proven = false;
  std::vector<double> values;  // one a player, in the game's unit
  std::vector<double> spread;  // one a player: the standard deviation of the evaluations under it, if asked for
  Actions line;                // the principal variation, this action first
  std::vector<std::int64_t> line_visits;
  std::vector<float> aux;         // averaged over the visits, if asked for
  std::vector<float> deviations;  // their standard deviations, if asked for
  // Values and aux over the visits that the weight counts, if guaranteed visits are left out of it.
  std::vector<double> free_values;
  std::vector<float> free_aux;
  std::vector<float> free_deviations;
  // If two players decide simultaneously: the results against each choice of the opponent, most visited first.
  std::vector<std::tuple<Action, std::int64_t, double>> replies;  // action, visits, value for `player`
};

// Optional parts of a report, each of which requires a walk through the whole tree.
struct ReportOptions {
  bool spread = false;
  bool aux = false;
  bool deviations = false;  // of the aux
};

struct RootReport {
  std::int64_t visits = 0;
  std::int64_t guaranteed_visits = 0;
  std::int64_t nodes = 0;
  std::int64_t bytes = 0;
  bool is_done = false;
  bool is_full = true;  // false: a fast search of a randomized playout cap
  bool proven = false;
  std::vector<double> values;
  std::vector<double> raw_values;  // the root's own evaluation
  std::vector<MoveReport> moves;   // visited, or with a share in the policy; best first
  std::vector<float> aux;          // of all visits
  std::vector<float> deviations;
  std::vector<float> raw_aux;  // of the root's own evaluation
  Actions actions;             // with spread: what is legal at the root,
  std::vector<double> priors;  // and its priors as evaluated
};

// Best first: what is answered, then by weight, visits, the player's value.
void order_moves(std::vector<MoveReport>& moves, int player, Action best);
// By player, then by policy.
void order_choices(std::vector<MoveReport>& moves);
void order_replies(MoveReport& report);

template <Game G>
class Reporter {
 public:
  Reporter(const Tree<G>& tree, const ReportOptions& options) : tree_(tree), options_(options) {}

  RootReport report() const {
    RootReport result;
    const Root<G>& root = tree_.root();
    result.visits = tree_.visits();
    result.nodes = tree_.nodes();
    result.bytes = static_cast<std::int64_t>(tree_.bytes());
    result.is_done = tree_.is_done();
    result.is_full = root.is_full();
    result.guaranteed_visits = result.visits - root.template counted<false>();
    result.proven = tree_.root().node().is_proven();
    result.raw_values = in_unit(tree_.root().node().values());
    result.values = result.raw_values;
    if (options_.aux || options_.deviations) {
      Survey survey = survey_below(verdict());
      result.aux = std::move(survey.aux);
      result.deviations = std::move(survey.deviations);
      if constexpr (HasAux<G>) {
        const float* own = tree_.root().node().aux;
        if (own != nullptr) result.raw_aux.assign(own, own + tree_.aux_count());
      }
    }
    if (!root.is_open()) {
      // The root was only evaluated, so the report has its policy and no moves.
      for (int i = 0; options_.spread && i < tree_.root().node().edge_count; ++i) {
        result.actions.push_back(static_cast<Action>(tree_.root().node().edges[i].label));
        result.priors.push_back(static_cast<double>(tree_.root().node().edges[i].prior));
      }
      if (is_joint(tree_.root().node())) add_policy_of_viewer(result);
      return result;
    }
    if (is_joint(tree_.root().node())) {
      add_choices_of_all(result);
    } else {
      add_moves(result);
    }
    return result;
  }

 private:
  using Tops = std::vector<const Child<G>*>;

  static bool is_joint([[maybe_unused]] const Node<G>& node) {
    if constexpr (G::kFacts.simultaneous) return node.joint != nullptr;
    return false;
  }

  std::vector<double> in_unit(const Values<G>& values) const {
    std::vector<double> result;
    for (int p = 0; p < tree_.game().facts().players; ++p)
      result.push_back(values.player(p) * tree_.game().payoff_scale());
    return result;
  }

  static Values<G> mean(const Child<G>& child) {
    if (child.node->is_proven()) return child.node->values();
    Values<G> result;
    if (child.visits > 0) result.add_scaled(child.sum, 1.0 / child.visits);
    return result;
  }

  // The root's free visits and the guaranteed ones that count like them.
  Tops verdict() const {
    const Root<G>& root = tree_.root();
    Tops tops{&root.stats};
    const double favorite_value = root.favorite_value();
    for (std::size_t i = 0; i < root.moves().size(); ++i) {
      if (root.beats_favorite(i, favorite_value)) tops.push_back(root.guaranteed_child(i));
    }
    return tops;
  }

  void add_moves(RootReport& result) const {
    const Root<G>& root = tree_.root();
    const RootPolicy<G>& selection = *tree_.policies().root;
    const Node<G>& node = root.node();
    const int player = root.player();
    const double favorite_value = root.favorite_value();
    const auto weights = selection.weights(root);
    const auto policy = selection.policy(root);
    const int best = selection.best(root);
    for (std::size_t i = 0; i < root.moves().size(); ++i) {
      const RootMove& move = root.moves()[i];
      const Child<G> child = root.joined(i);
      if (options_.spread) result.actions.push_back(move.action), result.priors.push_back(move.prior);
      if (child.visits == 0 && policy[i] <= 0.0) continue;
      MoveReport report;
      report.player = player;
      report.action = move.action;
      report.visits = child.visits;
      report.prior = move.prior;
      report.weight = weights[i];
      report.policy = policy[i];
      report.included = move.included;
      report.proven = child.node->is_proven();
      report.values = in_unit(child.visits > 0 ? mean(child) : node.values());
      follow(child, report);
      const Child<G>* guaranteed = root.guaranteed_child(i);
      add_survey(node.children[i], guaranteed, report);
      if (guaranteed != nullptr && node.children[i].visits > 0 && !root.beats_favorite(i, favorite_value)) {
        add_free(node.children[i], report);
      }
      result.moves.push_back(std::move(report));
    }
    // Guaranteed visits say nothing about the position: it is worth what the free ones support.
    result.values = in_unit(node.is_proven() ? node.values() : selection.value(root));
    const Action best_action = best >= 0 ? root.moves()[static_cast<std::size_t>(best)].action : -1;
    order_moves(result.moves, player, best_action);
  }

  void add_survey(const Child<G>& free, const Child<G>* guaranteed, MoveReport& report) const {
    if (!options_.spread && !options_.aux && !options_.deviations) return;
    Tops tops{&free};
    if (guaranteed != nullptr) tops.push_back(guaranteed);
    Survey survey = survey_below(tops);
    report.spread = std::move(survey.spread);
    report.aux = std::move(survey.aux);
    report.deviations = std::move(survey.deviations);
  }

  void add_free(const Child<G>& free, MoveReport& report) const {
    report.free_values = in_unit(mean(free));
    if (!options_.aux && !options_.deviations) return;
    Survey survey = survey_below({&free});
    report.free_aux = std::move(survey.aux);
    report.free_deviations = std::move(survey.deviations);
  }

  // Add the policy of the viewer, or of the first player, at a joint root.
  void add_policy_of_viewer([[maybe_unused]] RootReport& result) const {
    if constexpr (G::kFacts.simultaneous) {
      const Joint<G>& joint = *tree_.root().node().joint;
      const int player = std::max(0, tree_.viewer());
      for (int i = 0; options_.spread && i < joint.count[player]; ++i) {
        result.actions.push_back(joint.choices[player][i].action);
        result.priors.push_back(static_cast<double>(joint.choices[player][i].prior));
      }
    }
  }

  // Add each player's average strategy at a joint root.
  void add_choices_of_all(RootReport& result) const {
    if constexpr (G::kFacts.simultaneous) {
      const Joint<G>& joint = *tree_.root().node().joint;
      result.values = in_unit(tree_.root().free_value());
      add_policy_of_viewer(result);
      for (int p = 0; p < tree_.game().facts().players; ++p) {
        const std::vector<double> weights =
            std::visit([&](const auto& policy) { return policy.weights(joint.of(p)); }, tree_.policies().joint);
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
        for (int i = 0; i < joint.count[p]; ++i) {
          const Choice& choice = joint.choices[p][i];
          const double weight = weights[static_cast<std::size_t>(i)];
          if (choice.visits == 0 && weight <= 0.0) continue;
          MoveReport report;
          report.player = p;
          report.action = choice.action;
          report.visits = choice.visits;
          report.prior = static_cast<double>(choice.prior);
          report.weight = weight;
          report.policy = weight / total;
          report.included = p == tree_.viewer() && tree_.root().constraints().is_included(choice.action);
          if (report.included) report.weight = std::max(report.weight, kMinWeight);
          report.values = result.values;
          if (choice.visits > 0) {
            report.values[static_cast<std::size_t>(p)] = choice.sum / choice.visits * tree_.game().payoff_scale();
          }
          report.line = {choice.action};
          report.line_visits = {report.visits};
          if (tree_.game().facts().players == 2) add_replies(report);
          result.moves.push_back(std::move(report));
        }
      }
      order_choices(result.moves);
    }
  }

  void add_replies(MoveReport& report) const {
    const Node<G>& node = tree_.root().node();
    const auto count = static_cast<std::uint64_t>(tree_.label_count());
    const bool is_first = report.player == 0;
    for (int i = 0; i < node.child_count; ++i) {
      const Child<G>& child = node.children[i];
      const std::uint64_t first = node.edges[i].label / count;
      const std::uint64_t second = node.edges[i].label % count;
      if (static_cast<Action>(is_first ? first : second) != report.action || child.visits == 0) continue;
      const double value = mean(child).player(report.player) * tree_.game().payoff_scale();
      report.replies.emplace_back(static_cast<Action>(is_first ? second : first), child.visits, value);
    }
    order_replies(report);
  }

  // The most visited way on, as far as it is one player's word at a time: chance and joint decisions end it.
  void follow(const Child<G>& first, MoveReport& report) const {
    const bool hidden = G::kFacts.hidden && tree_.game().facts().hidden;
    report.line.push_back(report.action);
    report.line_visits.push_back(first.visits);
    const Child<G>* child = &first;
    for (;;) {
      const Node<G>* node = child->node;
      if (hidden) {
        if (node->child_count != 1) return;
        child = &node->children[0];
        node = child->node;
      }
      if (node->actor < 0 || is_joint(*node) || node->child_count == 0) return;
      int best = 0;
      for (int i = 1; i < node->child_count; ++i) {
        if (node->children[i].visits > node->children[best].visits) best = i;
      }
      child = &node->children[best];
      if (child->visits == 0) return;
      report.line.push_back(static_cast<Action>(node->edges[best].label));
      report.line_visits.push_back(child->visits);
    }
  }

  struct Survey {
    std::vector<double> spread;
    std::vector<float> aux;
    std::vector<float> deviations;
  };

  // Means and standard deviations of the evaluations under nodes, each node's weighted by the visits that ended there.
  Survey survey_below(const Tops& tops) const {
    std::size_t count = 0;
    if constexpr (HasAux<G>) count = options_.aux || options_.deviations ? tree_.aux_count() : 0;
    std::vector<double> sums(count, 0.0);
    std::vector<double> squares(options_.deviations ? count : 0, 0.0);
    double total = 0.0;
    double visits = 0.0;
    Values<G> value_squares;
    Tops open = tops;
    while (!open.empty()) {
      const Child<G>& child = *open.back();
      open.pop_back();
      const Node<G>& node = *child.node;
      double ended = child.visits;
      for (int i = 0; i < node.child_count; ++i) {
        ended -= node.children[i].visits;
        if (node.children[i].visits > 0) open.push_back(&node.children[i]);
      }
      if (ended <= 0.0) continue;
      visits += ended;
      for (int i = 0; i < kValueCount<G>; ++i) value_squares.of[i] += ended * node.values().of[i] * node.values().of[i];
      if constexpr (HasAux<G>) {
        if (node.aux == nullptr) continue;
        total += ended;
        for (std::size_t i = 0; i < count; ++i) sums[i] += ended * static_cast<double>(node.aux[i]);
        for (std::size_t i = 0; i < squares.size(); ++i) {
          squares[i] += ended * static_cast<double>(node.aux[i]) * static_cast<double>(node.aux[i]);
        }
      }
    }
    Survey result;
    if (options_.spread && visits > 0.0) result.spread = spread_of(mean_of(tops), value_squares, visits);
    if (total <= 0.0) return result;
    for (const double sum : sums) result.aux.push_back(static_cast<float>(sum / total));
    for (std::size_t i = 0; i < squares.size(); ++i) {
      const double mean = sums[i] / total;
      result.deviations.push_back(static_cast<float>(std::sqrt(std::max(0.0, squares[i] / total - mean * mean))));
    }
    return result;
  }

  static Values<G> mean_of(const Tops& tops) {
    Child<G> all = *tops[0];
    for (std::size_t i = 1; i < tops.size(); ++i) {
      all.visits += tops[i]->visits;
      all.sum.add(tops[i]->sum);
    }
    return mean(all);
  }

  std::vector<double> spread_of(const Values<G>& mean_of_all, const Values<G>& squares, double visits) const {
    std::vector<double> result;
    for (int p = 0; p < tree_.game().facts().players; ++p) {
      const int i = kValueCount<G> == 1 ? 0 : p;
      const double mean_square = squares.of[i] / visits;
      const double variance = std::max(0.0, mean_square - mean_of_all.of[i] * mean_of_all.of[i]);
      result.push_back(std::sqrt(variance) * tree_.game().payoff_scale());
    }
    return result;
  }

  const Tree<G>& tree_;
  ReportOptions options_;
};

}  // namespace tengen

// Compiled once in report.cpp, not for every game.
extern template class std::vector<tengen::MoveReport>;
