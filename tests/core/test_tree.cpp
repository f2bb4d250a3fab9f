// Single trees and nodes: cancelled visits are undone completely, children are distinguished, and every joint root
// reports a policy.

#include <array>
#include <map>
#include <set>
#include <utility>

#include "check.hpp"
#include "games/connect_four/connect_four.hpp"
#include "games/kuhn_poker/kuhn_poker.hpp"
#include "games/pig/pig.hpp"
#include "games/rock_paper_scissors/rock_paper_scissors.hpp"
#include "search/pool.hpp"

namespace tengen {
namespace {

// Two rounds in which both players choose one of three numbers; the sum of the differences is paid.
struct Rounds {
  static constexpr Facts kFacts{.simultaneous = true};
  struct State {
    int round = 0;
    int score = 0;
  };
  constexpr Facts facts() const { return kFacts; }
  constexpr int action_count() const { return 3; }
  constexpr Shape shape() const { return {1, 1, 1}; }
  constexpr double payoff_scale() const { return 4.0; }
  constexpr int aux_count() const { return 0; }
  State start(Rng&) const { return {}; }
  int actor(const State& state) const { return state.round < 2 ? kEveryone : kNobody; }
  void legal(const State&, int, Actions& out) const { out.assign({0, 1, 2}); }
  void apply(State&, Action) const {}
  void apply(State& state, std::span<const Action> joint) const {
    ++state.round;
    state.score += joint[0] - joint[1];
  }
  void payoff(const State& state, std::span<double> out) const {
    out[0] = state.score;
    out[1] = -out[0];
  }
  void encode(const State& state, int, std::span<float> out) const { out[0] = static_cast<float>(state.round); }
  std::uint64_t key(const State& state) const {
    return mix64(static_cast<std::uint64_t>(state.round * 16 + state.score + 8));
  }
};

// Two keys whose mixed values agree in their low 28 bits.
std::array<std::uint64_t, 2> find_similar_keys() {
  std::map<std::uint64_t, std::uint64_t> seen;
  for (std::uint64_t key = 1;; ++key) {
    const auto [place, is_new] = seen.emplace(mix64(key) & 0xfffffff, key);
    if (!is_new) return {place->second, key};
  }
}

// Player 0 moves, sees a hidden card, and moves again. The views of the two cards have similar keys.
struct Peek {
  static constexpr Facts kFacts{.hidden = true};
  static constexpr int kWorldVisits = 8;
  struct State {
    int plies = 0;
    int card = 0;
    std::uint64_t world = 0;
    std::uint64_t luck = 0;
  };
  static inline const std::array<std::uint64_t, 2> keys = find_similar_keys();
  static inline int equal_draws = 0;  // worlds whose chance was drawn from the same random numbers

