#pragma once

#include "search/tree.hpp"

// How a visit goes down a tree and comes back; see tree.hpp.
namespace tengen {

template <Game G>
Walk Tree<G>::walk(Leaf<G>& leaf, Scratch& scratch) {
  leaf.path.clear();
  leaf.played.clear();
  leaf.available.clear();
  leaf.guaranteed_joint = false;
  const bool is_free_wanted = wants_free<true>();
  if (!is_free_wanted && !root_.is_open() && root_.node().phase == Phase::kOpen && root_.player() >= 0) {
    if (!root_.node().has_edges) game_.legal(state_, root_.player(), scratch.legal);
    open_root(scratch.legal);
  }
  const int move = root_.template next_guaranteed<true>();
  leaf.in_guaranteed_tree = move >= 0 && (!is_free_wanted || root_.guaranteed.is_turn());
  leaf.state = state_;
  if constexpr (G::kFacts.hidden) {
    if (is_hidden() && !deals_by_action()) {
      deal_world(leaf.state, static_cast<std::uint64_t>(top(leaf).visits + top(leaf).waiting), rng(leaf));
    }
  }
  ++top(leaf).waiting;
  try {
    if (leaf.in_guaranteed_tree) return walk_down(leaf, enter_guaranteed(leaf, move), 1, scratch);
    return walk_down(leaf, root_.stats, 0, scratch);
  } catch (...) {  // a game written in Python may raise anywhere
    take_back(leaf);
    throw;
  }
}

// The first move of a guaranteed visit, below the root's other node.
template <Game G>
Child<G>& Tree<G>::enter_guaranteed(Leaf<G>& leaf, int move) {
  Child<G>& self = root_.guaranteed.stats;
  if (self.node == nullptr) {
    self.node = arena_.template allocate<Node<G>>(1);
    *self.node = Node<G>{};
    self.node->actor = root_.node().actor;
  }
  const Action action = root_.moves()[static_cast<std::size_t>(move)].action;
  const int child = find_or_add(arena_, *self.node, static_cast<Label<G>>(action));
  root_.set_guaranteed_child(move, child);
  Child<G>& after = enter(leaf, *self.node, child);
  deal(leaf, after);
  game_.apply(leaf.state, action);
  return observe(leaf, after);
}

template <Game G>
Walk Tree<G>::walk_down(Leaf<G>& leaf, Child<G>& start, int depth, Scratch& scratch) {
  Child<G>* self = &start;
  for (;;) {
    Node<G>& node = *self->node;
    leaf.node = &node;
    if (node.is_proven() && settings_.solve && depth > 0) {
      backup(leaf, node.values());
      return Walk::kDone;
    }
    leaf.actor = game_.actor(leaf.state);
    leaf.depth = depth;
    check_same(leaf, node);
    if (leaf.actor == kNobody) {
      finish(leaf, node);
      return Walk::kDone;
    }
    if constexpr (G::kFacts.chance) {
      if (leaf.actor == kChance) {
        const Action outcome = game_.outcome(leaf.state, rng(leaf));
        node.actor = kChance;
        self = &enter(leaf, node, find_or_add(arena_, node, static_cast<Label<G>>(outcome)));
        game_.apply(leaf.state, outcome);
        continue;
      }
    }
    if (node.phase == Phase::kFresh) {
      ask(leaf, node);
      return Walk::kLeaf;
    }
    if (node.phase == Phase::kWaiting) {
      take_back(leaf);
      return Walk::kCollision;
    }
    self = descend(leaf, *self, depth, scratch);
    if (self == nullptr) {
      // Either the node wants another evaluation in this world, or nothing is allowed here.
      if (node.phase == Phase::kWaiting) return Walk::kLeaf;
      backup(leaf, node.values());
      return Walk::kDone;
    }
    ++depth;
  }
}

// Throw if a node has another actor than at its first visit. Native games are consistent; a game in Python may not be,
// and must not crash the process.
template <Game G>
void Tree<G>::check_same(const Leaf<G>& leaf, const Node<G>& node) const {
  const bool is_known = node.phase == Phase::kOpen || node.actor != kNobody;
  const bool is_over_under_way = node.phase == Phase::kWaiting && leaf.actor == kNobody;
  const bool is_chance_at_root = leaf.path.empty() && leaf.actor == kChance;
  if ((!is_known || node.actor == leaf.actor) && !is_over_under_way && !is_chance_at_root) return;
  throw std::runtime_error("the game contradicts itself: after the same moves, another player is to act");
}

template <Game G>
Child<G>& Tree<G>::enter(Leaf<G>& leaf, Node<G>& node, int child) {
  Step<G> step;
  step.node = &node;
  step.child = child;
  leaf.path.push_back(step);
  Child<G>& entered = node.children[child];
  if (entered.visits + entered.waiting == 0) ++nodes_;
  ++entered.waiting;
  return entered;
}

// Marks a leaf as waiting and lists what may be done there.
template <Game G>
void Tree<G>::ask(Leaf<G>& leaf, Node<G>& node) {
  if (G::kFacts.simultaneous && leaf.actor == kEveryone) {
    for (int p = 0; p < game_.facts().players; ++p) game_.legal(leaf.state, p, leaf.legal[static_cast<std::size_t>(p)]);
  } else {
    game_.legal(leaf.state, leaf.actor, leaf.legal[0]);
  }
  node.phase = Phase::kWaiting;
}

// One decision down. Null: the visit ends at this node.
template <Game G>
Child<G>* Tree<G>::descend(Leaf<G>& leaf, Child<G>& self, int depth, Scratch& scratch) {
  Node<G>& node = *self.node;
  if constexpr (G::kFacts.simultaneous) {
    if (leaf.actor == kEveryone) return descend_joint(leaf, self, depth, scratch);
  }
  const int edge = choose(leaf, self, depth, scratch);
  if (edge < 0) return nullptr;
  const int child = edge < node.child_count ? edge : open_child(arena_, node, edge);
  Child<G>& after = enter(leaf, node, child);
  if (depth == 0) deal(leaf, after);
  game_.apply(leaf.state, static_cast<Action>(node.edges[child].label));
  return &observe(leaf, after);
}

// In a hidden game, continue at the child for the viewer's observation after a move: worlds that the viewer can tell
// apart, chance included, have different children, and all others share their statistics.
template <Game G>
Child<G>& Tree<G>::observe(Leaf<G>& leaf, Child<G>& after) {
  if constexpr (G::kFacts.hidden) {
    if (!is_hidden()) return after;
    if constexpr (G::kFacts.chance) {
      while (game_.actor(leaf.state) == kChance) game_.apply(leaf.state, game_.outcome(leaf.state, rng(leaf)));
    }
    Node<G>& node = *after.node;
    node.actor = kChance;
    return enter(leaf, node, find_or_add(arena_, node, view_label(leaf.state)));
  }
  return after;
}

template <Game G>
void Tree<G>::open_root(const Actions& legal) {
  Node<G>& node = *root_.stats.node;
  if (!node.has_edges) add_edges(node, legal, {}, rng_);
  root_.open(arena_, rng_);
  policies_.root->prepare(root_, rng_);
}

template <Game G>
int Tree<G>::choose(Leaf<G>& leaf, Child<G>& self, int depth, Scratch& scratch) {
  Node<G>& node = *self.node;
  const int player = leaf.actor;
  if (!node.has_edges) {
    game_.legal(leaf.state, player, scratch.legal);
    add_edges(node, scratch.legal, heuristic_priors(leaf.state, player, scratch), rng(leaf));
  }
  if (depth == 0) {
    if (!root_.is_open()) open_root(scratch.legal);
    return policies_.root->select(root_, rng_);
  }
  if (is_hidden() || root_.constraints().restricts(depth)) return choose_available(leaf, self, player, depth, scratch);
  if (settings_.rule == Rule::kUcb1) return select_by_ucb1(settings_, node, self, player, rng(leaf));
  return select_by_puct(settings_, node, self, player);
}

template <Game G>
int Tree<G>::choose_available(Leaf<G>& leaf, Child<G>& self, int player, int depth, Scratch& scratch) {
  Node<G>& node = *self.node;
  const auto allowed = [&](int i) {
    return root_.constraints().is_allowed(player, static_cast<Action>(node.edges[i].label), depth);
  };
  const auto select = [&](const auto& available) {
    if (settings_.rule == Rule::kUcb1) {
      return select_available<Ucb1>(settings_, node, self, player, rng(leaf), available);
    }
    return select_available<Puct>(settings_, node, self, player, rng(leaf), available);
  };
  if (!is_hidden()) return select(allowed);
  if constexpr (G::kFacts.hidden) {
    game_.legal(leaf.state, player, scratch.legal);
    if (++scratch.stamp == 0) scratch.stamps.assign(scratch.stamps.size(), 0), scratch.stamp = 1;
    scratch.stamps.resize(static_cast<std::size_t>(game_.action_count()), 0);
    for (const Action a : scratch.legal) scratch.stamps[static_cast<std::size_t>(a)] = scratch.stamp;
    const auto available = [&](int i) { return scratch.stamps[node.edges[i].label] == scratch.stamp; };
    std::size_t known = 0;
    for (int i = 0; i < node.edge_count; ++i) {
      if (!available(i)) continue;
      ++known;
      ++node.edges[i].hidden.available;
      leaf.available.push_back({&node, node.edges[i].label});
    }
    if (known < scratch.legal.size()) {
      // New to this node: evaluate it in this world too, unless evaluations bring no policy.
      if (node.edges[0].hidden.evaluations > 0 && !has_heuristic_policy_) {
        leaf.legal[0] = scratch.legal;
        node.phase = Phase::kWaiting;
        return -1;
      }
      add_edges(node, scratch.legal, heuristic_priors(leaf.state, player, scratch), rng(leaf));
    }
    return select([&](int i) { return available(i) && allowed(i); });
  }
  return -1;
}

template <Game G>
void Tree<G>::add_policy(Leaf<G>& leaf, const Evaluation<G>& evaluation) {
  Node<G>& node = *leaf.node;
  if constexpr (G::kFacts.simultaneous) {
    if (leaf.actor == kEveryone) return add_joint_policy(leaf, evaluation);
  }
  if (!evaluation.priors[0].empty()) add_edges(node, leaf.legal[0], evaluation.priors[0], rng(leaf));
}

// Adds what is new and averages what is known (hidden games); keeps the unvisited edges in order of their priors.
template <Game G>
void Tree<G>::add_edges(Node<G>& node, const Actions& legal, std::span<const float> priors, Rng& rng) {
  std::vector<Edge<G>> edges(node.edges, node.edges + node.edge_count);
  const std::size_t known = edges.size();
  edges.reserve(known + legal.size());
  for (std::size_t i = 0; i < legal.size(); ++i) {
    Edge<G> made;
    made.label = static_cast<Label<G>>(legal[i]);
    made.prior = priors.empty() ? 1.0F / static_cast<float>(legal.size()) : priors[i];
    const auto old = std::find_if(edges.begin(), edges.begin() + static_cast<std::ptrdiff_t>(known),
                                  [&](const Edge<G>& e) { return known > 0 && e.label == made.label; });
    const bool is_new = old == edges.begin() + static_cast<std::ptrdiff_t>(known);
    if constexpr (G::kFacts.hidden) {
      if (!priors.empty()) made.hidden.evaluations = 1;
      if (!is_new && !priors.empty()) {
        const auto count = static_cast<float>(++old->hidden.evaluations);
        old->prior += (made.prior - old->prior) / count;
      }
    }
    if (is_new) edges.push_back(made);
  }
  const auto tail = edges.begin() + node.child_count;
  if (priors.empty()) {
    // No order is better than another: a random one favors none.
    if (settings_.rule == Rule::kPuct) {
      for (auto rest = edges.end() - tail; rest > 1; --rest) {
        std::swap(tail[rest - 1], tail[rng.below(static_cast<std::uint32_t>(rest))]);
      }
    }
  } else {
    std::sort(tail, edges.end(), [](const Edge<G>& a, const Edge<G>& b) {
      return a.prior != b.prior ? a.prior > b.prior : a.label < b.label;
    });
  }
  if (edges.size() > known) {
    if (known > 0) arena_.release(node.edges, known);
    node.edges = arena_.template allocate<Edge<G>>(edges.size());
  }
  std::copy(edges.begin(), edges.end(), node.edges);
  node.edge_count = static_cast<ChildCount<G>>(edges.size());
  node.has_edges = true;
}

template <Game G>
void Tree<G>::store_aux(Node<G>& node, std::span<const float> aux) {
  if constexpr (HasAux<G>) {
    if (aux.empty() || aux_count_ == 0) return;
    if (node.aux == nullptr) node.aux = arena_.template allocate<float>(aux_count_);
    std::copy_n(aux.begin(), aux_count_, node.aux);
  }
}

template <Game G>
Values<G> Tree<G>::final_values(const State& state) const {
  std::array<double, G::kFacts.players> payoffs{};
  game_.payoff(state, std::span<double>(payoffs.data(), static_cast<std::size_t>(game_.facts().players)));
  Values<G> values;
  for (std::size_t i = 0; i < kValueCount<G>; ++i) values.of[i] = payoffs[i] / game_.payoff_scale();
  return values;
}

// A visit that reached the end of the game.
template <Game G>
void Tree<G>::finish(Leaf<G>& leaf, Node<G>& node) {
  const Values<G> values = final_values(leaf.state);
  if constexpr (HasAux<G>) {
    if (node.phase == Phase::kFresh && aux_count_ > 0) {
      std::vector<float> all(static_cast<std::size_t>(game_.aux_count()));
      game_.final_aux(leaf.state, all);
      store_aux(node, all);
    }
  }
  node.phase = Phase::kOpen;
  node.set_value(values);
  node.proof = settings_.solve ? 1 : 0;
  backup(leaf, values);
}

template <Game G>
void Tree<G>::backup(Leaf<G>& leaf, const Values<G>& values) {
  for (std::size_t i = 0; i < leaf.path.size(); ++i) {
    if constexpr (G::kFacts.simultaneous) backup_joint(leaf, i, values);
    Child<G>& child = leaf.path[i].node->children[leaf.path[i].child];
    --child.waiting;
    ++child.visits;
    child.sum.add(values);
  }
  if constexpr (G::kFacts.simultaneous) {
    for (const Played<G>& played : leaf.played) {
      played.node->joint->choices[played.player][played.choice].strategy += played.share;
    }
  }
  Child<G>& self = top(leaf);
  --self.waiting;
  ++self.visits;
  self.sum.add(values);
  if (leaf.guaranteed_joint) root_.guaranteed.count(values);
  if (!leaf.in_guaranteed_tree && root_.player() >= 0) root_.guaranteed.note_free(values.player(root_.player()));
  if (settings_.solve) prove(leaf);
}

template <Game G>
void Tree<G>::take_back(Leaf<G>& leaf) {
  if constexpr (G::kFacts.hidden) {
    for (const Available<G>& raised : leaf.available) {
      const std::span<Edge<G>> edges(raised.node->edges, static_cast<std::size_t>(raised.node->edge_count));
      --std::ranges::find(edges, raised.label, &Edge<G>::label)->hidden.available;
    }
  }
  for (std::size_t i = leaf.path.size(); i-- > 0;) {
    const Step<G>& step = leaf.path[i];
    Child<G>& child = step.node->children[step.child];
    --child.waiting;
    if constexpr (G::kFacts.simultaneous) {
      if (step.node->joint != nullptr) {
        for (int p = 0; p < game_.facts().players; ++p)
          --step.node->joint->choices[p][step.picks[static_cast<std::size_t>(p)]].waiting;
      }
    }
    if (child.visits + child.waiting == 0) close_unvisited(step);
  }
  --top(leaf).waiting;
}

// Remove a child that only a cancelled visit has entered: it would count as visited, with a value of 0.
template <Game G>
void Tree<G>::close_unvisited(const Step<G>& step) {
  Node<G>& node = *step.node;
  --nodes_;
  if (node.children[step.child].node->child_count > 0 || node.children[node.child_count - 1].waiting > 0) return;
  if constexpr (G::kFacts.simultaneous) {
    if (node.joint != nullptr) return close_joint_child(arena_, node, step.child);
  }
  // Moves of the root refer to their children by index, and selection treats unvisited ones as such there.
  if (&node != root_.stats.node && &node != root_.guaranteed.stats.node) close_child(arena_, node, step.child);
}

}  // namespace tengen

#include "search/tree_advance.hpp"
#include "search/tree_joint.hpp"
#include "search/tree_solve.hpp"
#include "search/tree_worlds.hpp"
