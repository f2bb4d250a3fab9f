#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "game.hpp"
#include "search/flat.hpp"
#include "search/report.hpp"
#include "search/settings.hpp"

// The one door between Python and the games. Python knows three classes, Rules, State and Pool, whatever the game;
// behind them stand BoundGame<G> and BoundPool<G>, written once for every G that meets the contract: the native games
// and PythonGame, the game that is written in Python. A game compiled from Python would enter as one more such G,
// whose state is a block of bytes and whose functions are those of a table of C functions. A virtual call is made once
// for a call from Python; the search below it is a template over the game.
namespace tengen {

namespace nb = nanobind;

inline std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return mix64(hash);
}

// Which rules a state belongs to: read by others, its bytes would lead the core out of bounds.
struct RulesId {
  std::uint64_t game = 0;
  std::uint64_t settings = 0;

  RulesId() = default;
  RulesId(const std::string& name, const std::string& text)
      : game(hash_bytes(name)), settings(hash_bytes(name + "(" + text + ")")) {}
  friend bool operator==(const RulesId&, const RulesId&) = default;
};

// A state of any game: immutable bytes.
class AnyState {
 public:
  template <class S>
  AnyState(const RulesId& rules, const S& state) : AnyState(rules, {reinterpret_cast<const char*>(&state), sizeof(S)}) {
    static_assert(std::is_trivially_copyable_v<S> && alignof(S) <= alignof(std::max_align_t));
  }

  const RulesId& rules() const { return rules_; }
  std::size_t size() const { return size_; }

  // The caller knows by rules() and size() that it is one.
  template <class S>
  const S& as() const {
    return *std::launder(reinterpret_cast<const S*>(bytes_.get()));
  }

  // A pickle holds the rules' id, a hash that finds damage, and the bytes. It is meant for processes of one build, as
  // work that is handed to a worker is; records on disk are kept as actions.
  std::string save() const;
  static AnyState restore(std::string_view data);

 private:
  AnyState(const RulesId& rules, std::string_view bytes)
      : rules_(rules), size_(bytes.size()), bytes_(new std::byte[bytes.size()]) {
    std::memcpy(bytes_.get(), bytes.data(), bytes.size());
  }

  RulesId rules_;
  std::size_t size_;
  std::unique_ptr<std::byte[]> bytes_;
};

// What a game is, as far as it is the same in all its states.
struct RulesFacts {
  Facts facts;
  Shape shape;
  int action_count = 0;
  double payoff_scale = 1.0;
  int aux_count = 0;
  int hidden_label_count = 0;
  int policy_count = 0;
  int symmetry_count = 1;
  bool has_heuristic = false;
  std::vector<std::string_view> heuristics{};  // where there are several
  std::vector<std::string_view> rollout_policies{};
};

class AnyPool;

using Playouts = std::tuple<std::uint64_t, std::vector<double>>;  // plies, each player's summed payoffs

// A game with its settings. States are what Python holds: a State, or the position of a game that is written in Python.
// Every precondition of the core is checked, so that no call from Python can break the process. Functions that fill a
// span are given one of the size that the facts tell.
class AnyRules {
 public:
  AnyRules(const std::string& name, std::string settings, const RulesFacts& facts)
      : id_(name, settings), settings_(std::move(settings)), facts_(facts) {}
  AnyRules(const AnyRules&) = delete;
  AnyRules& operator=(const AnyRules&) = delete;
  virtual ~AnyRules() = default;

  const RulesId& id() const { return id_; }
  const std::string& settings() const { return settings_; }  // "name=value, …"
  const RulesFacts& facts() const { return facts_; }

  virtual const void* raw_game() const = 0;  // the game's own type

  virtual nb::object start(std::uint64_t seed) const = 0;
  virtual int actor(nb::handle state) const = 0;
  virtual Actions legal(nb::handle state, int player) const = 0;
  virtual nb::object apply(nb::handle state, Action action) const = 0;
  virtual nb::object apply_joint(nb::handle state, const Actions& actions) const = 0;
  virtual Action outcome(nb::handle state, std::uint64_t seed) const = 0;
  virtual std::vector<double> payoff(nb::handle state) const = 0;

  virtual void encode(nb::handle state, int viewer, std::span<float> out) const = 0;
  virtual nb::object redeal(nb::handle state, int viewer, std::uint64_t seed) const = 0;
  virtual std::uint64_t key(nb::handle state) const = 0;
  virtual std::uint64_t view_key(nb::handle state, int viewer) const = 0;
  virtual std::vector<double> heuristic(nb::handle state) const = 0;
  virtual void final_aux(nb::handle state, std::span<float> out) const = 0;
  virtual void hidden_labels(nb::handle state, int viewer, std::span<float> out) const = 0;
  // -1: it has none.
  virtual int policy_index(nb::handle state, Action action) const = 0;
  virtual Action rollout_action(nb::handle state, int player, int policy, std::uint64_t seed) const = 0;

