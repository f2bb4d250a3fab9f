#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "search/policies.hpp"
#include "search/select.hpp"

// A search tree. A visit walks down from a (redealt) copy of the root's state, ends at a leaf that needs an evaluation
// or in a known result, and is backed up along its path.
namespace tengen {

template <Game G>
struct Step {
  Node<G>* node = nullptr;
  int child = 0;
  [[no_unique_address]] std::conditional_t<G::kFacts.simultaneous, std::array<std::uint16_t, G::kFacts.players>,
                                           Nothing> picks;
};

// The share that a choice had in the strategy that a player's pick was drawn from.
template <Game G>
struct Played {
  Node<G>* node = nullptr;
  std::uint16_t player = 0;
  std::uint16_t choice = 0;
  double share = 0.0;
};

// An edge whose count of availability a visit has raised.
template <Game G>
struct Available {
  Node<G>* node = nullptr;
  Label<G> label = 0;
};

// A visit in progress: the path from the root and the leaf that it reached.
template <Game G>
struct Leaf {
  typename G::State state;
  std::vector<Step<G>> path;
  std::vector<Played<G>> played;        // added to the average strategies when the visit is backed up
  std::vector<Available<G>> available;  // lowered again if the visit is cancelled
  Node<G>* node = nullptr;
  int actor = kNobody;                           // of state: a player or kEveryone
  std::array<Actions, G::kFacts.players> legal;  // of the actor in [0], or of each player where everyone acts
  int depth = 0;                                 // decisions from the root
  bool in_guaranteed_tree = false;               // a guaranteed visit, apart from the others
  bool guaranteed_joint = false;                 // the same where everyone decides: among the others
};

// An answer to a leaf. Priors belong to leaf.legal, one by one, and add up to 1; empty: all alike.
template <Game G>
struct Evaluation {
  Values<G> values;
  std::array<std::span<const float>, G::kFacts.players> priors;
  std::span<const float> aux;
};

// Buffers of one thread.
struct Scratch {
  Actions legal;
  std::vector<std::uint32_t> stamps;  // [action]: equal to `stamp` if legal now
  std::uint32_t stamp = 0;
  std::vector<char> available;
  std::vector<double> strategy;
  std::vector<float> aux;
  Actions labels;             // of `legal`, where a game has labels
  std::vector<float> priors;  // of `legal`
};

enum class Walk : std::uint8_t {
  kDone,       // backed up
  kLeaf,       // wants an evaluation
  kCollision,  // reached a leaf that waits for its evaluation; undone
};

template <Game G>
class Tree {
 public:
  using State = typename G::State;

  // The search is for `viewer`: in a hidden game only the information that this player sees is used. Nodes keep the
  // first `aux` of the auxiliary values.
  Tree(const G& game, const SearchSettings& settings, Policies<G> policies, const State& state, int viewer,
       std::uint64_t seed, int aux)
      : game_(game),
        settings_(settings),
        policies_(std::move(policies)),
        state_(state),
        viewer_(viewer),
        aux_count_(static_cast<std::size_t>(std::min(aux, game.aux_count()))),
        rng_(seed),
        guaranteed_rng_(mix64(seed)),
        world_seed_(mix64(~seed)),
        root_(settings) {
    root_.stats.node = make_node();
    begin(Constraints{});
  }

  const State& state() const { return state_; }
  // Append the states that the tree still needs.
  void add_held(std::vector<State>& held) const {
    held.push_back(state_);
    for (const World& world : worlds_) held.push_back(world.state);
  }
  const Root<G>& root() const { return root_; }
  const Policies<G>& policies() const { return policies_; }
  const SearchSettings& settings() const { return settings_; }
  const G& game() const { return game_; }
  int viewer() const { return viewer_; }
  std::size_t aux_count() const { return aux_count_; }
  Rng& rng() { return rng_; }
  // The random numbers of a visit: guaranteed visits do not use those of the free search.
  Rng& rng(const Leaf<G>& leaf) { return leaf.in_guaranteed_tree ? guaranteed_rng_ : rng_; }
  std::int64_t visits() const { return root_.stats.visits + root_.guaranteed.visits_in_trees(); }
  std::size_t bytes() const { return arena_.reserved(); }
  // How many labels the choices of a player may have where everyone decides.
  int label_count() const;
  std::int64_t nodes() const { return nodes_; }  // visited at least once

  // Starts a new search of the root on top of what the tree holds; it starts afresh where restrictions change what may
  // be in it.
  void begin(const Constraints& constraints) {
    Opening opening = look_up(state_, *root_.stats.node);
    begin(constraints, opening);
  }

