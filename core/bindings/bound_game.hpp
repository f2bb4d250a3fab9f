#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings/any_game.hpp"
#include "bindings/bound_pool.hpp"
#include "bindings/conversions.hpp"
#include "bindings/count.hpp"
#include "game.hpp"
#include "search/flat.hpp"

// The rules of a game as Python sees them.
namespace tengen {

template <Game G>
class BoundGame final : public AnyRules {
 public:
  using State = typename G::State;

  BoundGame(const G& made, const std::string& name, const std::string& settings)
      : AnyRules(name, settings, facts_of(made)), game(made) {}

  // For a game's own functions.
  const State& checked(const AnyState& state) const { return state_of<G>(id(), state); }
  AnyState give(const State& state) const { return AnyState(id(), state); }

  const G game;

  const void* raw_game() const override { return &game; }

  nb::object start(std::uint64_t seed) const override {
    const Local<G> own = game;
    Rng rng(seed);
    return give_state(own, id(), own.start(rng));
  }

  int actor(nb::handle given) const override {
    const Call call(*this, given);
    return call.game.actor(call.state);
  }

  Actions legal(nb::handle given, int player) const override {
    const Call call(*this, given);
    check_acts(call.game, call.state, player);
    Actions actions;
    call.game.legal(call.state, player, actions);
    return actions;
  }

  nb::object apply(nb::handle given, Action action) const override {
    const Call call(*this, given);
    const int actor = call.game.actor(call.state);
    if (actor == kNobody) throw nb::value_error("the game is over: nobody acts any more");
    if (actor == kEveryone) throw nb::value_error("everyone acts at once: apply_joint takes one action a player");
    check_legal(call.game, call.state, actor, action);
    State next = call.state;
    call.game.apply(next, action);
    return call.give(next);
  }

  nb::object apply_joint(nb::handle given, const Actions& actions) const override {
    const Call call(*this, given);
    if constexpr (G::kFacts.simultaneous) {
      if (call.game.actor(call.state) == kEveryone) {
        check_joint(call.game, call.state, actions);
        State next = call.state;
        call.game.apply(next, std::span<const Action>(actions));
        return call.give(next);
      }
    }
    throw nb::value_error("the players do not act at once here: apply takes the action of who is to act");
  }

  Action outcome(nb::handle given, [[maybe_unused]] std::uint64_t seed) const override {
    const Call call(*this, given);
    if constexpr (G::kFacts.chance) {
      if (call.game.actor(call.state) == kChance) {
        Rng rng(seed);
        return call.game.outcome(call.state, rng);
      }
    }
    throw nb::value_error("chance is not to act");
  }

  std::vector<double> payoff(nb::handle given) const override {
    const Call call(*this, given);
    check_over(call.game, call.state, "payoffs");
    std::vector<double> payoffs(extent(facts().facts.players));
    call.game.payoff(call.state, payoffs);
    return payoffs;
  }

  void encode(nb::handle given, int viewer, std::span<float> out) const override {
    const Call call(*this, given);
    check_player(call.game, viewer);
    call.game.encode(call.state, viewer, out);
  }

  nb::object redeal(nb::handle given, int viewer, [[maybe_unused]] std::uint64_t seed) const override {
    const Call call(*this, given);
    check_player(call.game, viewer);
    if constexpr (G::kFacts.hidden) {
      Rng rng(seed);
      return call.give(call.game.redeal(call.state, viewer, rng));
    }
    return nb::borrow(given);
  }

  std::uint64_t key(nb::handle given) const override {
    const Call call(*this, given);
    return call.game.key(call.state);
  }

  std::uint64_t view_key(nb::handle given, int viewer) const override {
    const Call call(*this, given);
    check_player(call.game, viewer);
    if constexpr (G::kFacts.hidden) return call.game.view_key(call.state, viewer);
    return call.game.key(call.state);
  }

  std::vector<double> heuristic(nb::handle given) const override {
    const Call call(*this, given);
    if (!facts().has_heuristic) throw nb::value_error("this game has no heuristic");
    std::vector<double> values(extent(facts().facts.players));
    if constexpr (HasHeuristic<G>) {
      if (call.game.actor(call.state) == kNobody) throw nb::value_error("the game is over: payoff tells its worth");
      call.game.heuristic(call.state, values);
    }
    return values;
  }

