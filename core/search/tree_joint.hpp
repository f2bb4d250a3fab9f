#pragma once

#include "search/tree.hpp"

// Nodes at which all players decide simultaneously; see tree.hpp.
namespace tengen {

template <Game G>
Child<G>* Tree<G>::descend_joint(Leaf<G>& leaf, Child<G>& self, int depth, Scratch& scratch) {
  if constexpr (G::kFacts.simultaneous) {
    Node<G>& node = *self.node;
    const int players = game_.facts().players;
    if (depth == 0 && !root_.is_open()) root_.open_joint();
    if (depth == 0) leaf.guaranteed_joint = root_.next_guaranteed_choice() >= 0;
    std::array<Action, G::kFacts.players> joint{};
    std::array<Action, G::kFacts.players> labels{};
    std::array<std::uint16_t, G::kFacts.players> picks{};
    const std::size_t played = leaf.played.size();
    for (int p = 0; p < players; ++p) {
      const auto index = static_cast<std::size_t>(p);
      const int pick = pick_choice(leaf, self, p, depth, scratch, joint[index]);
      if (pick < 0) {
        leaf.played.resize(played);
        return nullptr;
      }
      picks[index] = static_cast<std::uint16_t>(pick);
      labels[index] = node.joint->choices[p][pick].action;
    }
    const auto size = static_cast<std::size_t>(players);
    const std::uint64_t label = joint_label(std::span<const Action>(labels.data(), size), label_count());
    fit_cells(arena_, *node.joint);
    Child<G>& after = enter(leaf, node, find_or_add(arena_, node, picks, label));
    leaf.path.back().picks = picks;
    for (int p = 0; p < players; ++p) ++node.joint->choices[p][picks[static_cast<std::size_t>(p)]].waiting;
    game_.apply(leaf.state, std::span<const Action>(joint.data(), size));
    return &observe(leaf, after);
  }
  return nullptr;
}

// Return the labels of a player's choices: its actions, or the game's labels if actions differ between worlds.
template <Game G>
const Actions& Tree<G>::label_legal([[maybe_unused]] const State& state, [[maybe_unused]] int player,
                                    Scratch& scratch) const {
  if constexpr (HasActionLabels<G>) {
    if (player == viewer_) return scratch.legal;
    scratch.labels.clear();
    for (const Action action : scratch.legal) scratch.labels.push_back(game_.action_label(state, player, action));
    return scratch.labels;
  }
  return scratch.legal;
}

template <Game G>
int Tree<G>::label_count() const {
  if constexpr (HasActionLabels<G>) return game_.action_label_count();
  return game_.action_count();
}

// Return the priors of scratch.legal; empty means that all are equal.
template <Game G>
std::span<const float> Tree<G>::heuristic_priors([[maybe_unused]] const State& state, [[maybe_unused]] int player,
                                                 [[maybe_unused]] Scratch& scratch) const {
  if constexpr (HasHeuristicPolicy<G>) {
    if (!has_heuristic_policy_) return {};
    scratch.priors.resize(scratch.legal.size());
    game_.heuristic_policy(state, player, scratch.legal, scratch.priors);
    return scratch.priors;
  }
  return {};
}

// Marks which choices of a node can be made in this world; false: none.
template <Game G>
bool Tree<G>::find_available(const Joint<G>& joint, int player, int depth, Scratch& scratch) const {
  const std::span<const Choice> choices = joint.of(player);
  const bool at_root = depth == 0 && player == viewer_;
  const bool any_is_allowed = !root_.constraints().restricts(depth);
  const Actions& labels = HasActionLabels<G> && player != viewer_ ? scratch.labels : scratch.legal;
  const bool any_is_legal = !is_hidden() || is_same(choices, labels);
  scratch.available.assign(choices.size(), any_is_legal && any_is_allowed ? 1 : 0);
  if (any_is_legal && any_is_allowed) return true;
  bool any = false;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    Action action = choices[i].action;
    if (is_hidden()) {
      const auto at = static_cast<std::size_t>(std::find(labels.begin(), labels.end(), action) - labels.begin());
      if (at == labels.size()) continue;
      action = scratch.legal[at];
    }
    const bool allowed = any_is_allowed || root_.constraints().is_allowed(player, action, depth) ||
                         (at_root && root_.constraints().is_included(action));
    if (allowed) scratch.available[i] = 1, any = true;
  }
  return any;
}