  bool wants_visits() const { return wants<true>(); }
  bool is_done() const { return !is_waiting() && !wants<false>(); }
  // Return true if visits are in progress.
  bool is_waiting() const { return root_.stats.waiting + root_.guaranteed.stats.waiting > 0; }

  // Start a batch of visits that will be in progress at the same time.
  void begin_batch() { root_.guaranteed.take_turn(); }
  bool wants_guaranteed() const { return root_.template next_guaranteed<true>() >= 0; }

  // Makes one visit. On kLeaf, `leaf` must come back to expand() or cancel().
  Walk walk(Leaf<G>& leaf, Scratch& scratch);

  // Another state of the same rules_key; what was learned stays.
  void replace_root_state(const State& state) {
    state_ = state;
    worlds_.clear();
  }

  // Set if nodes get the game's own policy as their priors when they are first descended from.
  void set_heuristic_policy(bool is_used) { has_heuristic_policy_ = is_used; }

  // Takes the answer to a leaf into the tree. If the game raises, nothing has happened.
  void expand(Leaf<G>& leaf, const Evaluation<G>& evaluation) {
    Node<G>& node = *leaf.node;
    Values<G> values = evaluation.values;
    const std::uint8_t proof = settings_.solve && !leaf.path.empty() ? find_proof(leaf, values) : 0;
    if (!reopening(node)) node.set_value(values);
    node.proof = proof;
    add_policy(leaf, evaluation);
    store_aux(node, evaluation.aux);
    node.phase = Phase::kOpen;
    node.actor = static_cast<std::int8_t>(leaf.actor);
    backup(leaf, values);
  }

  // Undo a visit that was selected but not evaluated. Visits of a batch are cancelled in reverse order.
  void cancel(Leaf<G>& leaf) {
    leaf.node->phase = reopening(*leaf.node) ? Phase::kOpen : Phase::kFresh;
    take_back(leaf);
  }

  // Moves the root along an action (or outcome, or joint action), keeping what was learned below it. `next` stands for
  // the state after it where the caller knows better than this tree's own hidden state.
  void advance(std::span<const Action> actions, const State* next);

 private:
  // The initial facts of a search of a root. All calls of the game, which may throw, are made to collect them.
  struct Opening {
    int actor = kNobody;
    bool is_open = false;
    Actions legal;  // where the node has no edges yet
  };

  Opening look_up(const State& state, const Node<G>& node) const {
    Opening opening;
    opening.actor = game_.actor(state);
    // A tree that is reused may hold all the visits that are wanted: its root must answer without another one.
    opening.is_open = node.phase == Phase::kOpen && node.actor == opening.actor && opening.actor != kNobody &&
                      !(is_hidden() && opening.actor != viewer_ && opening.actor != kEveryone);
    if (opening.is_open && opening.actor >= 0 && !node.has_edges) game_.legal(state, opening.actor, opening.legal);
    return opening;
  }

  void begin(const Constraints& constraints, Opening& opening) {
    root_.close();
    const ConstraintTable table(constraints, game_.facts().players, game_.action_count());
    if (root_.constraints().restricts(0) || table.restricts(0)) {
      clear();
      opening.is_open = false;
    }
    root_.begin(table, viewer_, rng_);
    // A root is decided by a move that was tried: that it was seen to be won from above names none.
    root_.stats.node->proof = 0;
    if (!opening.is_open) return;
    if (opening.actor == kEveryone) {
      root_.open_joint();
    } else {
      open_root(opening.legal);
    }
  }

  bool is_hidden() const { return G::kFacts.hidden && game_.facts().hidden; }

  Node<G>* make_node() {
    auto* node = arena_.template allocate<Node<G>>(1);
    *node = Node<G>{};
    ++nodes_;
    return node;
  }

  void clear() {
    arena_ = Arena{};
    nodes_ = 0;
    root_.stats = Child<G>{};
    root_.stats.node = make_node();
    root_.guaranteed.clear();
  }

  template <bool kWithWaiting>
  bool wants() const {
    return root_.template lacks_guaranteed<kWithWaiting>() || wants_free<kWithWaiting>();
  }

  template <bool kWithWaiting>
  bool wants_free() const {
    if (settings_.solve && root_.stats.node->is_proven()) return false;
    if (root_.stats.visits >= kMaxVisits) return false;
    return root_.template counted<kWithWaiting>() < root_.budget();
  }

  // The root's statistics that a visit counts in.
  Child<G>& top(const Leaf<G>& leaf) { return leaf.in_guaranteed_tree ? root_.guaranteed.stats : root_.stats; }

