#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bindings/any_game.hpp"
#include "bindings/conversions.hpp"
#include "search/pool.hpp"

// A game's pool as Python sees it.
namespace tengen {

// What needs no game is compiled once, in bound_pool.cpp.

// Whether a pool can be made; a game that needs Python's lock gains nothing from a second thread.
void check_pool(const SearchSettings& settings, const RulesFacts& facts, int threads, int max_threads);
// The number of "heuristic:NAME" among the game's; -1 for "heuristic", the best.
int find_heuristic(const RulesFacts& facts, const std::string& evaluator);
// Without `include`, which needs the legal actions.
Constraints read_constraints(const RulesFacts& facts, std::int64_t include_visits,
                             const std::vector<RestrictionTuple>& restrictions, std::int64_t visits);
// Each once.
Actions read_include(const Actions& include, const Actions& legal);

template <Game G>
class BoundPool final : public AnyPool {
 public:
  using State = typename G::State;

  BoundPool(const G& game, const AnyRules& rules, const SearchSettings& settings, int threads)
      : AnyPool(rules.id(), rules.facts()),
        pool_((check_pool(settings, rules.facts(), threads, InPython<G> ? 1 : 1024), game), settings, threads) {}

  int add(nb::handle given, int viewer, std::uint64_t seed, const Actions& include, std::int64_t include_visits,
          const std::vector<RestrictionTuple>& restrictions, std::int64_t visits,
          const std::optional<SearchSettings>& settings, int aux, const AnyRules* own) override {
    if (settings) check_settings(*settings), check_fits(*settings, game().facts());
    if (aux < 0) throw nb::value_error("aux must be at least 0");
    const TakenState<G> state = take(given);
    if (viewer != -1) check_index(viewer, game().facts().players, "viewer");
    const int actor = game().actor(state);
    if (viewer == -1 && actor >= 0) viewer = actor;
    if (viewer == -1 && game().facts().hidden && actor == kEveryone) {
      throw nb::value_error("everyone acts in a game with hidden information: say who the viewer is");
    }
    return pool_.add(state, viewer, seed, constraints(state, viewer, include, include_visits, restrictions, visits),
                     settings ? *settings : pool_.settings(), aux, game_of(own));
  }

  void restart(int root, const Actions& include, std::int64_t include_visits,
               const std::vector<RestrictionTuple>& restrictions, std::int64_t visits) override {
    const auto& tree = pool_.tree(root);
    pool_.restart(root, constraints(tree.state(), tree.viewer(), include, include_visits, restrictions, visits));
  }

  void remove(int root) override { pool_.remove(root); }

  void advance(int root, const Actions& actions, nb::handle after) override {
    const State state = pool_.tree(root).state();
    const int actor = game().actor(state);
    if (actor == kNobody) throw nb::value_error("the game is over: nobody acts any more");
    if (actor == kEveryone) {
      check_joint(game(), state, actions);
    } else {
      if (actions.size() != 1) throw nb::value_error("one acts here: advance takes one action");
      check_legal(game(), state, actor, actions[0]);
    }
    if (after.is_none()) {
      pool_.advance(root, actions, nullptr);
    } else {
      const TakenState<G> next = take(after);
      pool_.advance(root, actions, &next);
    }
  }

  void replace_root_state(int root, nb::handle state, const AnyRules* own) override {
    pool_.replace_root_state(root, take(state), game_of(own));
  }

  std::size_t collect(std::size_t max_rows) override {
    if (max_rows > std::size_t{1} << 24) throw nb::value_error("collect: at most 2^24 rows");
    return unlocked<G>([&] { return pool_.collect(max_rows); });
  }

  std::size_t row_count() const override { return pool_.row_count(); }

  std::vector<Row> rows() const override {
    std::vector<Row> rows;
    for (const auto& row : pool_.rows())
      rows.push_back({row.state, row.legal, row.viewer, row.root, row.depth, row.game});
    return rows;
  }

  std::shared_ptr<const std::vector<float>> features() const override { return pool_.features(); }

  nb::object give(const void* state) const override {
    return give_state(game(), rules(), *static_cast<const State*>(state));
  }

  void supply(std::span<const float> logits, std::span<const float> values, std::span<const float> aux) override {
    unlocked<G>([&] { pool_.supply(logits, values, aux); });
  }

  void abandon() override { pool_.abandon(); }

  bool run(const std::string& evaluator, int rollouts, std::int64_t visits) override {
    const auto run_with = [&](const auto& found) { return unlocked<G>([&] { return pool_.run(found, visits); }); };
    if (rollouts < 1) throw nb::value_error("rollouts must be at least 1");
    if (evaluator == "uniform") return run_with(UniformEvaluator{});
    if (evaluator == "rollout") return run_with(RolloutEvaluator{rollouts});
    if (evaluator != "heuristic" && !evaluator.starts_with("heuristic:")) {
      throw nb::value_error(("the core has no evaluator " + evaluator).c_str());
    }
    if constexpr (HasHeuristic<G>) {
      return run_with(HeuristicEvaluator{find_heuristic(facts(), evaluator)});
    } else {
      throw nb::value_error("this game has no heuristic");
    }
  }

  bool is_done() const override { return pool_.is_done(); }

  std::tuple<std::int64_t, bool> progress(int root) const override {
    const auto& tree = pool_.tree(root);
    return {tree.visits(), tree.is_done()};
  }

  nb::object state(int root) const override { return give(&pool_.tree(root).state()); }

  RootReport report(int root, bool spread, bool aux, bool deviations) const override {
    return unlocked<G>([&] { return pool_.report(root, ReportOptions{spread, aux, deviations}); });
  }

  Action choose(int root, int player, double temperature) override {
    check_index(player, game().facts().players, "player");
    if (!(temperature >= 0.0 && temperature <= 1e6)) throw nb::value_error("temperature must be from 0 to 1e6");
    return pool_.choose(root, player, temperature);
  }

  std::size_t cache_hits() const override { return pool_.cache_hits(); }

 private:
  const G& game() const { return pool_.game(); }
  TakenState<G> take(nb::handle state) const { return take_state<G>(game(), rules(), state); }

  // Of a root that has rules of its own, which differ from the pool's in their context only.
  const G* game_of(const AnyRules* own) const {
    if (own == nullptr) return nullptr;
    if (own->id() != rules()) throw nb::value_error("a root's rules must be those of its pool");
    return static_cast<const G*>(own->raw_game());
  }

  Constraints constraints(const State& state, int viewer, const Actions& include, std::int64_t include_visits,
                          const std::vector<RestrictionTuple>& restrictions, std::int64_t visits) const {
    Constraints result = read_constraints(facts(), include_visits, restrictions, visits);
    const int actor = game().actor(state);
    if (!include.empty() && (actor >= 0 || actor == kEveryone)) {
      const int player = actor == kEveryone ? viewer : actor;
      if (player < 0) throw nb::value_error("everyone acts: include needs a viewer, whose actions it names");
      Actions legal;
      game().legal(state, player, legal);
      result.include = read_include(include, legal);
    }
    return result;
  }

  Pool<G> pool_;
};

}  // namespace tengen
