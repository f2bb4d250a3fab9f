#pragma once

#include "search/tree.hpp"

// Tree reuse between moves; see tree.hpp.
namespace tengen {

// Copy a subtree into fresh memory, so that the memory of the whole old tree can be freed.
template <Game G>
Child<G> Tree<G>::move_subtree(const Child<G>& from, Arena& target) {
  const auto copy_node = [&](const Node<G>& old) {
    auto* node = target.template allocate<Node<G>>(1);
    *node = old;
    node->child_capacity = old.child_count;
    if (old.edge_count > 0) {
      node->edges = target.template allocate<Edge<G>>(static_cast<std::size_t>(old.edge_count));
      std::copy_n(old.edges, old.edge_count, node->edges);
    }
    if (old.child_count > 0) {
      node->children = target.template allocate<Child<G>>(static_cast<std::size_t>(old.child_count));
      std::copy_n(old.children, old.child_count, node->children);
    }
    if constexpr (HasAux<G>) {
      if (old.aux != nullptr) {
        node->aux = target.template allocate<float>(aux_count_);
        std::copy_n(old.aux, aux_count_, node->aux);
      }
    }
    if constexpr (G::kFacts.simultaneous) {
      if (old.joint != nullptr) {
        node->joint = target.template allocate<Joint<G>>(1);
        *node->joint = *old.joint;
        for (int p = 0; p < game_.facts().players; ++p) {
          node->joint->choices[p] = target.template allocate<Choice>(old.joint->count[p]);
          std::copy_n(old.joint->choices[p], old.joint->count[p], node->joint->choices[p]);
        }
        if (old.joint->cells != nullptr) {
          const std::size_t size = static_cast<std::size_t>(old.joint->rows) * old.joint->columns;
          node->joint->cells = target.template allocate<std::int16_t>(size);
          std::copy_n(old.joint->cells, size, node->joint->cells);
        }
      }
    }
    return node;
  };
  Child<G> result = from;
  result.node = copy_node(*from.node);
  std::vector<Node<G>*> open{result.node};
  while (!open.empty()) {
    Node<G>* node = open.back();
    open.pop_back();
    for (int i = 0; i < node->child_count; ++i) {
      if (node->children[i].visits > 0) ++nodes_;
      node->children[i].node = copy_node(*node->children[i].node);
      open.push_back(node->children[i].node);
    }
  }
  return result;
}

// The child that an action leads to, the larger one where guaranteed visits made another; without a node if it was
// never visited.
template <Game G>
Child<G> Tree<G>::child_after(std::span<const Action> actions, int actor) const {
  auto label = static_cast<Label<G>>(actions[0]);
  if constexpr (G::kFacts.simultaneous) {
    if (actor == kEveryone) {
      Actions labels(actions.begin(), actions.end());
      if constexpr (HasActionLabels<G>) {
        for (int p = 0; p < game_.facts().players; ++p) {
          const auto i = static_cast<std::size_t>(p);
          if (p != viewer_) labels[i] = game_.action_label(state_, p, labels[i]);
        }
      }
      label = joint_label(labels, label_count());
    }
  }
  Child<G> result;
  for (const Node<G>* node : {&root_.node(), static_cast<const Node<G>*>(root_.guaranteed.stats.node)}) {
    for (int i = 0; node != nullptr && i < node->child_count; ++i) {
      if (node->edges[i].label == label && node->children[i].visits > result.visits) result = node->children[i];
    }
  }
  return result;
}

template <Game G>
void Tree<G>::advance(std::span<const Action> actions, const State* next) {
  if (is_waiting()) throw std::logic_error("advance: leaves of this root wait for supply() or abandon()");
  const int actor = game_.actor(state_);
  Child<G> child = observing_ && actor == kChance ? root_.stats : child_after(actions, actor);
  // Call all game hooks before changing state: if one throws, the tree is unchanged.
  State after = next != nullptr ? *next : state_;
  if (next == nullptr && actor == kEveryone) {
    if constexpr (G::kFacts.simultaneous) game_.apply(after, actions);
  } else if (next == nullptr) {
    game_.apply(after, actions[0]);
  }
  bool observing = false;
  if constexpr (G::kFacts.hidden) {
    if (is_hidden()) {
      observing = game_.actor(after) == kChance;
      if (!observing && child.node != nullptr) {
        const Node<G>& seen = *child.node;
        const std::uint64_t label = view_label(after);
        child = Child<G>{};
        for (int i = 0; i < seen.child_count; ++i) {
          if (seen.edges[i].label == label && seen.children[i].visits > 0) child = seen.children[i];
        }
      }
    }
  }
  const Node<G> fresh;
  Opening opening = look_up(after, child.node != nullptr ? *child.node : fresh);
  state_ = after;
  worlds_.clear();
  observing_ = observing;
  root_.close();
  root_.guaranteed.clear();
  nodes_ = child.node != nullptr ? 1 : 0;
  Arena kept;
  if (child.node != nullptr) child = move_subtree(child, kept);
  arena_ = std::move(kept);
  root_.stats = child;
  if (root_.stats.node == nullptr) root_.stats.node = make_node();
  begin(Constraints{}, opening);
}

}  // namespace tengen
