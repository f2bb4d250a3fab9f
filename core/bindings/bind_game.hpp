#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings/bind_pool.hpp"
#include "bindings/border.hpp"
#include "bindings/count.hpp"
#include "game.hpp"
#include "search/flat.hpp"

// Gives a native game to Python: a class `<Name>` with the rules and a class `<Name>State` with an opaque, immutable
// state. Every precondition of the core is checked here, so that no call from Python can break the process.
namespace tengen {

// A setting of a game, by keyword, with the default that Python sees.
template <class T>
struct Setting {
  const char* name;
  T value;
};
template <class T>
Setting(const char*, T) -> Setting<T>;

template <Game G>
class GameBinding {
 public:
  using R = Rules<G>;
  using P = Position<G>;

  static void bind_state(nb::module_& m, const std::string& name) {
    const auto self_copy = [](nb::handle self) { return nb::borrow(self); };
    nb::class_<P>(m, (name + "State").c_str())
        .def("__copy__", self_copy)
        .def(
            "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); }, nb::arg("memo"))
        .def("__getstate__", &save)
        .def("__setstate__", &restore, nb::arg("data"));
  }

  static void bind_facts(nb::class_<R>& rules) {
    rules.def_prop_ro("settings", [](const R& r) { return r.settings; })
        .def_prop_ro("players", [](const R& r) { return r.game.facts().players; })
        .def_prop_ro("hidden", [](const R& r) { return r.game.facts().hidden; })
        .def_prop_ro("chance", [](const R& r) { return r.game.facts().chance; })
        .def_prop_ro("simultaneous", [](const R& r) { return r.game.facts().simultaneous; })
        .def_prop_ro("zero_sum", [](const R& r) { return r.game.facts().zero_sum; })
        .def_prop_ro("action_count", [](const R& r) { return r.game.action_count(); })
        .def_prop_ro("payoff_scale", [](const R& r) { return r.game.payoff_scale(); })
        .def_prop_ro("aux_count", [](const R& r) { return r.game.aux_count(); })
        .def_prop_ro("hidden_label_count", [](const R& r) { return hidden_label_count(r.game); })
        .def_prop_ro("has_heuristic", [](const R&) { return HasHeuristic<G>; })
        .def_prop_ro(
            "rollout_policies", [](const R&) { return rollout_policies(); }, "Names; playouts take the first.")
        .def_prop_ro("symmetry_count", [](const R& r) { return symmetry_count(r.game); })
        .def_prop_ro("shape", [](const R& r) {
          const Shape shape = r.game.shape();
          return std::tuple(shape.planes, shape.height, shape.width);
        });
  }

  static void bind_play(nb::class_<R>& rules) {
    rules.def("start", &start, nb::arg("seed"))
        .def("actor", &actor, nb::arg("state"), "A player, CHANCE, EVERYONE or NOBODY.")
        .def("legal", &legal, nb::arg("state"), nb::arg("player"), "Ascending; with CHANCE the possible outcomes.")
        .def("apply", &apply, nb::arg("state"), nb::arg("action"))
        .def("apply_joint", &apply_joint, nb::arg("state"), nb::arg("actions"))
        .def("outcome", &outcome, nb::arg("state"), nb::arg("seed"))
        .def("payoff", &payoff, nb::arg("state"));
  }

  static void bind_views(nb::class_<R>& rules) {
    rules.def("encode", &encode, nb::arg("state"), nb::arg("viewer"), "Planes of what the viewer sees.")
        .def("redeal", &redeal, nb::arg("state"), nb::arg("viewer"), nb::arg("seed"))
        .def(
            "key", [](const R& r, const P& p) { return r.game.key(checked_state(r, p)); }, nb::arg("state"))
        .def("view_key", &view_key, nb::arg("state"), nb::arg("viewer"))
        .def("heuristic", &heuristic, nb::arg("state"), "A value for each player.")
        .def("final_aux", &final_aux, nb::arg("state"))
        .def("hidden_labels", &hidden_labels, nb::arg("state"), nb::arg("viewer"), "What the viewer does not see.")
        .def("rollout_action", &rollout_action, nb::arg("state"), nb::arg("player"), nb::arg("policy"), nb::arg("seed"),
             "What a rollout policy does.")
        .def("transform", &transform, nb::arg("state"), nb::arg("symmetry"))
        .def("action_maps", &action_maps, "[symmetries, actions]: where a symmetry takes an action.")
        .def("feature_maps", &feature_maps, "[symmetries, features]: where a symmetry takes a feature.");
  }

  static void bind_counts(nb::class_<R>& rules) {
    rules
        .def("perft", &perft, nb::arg("state"), nb::arg("depth"),
             "How many sequences of that many actions and chance outcomes there are.")
        .def("playouts", &playouts, nb::arg("state"), nb::arg("seed"), nb::arg("count"),
             nb::arg("policy").none() = nb::none(),
             "Plays to the end, at random or by a rollout policy; answers all plies played and each player's summed "
             "payoffs.")
        .def("try_actions", &try_actions, nb::arg("state"), nb::arg("viewer"), nb::arg("seed"), nb::arg("worlds"),
             nb::arg("rollout_policy").none(), nb::arg("halving"), nb::arg("penalty_weight"), nb::arg("payoff_cap"),
             nb::arg("prior_bonus"),
             "Legal actions in the same redealt worlds, played to the end: the actions, the viewer's mean payoffs, the "
             "standard errors of their differences to the best, how often the viewer wins, and its mean penalties.")
        .def("play_worlds", &play_worlds, nb::arg("state"), nb::arg("viewer"), nb::arg("actions"), nb::arg("seed"),
             nb::arg("first"), nb::arg("worlds"), nb::arg("rollout_policy").none(), nb::arg("aux"),
             "Actions of the viewer in the redealt worlds first … first + worlds - 1 of a seed, played to the end: the "
             "payoffs [worlds, actions, players] and the first auxiliary values [worlds, actions, aux].");
  }

 private:
  using Planes = nb::ndarray<nb::numpy, float, nb::ndim<3>>;
  using Vector = nb::ndarray<nb::numpy, float, nb::ndim<1>>;
  using Maps = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<2>>;
  using Payoffs = nb::ndarray<nb::numpy, double, nb::ndim<3>>;
  using Aux = nb::ndarray<nb::numpy, float, nb::ndim<3>>;

  // Lets Ctrl-C end long work: to be called now and then, without the GIL.
  struct SignalCheck {
    std::uint32_t calls = 0;

    void operator()() {
      if (++calls % 1024 != 0) return;
      const nb::gil_scoped_acquire held;
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
    }
  };

  static nb::bytes save(const P& position) {
    const std::string data = save_position(position);
    return nb::bytes(data.data(), data.size());
  }

  static void restore(nb::handle self, const nb::bytes& data) {
    if (nb::inst_ready(self)) throw nb::type_error("a state cannot be changed");
    new (nb::inst_ptr<P>(self)) P(restore_position<G>(data));
    nb::inst_mark_ready(self);
  }

  static P start(const R& rules, std::uint64_t seed) {
    Rng rng(seed);
    return {rules.game.start(rng), rules.id};
  }

  static int actor(const R& rules, const P& position) { return rules.game.actor(checked_state(rules, position)); }

  static Actions legal(const R& rules, const P& position, int player) {
    const auto& state = checked_state(rules, position);
    check_acts(rules.game, state, player);
    Actions actions;
    rules.game.legal(state, player, actions);
    return actions;
  }

  static P apply(const R& rules, const P& position, Action action) {
    const auto& state = checked_state(rules, position);
    const int actor = rules.game.actor(state);
    if (actor == kNobody) throw nb::value_error("the game is over: nobody acts any more");
    if (actor == kEveryone) throw nb::value_error("everyone acts at once: apply_joint takes one action a player");
    check_legal(rules.game, state, actor, action);
    P next = position;
    rules.game.apply(next.state, action);
    return next;
  }

  static P apply_joint(const R& rules, const P& position, const Actions& actions) {
    const auto& state = checked_state(rules, position);
    if constexpr (G::kFacts.simultaneous) {
      if (rules.game.actor(state) == kEveryone) {
        check_joint(rules.game, state, actions);
        P next = position;
        rules.game.apply(next.state, std::span<const Action>(actions));
        return next;
      }
    }
    throw nb::value_error("the players do not act at once here: apply takes the action of who is to act");
  }

  static Action outcome(const R& rules, const P& position, std::uint64_t seed) {
    const auto& state = checked_state(rules, position);
    if constexpr (G::kFacts.chance) {
      if (rules.game.actor(state) == kChance) {
        Rng rng(seed);
        return rules.game.outcome(state, rng);
      }
    }
    throw nb::value_error("chance is not to act");
  }

  static std::vector<double> payoff(const R& rules, const P& position) {
    const auto& state = checked_state(rules, position);
    check_over(rules.game, state, "payoffs");
    std::vector<double> payoffs(static_cast<std::size_t>(rules.game.facts().players));
    rules.game.payoff(state, payoffs);
    return payoffs;
  }

  static Planes encode(const R& rules, const P& position, int viewer) {
    const auto& state = checked_state(rules, position);
    check_player(rules.game, viewer);
    const Shape shape = rules.game.shape();
    // A cell that the game forgets to write stays NaN, which the conformance suite finds.
    auto buffer = OwnedArray<float>(static_cast<std::size_t>(shape.size()), std::numeric_limits<float>::quiet_NaN());
    rules.game.encode(state, viewer, buffer.span());
    return buffer.template release<Planes>({extent(shape.planes), extent(shape.height), extent(shape.width)});
  }

  static P redeal(const R& rules, const P& position, int viewer, std::uint64_t seed) {
    const auto& state = checked_state(rules, position);
    check_player(rules.game, viewer);
    if constexpr (G::kFacts.hidden) {
      Rng rng(seed);
      return {rules.game.redeal(state, viewer, rng), rules.id};
    }
    return position;
  }

  static std::uint64_t view_key(const R& rules, const P& position, int viewer) {
    const auto& state = checked_state(rules, position);
    check_player(rules.game, viewer);
    if constexpr (G::kFacts.hidden) return rules.game.view_key(state, viewer);
    return rules.game.key(state);
  }

  static std::vector<double> heuristic(const R& rules, const P& position) {
    const auto& state = checked_state(rules, position);
    if constexpr (HasHeuristic<G>) {
      if (rules.game.actor(state) == kNobody) throw nb::value_error("the game is over: payoff tells its worth");
      std::vector<double> values(static_cast<std::size_t>(rules.game.facts().players));
      rules.game.heuristic(state, values);
      return values;
    }
    throw nb::value_error("this game has no heuristic");
  }

  static Vector final_aux(const R& rules, const P& position) {
    const auto& state = checked_state(rules, position);
    check_over(rules.game, state, "aux");
    const auto count = extent(rules.game.aux_count());
    auto buffer = OwnedArray<float>(count, std::numeric_limits<float>::quiet_NaN());
    if constexpr (HasAux<G>) rules.game.final_aux(state, buffer.span());
    return buffer.template release<Vector>({count});
  }

  static int hidden_label_count([[maybe_unused]] const G& game) {
    if constexpr (HasHiddenLabels<G>) return game.hidden_label_count();
    return 0;
  }

  static Vector hidden_labels(const R& rules, const P& position, int viewer) {
    [[maybe_unused]] const auto& state = checked_state(rules, position);
    check_player(rules.game, viewer);
    const auto count = extent(hidden_label_count(rules.game));
    auto buffer = OwnedArray<float>(count, std::numeric_limits<float>::quiet_NaN());
    if constexpr (HasHiddenLabels<G>) rules.game.hidden_labels(state, viewer, buffer.span());
    return buffer.template release<Vector>({count});
  }

  static std::vector<std::string_view> rollout_policies() {
    if constexpr (HasRolloutPolicies<G>) return {G::kRolloutPolicies.begin(), G::kRolloutPolicies.end()};
    return {};
  }

  // The number of a rollout policy; without a name the one that playouts take.
  static int find_policy(const std::optional<std::string>& name) {
    if (!name) return 0;
    const auto known = rollout_policies();
    const auto found = std::ranges::find(known, *name);
    if (found == known.end()) throw nb::value_error(("this game has no rollout policy called " + *name).c_str());
    return static_cast<int>(found - known.begin());
  }

  static Action rollout_action(const R& rules, const P& position, int player, const std::string& policy,
                               std::uint64_t seed) {
    const auto& state = checked_state(rules, position);
    check_player(rules.game, player);
    check_acts(rules.game, state, player);
    [[maybe_unused]] const int number = find_policy(policy);
    [[maybe_unused]] Rng rng(seed);
    if constexpr (HasRolloutPolicies<G>) return rules.game.rollout_action(state, player, number, rng);
    return 0;
  }

  static std::tuple<Actions, std::vector<double>, std::vector<double>, std::vector<double>, std::vector<double>>
  try_actions(const R& rules, const P& position, int viewer, std::uint64_t seed, std::uint32_t worlds,
              const std::optional<std::string>& rollout_policy, bool halving, double penalty_weight, double payoff_cap,
              const std::vector<double>& prior_bonus) {
    const auto& state = checked_state(rules, position);
    check_player(rules.game, viewer);
    check_acts(rules.game, state, viewer);
    const int policy = find_policy(rollout_policy);
    if (worlds < 1 || !(penalty_weight >= 0.0) || !(payoff_cap > 0.0)) {
      throw nb::value_error("worlds must be at least 1, penalty_weight at least 0, and payoff_cap above 0");
    }
    Actions legal;
    rules.game.legal(state, viewer, legal);
    if (!prior_bonus.empty() && prior_bonus.size() != legal.size()) {
      throw nb::value_error(("prior_bonus has " + std::to_string(prior_bonus.size()) + " numbers for " +
                             std::to_string(legal.size()) + " actions")
                                .c_str());
    }
    const nb::gil_scoped_release released;
    Flat<G> flat(rules.game, {.worlds = worlds,
                              .rollout_policy = policy,
                              .halving = halving,
                              .penalty_weight = penalty_weight,
                              .payoff_cap = payoff_cap});
    FlatReport report = flat.run(state, viewer, seed, prior_bonus, SignalCheck());
    return {std::move(report.actions), std::move(report.means), std::move(report.errors), std::move(report.wins),
            std::move(report.penalties)};
  }

  static std::tuple<Payoffs, Aux> play_worlds(const R& rules, const P& position, int viewer, const Actions& actions,
                                              std::uint64_t seed, std::uint64_t first, std::uint32_t worlds,
                                              const std::optional<std::string>& rollout_policy, std::size_t aux) {
    const auto& state = checked_state(rules, position);
    check_player(rules.game, viewer);
    check_acts(rules.game, state, viewer);
    const int policy = find_policy(rollout_policy);
    if (aux > static_cast<std::size_t>(rules.game.aux_count())) {
      throw nb::value_error("the game has fewer auxiliary values");
    }
    Actions legal;
    rules.game.legal(state, viewer, legal);
    for (const Action action : actions) {
      if (!std::binary_search(legal.begin(), legal.end(), action)) throw nb::value_error("an action is not legal");
    }
    const auto players = static_cast<std::size_t>(rules.game.facts().players);
    OwnedArray<double> payoffs(worlds * actions.size() * players, 0.0);
    OwnedArray<float> finals(worlds * actions.size() * aux, 0.0F);
    {
      const nb::gil_scoped_release released;
      Flat<G>(rules.game, {.rollout_policy = policy})
          .play_worlds(state, viewer, actions, seed, first, worlds, payoffs.span(), finals.span(), SignalCheck());
    }
    return {payoffs.template release<Payoffs>({worlds, actions.size(), players}),
            finals.template release<Aux>({worlds, actions.size(), aux})};
  }

  static int symmetry_count(const G& game) {
    if constexpr (HasSymmetries<G>) return game.symmetry_count();
    return 1;
  }

  static P transform(const R& rules, const P& position, int symmetry) {
    const auto& state = checked_state(rules, position);
    check_index(symmetry, symmetry_count(rules.game), "symmetry");
    if constexpr (HasSymmetries<G>) return {rules.game.transform(state, symmetry), rules.id};
    return position;
  }

  // to(index, symmetry) for every symmetry and index.
  static Maps maps(const G& game, int count, auto to) {
    const int symmetries = symmetry_count(game);
    auto buffer = OwnedArray<std::int32_t>(extent(symmetries) * extent(count), 0);
    auto* next = buffer.span().data();
    for (int symmetry = 0; symmetry < symmetries; ++symmetry) {
      for (int i = 0; i < count; ++i) *next++ = to(i, symmetry);
    }
    return buffer.template release<Maps>({extent(symmetries), extent(count)});
  }

  static Maps action_maps(const R& rules) {
    return maps(rules.game, rules.game.action_count(), [&](int action, [[maybe_unused]] int symmetry) {
      if constexpr (HasSymmetries<G>) return static_cast<int>(rules.game.transform_action(action, symmetry));
      return action;
    });
  }

  static Maps feature_maps(const R& rules) {
    return maps(rules.game, rules.game.shape().size(), [&](int feature, [[maybe_unused]] int symmetry) {
      if constexpr (HasSymmetries<G>) return rules.game.transform_feature(feature, symmetry);
      return feature;
    });
  }

  static std::uint64_t perft(const R& rules, const P& position, int depth) {
    const auto& state = checked_state(rules, position);
    check_index(depth, kDeepestPerft + 1, "depth");
    const nb::gil_scoped_release released;
    return Counter<G>(rules.game).perft(state, depth);
  }

  static std::tuple<std::uint64_t, std::vector<double>> playouts(const R& rules, const P& position, std::uint64_t seed,
                                                                 std::uint32_t count,
                                                                 const std::optional<std::string>& policy) {
    const auto& state = checked_state(rules, position);
    const int number = policy ? find_policy(policy) : kUniformPolicy;
    const nb::gil_scoped_release released;
    return Counter<G>(rules.game).playouts(state, seed, count, number);
  }
};

// make(values...) builds the game from its settings; it throws std::invalid_argument for values that do not fit. The
// class that comes back takes what the game has beyond the contract, such as other ways to start.
template <Game G, class Make, class... T>
nb::class_<Rules<G>> bind_game(nb::module_& m, const char* name, Make make, Setting<T>... settings) {
  using Binding = GameBinding<G>;
  Binding::bind_state(m, name);
  nb::class_<Rules<G>> rules(m, name);
  const auto construct = [make, name = std::string(name), names = std::vector<const char*>{settings.name...}](
                             Rules<G>* self, T... values) {
    const std::string text = describe_settings(names, values...);
    new (self) Rules<G>{make(values...), text, rules_id(name, text)};
  };
  if constexpr (sizeof...(T) == 0) {
    rules.def("__init__", construct);
  } else {
    rules.def("__init__", construct, nb::kw_only(), (nb::arg(settings.name) = settings.value)...);
  }
  Binding::bind_facts(rules);
  Binding::bind_play(rules);
  Binding::bind_views(rules);
  Binding::bind_counts(rules);
  BoundPool<G>::bind(m, (std::string(name) + "Pool").c_str());
  return rules;
}

template <Game G>
nb::class_<Rules<G>> bind_game(nb::module_& m, const char* name) {
  return bind_game<G>(m, name, [] { return G(); });
}

}  // namespace tengen
