#pragma once

#include "search/tree.hpp"

// Exact values; see tree.hpp.
namespace tengen {

// A position needs no evaluation if it has a winning move, or if its result is forced within solve_plies plies, or if
// the game itself proves a win. Returns its proof, 0 for none; `values` are then the exact ones.
template <Game G>
std::uint8_t Tree<G>::find_proof(const Leaf<G>& leaf, Values<G>& values) const {
  const bool is_restricted = root_.constraints().restricts(leaf.depth);
  if constexpr (HasForcedWin<G>) {
    if (!is_restricted) {
      if (!game_.has_forced_win(leaf.state, settings_.solve_plies)) return 0;
      static_assert(kValueCount<G> == 1);
      values.of[0] = leaf.actor == 0 ? 1.0 : -1.0;
      return static_cast<std::uint8_t>(settings_.solve_plies + 1);
    }
  }
  if (!is_restricted) {
    Values<G> forced;
    const std::uint8_t proof = find_forced(leaf.state, leaf.actor, leaf.legal[0], settings_.solve_plies, forced);
    if (proof != 0) values = forced;
    return proof;
  }
  for (const Action action : leaf.legal[0]) {
    if (!root_.constraints().is_allowed(leaf.actor, action, leaf.depth)) continue;
    State next = leaf.state;
    game_.apply(next, action);
    if (game_.actor(next) != kNobody) continue;
    const Values<G> won = final_values(next);
    if (won.player(leaf.actor) < 1.0) continue;
    values = won;
    return proof_before(1);
  }
  return 0;
}

// Search a few plies without evaluations. Returns the proof of the position if `player`, who is to move, wins within
// them, or if every move leads to a known result within them, else 0. `values` are then those of the best move.
template <Game G>
std::uint8_t Tree<G>::find_forced(const State& state, int player, const Actions& legal, int plies,
                                  Values<G>& values) const {
  std::uint8_t best = 0;  // the proof of the best move's position
  bool is_any_open = false;
  // Takes the result of a move; true if the move wins.
  const auto wins = [&](const Values<G>& found, std::uint8_t proof) {
    if (best == 0 || is_better_proof(found.player(player), proof, values.player(player), best)) {
      values = found;
      best = proof;
    }
    return values.player(player) >= 1.0;
  };
  // Moves that end the game are the cheapest proofs.
  for (const Action action : legal) {
    State next = state;
    game_.apply(next, action);
    if (game_.actor(next) == kNobody && wins(final_values(next), 1)) return proof_before(1);
  }
  if (plies <= 1) return 0;
  Actions replies;
  for (const Action action : legal) {
    State next = state;
    game_.apply(next, action);
    const int actor = game_.actor(next);
    if (actor == kNobody) continue;
    game_.legal(next, actor, replies);
    Values<G> known;
    const std::uint8_t proof = find_forced(next, actor, replies, plies - 1, known);
    if (proof != 0) {
      if (wins(known, proof)) return proof_before(proof);
    } else {
      is_any_open = true;
      // In one ply the opponent can only be found to win, so no other move will be found to win for `player`.
      if (plies == 2 && actor != player) return 0;
    }
  }
  return best == 0 || is_any_open ? 0 : proof_before(best);
}

// Carries exact values up.
template <Game G>
void Tree<G>::prove(const Leaf<G>& leaf) {
  for (std::size_t i = leaf.path.size(); i-- > 0;) {
    Node<G>& parent = *leaf.path[i].node;
    if (leaf.in_guaranteed_tree && i == 0) return share_proof(leaf);
    if (!decide(parent, *parent.children[leaf.path[i].child].node)) return;
  }
}

// A node is decided by a winning child, or when all its children are decided.
template <Game G>
bool Tree<G>::decide(Node<G>& parent, const Node<G>& child) const {
  if (!child.is_proven() || parent.is_proven()) return false;
  Values<G> best = child.values();
  std::uint8_t proof = child.proof;
  if (best.player(parent.actor) < 1.0) {
    if (parent.child_count < parent.edge_count || !parent.has_edges) return false;
    for (int c = 0; c < parent.child_count; ++c) {
      const Node<G>& other = *parent.children[c].node;
      if (!other.is_proven()) return false;
      const Values<G> values = other.values();
      if (is_better_proof(values.player(parent.actor), other.proof, best.player(parent.actor), proof)) {
        best = values;
        proof = other.proof;
      }
    }
  }
  parent.set_value(best);
  parent.proof = proof_before(proof);
  return true;
}

// A proof found by a guaranteed visit holds for the free search, too.
template <Game G>
void Tree<G>::share_proof(const Leaf<G>& leaf) {
  const Step<G>& first = leaf.path[0];
  const Node<G>& proven = *first.node->children[first.child].node;
  if (!proven.is_proven()) return;
  Node<G>& node = *root_.stats.node;
  for (int i = 0; i < node.child_count; ++i) {
    if (node.edges[i].label != first.node->edges[first.child].label) continue;
    Node<G>& same = *node.children[i].node;
    same.set_value(proven.values());
    same.proof = proven.proof;
    decide(node, same);
  }
}

}  // namespace tengen
