#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "bindings/border.hpp"
#include "search/pool.hpp"

// Gives a game's pool to Python: class `<Name>Pool`. Work that does not need Python runs without its lock.
namespace tengen {

// How a game's rules and states cross the border; a game written in Python has its own.
template <Game G>
struct PoolBorder {
  using RulesType = Rules<G>;
  using StateType = Position<G>;
  static constexpr bool kReleasesGil = true;

  static const G& game(const RulesType& rules) { return rules.game; }
  static typename G::State take(const RulesType& rules, const G&, const StateType& state) {
    return checked_state(rules, state);
  }
  static StateType give(const RulesType& rules, const G&, const typename G::State& state) { return {state, rules.id}; }
};

template <Game G, class Border = PoolBorder<G>>
class BoundPool {
 public:
  using R = typename Border::RulesType;
  using P = typename Border::StateType;
  using In = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
  using Features = nb::ndarray<nb::numpy, const float, nb::ndim<4>>;
  using Mask = nb::ndarray<nb::numpy, const bool, nb::ndim<2>>;
  using RestrictionTuple = std::tuple<int, Actions, int, bool>;

  BoundPool(const R& rules, const SearchSettings& settings, int threads)
      : rules_(rules), pool_((check(Border::game(rules), settings, threads), Border::game(rules)), settings, threads) {}

  static void bind(nb::module_& m, const char* name) {
    using B = BoundPool;
    nb::class_<B>(m, name)
        .def(nb::init<const R&, const SearchSettings&, int>(), nb::arg("rules"), nb::arg("settings"),
             nb::arg("threads"))
        .def("add", &B::add, nb::arg("state").none(), nb::arg("viewer"), nb::arg("seed"), nb::arg("include"),
             nb::arg("include_visits"), nb::arg("restrictions"), nb::arg("visits"), nb::arg("settings").none(),
             nb::arg("aux"),
             "A new root; answers its number. Settings of its own, and how many auxiliary values its nodes keep.")
        .def("restart", &B::restart, nb::arg("root"), nb::arg("include"), nb::arg("include_visits"),
             nb::arg("restrictions"), nb::arg("visits"), "A new search of the same root.")
        .def("remove", &B::remove, nb::arg("root"))
        .def("advance", &B::advance, nb::arg("root"), nb::arg("actions"), nb::arg("after").none(),
             "Moves a root along an action, an outcome or a joint action.")
        .def("collect", &B::collect, nb::arg("most"), "Rows that want an answer; 0 does not mean done.")
        .def("features", &B::features, "[rows, planes, height, width] of the batch, read-only.")
        .def("legal", &B::legal, "[rows, actions], read-only: what may be played in each row.")
        .def("viewers", &B::viewers, "Who decides in each row.")
        .def("roots", &B::roots, "The root that each row belongs to.")
        .def("depths", &B::depths, "Decisions between the root and each row.")
        .def("states", &B::states)
        .def("supply", &B::supply, nb::arg("logits").noconvert(), nb::arg("values").noconvert(),
             nb::arg("aux").noconvert().none(), "Answers to the batch: [rows, actions], [rows, players], [rows, aux].")
        .def("abandon", &B::abandon, "Takes the batch back.")
        .def("run", &B::run, nb::arg("evaluator"), nb::arg("rollouts"), nb::arg("visits"),
             "With the core's evaluator uniform, rollout or heuristic, at most so many visits for each root; answers "
             "whether all roots are done.")
        .def("is_done", &B::is_done)
        .def("progress", &B::progress, nb::arg("root"), "A root's visits, and whether it is done.")
        .def("replace_root_state", &B::replace_root_state, nb::arg("root"), nb::arg("state").none(),
             "Gives a root another state of the same rules_key.")
        .def("state", &B::state, nb::arg("root"))
        .def("report", &B::report, nb::arg("root"), nb::arg("spread"), nb::arg("aux"), nb::arg("deviations"))
        .def("choose", &B::choose, nb::arg("root"), nb::arg("player"), nb::arg("temperature"))
        .def_prop_ro("cache_hits", &B::cache_hits);
  }

  // For functions that know the game: what `use` makes of the batch's rows.
  template <class Use>
  auto with_rows(const Use& use) {
    const Turn turn(busy_);
    return use(pool_.rows());
  }

 private:
  // A game that needs Python's lock gains nothing from a second thread.
  static constexpr int kMostThreads = Border::kReleasesGil ? 1024 : 1;

  // One caller at a time: a pool is not for sharing between threads.
  class Turn {
   public:
    explicit Turn(std::atomic_flag& busy) : busy_(busy) {
      if (busy_.test_and_set()) throw std::runtime_error("this pool is at work for another thread");
    }
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;
    ~Turn() { busy_.clear(); }

