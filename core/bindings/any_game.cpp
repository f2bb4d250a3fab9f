#include "bindings/any_game.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <functional>
#include <limits>

#include "bindings/conversions.hpp"

namespace tengen {
namespace {

template <class T, std::size_t N>
using Array = nb::ndarray<nb::numpy, T, nb::ndim<N>>;
using Answers = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

constexpr float kUnwritten =
    std::numeric_limits<float>::quiet_NaN();  // what a game forgets, the conformance suite finds

std::string to_text(const nb::bytes& data) { return {data.c_str(), data.size()}; }

void restore_state(nb::handle self, const nb::bytes& data) {
  if (nb::inst_ready(self)) throw nb::type_error("a state cannot be changed");
  new (nb::inst_ptr<AnyState>(self)) AnyState(AnyState::restore(to_text(data)));
  nb::inst_mark_ready(self);
}

void bind_state(nb::module_& m) {
  nb::class_<AnyState>(m, "State", "A position of a native game: opaque and immutable.")
      .def("__copy__", [](nb::handle self) { return nb::borrow(self); })
      .def(
          "__deepcopy__", [](nb::handle self, nb::handle) { return nb::borrow(self); }, nb::arg("memo"))
      .def("__getstate__",
           [](const AnyState& state) {
             const std::string data = state.save();
             return nb::bytes(data.data(), data.size());
           })
      .def("__setstate__", &restore_state, nb::arg("data"));
}

using Rules = nb::class_<AnyRules>;

void bind_facts(Rules& rules) {
  const auto fact = [&rules](const char* name, auto read) {
    rules.def_prop_ro(name, [read](const AnyRules& r) { return read(r.facts()); });
  };
  rules.def_prop_ro("settings", [](const AnyRules& r) { return r.settings(); });
  fact("players", [](const RulesFacts& f) { return f.facts.players; });
  fact("hidden", [](const RulesFacts& f) { return f.facts.hidden; });
  fact("chance", [](const RulesFacts& f) { return f.facts.chance; });
  fact("simultaneous", [](const RulesFacts& f) { return f.facts.simultaneous; });
  fact("zero_sum", [](const RulesFacts& f) { return f.facts.zero_sum; });
  fact("action_count", [](const RulesFacts& f) { return f.action_count; });
  fact("payoff_scale", [](const RulesFacts& f) { return f.payoff_scale; });
  fact("aux_count", [](const RulesFacts& f) { return f.aux_count; });
  fact("hidden_label_count", [](const RulesFacts& f) { return f.hidden_label_count; });
  fact("policy_count", [](const RulesFacts& f) { return f.policy_count; });
  fact("has_heuristic", [](const RulesFacts& f) { return f.has_heuristic; });
  fact("heuristics", [](const RulesFacts& f) { return f.heuristics; });
  fact("rollout_policies", [](const RulesFacts& f) { return f.rollout_policies; });
  fact("symmetry_count", [](const RulesFacts& f) { return f.symmetry_count; });
  fact("shape", [](const RulesFacts& f) { return std::tuple(f.shape.planes, f.shape.height, f.shape.width); });
}

void bind_play(Rules& rules) {
  using R = AnyRules;
  rules.def("start", &R::start, nb::arg("seed"))
      .def("actor", &R::actor, nb::arg("state"), "A player, CHANCE, EVERYONE or NOBODY.")
      .def("legal", &R::legal, nb::arg("state"), nb::arg("player"), "Ascending; with CHANCE the possible outcomes.")
      .def("apply", &R::apply, nb::arg("state"), nb::arg("action"))
      .def("apply_joint", &R::apply_joint, nb::arg("state"), nb::arg("actions"))
      .def("outcome", &R::outcome, nb::arg("state"), nb::arg("seed"))
      .def("payoff", &R::payoff, nb::arg("state"));
}

Array<float, 3> encode(const AnyRules& rules, nb::handle state, int viewer) {
  const Shape shape = rules.facts().shape;
  OwnedArray<float> planes(extent(shape.size()), kUnwritten);
  rules.encode(state, viewer, planes.span());
  return planes.release<Array<float, 3>>({extent(shape.planes), extent(shape.height), extent(shape.width)});
}

Array<float, 1> final_aux(const AnyRules& rules, nb::handle state) {
  const std::size_t count = extent(rules.facts().aux_count);
  OwnedArray<float> aux(count, kUnwritten);
  rules.final_aux(state, aux.span());
  return aux.release<Array<float, 1>>({count});
}

Array<float, 1> hidden_labels(const AnyRules& rules, nb::handle state, int viewer) {
  const std::size_t count = extent(rules.facts().hidden_label_count);
  OwnedArray<float> labels(count, kUnwritten);
  rules.hidden_labels(state, viewer, labels.span());
  return labels.release<Array<float, 1>>({count});
}

Array<std::int32_t, 2> maps(const AnyRules& rules, int count, void (AnyRules::*fill)(std::span<std::int32_t>) const) {
  const std::size_t symmetries = extent(rules.facts().symmetry_count);
  OwnedArray<std::int32_t> places(symmetries * extent(count), 0);
  (rules.*fill)(places.span());
  return places.release<Array<std::int32_t, 2>>({symmetries, extent(count)});
}

// The number of a rollout policy; without a name the one that playouts take.
int find_policy(const AnyRules& rules, const std::optional<std::string>& name) {
  if (!name) return 0;
  const auto& known = rules.facts().rollout_policies;
  const auto found = std::ranges::find(known, *name);
  if (found == known.end()) throw nb::value_error(("this game has no rollout policy called " + *name).c_str());
  return static_cast<int>(found - known.begin());
}

void bind_views(Rules& rules) {
  using R = AnyRules;
  rules.def("encode", &encode, nb::arg("state"), nb::arg("viewer"), "Planes of what the viewer sees.")
      .def("redeal", &R::redeal, nb::arg("state"), nb::arg("viewer"), nb::arg("seed"))
      .def("key", &R::key, nb::arg("state"))
      .def("view_key", &R::view_key, nb::arg("state"), nb::arg("viewer"))
      .def("heuristic", &R::heuristic, nb::arg("state"), "A value for each player.")
      .def("final_aux", &final_aux, nb::arg("state"))
      .def("hidden_labels", &hidden_labels, nb::arg("state"), nb::arg("viewer"), "What the viewer does not see.")
      .def("policy_index", &R::policy_index, nb::arg("state"), nb::arg("action"),
           "Which of a network's policy_count numbers is for an action; -1: none.")
      .def(
          "rollout_action",
          [](const R& r, nb::handle state, int player, const std::string& policy, std::uint64_t seed) {
            return r.rollout_action(state, player, find_policy(r, policy), seed);
          },
          nb::arg("state"), nb::arg("player"), nb::arg("policy"), nb::arg("seed"), "What a rollout policy does.")
      .def("transform", &R::transform, nb::arg("state"), nb::arg("symmetry"))
      .def(
          "action_maps", [](const R& r) { return maps(r, r.facts().action_count, &R::action_maps); },
          "[symmetries, actions]: where a symmetry takes an action.")
      .def(
          "feature_maps", [](const R& r) { return maps(r, r.facts().shape.size(), &R::feature_maps); },
          "[symmetries, features]: where a symmetry takes a feature.");
}

using FlatColumns =
    std::tuple<Actions, std::vector<double>, std::vector<double>, std::vector<double>, std::vector<double>>;

FlatColumns flat_monte_carlo(const AnyRules& rules, nb::handle state, int viewer, std::uint64_t seed,
                             std::uint32_t worlds, const std::optional<std::string>& rollout_policy, bool halving,
                             double penalty_weight, double payoff_cap, const std::vector<double>& prior_bonus) {
  if (worlds < 1 || !(penalty_weight >= 0.0) || !(payoff_cap > 0.0)) {
    throw nb::value_error("worlds must be at least 1, penalty_weight at least 0, and payoff_cap above 0");
  }
  const FlatSettings settings{.worlds = worlds,
                              .rollout_policy = find_policy(rules, rollout_policy),
                              .halving = halving,
                              .penalty_weight = penalty_weight,
                              .payoff_cap = payoff_cap};
  FlatReport report = rules.flat_monte_carlo(state, viewer, seed, settings, prior_bonus);
  return {std::move(report.actions), std::move(report.means), std::move(report.errors), std::move(report.wins),
          std::move(report.penalties)};
}

std::tuple<Array<double, 3>, Array<float, 3>> play_worlds(const AnyRules& rules, nb::handle state, int viewer,
                                                          const Actions& actions, std::uint64_t seed,
                                                          std::uint64_t first, std::uint32_t worlds,
                                                          const std::optional<std::string>& rollout_policy,
                                                          std::size_t aux) {
  if (aux > extent(rules.facts().aux_count)) throw nb::value_error("the game has fewer auxiliary values");
  const std::size_t players = extent(rules.facts().facts.players);
  OwnedArray<double> payoffs(worlds * actions.size() * players, 0.0);
  OwnedArray<float> finals(worlds * actions.size() * aux, 0.0F);
  const FlatSettings settings{.rollout_policy = find_policy(rules, rollout_policy)};
  rules.play_worlds(state, viewer, actions, seed, first, worlds, settings, payoffs.span(), finals.span());
  return {payoffs.release<Array<double, 3>>({worlds, actions.size(), players}),
          finals.release<Array<float, 3>>({worlds, actions.size(), aux})};
}

void bind_counts(Rules& rules) {
  rules
      .def("perft", &AnyRules::perft, nb::arg("state"), nb::arg("depth"),
           "How many sequences of that many actions and chance outcomes there are.")
      .def(
          "playouts",
          [](const AnyRules& r, nb::handle state, std::uint64_t seed, std::uint32_t count,
             const std::optional<std::string>& policy) {
            return r.playouts(state, seed, count, policy ? find_policy(r, policy) : kUniformPolicy);
          },
          nb::arg("state"), nb::arg("seed"), nb::arg("count"), nb::arg("policy").none() = nb::none(),
          "Plays to the end, at random or by a rollout policy; answers all plies played and each player's summed "
          "payoffs.")
      .def("flat_monte_carlo", &flat_monte_carlo, nb::arg("state"), nb::arg("viewer"), nb::arg("seed"),
           nb::arg("worlds"), nb::arg("rollout_policy").none(), nb::arg("halving"), nb::arg("penalty_weight"),
           nb::arg("payoff_cap"), nb::arg("prior_bonus"),
           "Legal actions in the same redealt worlds, played to the end: the actions, the viewer's mean payoffs, the "
           "standard errors of their differences to the best, how often the viewer wins, and its mean penalties.")
      .def("play_worlds", &play_worlds, nb::arg("state"), nb::arg("viewer"), nb::arg("actions"), nb::arg("seed"),
           nb::arg("first"), nb::arg("worlds"), nb::arg("rollout_policy").none(), nb::arg("aux"),
           "Actions of the viewer in the redealt worlds first … first + worlds - 1 of a seed, played to the end: the "
           "payoffs [worlds, actions, players] and the first auxiliary values [worlds, actions, aux].");
}

template <class R, class... A, class Function>
auto guard_calls(Function function) {
  return [function](AnyPool& pool, A... arguments) -> R {
    const BusyGuard guard(pool);
    return std::invoke(function, pool, std::forward<A>(arguments)...);
  };
}

// A method or a function of a pool, for one caller at a time.
template <class R, class... A>
auto guarded(R (AnyPool::*method)(A...)) {
  return guard_calls<R, A...>(method);
}
template <class R, class... A>
auto guarded(R (AnyPool::*method)(A...) const) {
  return guard_calls<R, A...>(method);
}
template <class R, class... A>
auto guarded(R (*function)(AnyPool&, A...)) {
  return guard_calls<R, A...>(function);
}

Array<const float, 4> features(AnyPool& pool) {
  using Held = std::shared_ptr<const std::vector<float>>;
  const Held data = pool.features();
  const nb::capsule owner(new Held(data), [](void* held) noexcept { delete static_cast<Held*>(held); });
  const Shape shape = pool.facts().shape;
  return {data->data(), {pool.row_count(), extent(shape.planes), extent(shape.height), extent(shape.width)}, owner};
}

Array<const bool, 2> legal(AnyPool& pool) {
  const std::size_t actions = extent(pool.facts().action_count);
  const auto rows = pool.rows();
  OwnedArray<bool> mask(rows.size() * actions, false);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (const Action action : *rows[row].legal) mask.span()[row * actions + extent(action)] = true;
  }
  return mask.release<Array<const bool, 2>>({rows.size(), actions});
}

template <int AnyPool::Row::* field>
std::vector<int> column(AnyPool& pool) {
  std::vector<int> numbers;
  for (const auto& row : pool.rows()) numbers.push_back(row.*field);
  return numbers;
}

std::vector<nb::object> states(AnyPool& pool) {
  std::vector<nb::object> found;
  for (const auto& row : pool.rows()) found.push_back(pool.give(row.state));
  return found;
}

void supply(AnyPool& pool, const Answers& logits, const Answers& values, const std::optional<Answers>& aux) {
  const std::size_t rows = pool.row_count();
  if (rows == 0) throw std::runtime_error("supply: nothing was collected");
  const auto checked = [rows](const Answers& array, const char* name, int columns) -> std::span<const float> {
    if (array.shape(0) != rows || array.shape(1) != extent(columns)) {
      throw nb::value_error((std::string("supply: ") + name + " is [" + std::to_string(array.shape(0)) + ", " +
                             std::to_string(array.shape(1)) + "] and must be [" + std::to_string(rows) + ", " +
                             std::to_string(columns) + "]")
                                .c_str());
    }
    return {array.data(), array.size()};
  };
  const RulesFacts& facts = pool.facts();
  const bool is_by_label = logits.shape(1) == extent(facts.policy_count);
  const auto policy = checked(logits, "logits", is_by_label ? facts.policy_count : facts.action_count);
  const auto worth = checked(values, "values", facts.facts.players);
  std::span<const float> further;
  if (aux) further = checked(*aux, "aux", facts.aux_count);
  pool.supply(policy, worth, further);
}

void bind_pool(nb::module_& m) {
  using P = AnyPool;
  nb::class_<P>(m, "Pool")
      .def(nb::new_([](const AnyRules& rules, const SearchSettings& settings, int threads) {
             return rules.make_pool(settings, threads);
           }),
           nb::arg("rules"), nb::arg("settings"), nb::arg("threads"))
      .def("add", guarded(&P::add), nb::arg("state").none(), nb::arg("viewer"), nb::arg("seed"), nb::arg("include"),
           nb::arg("include_visits"), nb::arg("restrictions"), nb::arg("visits"), nb::arg("settings").none(),
           nb::arg("aux"), nb::arg("rules").none(),
           "A new root; answers its number. Settings of its own, how many auxiliary values its nodes keep, and whose "
           "context it has, by default the pool's.")
      .def("restart", guarded(&P::restart), nb::arg("root"), nb::arg("include"), nb::arg("include_visits"),
           nb::arg("restrictions"), nb::arg("visits"), "A new search of the same root.")
      .def("remove", guarded(&P::remove), nb::arg("root"))
      .def("advance", guarded(&P::advance), nb::arg("root"), nb::arg("actions"), nb::arg("after").none(),
           "Moves a root along an action, an outcome or a joint action.")
      .def("replace_root_state", guarded(&P::replace_root_state), nb::arg("root"), nb::arg("state").none(),
           nb::arg("rules").none(), "Gives a root another state of the same rules_key, and the context of these rules.")
      .def("collect", guarded(&P::collect), nb::arg("max_rows"), "Rows that want an answer; 0 does not mean done.")
      .def("features", guarded(&features), "[rows, planes, height, width] of the batch, read-only.")
      .def("legal", guarded(&legal), "[rows, actions], read-only: what may be played in each row.")
      .def("viewers", guarded(&column<&P::Row::viewer>), "Who decides in each row.")
      .def("roots", guarded(&column<&P::Row::root>), "The root that each row belongs to.")
      .def("depths", guarded(&column<&P::Row::depth>), "Decisions between the root and each row.")
      .def("states", guarded(&states))
      .def("supply", guarded(&supply), nb::arg("logits").noconvert(), nb::arg("values").noconvert(),
           nb::arg("aux").noconvert().none(), "Answers to the batch: [rows, actions], [rows, players], [rows, aux].")
      .def("abandon", guarded(&P::abandon), "Takes the batch back.")
      .def("run", guarded(&P::run), nb::arg("evaluator"), nb::arg("rollouts"), nb::arg("visits"),
           "With the core's evaluator uniform, rollout or heuristic, at most so many visits for each root; answers "
           "whether all roots are done.")
      .def("is_done", guarded(&P::is_done))
      .def("progress", guarded(&P::progress), nb::arg("root"), "A root's visits, and whether it is done.")
      .def("state", guarded(&P::state), nb::arg("root"))
      .def("report", guarded(&P::report), nb::arg("root"), nb::arg("spread"), nb::arg("aux"), nb::arg("deviations"))
      .def("choose", guarded(&P::choose), nb::arg("root"), nb::arg("player"), nb::arg("temperature"))
      .def_prop_ro("cache_hits", guarded(&P::cache_hits));
}

}  // namespace

std::string AnyState::save() const {
  const std::string bytes(reinterpret_cast<const char*>(bytes_.get()), size_);
  const std::array<std::uint64_t, 3> head{rules_.game, rules_.settings, hash_bytes(bytes) ^ rules_.settings};
  return std::string(reinterpret_cast<const char*>(head.data()), sizeof head) + bytes;
}

AnyState AnyState::restore(std::string_view data) {
  std::array<std::uint64_t, 3> head{};
  if (data.size() <= sizeof head) throw nb::value_error("not a state of this game: wrong size");
  std::memcpy(head.data(), data.data(), sizeof head);
  const std::string_view bytes = data.substr(sizeof head);
  if (head[2] != (hash_bytes(bytes) ^ head[1])) throw nb::value_error("not a state of this game: damaged");
  RulesId rules;
  rules.game = head[0];
  rules.settings = head[1];
  return {rules, bytes};
}

void bind_any_game(nb::module_& m) {
  bind_state(m);
  Rules rules(m, "Rules", "A game with its settings. A state is a State, or a position of a game written in Python.");
  bind_facts(rules);
  bind_play(rules);
  bind_views(rules);
  bind_counts(rules);
  bind_pool(m);
}

}  // namespace tengen