// One player's choice where everyone decides; `action` is what it means in this world.
template <Game G>
int Tree<G>::pick_choice(Leaf<G>& leaf, const Child<G>& self, int player, int depth, Scratch& scratch, Action& action) {
  if constexpr (G::kFacts.simultaneous) {
    Node<G>& node = *self.node;
    // Only a visit that every player chose freely teaches the others.
    const bool teaches = !(depth == 0 && leaf.guaranteed_joint);
    if (!teaches && player == viewer_) {
      const int pick = root_.next_guaranteed_choice();
      action = node.joint->choices[player][pick].action;
      return pick;
    }
    if (is_hidden() || node.joint->count[player] == 0) {
      game_.legal(leaf.state, player, scratch.legal);
      const Actions& labels = label_legal(leaf.state, player, scratch);
      if (!is_same(node.joint->of(player), labels) && has_new_choices(*node.joint, player, labels)) {
        add_choices(arena_, *node.joint, player, labels, heuristic_priors(leaf.state, player, scratch));
      }
    }
    if (!find_available(*node.joint, player, depth, scratch)) return -1;
    Rng& random = rng(leaf);
    int pick = -1;
    if (random.uniform() < blind_share(settings_, self.visits)) {
      pick = select_blindly(scratch.available, random);
    } else {
      pick = std::visit(
          [&](const auto& policy) { return policy.select(self, player, scratch.available, scratch.strategy, random); },
          policies_.joint);
      for (std::size_t i = 0; teaches && i < scratch.strategy.size(); ++i) {
        const double share = scratch.strategy[i];
        if (share <= 0.0) continue;
        leaf.played.push_back({&node, static_cast<std::uint16_t>(player), static_cast<std::uint16_t>(i), share});
      }
    }
    action = node.joint->choices[player][pick].action;
    if constexpr (HasActionLabels<G>) {
      if (player != viewer_) {
        const auto place = std::find(scratch.labels.begin(), scratch.labels.end(), action) - scratch.labels.begin();
        action = scratch.legal[static_cast<std::size_t>(place)];
      }
    }
    return pick;
  }
  return -1;
}

// Most leaves are never gone on from: without an evaluator's policy the choices below the root are found when they are
// first made.
template <Game G>
void Tree<G>::add_joint_policy([[maybe_unused]] Leaf<G>& leaf, [[maybe_unused]] const Evaluation<G>& evaluation) {
  if constexpr (G::kFacts.simultaneous) {
    Node<G>& node = *leaf.node;
    if (node.joint == nullptr) {
      node.joint = arena_.template allocate<Joint<G>>(1);
      *node.joint = Joint<G>{};
    }
    for (int p = 0; p < game_.facts().players; ++p) {
      const auto index = static_cast<std::size_t>(p);
      if (evaluation.priors[index].empty() && !leaf.path.empty()) continue;
      Scratch scratch;
      scratch.legal = leaf.legal[index];
      const auto priors =
          evaluation.priors[index].empty() ? heuristic_priors(leaf.state, p, scratch) : evaluation.priors[index];
      add_choices(arena_, *node.joint, p, label_legal(leaf.state, p, scratch), priors);
    }
  }
}

template <Game G>
void Tree<G>::backup_joint(Leaf<G>& leaf, std::size_t index, const Values<G>& values) {
  if constexpr (G::kFacts.simultaneous) {
    Node<G>& node = *leaf.path[index].node;
    if (node.joint == nullptr) return;
    const auto& picks = leaf.path[index].picks;
    const int players = game_.facts().players;
    for (int p = 0; p < players; ++p) {
      Choice& choice = node.joint->choices[p][picks[static_cast<std::size_t>(p)]];
      --choice.waiting;
      ++choice.visits;
      choice.sum += values.player(p);
    }
    if (index == 0 && leaf.guaranteed_joint) return;
    std::visit(
        [&](const auto& policy) { policy.learn(node, picks, values, stats_at(leaf, index), players, label_count()); },
        policies_.joint);
  }
}

}  // namespace tengen