  void final_aux(nb::handle given, [[maybe_unused]] std::span<float> out) const override {
    const Call call(*this, given);
    check_over(call.game, call.state, "aux");
    if constexpr (HasAux<G>) call.game.final_aux(call.state, out);
  }

  void hidden_labels(nb::handle given, int viewer, [[maybe_unused]] std::span<float> out) const override {
    const Call call(*this, given);
    check_player(call.game, viewer);
    if constexpr (HasHiddenLabels<G>) call.game.hidden_labels(call.state, viewer, out);
  }

  int policy_index(nb::handle given, Action action) const override {
    const Call call(*this, given);
    check_index(action, facts().action_count, "action");
    if constexpr (HasPolicyIndex<G>) return call.game.policy_index(call.state, action);
    return action;
  }

  Action rollout_action(nb::handle given, int player, [[maybe_unused]] int policy,
                        [[maybe_unused]] std::uint64_t seed) const override {
    const Call call(*this, given);
    check_player(call.game, player);
    check_acts(call.game, call.state, player);
    if constexpr (HasRolloutPolicies<G>) {
      Rng rng(seed);
      return call.game.rollout_action(call.state, player, policy, rng);
    }
    throw nb::value_error("this game has no rollout policies");
  }

  nb::object transform(nb::handle given, int symmetry) const override {
    const Call call(*this, given);
    check_index(symmetry, facts().symmetry_count, "symmetry");
    if constexpr (HasSymmetries<G>) return call.give(call.game.transform(call.state, symmetry));
    return nb::borrow(given);
  }

  void action_maps(std::span<std::int32_t> out) const override {
    fill_maps(out, facts().action_count, [&](int action, [[maybe_unused]] int symmetry) {
      if constexpr (HasSymmetries<G>) return static_cast<int>(game.transform_action(action, symmetry));
      return action;
    });
  }

  void feature_maps(std::span<std::int32_t> out) const override {
    fill_maps(out, facts().shape.size(), [&](int feature, [[maybe_unused]] int symmetry) {
      if constexpr (HasSymmetries<G>) return game.transform_feature(feature, symmetry);
      return feature;
    });
  }

  std::uint64_t perft(nb::handle given, int depth) const override {
    const Call call(*this, given);
    check_index(depth, kDeepestPerft + 1, "depth");
    return unlocked<G>([&] { return Counter<G>(call.game).perft(call.state, depth); });
  }

  Playouts playouts(nb::handle given, std::uint64_t seed, std::uint32_t count, int policy) const override {
    const Call call(*this, given);
    return unlocked<G>([&] { return Counter<G>(call.game).playouts(call.state, seed, count, policy); });
  }

  FlatReport flat_monte_carlo(nb::handle given, int viewer, std::uint64_t seed, const FlatSettings& settings,
                              const std::vector<double>& prior_bonus) const override {
    const Call call(*this, given);
    const Actions legal = check_viewer(call, viewer);
    if (!prior_bonus.empty() && prior_bonus.size() != legal.size()) {
      throw nb::value_error(("prior_bonus has " + std::to_string(prior_bonus.size()) + " numbers for " +
                             std::to_string(legal.size()) + " actions")
                                .c_str());
    }
    return unlocked<G>(
        [&] { return Flat<G>(call.game, settings).run(call.state, viewer, seed, prior_bonus, Tick(call)); });
  }

  void play_worlds(nb::handle given, int viewer, const Actions& actions, std::uint64_t seed, std::uint64_t first,
                   std::uint32_t worlds, const FlatSettings& settings, std::span<double> payoffs,
                   std::span<float> aux) const override {
    const Call call(*this, given);
    const Actions legal = check_viewer(call, viewer);
    for (const Action action : actions) {
      if (!std::binary_search(legal.begin(), legal.end(), action)) throw nb::value_error("an action is not legal");
    }
    unlocked<G>([&] {
      Flat<G>(call.game, settings)
          .play_worlds(call.state, viewer, actions, seed, first, worlds, payoffs, aux, Tick(call));
    });
  }

  std::unique_ptr<AnyPool> make_pool(const SearchSettings& settings, int threads) const override {
    return std::make_unique<BoundPool<G>>(game, *this, settings, threads);
  }

