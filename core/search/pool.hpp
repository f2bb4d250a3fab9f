#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "search/cache.hpp"
#include "search/evaluate.hpp"
#include "search/report.hpp"
#include "workers.hpp"

// Many roots searched at once. collect() walks until leaves want an evaluation and lays them out as a batch of rows;
// supply() takes the answers. run() does both in the core with an evaluator that lives there.
namespace tengen {

// A game whose states are handles into a table that must be told which of them are still held.
template <class G>
concept HasSweep = requires(const G& game, const std::vector<typename G::State>& held) { game.sweep(held); };

// What a pool refuses, in words; compiled once for all games.
namespace refusal {
[[noreturn]] void no_root(int root);
[[noreturn]] void not_idle(const char* what);
[[noreturn]] void not_the_viewer(int actor, int viewer);
[[noreturn]] void policy_of(Action action, std::size_t row, float logit);
[[noreturn]] void no_policy(std::size_t row);
[[noreturn]] void value_of(std::size_t player, std::size_t row, float value);
[[noreturn]] void aux(float value);
[[noreturn]] void no_choice(int player);
}  // namespace refusal

template <Game G>
class Pool {
 public:
  using State = typename G::State;

  // One line of the batch: a state, seen by who decides there. Valid until supply(), abandon() or the next collect().
  struct Row {
    const State* state = nullptr;
    const Actions* legal = nullptr;
    int viewer = 0;
    int root = 0;
    int depth = 0;            // decisions from the root
    const G* game = nullptr;  // the root's
  };

  Pool(const G& game, const SearchSettings& settings, int threads)
      : game_(game),
        settings_(settings),
        workers_(threads),
        scratch_(workers_.size()),
        cache_(settings.cache_entries) {}

  const G& game() const { return game_; }
  const SearchSettings& settings() const { return settings_; }
  std::size_t row_count() const { return rows_.size(); }
  const std::vector<Row>& rows() const { return rows_; }
  // [rows, planes, height, width]; whoever holds it may read it for as long as they like.
  std::shared_ptr<const std::vector<float>> features() const { return features_; }
  std::size_t cache_hits() const { return hits_; }

  // `settings` are this root's own, but for cache_entries, which is the pool's. Its nodes keep the first `aux` of
  // the auxiliary values. The root's context is that of `game`, whose rules are the pool's; without one, the pool's.
  int add(const State& state, int viewer, std::uint64_t seed, const Constraints& constraints,
          const SearchSettings& settings, int aux, const G* game = nullptr) {
    check_root(state, viewer);
    auto slot = std::make_unique<Slot>(game_, game, settings, state, viewer, seed, aux);
    slot->tree.begin(constraints);
    auto place = std::find(slots_.begin(), slots_.end(), nullptr);
    if (place == slots_.end()) place = slots_.insert(place, nullptr);
    slot->root = static_cast<int>(place - slots_.begin());
    *place = std::move(slot);
    return (*place)->root;
  }

  void remove(int root) {
    require_idle("remove");
    static_cast<void>(tree(root));
    slots_[static_cast<std::size_t>(root)].reset();
    sweep();
  }

  const Tree<G>& tree(int root) const {
    if (root < 0 || static_cast<std::size_t>(root) >= slots_.size() || !slots_[static_cast<std::size_t>(root)]) {
      refusal::no_root(root);
    }
    return slots_[static_cast<std::size_t>(root)]->tree;
  }

  // A new search of the same root: constraints may change, what was learned stays where it can.
  void restart(int root, const Constraints& constraints) {
    require_idle("restart");
    Tree<G>& tree = mutable_tree(root);
    check_root(tree.state(), tree.viewer());
    tree.begin(constraints);
  }

  void advance(int root, std::span<const Action> actions, const State* next) {
    require_idle("advance");
    Tree<G>& tree = mutable_tree(root);
    if (next != nullptr) check_follows(tree.state(), actions, *next);
    tree.advance(actions, next);
    sweep();
  }