   private:
    std::atomic_flag& busy_;
  };

  // Without Python's lock, where the game can do without it.
  template <class Work>
  static auto unlocked(const Work& job) {
    if constexpr (Border::kReleasesGil) {
      const nb::gil_scoped_release released;
      return job();
    } else {
      return job();
    }
  }

  template <class Work>
  auto work(const Work& job) {
    const Turn turn(busy_);
    return unlocked(job);
  }

  static void check(const G& game, const SearchSettings& settings, int threads) {
    check_settings(settings);
    check_fits(settings, game.facts());
    if (threads < 1 || threads > kMostThreads) {
      throw nb::value_error(("threads must be from 1 to " + std::to_string(kMostThreads)).c_str());
    }
    if (game.action_count() > kMostEdges) throw nb::value_error("a game can have at most 65535 actions");
  }

  const G& game() const { return pool_.game(); }

  Constraints constraints(const typename G::State& state, int viewer, const Actions& include,
                          std::int64_t include_visits, const std::vector<RestrictionTuple>& restrictions,
                          std::int64_t visits) const {
    if (include_visits < 1) throw nb::value_error("include_visits must be at least 1");
    if (visits < 0) throw nb::value_error("visits must be at least 1, or 0 for those of the settings");
    Constraints result;
    result.visits = visits;
    result.include_visits = include_visits;
    const int actor = game().actor(state);
    if (!include.empty() && (actor >= 0 || actor == kEveryone)) {
      const int player = actor == kEveryone ? viewer : actor;
      if (player < 0) throw nb::value_error("everyone acts: include needs a viewer, whose actions it names");
      Actions legal;
      game().legal(state, player, legal);
      for (const Action action : include) {
        if (!std::binary_search(legal.begin(), legal.end(), action)) {
          throw nb::value_error(("include: action " + std::to_string(action) + " is illegal here").c_str());
        }
        if (std::find(result.include.begin(), result.include.end(), action) == result.include.end()) {
          result.include.push_back(action);
        }
      }
    }
    for (const auto& [player, actions, until_depth, allow] : restrictions) {
      check_index(player, game().facts().players, "player");
      for (const Action action : actions) check_index(action, game().action_count(), "action");
      if (until_depth < 1) throw nb::value_error("a restriction's until_depth must be at least 1");
      result.restrictions.push_back({player, actions, until_depth, allow});
    }
    return result;
  }

  int add(const P& position, int viewer, std::uint64_t seed, const Actions& include, std::int64_t include_visits,
          const std::vector<RestrictionTuple>& restrictions, std::int64_t visits,
          const std::optional<SearchSettings>& settings, int aux) {
    const Turn turn(busy_);
    if (settings) check_settings(*settings), check_fits(*settings, game().facts());
    if (aux < 0) throw nb::value_error("aux must be at least 0");
    const typename G::State state = Border::take(rules_, game(), position);
    if (viewer != -1) check_index(viewer, game().facts().players, "viewer");
    const int actor = game().actor(state);
    if (viewer == -1 && actor >= 0) viewer = actor;
    if (viewer == -1 && game().facts().hidden && actor == kEveryone) {
      throw nb::value_error("everyone acts in a game with hidden information: say who the viewer is");
    }
    return pool_.add(state, viewer, seed, constraints(state, viewer, include, include_visits, restrictions, visits),
                     settings ? *settings : pool_.settings(), aux);
  }

  void restart(int root, const Actions& include, std::int64_t include_visits,
               const std::vector<RestrictionTuple>& restrictions, std::int64_t visits) {
    const Turn turn(busy_);
    const auto& tree = pool_.tree(root);
    pool_.restart(root, constraints(tree.state(), tree.viewer(), include, include_visits, restrictions, visits));
  }

  void remove(int root) {
    const Turn turn(busy_);
    pool_.remove(root);
  }

  void advance(int root, const Actions& actions, const std::optional<P>& next) {
    const Turn turn(busy_);
    const typename G::State state = pool_.tree(root).state();
    const int actor = game().actor(state);
    if (actor == kNobody) throw nb::value_error("the game is over: nobody acts any more");
    if (actor == kEveryone) {
      check_joint(game(), state, actions);
    } else {
      if (actions.size() != 1) throw nb::value_error("one acts here: advance takes one action");
      check_legal(game(), state, actor, actions[0]);
    }
    if (next) {
      const typename G::State given = Border::take(rules_, game(), *next);
      pool_.advance(root, actions, &given);
    } else {
      pool_.advance(root, actions, nullptr);
    }
  }

  std::size_t collect(std::size_t most) {
    if (most > std::size_t{1} << 24) throw nb::value_error("collect: at most 2^24 rows");
    return work([&] { return pool_.collect(most); });
  }

