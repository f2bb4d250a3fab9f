#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "search/bandit.hpp"

// Nodes at which all players decide simultaneously: one set of statistics per player, one child per joint action. A
// joint policy, which the tree is given, selects the choices.
namespace tengen {

// The label of a joint action: its actions as digits if that fits into 64 bits, otherwise a hash.
inline std::uint64_t joint_label(std::span<const Action> joint, int action_count) {
  const auto base = static_cast<std::uint64_t>(action_count);
  std::uint64_t label = 0;
  bool fits = true;
  for (const Action action : joint) {
    fits = fits && label <= (std::numeric_limits<std::uint64_t>::max() - base) / base;
    label = (fits ? label : mix64(label)) * base + static_cast<std::uint64_t>(action);
  }
  return fits ? label : mix64(label);
}

// Return true if a node has exactly these choices in this order, which is the usual case.
inline bool is_same(std::span<const Choice> choices, const Actions& labels) {
  return std::equal(choices.begin(), choices.end(), labels.begin(), labels.end(),
                    [](const Choice& choice, Action label) { return choice.action == label; });
}

// Return true if some of a player's choices are new to the node.
template <Game G>
bool has_new_choices(const Joint<G>& joint, int player, const Actions& labels) {
  const std::span<const Choice> known = joint.of(player);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (i < known.size() && known[i].action == labels[i]) continue;
    if (std::none_of(known.begin(), known.end(), [&](const Choice& c) { return c.action == labels[i]; })) return true;
  }
  return false;
}

// Add the choices of a player that are new to the node. If `priors` is empty, all have the same prior.
template <Game G>
void add_choices(Arena& arena, Joint<G>& joint, int player, const Actions& legal, std::span<const float> priors) {
  auto& count = joint.count[player];
  Choice*& choices = joint.choices[player];
  std::vector<Choice> all(choices, choices + count);
  for (std::size_t i = 0; i < legal.size(); ++i) {
    const float prior = priors.empty() ? 1.0F / static_cast<float>(legal.size()) : priors[i];
    const bool known =
        std::any_of(all.begin(), all.begin() + count, [&](const Choice& c) { return c.action == legal[i]; });
    if (known) continue;
    Choice made;
    made.action = legal[i];
    made.prior = prior;
    all.push_back(made);
  }
  if (all.size() == count) return;
  choices = arena.allocate<Choice>(all.size());
  std::copy(all.begin(), all.end(), choices);
  count = static_cast<std::uint16_t>(all.size());
}

inline constexpr std::size_t kMaxCells = 4096;

// Give a node of two players a table of its children by their choices when it is first descended from.
template <Game G>
void fit_cells(Arena& arena, Joint<G>& joint) {
  if constexpr (G::kFacts.players == 2) {
    const std::size_t size = std::size_t{joint.count[0]} * joint.count[1];
    if (joint.has_cells() || size > kMaxCells) return;
    auto* cells = arena.allocate<std::int16_t>(size);
    std::fill_n(cells, size, std::int16_t{-1});
    for (int i = 0; i < joint.rows; ++i) {
      std::copy_n(joint.cells + i * joint.columns, joint.columns, cells + i * joint.count[1]);
    }
    if (joint.cells != nullptr) {
      arena.release(joint.cells, static_cast<std::size_t>(joint.rows) * joint.columns);
    }
    joint.cells = cells;
    joint.rows = joint.count[0];
    joint.columns = joint.count[1];
  }
}

// The child of a joint action, made if it is new.
template <Game G>
int find_or_add(Arena& arena, Node<G>& node, std::span<const std::uint16_t> picks, std::uint64_t label) {
  if constexpr (G::kFacts.players == 2) {
    if (node.joint->has_cells()) {
      std::int16_t& cell = node.joint->cell(picks[0], picks[1]);
      if (cell < 0) cell = static_cast<std::int16_t>(find_or_add(arena, node, label));
      return cell;
    }
  }
  return find_or_add(arena, node, label);
}

// Undo find_or_add() for the child of a joint action; see close_child().
template <Game G>
void close_joint_child(Arena& arena, Node<G>& node, int index) {
  const Joint<G>& joint = *node.joint;
  const std::size_t size = joint.cells == nullptr ? 0 : std::size_t{joint.rows} * joint.columns;
  for (std::int16_t& cell : std::span(joint.cells, size)) {
    if (cell == index) {
      cell = -1;
    } else if (cell == node.child_count - 1) {
      cell = static_cast<std::int16_t>(index);
    }
  }
  close_child(arena, node, index);
}

