#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include "game.hpp"
#include "search/arena.hpp"

// The tree's data: nodes hold statistics, never states.
namespace tengen {

struct Nothing {};

// The number of values to store: one is enough in a two-player zero-sum game.
template <Game G>
inline constexpr int kValueCount = G::kFacts.zero_sum && G::kFacts.players == 2 ? 1 : G::kFacts.players;

// One value a player, scaled so that a full win is 1.
template <Game G>
struct Values {
  double of[kValueCount<G>] = {};

  double player(int p) const {
    if constexpr (kValueCount<G> == 1) {
      return p == 0 ? of[0] : -of[0];
    } else {
      return of[p];
    }
  }
  void add(const Values& other) {
    for (int i = 0; i < kValueCount<G>; ++i) of[i] += other.of[i];
  }
  void add_scaled(const Values& other, double factor) {
    for (int i = 0; i < kValueCount<G>; ++i) of[i] += other.of[i] * factor;
  }
};

template <Game G>
struct Node;

// The name of a way on from a node. Actions and chance outcomes are numbers of 32 bits; observations are 64-bit hashes,
// and joint actions combine one action per player.
template <Game G>
using Label = std::conditional_t<G::kFacts.hidden || G::kFacts.simultaneous, std::uint64_t, std::uint32_t>;

// The number of children of a node. Actions are limited to kMaxActions; chance outcomes, observations and joint actions
// are not.
template <Game G>
using ChildCount =
    std::conditional_t<G::kFacts.chance || G::kFacts.hidden || G::kFacts.simultaneous, std::int32_t, std::uint16_t>;

// The largest number of actions that a game may have.
inline constexpr int kMaxActions = std::numeric_limits<std::uint16_t>::max();

// A way on from a node: an action, a joint action, a chance outcome or an observation, by its label.
template <Game G>
struct Edge {
  struct Hidden {
    std::uint32_t evaluations = 0;  // how many evaluations the prior averages
    std::uint32_t available = 0;    // visits of the node in whose world this action was legal
  };
  Label<G> label = 0;
  float prior = 0.0F;
  [[no_unique_address]] std::conditional_t<G::kFacts.hidden, Hidden, Nothing> hidden;
};

// The statistics of a node, kept with its parent so that selection reads one array.
template <Game G>
struct Child {
  Node<G>* node = nullptr;
  std::uint32_t visits = 0;
  std::uint32_t waiting = 0;  // visits in progress, which count as losses until they are backed up
  Values<G> sum;

  double mean(int player) const { return sum.player(player) / visits; }
};

// One player's action at a node where all players act simultaneously.
struct Choice {
  Action action = 0;
  float prior = 0.0F;
  std::uint32_t visits = 0;
  std::uint32_t waiting = 0;
  double sum = 0.0;
  double regret = 0.0;
  double strategy = 0.0;  // sum of the strategies played, for their average
};

template <Game G>
struct Joint {
  Choice* choices[G::kFacts.players] = {};
  std::uint16_t count[G::kFacts.players] = {};
  // For two players: the index of the child of every joint choice, -1 if it has none; [rows][columns], the counts of
  // choices when the table was made.
  std::int16_t* cells = nullptr;
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;

  bool has_cells() const { return rows == count[0] && columns == count[1] && cells != nullptr; }
  std::int16_t& cell(int first, int second) const { return cells[first * columns + second]; }

  std::span<Choice> of(int player) const { return {choices[player], count[player]}; }
};

enum class Phase : std::uint8_t {
  kFresh,    // never evaluated
  kWaiting,  // waiting for an evaluation
  kOpen,     // evaluated
};

template <Game G>
struct Node {
  static constexpr bool kSimultaneous = G::kFacts.simultaneous;

  Edge<G>* edges = nullptr;      // decisions: by falling prior behind the first child_count
  Child<G>* children = nullptr;  // children[i] belongs to edges[i]
  ChildCount<G> edge_count = 0;
  ChildCount<G> child_count = 0;
  ChildCount<G> child_capacity = 0;
  Phase phase = Phase::kFresh;
  std::int8_t actor = kNobody;
  bool has_edges = false;  // false until the first selection where no policy was given
  std::uint8_t proof = 0;  // 0: none; else the value is exact, and the end is proof - 1 plies away, as far as is known
  float value[kValueCount<G>] = {};
  [[no_unique_address]] std::conditional_t<kSimultaneous, Joint<G>*, Nothing> joint{};
  [[no_unique_address]] std::conditional_t<HasAux<G>, float*, Nothing> aux{};

  bool is_proven() const { return proof != 0; }