  virtual nb::object transform(nb::handle state, int symmetry) const = 0;
  // [symmetries, actions] and [symmetries, features]: where a symmetry takes each.
  virtual void action_maps(std::span<std::int32_t> out) const = 0;
  virtual void feature_maps(std::span<std::int32_t> out) const = 0;

  virtual std::uint64_t perft(nb::handle state, int depth) const = 0;
  virtual Playouts playouts(nb::handle state, std::uint64_t seed, std::uint32_t count, int policy) const = 0;
  virtual FlatReport flat_monte_carlo(nb::handle state, int viewer, std::uint64_t seed, const FlatSettings& settings,
                                      const std::vector<double>& prior_bonus) const = 0;
  // Fills payoffs [worlds, actions, players] and aux [worlds, actions, aux].
  virtual void play_worlds(nb::handle state, int viewer, const Actions& actions, std::uint64_t seed,
                           std::uint64_t first, std::uint32_t worlds, const FlatSettings& settings,
                           std::span<double> payoffs, std::span<float> aux) const = 0;

  virtual std::unique_ptr<AnyPool> make_pool(const SearchSettings& settings, int threads) const = 0;

 private:
  RulesId id_;
  std::string settings_;
  RulesFacts facts_;
};

using RestrictionTuple = std::tuple<int, Actions, int, bool>;  // player, actions, until_depth, allow

// Many roots of a game searched together; see search/pool.hpp. Work that does not need Python runs without its lock.
class AnyPool {
 public:
  // One line of the batch; valid as in search/pool.hpp.
  struct Row {
    const void* state = nullptr;  // the game's own type
    const Actions* legal = nullptr;
    int viewer = 0;
    int root = 0;
    int depth = 0;
    const void* game = nullptr;  // the root's
  };

  AnyPool(const RulesId& rules, const RulesFacts& facts) : rules_(rules), facts_(facts) {}
  AnyPool(const AnyPool&) = delete;
  AnyPool& operator=(const AnyPool&) = delete;
  virtual ~AnyPool() = default;

  const RulesId& rules() const { return rules_; }
  const RulesFacts& facts() const { return facts_; }

  virtual int add(nb::handle state, int viewer, std::uint64_t seed, const Actions& include, std::int64_t include_visits,
                  const std::vector<RestrictionTuple>& restrictions, std::int64_t visits,
                  const std::optional<SearchSettings>& settings, int aux, const AnyRules* rules) = 0;
  virtual void restart(int root, const Actions& include, std::int64_t include_visits,
                       const std::vector<RestrictionTuple>& restrictions, std::int64_t visits) = 0;
  virtual void remove(int root) = 0;
  virtual void advance(int root, const Actions& actions, nb::handle after) = 0;
  virtual void replace_root_state(int root, nb::handle state, const AnyRules* rules) = 0;

  virtual std::size_t collect(std::size_t max_rows) = 0;
  virtual std::size_t row_count() const = 0;
  virtual std::vector<Row> rows() const = 0;
  virtual std::shared_ptr<const std::vector<float>> features() const = 0;
  virtual nb::object give(const void* state) const = 0;  // of a row
  virtual void supply(std::span<const float> logits, std::span<const float> values, std::span<const float> aux) = 0;
  virtual void abandon() = 0;

  virtual bool run(const std::string& evaluator, int rollouts, std::int64_t visits) = 0;

  virtual bool is_done() const = 0;
  virtual std::tuple<std::int64_t, bool> progress(int root) const = 0;
  virtual nb::object state(int root) const = 0;
  virtual RootReport report(int root, bool spread, bool aux, bool deviations) const = 0;
  virtual Action choose(int root, int player, double temperature) = 0;
  virtual std::size_t cache_hits() const = 0;

 private:
  friend class BusyGuard;
  RulesId rules_;
  RulesFacts facts_;
  std::atomic_flag busy_;
};

// One caller at a time: a pool is not for sharing between threads.
class BusyGuard {
 public:
  explicit BusyGuard(AnyPool& pool) : busy_(pool.busy_) {
    if (busy_.test_and_set()) throw std::runtime_error("this pool is at work for another thread");
  }
  BusyGuard(const BusyGuard&) = delete;
  BusyGuard& operator=(const BusyGuard&) = delete;
  ~BusyGuard() { busy_.clear(); }

 private:
  std::atomic_flag& busy_;
};

// Rules, State and Pool.
void bind_any_game(nb::module_& m);

}  // namespace tengen
