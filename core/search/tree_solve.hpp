#pragma once

#include "search/tree.hpp"

// Exact values; see tree.hpp.
namespace tengen {

// A position with a move that wins at once, or a win that the game itself proves, needs no evaluation: it is won.
// `values` are then its exact ones.
template <Game G>
bool Tree<G>::is_won(const Leaf<G>& leaf, Values<G>& values) const {
  if constexpr (HasForcedWin<G>) {
    if (!root_.constraints().restricts(leaf.depth)) {
      if (!game_.has_forced_win(leaf.state, settings_.solve_plies)) return false;
      static_assert(kValueCount<G> == 1);
      values.of[0] = leaf.actor == 0 ? 1.0 : -1.0;
      return true;
    }
  }
  for (const Action action : leaf.legal[0]) {
    if (!root_.constraints().is_allowed(leaf.actor, action, leaf.depth)) continue;
    State next = leaf.state;
    game_.apply(next, action);
    if (game_.actor(next) != kNobody) continue;
    const Values<G> won = final_values(next);
    if (won.player(leaf.actor) < 1.0) continue;
    values = won;
    return true;
  }
  return false;
}

// Carries exact values up.
template <Game G>
void Tree<G>::prove(const Leaf<G>& leaf) {
  for (std::size_t i = leaf.path.size(); i-- > 0;) {
    Node<G>& parent = *leaf.path[i].node;
    if (leaf.in_guaranteed_tree && i == 0) return tell_proof(leaf);
    if (!decide(parent, *parent.children[leaf.path[i].child].node)) return;
  }
}

// A node is decided by a winning child, or when all its children are decided.
template <Game G>
bool Tree<G>::decide(Node<G>& parent, const Node<G>& child) const {
  if (!child.proven || parent.proven) return false;
  Values<G> best = child.values();
  if (best.player(parent.actor) < 1.0) {
    if (parent.child_count < parent.edge_count || !parent.has_edges) return false;
    for (int c = 0; c < parent.child_count; ++c) {
      const Node<G>& other = *parent.children[c].node;
      if (!other.proven) return false;
      if (other.values().player(parent.actor) > best.player(parent.actor)) best = other.values();
    }
  }
  parent.set_value(best);
  parent.proven = true;
  return true;
}

// What a guaranteed visit has proven holds for the free search too.
template <Game G>
void Tree<G>::tell_proof(const Leaf<G>& leaf) {
  const Step<G>& first = leaf.path[0];
  const Node<G>& proven = *first.node->children[first.child].node;
  if (!proven.proven) return;
  Node<G>& node = *root_.stats.node;
  for (int i = 0; i < node.child_count; ++i) {
    if (node.edges[i].label != first.node->edges[first.child].label) continue;
    Node<G>& same = *node.children[i].node;
    same.set_value(proven.values());
    same.proven = true;
    decide(node, same);
  }
}

}  // namespace tengen