  void set_value(const Values<G>& values) {
    for (int i = 0; i < kValueCount<G>; ++i) value[i] = static_cast<float>(values.of[i]);
  }
  Values<G> values() const {
    Values<G> result;
    for (int i = 0; i < kValueCount<G>; ++i) result.of[i] = static_cast<double>(value[i]);
    return result;
  }
};

// The proof of a position whose best move leads to a position with this proof.
inline std::uint8_t proof_before(std::uint8_t proof) { return static_cast<std::uint8_t>(std::min(255, proof + 1)); }

// Compare two proven moves by their values for the player to move. Of equal ones, the shorter way to a win and the
// longer way to a loss is better.
inline bool is_better_proof(double value, std::uint8_t proof, double other_value, std::uint8_t other_proof) {
  if (value != other_value) return value > other_value;
  return value < 0.0 ? proof > other_proof : proof < other_proof;
}

template <Game G>
inline constexpr ChildCount<G> kMaxChildren = std::numeric_limits<ChildCount<G>>::max();

// Make room for one more child. The edges of a decision have their own allocation.
template <Game G>
void reserve_child(Arena& arena, Node<G>& node, ChildCount<G> limit) {
  if (node.child_count < node.child_capacity) return;
  const std::int64_t doubled = node.child_capacity == 0 ? 2 : std::int64_t{2} * node.child_capacity;
  const auto capacity = static_cast<ChildCount<G>>(std::min<std::int64_t>(doubled, limit));
  auto* children = arena.allocate<Child<G>>(static_cast<std::size_t>(capacity));
  std::copy_n(node.children, node.child_count, children);
  if (node.child_capacity > 0) arena.release(node.children, static_cast<std::size_t>(node.child_capacity));
  node.children = children;
  node.child_capacity = capacity;
}

// Give edge `index` of a decision a child and return the child's index: the edge moves to the end of the visited
// ones, and the order of the unvisited ones is kept.
template <Game G>
int open_child(Arena& arena, Node<G>& node, int index) {
  assert(index >= node.child_count && index < node.edge_count);
  reserve_child(arena, node, node.edge_count);
  const int slot = node.child_count;
  std::rotate(node.edges + slot, node.edges + index, node.edges + index + 1);
  auto* made = arena.allocate<Node<G>>(1);
  *made = Node<G>{};
  node.children[slot] = Child<G>{};
  node.children[slot].node = made;
  ++node.child_count;
  return slot;
}

// Return the index of the child with this label, which is added if it is new. The node is one of chance, observations
// or joint actions.
template <Game G>
int find_or_add(Arena& arena, Node<G>& node, Label<G> label) {
  const int count = node.child_count;
  for (int i = 0; i < count; ++i) {
    if (node.edges[i].label == label) return i;
  }
  if (node.child_count == kMaxChildren<G>) throw std::length_error("a node of the search tree has too many children");
  if (node.child_count == node.child_capacity) {
    const auto old_capacity = node.child_capacity;
    Edge<G>* old_edges = node.edges;
    reserve_child(arena, node, kMaxChildren<G>);
    node.edges = arena.allocate<Edge<G>>(static_cast<std::size_t>(node.child_capacity));
    std::copy_n(old_edges, node.child_count, node.edges);
    if (old_capacity > 0) arena.release(old_edges, static_cast<std::size_t>(old_capacity));
  }
  node.edges[count] = Edge<G>{};
  node.edges[count].label = label;
  node.edge_count = static_cast<ChildCount<G>>(count + 1);
  return open_child(arena, node, count);
}

// Undo open_child() for a child that has no visits and nothing below it. The last child takes its place, so no visit in
// progress may lead through that one.
template <Game G>
void close_child(Arena& arena, Node<G>& node, int index) {
  const int last = node.child_count - 1;
  Node<G>& closed = *node.children[index].node;
  assert(index <= last && closed.child_count == 0 && (index == last || node.children[last].waiting == 0));
  if (closed.child_capacity > 0) {
    arena.release(closed.edges, static_cast<std::size_t>(closed.child_capacity));
    arena.release(closed.children, static_cast<std::size_t>(closed.child_capacity));
  }
  arena.release(&closed, 1);
  std::swap(node.children[index], node.children[last]);
  std::swap(node.edges[index], node.edges[last]);
  --node.child_count;
  if (!node.has_edges) {  // a chance outcome, an observation or a joint action: find_or_add() made the edge
    --node.edge_count;
    return;
  }
  // Unvisited edges are ordered by falling prior.
  for (int i = last; i + 1 < node.edge_count && node.edges[i].prior < node.edges[i + 1].prior; ++i) {
    std::swap(node.edges[i], node.edges[i + 1]);
  }
}

}  // namespace tengen