  constexpr Facts facts() const { return kFacts; }
  constexpr int action_count() const { return 2; }
  constexpr Shape shape() const { return {1, 1, 1}; }
  constexpr double payoff_scale() const { return 1.0; }
  constexpr int aux_count() const { return 0; }
  State start(Rng& rng) const { return redeal({}, 0, rng); }
  int actor(const State& state) const { return state.plies < 2 ? 0 : kNobody; }
  void legal(const State&, int, Actions& out) const { out.assign({0, 1}); }
  void apply(State& state, Action) const {
    if (state.plies == 0 && state.world == state.luck) ++equal_draws;
    ++state.plies;
  }
  void payoff(const State& state, std::span<double> out) const {
    out[0] = state.card == 0 ? 1.0 : -1.0;
    out[1] = -out[0];
  }
  void encode(const State& state, int, std::span<float> out) const { out[0] = static_cast<float>(state.plies); }
  std::uint64_t key(const State& state) const {
    return mix64(static_cast<std::uint64_t>(2 * state.plies + state.card));
  }
  State redeal(State state, int, Rng& rng) const {
    state.world = rng.next();
    state.card = static_cast<int>(state.world >> 63);
    return state;
  }
  void redraw_chance(State& state, Rng& rng) const { state.luck = rng.next(); }
  std::uint64_t view_key(const State& state, int) const {
    return state.plies == 0 ? 0 : keys[static_cast<std::size_t>(state.card)];
  }
};

template <Game G>
void supply_zeros(Pool<G>& pool) {
  const std::vector<float> logits(pool.row_count() * static_cast<std::size_t>(pool.game().action_count()));
  const std::vector<float> values(pool.row_count() * static_cast<std::size_t>(pool.game().facts().players));
  pool.supply(logits, values, {});
}

// Search with batches of which every second one is abandoned.
template <Game G>
void search_with_interruptions(Pool<G>& pool) {
  for (int i = 0; !pool.is_done(); ++i) {
    if (pool.collect(64) == 0) continue;
    if (i % 2 == 0) {
      pool.abandon();
    } else {
      supply_zeros(pool);
    }
  }
}

template <Game G, class Visit>
void for_children(const Node<G>& node, const Visit& visit) {
  for (int i = 0; i < node.child_count; ++i) {
    visit(node, node.children[i]);
    for_children(*node.children[i].node, visit);
  }
}

TEST(average_strategies_hold_the_visits_that_came_back) {
  const Rounds game;
  SearchSettings settings;
  settings.visits = 200;
  settings.leaves_per_root = 8;
  settings.joint_exploration = 0.0;
  Pool<Rounds> pool(game, settings, 1);
  Rng rng(1);
  const int root = pool.add(game.start(rng), 0, 1, {}, settings, 0);
  search_with_interruptions(pool);
  const Child<Rounds>& stats = pool.tree(root).root().stats;
  const auto check = [](const Child<Rounds>& child) {
    for (int p = 0; child.node->joint != nullptr && p < 2; ++p) {
      double total = 0.0;
      for (const Choice& choice : child.node->joint->of(p)) total += choice.strategy;
      CHECK(std::abs(total - (child.visits - 1.0)) < 1e-9);
    }
  };
  check(stats);
  for_children(*stats.node, [&](const Node<Rounds>&, const Child<Rounds>& child) { check(child); });
}

TEST(availability_counts_hold_the_visits_that_came_back) {
  const KuhnPoker game;
  SearchSettings settings;
  settings.visits = 300;
  settings.leaves_per_root = 8;
  Pool<KuhnPoker> pool(game, settings, 1);
  const int root = pool.add(KuhnPoker::start_with(0, 1), 0, 1, {}, settings, 0);
  search_with_interruptions(pool);
  int checked = 0;
  for_children(pool.tree(root).root().node(), [&](const Node<KuhnPoker>&, const Child<KuhnPoker>& child) {
    // Both actions are legal in every world, and the first visit only evaluates.
    for (int i = 0; child.node->has_edges && i < child.node->edge_count; ++i, ++checked) {
      CHECK(child.node->edges[i].hidden.available == child.visits - 1);
    }
  });
  CHECK(checked > 4);
}

// Check that `nodes` counts visited nodes and that only the root has children without visits.
template <Game G>
void check_counted(const G& game, int viewer) {
  SearchSettings settings;
  settings.visits = 300;
  settings.leaves_per_root = 8;
  Pool<G> pool(game, settings, 1);
  Rng rng(1);
  const int root = pool.add(game.start(rng), viewer, 1, {}, settings, 0);
  search_with_interruptions(pool);
  const Node<G>& top = pool.tree(root).root().node();
  std::int64_t visited = 1;
  for_children(top, [&](const Node<G>& parent, const Child<G>& child) {
    CHECK(child.visits > 0 || &parent == &top);
    if (child.visits > 0) ++visited;
  });
  CHECK(pool.tree(root).nodes() == visited);
  CHECK(pool.tree(root).visits() == 300);
}

TEST(cancelled_visits_leave_no_children) {
  check_counted(ConnectFour{}, 0);
  check_counted(KuhnPoker{}, 0);
  check_counted(Rounds{}, 0);
  check_counted(Pig{}, 0);
}

TEST(a_closed_child_returns_to_its_place_among_the_unvisited) {
  Arena arena;
  Node<ConnectFour> node;
  node.edges = arena.allocate<Edge<ConnectFour>>(4);
  node.has_edges = true;
  node.edge_count = 4;
  for (int i = 0; i < 4; ++i) node.edges[i] = {static_cast<std::uint32_t>(i), 0.4F - 0.1F * static_cast<float>(i), {}};
  CHECK(open_child(arena, node, 2) == 0);  // not the one with the highest prior
  CHECK(open_child(arena, node, 1) == 1);
  node.children[1].visits = 1;
  close_child(arena, node, 0);
  CHECK(node.child_count == 1 && node.edge_count == 4);
  CHECK(node.children[0].visits == 1);
  const std::array<std::uint32_t, 4> order{0, 1, 2, 3};
  for (std::size_t i = 0; i < order.size(); ++i) CHECK(node.edges[i].label == order[i]);
}

TEST(a_chance_node_has_more_than_65535_children) {
  Arena arena;
  Node<Pig> node;
  constexpr int kMany = 65'535;
  node.edges = arena.allocate<Edge<Pig>>(kMany);
  node.children = arena.allocate<Child<Pig>>(kMany);
  for (int i = 0; i < kMany; ++i) {
    node.edges[i] = Edge<Pig>{};
    node.edges[i].label = static_cast<Label<Pig>>(i);
    node.children[i] = Child<Pig>{};
  }
  node.edge_count = node.child_count = node.child_capacity = kMany;
  CHECK(find_or_add(arena, node, 7) == 7);
  const int added = find_or_add(arena, node, 1'000'000);
  CHECK(added == kMany);
  CHECK(node.edges[added].label == 1'000'000 && node.children[added].node != nullptr);
  CHECK(find_or_add(arena, node, 1'000'000) == kMany);
}

TEST(observations_with_similar_keys_are_told_apart) {
  const Peek game;
  SearchSettings settings;
  settings.visits = 100;
  Pool<Peek> pool(game, settings, 1);
  Rng rng(1);
  const int root = pool.add(game.start(rng), 0, 1, {}, settings, 0);
  while (!pool.run(UniformEvaluator{}, 100)) {
  }
  const Node<Peek>& top = pool.tree(root).root().node();
  for (int i = 0; i < top.child_count; ++i) CHECK(top.children[i].node->child_count == 2);
}

TEST(a_world_and_its_chance_are_drawn_from_different_numbers) {
  const Peek game;
  SearchSettings settings;
  settings.visits = 200;
  Pool<Peek> pool(game, settings, 1);
  Rng rng(2);
  pool.add(game.start(rng), 0, 1, {}, settings, 0);
  Peek::equal_draws = 0;
  while (!pool.run(UniformEvaluator{}, 100)) {
  }
  CHECK(Peek::equal_draws == 0);
}

TEST(tables_of_joint_choices_are_limited) {
  Arena arena;
  Joint<RockPaperScissors> joint;
  joint.count[0] = joint.count[1] = 65'535;
  fit_cells(arena, joint);
  CHECK(!joint.has_cells());
}

TEST(joint_labels_differ) {
  std::set<std::uint64_t> labels;
  const std::array<Action, 4> values{0, 1, 2000, 2999};
  for (const Action a : values) {
    for (const Action b : values) {
      for (const Action c : values) labels.insert(joint_label(std::array{a, b, c}, 3000));
    }
  }
  CHECK(labels.size() == 64);
  CHECK(joint_label(std::array<Action, 3>{2999, 2999, 2999}, 3000) == 3000ULL * 3000 * 3000 - 1);
  // Two of these differ only in digits that do not fit into 64 bits.
  const std::array<Action, 6> first{1, 2, 3, 4, 5, 6}, second{2, 2, 3, 4, 5, 6};
  CHECK(joint_label(first, 65'535) != joint_label(second, 65'535));
}

template <Game G>
void check_policies(const Pool<G>& pool, int root) {
  std::array<double, 2> totals{};
  const RootReport report = pool.report(root, {});
  for (const MoveReport& move : report.moves) totals[static_cast<std::size_t>(move.player)] += move.policy;
  CHECK(!report.moves.empty());
  for (const double total : totals) CHECK(std::abs(total - 1.0) < 1e-9);
}

TEST(a_joint_root_reports_a_policy_after_blind_visits) {
  SearchSettings settings;
  settings.visits = 20;
  settings.joint_exploration = 1.0;
  Pool<RockPaperScissors> pool({}, settings, 1);
  const int root = pool.add({}, 0, 1, {}, settings, 0);
  while (!pool.run(UniformEvaluator{}, 100)) {
  }
  check_policies(pool, root);
}

TEST(guaranteed_visits_of_an_earlier_search_spend_no_budget) {
  SearchSettings settings;
  settings.visits = 1;
  Pool<RockPaperScissors> pool({}, settings, 1);
  Constraints constraints;
  constraints.include = {0};
  constraints.include_visits = 30;
  const int root = pool.add({}, 0, 1, constraints, settings, 0);
  while (!pool.run(UniformEvaluator{}, 100)) {
  }
  check_policies(pool, root);
  Constraints free;
  free.visits = 20;
  pool.restart(root, free);
  CHECK(!pool.is_done());
  while (!pool.run(UniformEvaluator{}, 100)) {
  }
  const RootReport report = pool.report(root, {});
  CHECK(report.visits - report.guaranteed_visits >= 20);
  check_policies(pool, root);
}

}  // namespace
}  // namespace tengen
