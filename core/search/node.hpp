#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

#include "game.hpp"
#include "search/arena.hpp"

// The tree's data: nodes hold statistics, never states.
namespace tengen {

struct Nothing {};

// In a two-player zero-sum game one number says what both players get.
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

// A way on from a node: an action, a joint action, a chance outcome or an observation, by its label.
template <Game G>
struct Edge {
  struct Hidden {
    std::uint32_t evaluations = 0;  // how many evaluations the prior averages
    std::uint32_t available = 0;    // visits of the node in whose world this action was legal
  };
  std::uint32_t label = 0;
  float prior = 0.0F;
  [[no_unique_address]] std::conditional_t<G::kFacts.hidden, Hidden, Nothing> hidden;
};

// The statistics of a node, kept with its parent so that selection reads one array.
template <Game G>
struct Child {
  Node<G>* node = nullptr;
  std::uint32_t visits = 0;
  std::uint32_t waiting = 0;  // visits on their way: counted as losses until they are backed up
  Values<G> sum;

  double mean(int player) const { return sum.player(player) / visits; }
};

// One player's action where everyone acts at once.
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
  // Of two players: the child of every joint choice, -1 where there is none; [rows][columns], counts of choices when
  // it was made.
  std::int16_t* cells = nullptr;
  std::uint16_t rows = 0;
  std::uint16_t columns = 0;

  bool has_cells() const { return rows == count[0] && columns == count[1] && cells != nullptr; }
  std::int16_t& cell(int first, int second) const { return cells[first * columns + second]; }

  std::span<Choice> of(int player) const { return {choices[player], count[player]}; }
};

enum class Phase : std::uint8_t {
  kFresh,    // never evaluated
  kWaiting,  // an evaluation is under way
  kOpen,     // evaluated
};

template <Game G>
struct Node {
  static constexpr bool kSimultaneous = G::kFacts.simultaneous;

  Edge<G>* edges = nullptr;      // decisions: by falling prior behind the first child_count
  Child<G>* children = nullptr;  // children[i] belongs to edges[i]
  std::uint16_t edge_count = 0;
  std::uint16_t child_count = 0;
  std::uint16_t child_capacity = 0;
  Phase phase = Phase::kFresh;
  std::int8_t actor = kNobody;
  bool has_edges = false;  // false until the first selection where no policy was given
  bool proven = false;     // value is exact
  float value[kValueCount<G>] = {};
  [[no_unique_address]] std::conditional_t<kSimultaneous, Joint<G>*, Nothing> joint{};
  [[no_unique_address]] std::conditional_t<HasAux<G>, float*, Nothing> aux{};

  void set_value(const Values<G>& values) {
    for (int i = 0; i < kValueCount<G>; ++i) value[i] = static_cast<float>(values.of[i]);
  }
  Values<G> values() const {
    Values<G> result;
    for (int i = 0; i < kValueCount<G>; ++i) result.of[i] = static_cast<double>(value[i]);
    return result;
  }
};

inline constexpr std::uint16_t kMaxEdges = std::numeric_limits<std::uint16_t>::max();

// Makes room for one more child; edges of a decision are allocated apart.
template <Game G>
void reserve_child(Arena& arena, Node<G>& node, std::uint16_t limit) {
  if (node.child_count < node.child_capacity) return;
  const int doubled = node.child_capacity == 0 ? 2 : 2 * node.child_capacity;
  const auto capacity = static_cast<std::uint16_t>(std::min<int>(doubled, limit));
  auto* children = arena.allocate<Child<G>>(capacity);
  std::copy_n(node.children, node.child_count, children);
  if (node.child_capacity > 0) arena.release(node.children, node.child_capacity);
  node.children = children;
  node.child_capacity = capacity;
}

// Gives edge `index` of a decision a child and answers the child's index: the edge moves to the end of the visited
// ones, and the order of the unvisited stays.
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

// The child with this label of a node whose ways on come by themselves (chance, observations, joint actions).
template <Game G>
int find_or_add(Arena& arena, Node<G>& node, std::uint32_t label) {
  for (int i = 0; i < node.child_count; ++i) {
    if (node.edges[i].label == label) return i;
  }
  if (node.child_count == kMaxEdges) return static_cast<int>(label % kMaxEdges);
  if (node.child_count == node.child_capacity) {
    const auto old_capacity = node.child_capacity;
    Edge<G>* old_edges = node.edges;
    reserve_child(arena, node, kMaxEdges);
    node.edges = arena.allocate<Edge<G>>(node.child_capacity);
    std::copy_n(old_edges, node.child_count, node.edges);
    if (old_capacity > 0) arena.release(old_edges, old_capacity);
  }
  node.edges[node.child_count] = Edge<G>{};
  node.edges[node.child_count].label = label;
  node.edge_count = static_cast<std::uint16_t>(node.child_count + 1);
  return open_child(arena, node, node.child_count);
}

}  // namespace tengen