  Features features() {
    const Turn turn(busy_);
    using Held = std::shared_ptr<const std::vector<float>>;
    const Held data = pool_.features();
    const nb::capsule owner(new Held(data), [](void* held) noexcept { delete static_cast<Held*>(held); });
    const Shape shape = game().shape();
    return Features(data->data(), {pool_.row_count(), extent(shape.planes), extent(shape.height), extent(shape.width)},
                    owner);
  }

  Mask legal() {
    const Turn turn(busy_);
    const std::size_t actions = extent(game().action_count());
    auto mask = OwnedArray<bool>(pool_.row_count() * actions, false);
    for (std::size_t row = 0; row < pool_.row_count(); ++row) {
      for (const Action action : *pool_.rows()[row].legal) mask.span()[row * actions + extent(action)] = true;
    }
    return mask.template release<Mask>({pool_.row_count(), actions});
  }

  std::vector<int> viewers() {
    const Turn turn(busy_);
    std::vector<int> result;
    for (const auto& row : pool_.rows()) result.push_back(row.viewer);
    return result;
  }

  std::vector<int> roots() {
    const Turn turn(busy_);
    std::vector<int> result;
    for (const auto& row : pool_.rows()) result.push_back(row.root);
    return result;
  }

  std::vector<int> depths() {
    const Turn turn(busy_);
    std::vector<int> result;
    for (const auto& row : pool_.rows()) result.push_back(row.depth);
    return result;
  }

  std::vector<P> states() {
    const Turn turn(busy_);
    std::vector<P> result;
    for (const auto& row : pool_.rows()) result.push_back(Border::give(rules_, game(), *row.state));
    return result;
  }

  std::span<const float> checked(const In& array, const char* name, int columns) const {
    const auto wanted = std::pair(pool_.row_count(), extent(columns));
    if (array.shape(0) != wanted.first || array.shape(1) != wanted.second) {
      throw nb::value_error((std::string("supply: ") + name + " is [" + std::to_string(array.shape(0)) + ", " +
                             std::to_string(array.shape(1)) + "] and must be [" + std::to_string(wanted.first) + ", " +
                             std::to_string(wanted.second) + "]")
                                .c_str());
    }
    return {array.data(), wanted.first * wanted.second};
  }

  void supply(const In& logits, const In& values, const std::optional<In>& aux) {
    const Turn turn(busy_);
    if (pool_.row_count() == 0) throw std::runtime_error("supply: nothing was collected");
    const auto policy = checked(logits, "logits", game().action_count());
    const auto worth = checked(values, "values", game().facts().players);
    std::span<const float> further;
    if (aux) further = checked(*aux, "aux", game().aux_count());
    unlocked([&] { pool_.supply(policy, worth, further); });
  }

  void abandon() {
    const Turn turn(busy_);
    pool_.abandon();
  }

  bool run(const std::string& evaluator, int rollouts, std::int64_t visits) {
    const auto run_with = [&](const auto& found) { return work([&] { return pool_.run(found, visits); }); };
    if (rollouts < 1) throw nb::value_error("rollouts must be at least 1");
    if (evaluator == "uniform") return run_with(UniformEvaluator{});
    if (evaluator == "rollout") return run_with(RolloutEvaluator{rollouts});
    if (evaluator != "heuristic") throw nb::value_error(("the core has no evaluator " + evaluator).c_str());
    if constexpr (HasHeuristic<G>) {
      return run_with(HeuristicEvaluator{});
    } else {
      throw nb::value_error("this game has no heuristic");
    }
  }

  bool is_done() {
    const Turn turn(busy_);
    return pool_.is_done();
  }

  std::tuple<std::int64_t, bool> progress(int root) {
    const Turn turn(busy_);
    const auto& tree = pool_.tree(root);
    return {tree.visits(), tree.is_done()};
  }

  void replace_root_state(int root, const P& position) {
    const Turn turn(busy_);
    pool_.replace_root_state(root, Border::take(rules_, game(), position));
  }

  P state(int root) {
    const Turn turn(busy_);
    return Border::give(rules_, game(), pool_.tree(root).state());
  }

  RootReport report(int root, bool spread, bool aux, bool deviations) {
    return work([&] { return pool_.report(root, ReportOptions{spread, aux, deviations}); });
  }

  Action choose(int root, int player, double temperature) {
    const Turn turn(busy_);
    check_index(player, game().facts().players, "player");
    if (!(temperature >= 0.0 && temperature <= 1e6)) throw nb::value_error("temperature must be from 0 to 1e6");
    return pool_.choose(root, player, temperature);
  }

  std::size_t cache_hits() {
    const Turn turn(busy_);
    return pool_.cache_hits();
  }

  R rules_;
  Pool<G> pool_;
  std::atomic_flag busy_;
};

}  // namespace tengen