inline int draw(std::span<const double> weights, double total, Rng& rng) {
  double rest = rng.uniform() * total;
  int last = -1;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0.0) continue;
    last = static_cast<int>(i);
    rest -= weights[i];
    if (rest < 0.0) break;
  }
  return last;
}

// The share of visits that pick blindly: it keeps every joint action in sight and fades as a node is known better.
inline double blind_share(const SearchSettings& settings, double visits) {
  return settings.joint_exploration * std::min(1.0, 10.0 / std::sqrt(std::max(1.0, visits)));
}

inline int select_blindly(const std::vector<char>& available, Rng& rng) {
  auto skip = static_cast<std::ptrdiff_t>(
      rng.below(static_cast<std::uint32_t>(std::count(available.begin(), available.end(), char{1}))));
  for (std::size_t i = 0;; ++i) {
    if (available[i] && skip-- == 0) return static_cast<int>(i);
  }
}

// A joint policy has:
//   select    a player's pick among its available choices at the node of `self`. It leaves the strategy that it drew
//             from in `strategy`, which is empty if it has none
//   learn     a visit that teaches played `picks` and was worth `values`
//   weights   how much each of a player's choices counts in the strategy that the search stands for; all are 0 only if
//             none was visited

// Regret matching: the average strategy tends to an equilibrium.
template <Game G>
class RegretMatching {
 public:
  int select(const Child<G>& self, int player, const std::vector<char>& available, std::vector<double>& strategy,
             Rng& rng) const {
    match(self.node->joint->of(player), available, strategy);
    return draw(strategy, 1.0, rng);
  }

  // Add to the regret of each other choice its value against the same choices of the others, if that joint action was
  // tried.
  void learn(Node<G>& node, std::span<const std::uint16_t> picks, const Values<G>& values, const Child<G>& self,
             int players, int action_count) const;

  // The average strategy. Blind and guaranteed visits do not add to it: if there are no others, the strategy to play
  // now among the visited choices takes its place.
  std::vector<double> weights(std::span<const Choice> choices) const {
    std::vector<double> result;
    double total = 0.0;
    for (const Choice& choice : choices) {
      result.push_back(choice.strategy);
      total += choice.strategy;
    }
    if (total > 0.0) return result;
    std::vector<char> visited;
    for (const Choice& choice : choices) visited.push_back(choice.visits > 0 ? 1 : 0);
    if (std::count(visited.begin(), visited.end(), char{1}) > 0) match(choices, visited, result);
    return result;
  }

 private:
  static void learn_by_cells(Node<G>& node, std::span<const std::uint16_t> picks, const Values<G>& values,
                             const Child<G>& self);

  // Compute the strategy to play now among the available choices: in proportion to the positive regrets, or to the
  // priors if no regret is positive.
  static void match(std::span<const Choice> choices, const std::vector<char>& available, std::vector<double>& out) {
    out.assign(choices.size(), 0.0);
    double total = 0.0;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (available[i]) total += out[i] = std::max(0.0, choices[i].regret);
    }
    if (total <= 0.0) {
      for (std::size_t i = 0; i < choices.size(); ++i) {
        if (available[i]) total += out[i] = std::max(1e-9, static_cast<double>(choices[i].prior));
      }
    }
    for (double& p : out) p /= total;
  }
};

// Decoupled: each player picks by PUCT or UCB1 as if it were alone.
template <Game G, class Bandit>
class DecoupledBandit {
 public:
  explicit DecoupledBandit(const SearchSettings& settings) : settings_(settings) {}