  static constexpr std::uint32_t kMaxVisits = 4'000'000'000U;  // what a counter holds

  // A node of a hidden game that is evaluated again because this world offers actions it has not seen.
  static bool reopening(const Node<G>& node) { return node.actor != kNobody; }

  std::uint64_t seen_key(const State& state) const {
    if constexpr (HasTreeKey<G>) {
      return game_.tree_key(state, viewer_);
    } else {
      return game_.view_key(state, viewer_);
    }
  }

  // The label of an observation: a hash of what the viewer sees and of who acts.
  std::uint64_t view_label(const State& state) const {
    return mix64(seen_key(state) ^ mix64(static_cast<std::uint64_t>(game_.actor(state) - kNobody)));
  }

  // The statistics of the node that a path's step `index` leaves from.
  Child<G>& stats_at(const Leaf<G>& leaf, std::size_t index) {
    return index == 0 ? root_.stats : leaf.path[index - 1].node->children[leaf.path[index - 1].child];
  }

  void open_root(const Actions& legal);
  void check_same(const Leaf<G>& leaf, const Node<G>& node) const;
  Walk walk_down(Leaf<G>& leaf, Child<G>& start, int depth, Scratch& scratch);
  Child<G>& enter_guaranteed(Leaf<G>& leaf, int move);
  Child<G>& enter(Leaf<G>& leaf, Node<G>& node, int child);
  Child<G>* descend(Leaf<G>& leaf, Child<G>& self, int depth, Scratch& scratch);
  Child<G>* descend_joint(Leaf<G>& leaf, Child<G>& self, int depth, Scratch& scratch);
  Child<G>& observe(Leaf<G>& leaf, Child<G>& after);
  int choose(Leaf<G>& leaf, Child<G>& self, int depth, Scratch& scratch);
  int choose_available(Leaf<G>& leaf, Child<G>& self, int player, int depth, Scratch& scratch);
  int pick_choice(Leaf<G>& leaf, const Child<G>& self, int player, int depth, Scratch& scratch, Action& action);
  void ask(Leaf<G>& leaf, Node<G>& node);
  void add_policy(Leaf<G>& leaf, const Evaluation<G>& evaluation);
  void add_joint_policy(Leaf<G>& leaf, const Evaluation<G>& evaluation);
  const Actions& label_legal(const State& state, int player, Scratch& scratch) const;
  std::span<const float> heuristic_priors(const State& state, int player, Scratch& scratch) const;
  bool find_available(const Joint<G>& joint, int player, int depth, Scratch& scratch) const;
  int world_visits() const;
  void deal_world(State& state, std::uint64_t number, Rng& rng);
  bool deals_by_action() const { return root_.stats.node->phase == Phase::kOpen && root_.stats.node->actor == viewer_; }
  void deal(Leaf<G>& leaf, const Child<G>& after);
  void add_edges(Node<G>& node, const Actions& legal, std::span<const float> priors, Rng& rng);
  void store_aux(Node<G>& node, std::span<const float> aux);
  Values<G> final_values(const State& state) const;
  void finish(Leaf<G>& leaf, Node<G>& node);
  void backup(Leaf<G>& leaf, const Values<G>& values);
  void backup_joint(Leaf<G>& leaf, std::size_t index, const Values<G>& values);
  std::uint8_t find_proof(const Leaf<G>& leaf, Values<G>& values) const;
  std::uint8_t find_forced(const State& state, int player, const Actions& legal, int plies, Values<G>& values) const;
  void prove(const Leaf<G>& leaf);
  bool decide(Node<G>& parent, const Node<G>& child) const;
  void share_proof(const Leaf<G>& leaf);
  void take_back(Leaf<G>& leaf);
  void close_unvisited(const Step<G>& step);
  Child<G> move_subtree(const Child<G>& from, Arena& target);
  Child<G> child_after(std::span<const Action> actions, int actor) const;

  const G& game_;
  const SearchSettings& settings_;
  Policies<G> policies_;
  State state_;
  int viewer_;
  std::size_t aux_count_;
  Rng rng_;
  Rng guaranteed_rng_;
  std::uint64_t world_seed_;
  // Redealt states in use, each with the number it was drawn by.
  struct World {
    std::uint64_t number = 0;
    State state;
  };
  std::vector<World> worlds_;
  bool has_heuristic_policy_ = false;
  Arena arena_;
  std::int64_t nodes_ = 0;
  Root<G> root_;
  bool observing_ = false;  // the root is an observation still to be made (hidden games, after a move)
};

}  // namespace tengen

#include "search/tree_walk.hpp"