  // Gives a root another state of the same rules_key, and the context of `game`.
  void replace_root_state(int root, const State& state, const G* game = nullptr) {
    require_idle("replace_root_state");
    Tree<G>& tree = mutable_tree(root);
    if (rules_key(tree.state()) != rules_key(state)) {
      throw std::invalid_argument("replace_root_state: the state's game goes on in another way than the root's");
    }
    tree.replace_root_state(state);
    if constexpr (HasContext<G>) *slots_[static_cast<std::size_t>(root)]->own_game = game == nullptr ? game_ : *game;
    sweep();
  }

  bool is_searchable(int root) const {
    const int actor = game_.actor(tree(root).state());
    return actor >= 0 || actor == kEveryone;
  }

  bool is_done() const {
    for (const auto& slot : slots_) {
      if (slot && wants(*slot)) return false;
    }
    return true;
  }

  // A root that stands before an opponent's decision in a hidden game can't be searched: collect() and run() throw.
  //
  // Walks up to `max_rows` rows together and answers how many there are. 0 rows do not mean that the search is done:
  // visits that end in a known result need no row.
  std::size_t collect(std::size_t max_rows);

  // logits [rows, actions], values [rows, players], aux [rows, aux] or empty.
  // Logits are one an action in each row, or one a label of HasPolicyIndex; an action without a label counts as the
  // best one there.
  void supply(std::span<const float> logits, std::span<const float> values, std::span<const float> aux);

  // Takes back the visits that wait.
  void abandon() {
    for (auto& slot : slots_) {
      if (!slot) continue;
      while (slot->waiting > slot->answered) slot->tree.cancel(slot->leaves[--slot->waiting]);
      slot->waiting = slot->answered = 0;
    }
    rows_.clear();
    sweep();
  }

  // At most `visits` visits for every root; answers whether all are done.
  template <class E>
  bool run(const E& evaluator, std::int64_t visits);

  RootReport report(int root, const ReportOptions& options) const { return Reporter<G>(tree(root), options).report(); }

  // The action to play for `player`: by share of the policy to the power 1/temperature; at 0 the best.
  Action choose(int root, int player, double temperature);

 private:
  struct Slot {
    Slot(const G& game, const G* own, const SearchSettings& own_settings, const State& state, int viewer,
         std::uint64_t seed, int aux)
        : own_game(make_own_game(game, own)),
          settings(own_settings),
          tree(own_game ? *own_game : game, settings, make_policies<G>(settings), state, viewer, seed, aux) {}
    std::unique_ptr<G> own_game;  // with the root's context, where there is such
    SearchSettings settings;
    Tree<G> tree;
    int root = 0;  // its place in the pool
    std::vector<Leaf<G>> leaves;
    std::size_t waiting = 0;   // the first `waiting` leaves want an evaluation
    std::size_t answered = 0;  // of them, those that have it
    std::vector<std::size_t> first_row;
  };

  static std::unique_ptr<G> make_own_game([[maybe_unused]] const G& game, [[maybe_unused]] const G* own) {
    if constexpr (HasContext<G>) return std::make_unique<G>(own == nullptr ? game : *own);
    return nullptr;
  }

  static constexpr int kMaxFreeWalks = 4096;

  // Of an action of a root's strategy that may be drawn, in parts of the best one's.
  static double least_share(const Tree<G>& tree) {
    if (tree.game().actor(tree.state()) != kEveryone) return 0.0;
    double usual = 0.0;
    if constexpr (HasJointMinShare<G>) usual = G::kJointMinShare;
    return tree.settings().joint_min_share.value_or(usual);
  }

  Tree<G>& mutable_tree(int root) { return const_cast<Tree<G>&>(std::as_const(*this).tree(root)); }

  void require_idle(const char* what) const {
    if (!rows_.empty()) refusal::not_idle(what);
  }

