#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "search/root_policy.hpp"

// Gumbel's sequential halving at the root, for few visits (Danihelka et al., Policy improvement by planning with
// Gumbel, 2022).
namespace tengen {

// The visits that the action must have had which sequential halving visits next, after `turn` of `visits` visits:
// `actions` candidates, halved in log2 rounds.
inline std::int64_t halving_visits(int actions, std::int64_t visits, std::int64_t turn) {
  if (actions <= 1) return turn;
  const auto rounds = static_cast<std::int64_t>(std::ceil(std::log2(actions)));
  std::int64_t depth = 0;  // visits that every action still considered has had
  for (std::int64_t considered = actions;; considered = std::max<std::int64_t>(2, considered / 2)) {
    const std::int64_t extra = std::max<std::int64_t>(1, visits / (rounds * considered));
    if (turn < extra * considered) return depth + turn / considered;
    turn -= extra * considered;
    depth += extra;
  }
}

// A fast search of a randomized playout cap picks by PUCT.
template <Game G>
class GumbelRootPolicy final : public BanditRootPolicy<G, Puct> {
 public:
  void prepare(const Root<G>& root, Rng& rng) override {
    arms_.resize(root.moves().size());
    int candidates = 0;
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      arms_[i].logit = std::log(std::max(1e-30, static_cast<double>(root.node().edges[i].prior)));
      arms_[i].gumbel = root.settings().gumbel_scale * rng.gumbel();
      arms_[i].visits_before = root.node().children[i].visits;
      if (root.is_candidate(i)) ++candidates;
    }
    considered_ = std::min(root.settings().gumbel_actions, candidates);
  }

  int select(const Root<G>& root, Rng& rng) const override {
    if (!root.is_full()) return Base::select(root, rng);
    const auto made = [&](std::size_t i) { return root.free_visits(i) - arms_[i].visits_before; };
    double started = 0.0;
    double before = 0.0;
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      started += made(i);
      before += arms_[i].visits_before;
    }
    // The budget counts the root's own visit and those of an earlier search whose tree was kept.
    const auto planned = std::max<std::int64_t>(1, root.budget() - 1 - static_cast<std::int64_t>(before));
    const auto wanted = static_cast<double>(
        halving_visits(considered_, planned, std::max<std::int64_t>(0, static_cast<std::int64_t>(started))));
    const std::vector<double> values = scaled_values(root);
    int best = -1;
    double best_distance = 0.0;
    double best_score = kLowest;
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      if (!root.is_candidate(i)) continue;
      // Visits under way can leave no action with exactly the wanted count: then the nearest serves.
      const double distance = std::abs(made(i) - wanted);
      const double s = arms_[i].gumbel + arms_[i].logit + values[i];
      if (best < 0 || distance < best_distance || (distance == best_distance && s > best_score)) {
        best = static_cast<int>(i);
        best_distance = distance;
        best_score = s;
      }
    }
    return best;
  }

  std::vector<double> policy(const Root<G>& root) const override {
    if ((root.settings().solve && root.node().is_proven()) || !is_halving(root)) return Base::policy(root);
    std::vector<double> result = scaled_values(root);
    double highest = kLowest;
    for (std::size_t i = 0; i < result.size(); ++i) {
      result[i] = root.is_candidate(i) ? arms_[i].logit + result[i] : kLowest;
      highest = std::max(highest, result[i]);
    }
    for (double& x : result) x = std::exp(x - highest);
    return Base::normalized(std::move(result));
  }

  // Halving shares visits out evenly, so their mean says little: what its policy would get says more.
  Values<G> value(const Root<G>& root) const override {
    if (!is_halving(root)) return Base::value(root);
    const std::vector<double> shares = policy(root);
    Values<G> result;
    double rest = 1.0;
    for (std::size_t i = 0; i < shares.size(); ++i) {
      const Child<G>& child = root.node().children[i];
      if (child.visits == 0) continue;
      result.add_scaled(child.sum, shares[i] / child.visits);
      rest -= shares[i];
    }
    result.add_scaled(root.free_value(), rest);
    return result;
  }

  int best(const Root<G>& root) const override {
    const int proven = Base::proven_best(root);
    if (proven >= 0 || !root.is_full()) return proven >= 0 ? proven : Base::most_visited(root);
    const std::vector<double> values = scaled_values(root);
    int best = -1;
    double max_visits = 0.0;
    double best_score = kLowest;
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      const double visits = root.node().children[i].visits - arms_[i].visits_before;
      const double s = arms_[i].gumbel + arms_[i].logit + values[i];
      if (visits > max_visits || (visits == max_visits && visits > 0 && s > best_score)) {
        best = static_cast<int>(i);
        max_visits = visits;
        best_score = s;
      }
    }
    return best >= 0 ? best : Base::most_visited(root);
  }

 private:
  using Base = BanditRootPolicy<G, Puct>;

  struct Arm {
    double logit = 0.0;  // log of the prior searched with
    double gumbel = 0.0;
    double visits_before = 0.0;  // free visits before this search began
  };

  bool is_halving(const Root<G>& root) const { return root.is_full() && considered_ > 0; }

  // Each action's value on the scale of logits; the root's own evaluation mixed with the prior-weighted visited ones
  // stands for unvisited actions.
  std::vector<double> scaled_values(const Root<G>& root) const {
    const SearchSettings& settings = root.settings();
    const double favorite_value = root.favorite_value();
    const double unvisited = mixed_value(root);
    double max_visits = 0.0;
    for (std::size_t i = 0; i < arms_.size(); ++i)
      max_visits = std::max(max_visits, static_cast<double>(root.node().children[i].visits));
    std::vector<double> result;
    for (std::size_t i = 0; i < arms_.size(); ++i) {
      const Child<G> child = root.known(i, favorite_value);
      const double value = child.visits > 0 ? child.mean(root.player()) : unvisited;
      result.push_back((settings.gumbel_c_visit + max_visits) * settings.gumbel_c_scale * 0.5 * (value + 1.0));
    }
    return result;
  }

  static double mixed_value(const Root<G>& root) {
    double visits = 0.0;
    double mass = 0.0;
    double weighted = 0.0;
    for (std::size_t i = 0; i < root.moves().size(); ++i) {
      const Child<G>& child = root.node().children[i];
      if (child.visits == 0) continue;
      visits += child.visits;
      mass += root.moves()[i].prior;
      weighted += root.moves()[i].prior * child.mean(root.player());
    }
    const double raw = root.node().values().player(root.player());
    return mass > 0.0 ? (raw + visits * weighted / mass) / (1.0 + visits) : raw;
  }

  std::vector<Arm> arms_;  // [move]
  int considered_ = 0;     // the actions that halving begins with
};

}  // namespace tengen