  int select(const Child<G>& self, int player, const std::vector<char>& available, std::vector<double>& strategy,
             Rng& rng) const {
    strategy.clear();
    const std::span<const Choice> choices = self.node->joint->of(player);
    double parent_visits = 0.0;
    double mass = 0.0;
    int unvisited = 0;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (!available[i]) continue;
      parent_visits += choices[i].visits + choices[i].waiting;
      mass += static_cast<double>(choices[i].prior);
      if (choices[i].visits + choices[i].waiting == 0) ++unvisited;
    }
    if (!Bandit::kUsesPriors && unvisited > 0) {
      int skip = static_cast<int>(rng.below(static_cast<std::uint32_t>(unvisited)));
      for (std::size_t i = 0; i < choices.size(); ++i) {
        if (available[i] && choices[i].visits + choices[i].waiting == 0 && skip-- == 0) return static_cast<int>(i);
      }
    }
    const Bandit rule(settings_, std::max(1.0, parent_visits));
    int best = -1;
    double best_score = kLowest;
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (!available[i]) continue;
      const Choice& c = choices[i];
      const double counted = c.visits + settings_.virtual_loss * c.waiting;
      const double value = counted > 0.0 ? (c.sum - settings_.virtual_loss * c.waiting) / counted : self.mean(player);
      const double prior = mass > 0.0 ? static_cast<double>(c.prior) / mass : 0.0;
      const double s = value + rule.bonus(prior, static_cast<double>(c.visits) + c.waiting);
      if (s > best_score) best_score = s, best = static_cast<int>(i);
    }
    return best;
  }

  // The strategy is the share of visits in which every player picked freely: guaranteed visits say nothing about it.
  void learn(Node<G>& node, std::span<const std::uint16_t> picks, const Values<G>& /*values*/, const Child<G>& /*self*/,
             int players, int /*action_count*/) const {
    for (int player = 0; player < players; ++player) {
      node.joint->choices[player][picks[static_cast<std::size_t>(player)]].strategy += 1.0;
    }
  }

  std::vector<double> weights(std::span<const Choice> choices) const {
    std::vector<double> result;
    double total = 0.0;
    for (const Choice& choice : choices) {
      result.push_back(choice.strategy);
      total += choice.strategy;
    }
    if (total > 0.0) return result;
    // All visits are guaranteed ones.
    for (std::size_t i = 0; i < choices.size(); ++i) result[i] = choices[i].visits;
    return result;
  }

 private:
  const SearchSettings& settings_;
};

template <Game G>
void RegretMatching<G>::learn_by_cells(Node<G>& node, std::span<const std::uint16_t> picks, const Values<G>& values,
                                       const Child<G>& self) {
  const Joint<G>& joint = *node.joint;
  for (int player = 0; player < 2; ++player) {
    const double got = values.player(player);
    const double untried = (self.visits > 0 ? self.mean(player) : got) - got;
    const std::span<Choice> choices = joint.of(player);
    for (int i = 0; i < static_cast<int>(choices.size()); ++i) {
      if (i == picks[static_cast<std::size_t>(player)]) continue;
      const int cell = player == 0 ? joint.cell(i, picks[1]) : joint.cell(picks[0], i);
      const bool is_tried = cell >= 0 && node.children[cell].visits > 0;
      choices[static_cast<std::size_t>(i)].regret += is_tried ? node.children[cell].mean(player) - got : untried;
    }
  }
}

template <Game G>
void RegretMatching<G>::learn(Node<G>& node, std::span<const std::uint16_t> picks, const Values<G>& values,
                              const Child<G>& self, int players, int action_count) const {
  if constexpr (G::kFacts.players == 2) {
    if (node.joint->has_cells()) return learn_by_cells(node, picks, values, self);
  }
  std::array<Action, G::kFacts.players> joint{};
  const auto size = static_cast<std::size_t>(players);
  for (std::size_t p = 0; p < size; ++p) joint[p] = node.joint->choices[p][picks[p]].action;
  for (std::size_t p = 0; p < size; ++p) {
    const int player = static_cast<int>(p);
    const double got = values.player(player);
    const Action played = joint[p];
    for (int i = 0; i < node.joint->count[p]; ++i) {
      Choice& choice = node.joint->choices[p][i];
      if (choice.action == played) continue;
      joint[p] = choice.action;
      const std::uint64_t label = joint_label(std::span<const Action>(joint.data(), size), action_count);
      double other = self.visits > 0 ? self.mean(player) : got;
      for (int cell = 0; cell < node.child_count; ++cell) {
        if (node.edges[cell].label == label && node.children[cell].visits > 0) {
          other = node.children[cell].mean(player);
          break;
        }
      }
      choice.regret += other - got;
    }
    joint[p] = played;
  }
}

// No virtual calls: a visit makes three at every such node.
template <Game G>
using JointPolicy = std::variant<RegretMatching<G>, DecoupledBandit<G, Puct>, DecoupledBandit<G, Ucb1>>;

}  // namespace tengen