 private:
  // The game and the state of one call from Python.
  struct Call {
    Call(const BoundGame& rules, nb::handle given)
        : id(rules.id()), game(rules.game), state(take_state<G>(game, id, given)) {}

    nb::object give(const State& next) const { return give_state(game, id, next); }

    const RulesId& id;
    const Local<G> game;
    const TakenState<G> state;
  };

  // Once a world: lets Ctrl-C end long work, and a game in Python let go of the last world's positions.
  struct Tick {
    explicit Tick(const Call& made) : call(made) {}

    void operator()() {
      if constexpr (HasSweep<G>) call.game.sweep({call.state});
      if (++worlds % 1024 == 0) hear_interrupts();
    }

    const Call& call;
    std::uint32_t worlds = 0;
  };

  static RulesFacts facts_of(const G& game) {
    RulesFacts facts{.facts = game.facts(),
                     .shape = game.shape(),
                     .action_count = game.action_count(),
                     .payoff_scale = game.payoff_scale(),
                     .aux_count = game.aux_count(),
                     .has_heuristic = HasHeuristic<G>};
    if constexpr (HasHeuristics<G>) facts.heuristics.assign(G::kHeuristics.begin(), G::kHeuristics.end());
    if constexpr (HasRolloutPolicies<G>) {
      facts.rollout_policies.assign(G::kRolloutPolicies.begin(), G::kRolloutPolicies.end());
    }
    if constexpr (InPython<G>) facts.has_heuristic = game.has_heuristic();
    facts.policy_count = facts.action_count;
    if constexpr (HasPolicyIndex<G>) facts.policy_count = game.policy_count();
    if constexpr (HasHiddenLabels<G>) facts.hidden_label_count = game.hidden_label_count();
    if constexpr (HasSymmetries<G>) facts.symmetry_count = game.symmetry_count();
    return facts;
  }

  static Actions check_viewer(const Call& call, int viewer) {
    check_player(call.game, viewer);
    check_acts(call.game, call.state, viewer);
    Actions legal;
    call.game.legal(call.state, viewer, legal);
    return legal;
  }

  // to(index, symmetry) for every symmetry and index.
  void fill_maps(std::span<std::int32_t> out, int count, auto to) const {
    auto next = out.begin();
    for (int symmetry = 0; symmetry < facts().symmetry_count; ++symmetry) {
      for (int i = 0; i < count; ++i) *next++ = to(i, symmetry);
    }
  }
};

// How a setting is handed over: an enumeration as its number.
template <class T>
using Plain = std::conditional_t<std::is_enum_v<T>, int, T>;

template <Game G>
using GameClass = nb::class_<BoundGame<G>, AnyRules>;

// Gives a game's rules to Python as a class `name`, with its settings as keywords; make(Settings) builds the game and
// throws std::invalid_argument for values that do not fit. The class that comes back takes what the game has beyond
// the contract, such as other ways to start.
template <Game G, class Make, class S, class... T>
GameClass<G> bind_game(nb::module_& m, const char* name, Make make, Setting<S, T>... settings) {
  GameClass<G> rules(m, name);
  const auto construct = [make, name, settings...](BoundGame<G>* self, Plain<T>... values) {
    S given;
    ((given.*settings.field = static_cast<T>(values)), ...);
    std::ostringstream text;
    text.precision(std::numeric_limits<double>::max_digits10);
    const char* comma = "";
    ((text << std::exchange(comma, ", ") << settings.name << '=' << values), ...);
    new (self) BoundGame<G>(make(given), name, text.str());
  };
  const S defaults;
  rules.def("__init__", construct, nb::kw_only(),
            (nb::arg(settings.name) = static_cast<Plain<T>>(defaults.*settings.field))...);
  return rules;
}

// A game whose header says all: its settings are G::Settings, listed in G::kSettings, or it has none.
template <Game G>
GameClass<G> bind_game(nb::module_& m, const char* name) {
  if constexpr (HasSettings<G>) {
    const auto make = [](const typename G::Settings& given) { return G(given); };
    return std::apply([&](auto... settings) { return bind_game<G>(m, name, make, settings...); }, G::kSettings);
  } else {
    GameClass<G> rules(m, name);
    rules.def("__init__", [name](BoundGame<G>* self) { new (self) BoundGame<G>(G(), name, ""); });
    return rules;
  }
}

}  // namespace tengen