  void check_root(const State& state, int viewer) const {
    const int actor = game_.actor(state);
    if (actor == kNobody) throw std::invalid_argument("the game is over: there is nothing to search");
    if (actor == kChance) throw std::invalid_argument("chance is to act: play its outcome first");
    check_viewer(actor, viewer);
  }

  // What an opponent may do in a hidden game differs from deal to deal, and a root's actions must not.
  void check_viewer(int actor, int viewer) const {
    if (!game_.facts().hidden || actor < 0 || actor == viewer) return;
    refusal::not_the_viewer(actor, viewer);
  }

  // After advance() an opponent may be to act.
  void check_viewers() const {
    if (!game_.facts().hidden) return;
    for (const auto& slot : slots_) {
      if (slot) check_viewer(game_.actor(slot->tree.state()), slot->tree.viewer());
    }
  }

  // Where nothing is hidden, the game goes on after a move as the rules say.
  void check_follows(const State& before, std::span<const Action> actions, const State& given) const {
    if (game_.facts().hidden) return;
    State after = before;
    if (game_.actor(before) != kEveryone) {
      game_.apply(after, actions[0]);
    } else if constexpr (G::kFacts.simultaneous) {
      game_.apply(after, actions);
    }
    if (rules_key(after) != rules_key(given))
      throw std::invalid_argument("advance: the state does not follow from the move");
  }

  bool wants(const Slot& slot) const {
    const int actor = game_.actor(slot.tree.state());
    return (actor >= 0 || actor == kEveryone) && !slot.tree.is_done();
  }

  int rows_of(const Leaf<G>& leaf) const { return leaf.actor == kEveryone ? game_.facts().players : 1; }
  int viewer_of(const Leaf<G>& leaf, int row) const { return leaf.actor == kEveryone ? row : leaf.actor; }
  std::uint64_t row_key(const Slot& slot, const Leaf<G>& leaf, int row) const {
    return mix64(slot.tree.game().key(leaf.state) ^ mix64(static_cast<std::uint64_t>(viewer_of(leaf, row) + 1)));
  }
  std::uint64_t rules_key(const State& state) const {
    if constexpr (HasRulesKey<G>) return game_.rules_key(state);
    return game_.key(state);
  }

  void gather(Slot& slot, std::size_t share, Scratch& scratch, std::size_t& hits);
  bool answer_from_cache(Slot& slot, Leaf<G>& leaf);
  void lay_out(const std::vector<Slot*>& chosen);
  void answer(Slot& slot, std::span<const float> values, std::span<const float> aux);
  // Where an action's logit is among `size` of the batch; -1: it has none.
  std::ptrdiff_t policy_place(std::size_t size, std::size_t row, Action action) const;
  void check_answers(std::span<const float> logits, std::span<const float> values, std::span<const float> aux) const;
  void remember(std::span<const float> values, std::span<const float> aux);

  void sweep() {
    if constexpr (HasSweep<G>) {
      std::vector<State> held;
      for (const auto& slot : slots_) {
        if (!slot) continue;
        slot->tree.add_held(held);
        for (std::size_t i = 0; i < slot->waiting; ++i) held.push_back(slot->leaves[i].state);
      }
      game_.sweep(held);
    }
  }

  G game_;
  SearchSettings settings_;
  Workers workers_;
  std::vector<Scratch> scratch_;  // [worker]
  Cache<G> cache_;
  std::vector<std::unique_ptr<Slot>> slots_;
  std::size_t cursor_ = 0;  // the root that the next collect() begins with
  std::vector<Row> rows_;
  std::vector<std::uint64_t> row_keys_;
  std::shared_ptr<std::vector<float>> features_ = std::make_shared<std::vector<float>>();
  std::vector<std::vector<float>> priors_;  // [row], over its legal actions
  std::size_t hits_ = 0;
};

}  // namespace tengen

#include "search/pool_batch.hpp"
