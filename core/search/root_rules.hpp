#pragma once

#include "search/root.hpp"

// Selection and judgement at the root; see root.hpp.
namespace tengen {

template <Game G>
void Root<G>::shape_priors(const SearchSettings& settings, Node<G>& node, Rng& rng) {
  const std::size_t count = moves_.size();
  std::vector<double> priors(count);
  double mass = 0.0;
  for (std::size_t i = 0; i < count; ++i)
    mass += priors[i] = std::pow(moves_[i].prior, 1.0 / settings.root_policy_temperature);
  for (double& prior : priors) prior /= mass;
  if (settings.wide_root_noise > 0.0) {
    for (double& prior : priors) prior = std::pow(prior, 1.0 / (4.0 * settings.wide_root_noise + 1.0));
  }
  if (settings.noise_fraction > 0.0 && full_) {
    std::vector<double> noise(count);
    double total = 0.0;
    for (double& x : noise) total += x = rng.gamma(settings.noise_alpha / static_cast<double>(count));
    for (std::size_t i = 0; i < count; ++i) {
      const double share = total > 0.0 ? noise[i] / total : 1.0 / static_cast<double>(count);
      priors[i] += settings.noise_fraction * (share - priors[i]);
    }
  }
  for (std::size_t i = 0; i < count; ++i) node.edges[i].prior = static_cast<float>(priors[i]);
}

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

template <Game G>
void Root<G>::prepare_gumbel(const SearchSettings& settings, const Node<G>& node, Rng& rng) {
  int candidates = 0;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    moves_[i].logit = std::log(std::max(1e-30, static_cast<double>(node.edges[i].prior)));
    moves_[i].gumbel = settings.gumbel_scale * rng.gumbel();
    if (is_candidate(i)) ++candidates;
  }
  considered_ = std::min(settings.gumbel_actions, candidates);
}

// The value that stands for unvisited actions: the root's own evaluation mixed with the prior-weighted visited ones.
template <Game G>
double Root<G>::mixed_value(const Node<G>& node, int player) const {
  double visits = 0.0;
  double mass = 0.0;
  double weighted = 0.0;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const Child<G>& child = node.children[i];
    const double made = free_visits(node, i) - child.waiting;
    if (made <= 0.0) continue;
    visits += made;
    mass += moves_[i].prior;
    weighted += moves_[i].prior * child.mean(player);
  }
  const double raw = node.values().player(player);
  return mass > 0.0 ? (raw + visits * weighted / mass) / (1.0 + visits) : raw;
}

template <Game G>
double Root<G>::gumbel_bonus(const SearchSettings& settings, const Node<G>& node, std::size_t index, int player,
                             double unvisited_value) const {
  double most = 0.0;
  for (std::size_t i = 0; i < moves_.size(); ++i)
    most = std::max(most, free_visits(node, i) - node.children[i].waiting);
  const Child<G> child = known(node, index, player, bar_of(settings, node, player));
  const double value = child.visits > 0 ? child.mean(player) : unvisited_value;
  return (settings.gumbel_c_visit + most) * settings.gumbel_c_scale * 0.5 * (value + 1.0);
}

template <Game G>
int Root<G>::pick_gumbel(const SearchSettings& settings, const Node<G>& node, int player) const {
  const auto made = [&](std::size_t i) { return free_visits(node, i) - static_cast<double>(moves_[i].base); };
  double started = 0.0;
  for (std::size_t i = 0; i < moves_.size(); ++i) started += made(i);
  const auto wanted = static_cast<double>(
      halving_visits(considered_, budget_ - 1, std::max<std::int64_t>(0, static_cast<std::int64_t>(started))));
  const double unvisited = mixed_value(node, player);
  int best = -1;
  double best_distance = 0.0;
  double best_score = kLowest;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    if (!is_candidate(i)) continue;
    // Visits under way can leave no action with exactly the wanted count: then the nearest serves.
    const double distance = std::abs(made(i) - wanted);
    const double s = moves_[i].gumbel + moves_[i].logit + gumbel_bonus(settings, node, i, player, unvisited);
    if (best < 0 || distance < best_distance || (distance == best_distance && s > best_score)) {
      best = static_cast<int>(i);
      best_distance = distance;
      best_score = s;
    }
  }
  return best;
}

// The score that an action with a known value would have after so many free visits.
template <Game G>
double Root<G>::score_of(const SearchSettings& settings, const Child<G>& child, double prior, double visits,
                         double parent_visits, int player) const {
  const double value = child_value(settings, child, player);
  if (is_decided(settings, child)) return value;
  if (settings.rule == Rule::kUcb1) {
    return value + settings.c_ucb1 * std::sqrt(std::log(parent_visits) / std::max(1.0, visits));
  }
  return value + exploration(settings, parent_visits) * prior / (1.0 + visits);
}

template <Game G>
int Root<G>::pick_best(const SearchSettings& settings, const Node<G>& node, const Child<G>& self, int player,
                       Rng& rng) const {
  const double parent_visits = all_free_visits(self);
  double visited_mass = 0.0;
  int visited = 0;
  int unvisited = 0;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    if (!is_candidate(i)) continue;
    const double visits = free_visits(node, i);
    if (visits <= 0) {
      ++unvisited;
      continue;
    }
    ++visited;
    const auto prior = static_cast<double>(node.edges[i].prior);
    visited_mass += prior;
    if (full_ && visits < std::sqrt(settings.forced_playouts * prior * parent_visits)) return static_cast<int>(i);
  }
  const bool may_widen = unvisited > 0 && visited < widening_limit(settings, parent_visits, visited + unvisited);
  int skip = -1;
  if (settings.rule == Rule::kUcb1 && may_widen)
    skip = static_cast<int>(rng.below(static_cast<std::uint32_t>(unvisited)));
  const double fpu = first_play_value(settings, free_value(settings, node, self, player).player(player),
                                      node.values().player(player), std::min(1.0, visited_mass), true);
  const double explore = exploration(settings, parent_visits);
  const double bar = bar_of(settings, node, player);
  int best = -1;
  double best_score = kLowest;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    if (!is_candidate(i)) continue;
    const Child<G> child = known(node, i, player, bar);
    const auto prior = static_cast<double>(node.edges[i].prior);
    const double visits = free_visits(node, i);
    if (visits <= 0) {
      if (!may_widen) continue;
      if (skip == 0) return static_cast<int>(i);
      if (skip > 0) --skip;
    }
    const bool is_known = child.visits + child.waiting > 0 || is_decided(settings, child);
    double s = is_known ? score_of(settings, child, prior, visits, parent_visits, player) : fpu + explore * prior;
    if (is_known && settings.wide_root_noise > 0.0 && rng.below(2) == 0) {
      s += settings.wide_root_noise * std::abs(rng.normal());
    }
    if (s > best_score) best_score = s, best = static_cast<int>(i);
  }
  return best;
}

// The action that the free visits favor, the better one of equals; -1 if there are none.
template <Game G>
int Root<G>::most_visited(const SearchSettings& settings, const Node<G>& node, int player) const {
  int best = -1;
  std::uint32_t most = 0;
  for (int i = 0; i < static_cast<int>(moves_.size()); ++i) {
    const Child<G>& child = node.children[i];
    if (child.visits == 0 || child.visits < most) continue;
    const bool is_better = best < 0 || child.visits > most ||
                           child_value(settings, child, player) > child_value(settings, node.children[best], player);
    if (is_better) best = i, most = child.visits;
  }
  return best;
}

// The same with the guaranteed visits that are heeded; where there are no free ones, the best of the guaranteed.
template <Game G>
int Root<G>::best_known(const SearchSettings& settings, const Node<G>& node, int player) const {
  int best = most_visited(settings, node, player);
  const bool is_free = best >= 0;
  const double bar = bar_of(settings, node, player);
  std::uint32_t most = is_free ? node.children[best].visits : 0;
  double best_value = is_free ? bar : kLowest;
  for (std::size_t i = 0; i < moves_.size() && guaranteed_.node != nullptr; ++i) {
    if (is_free && !is_heeded(node, i, player, bar)) continue;
    const Child<G> child = joined(node, i);
    if (child.visits == 0) continue;
    const double value = child_value(settings, child, player);
    if (is_free ? child.visits < most || (child.visits == most && value <= best_value) : value <= best_value) continue;
    best = static_cast<int>(i);
    most = child.visits;
    best_value = value;
  }
  return best;
}

template <Game G>
std::vector<double> Root<G>::weights(const SearchSettings& settings, const Node<G>& node, const Child<G>& self,
                                     int player) const {
  std::vector<double> result(moves_.size(), 0.0);
  const int best = best_known(settings, node, player);
  if (best < 0) return result;
  const double bar = bar_of(settings, node, player);
  const double parent_visits = all_free_visits(self);
  const auto top = static_cast<std::size_t>(best);
  const Child<G> favorite = known(node, top, player, bar);
  const double target = score_of(settings, favorite, static_cast<double>(node.edges[top].prior),
                                 favorite.visits + favorite.waiting, parent_visits, player);
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const Child<G> child = known(node, i, player, bar);
    double kept = child.visits;
    if (settings.forced_playouts > 0.0 && full_ && i != top && kept > 0.0) {
      // Forced playouts go, as far as the search would not have made them of its own accord: until the action's score
      // reaches the best one's. A single visit that is left was none of its own.
      const auto prior = static_cast<double>(node.edges[i].prior);
      const double least = std::max(0.0, kept - std::sqrt(settings.forced_playouts * prior * parent_visits));
      const double gap = target - child_value(settings, child, player);
      const double wanted = gap > 0.0 ? exploration(settings, parent_visits) * prior / gap - 1.0 : kept;
      kept = std::clamp(std::ceil(wanted), std::min(std::ceil(least), kept), kept);
      if (kept <= 1.0) kept = 0.0;
    }
    if (moves_[i].included && aside(i) != nullptr) kept = std::max(kept, kLeastWeight);
    result[i] = kept;
  }
  return result;
}

template <Game G>
std::vector<double> Root<G>::policy(const SearchSettings& settings, const Node<G>& node, const Child<G>& self,
                                    int player) const {
  std::vector<double> result;
  if (settings.solve && node.proven) {
    // The search stands for no move that it knows to be worse.
    result.assign(moves_.size(), 0.0);
    result[static_cast<std::size_t>(best(settings, node, player))] = 1.0;
    return result;
  }
  if (settings.gumbel_actions > 0 && full_ && considered_ > 0) {
    const double unvisited = mixed_value(node, player);
    double highest = kLowest;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      result.push_back(is_candidate(i) ? moves_[i].logit + gumbel_bonus(settings, node, i, player, unvisited)
                                       : kLowest);
      highest = std::max(highest, result.back());
    }
    for (double& x : result) x = std::exp(x - highest);
  } else {
    result = weights(settings, node, self, player);
  }
  const double total = std::accumulate(result.begin(), result.end(), 0.0);
  if (total > 0.0) {
    for (double& x : result) x /= total;
  }
  return result;
}

// Halving shares visits out evenly, so their mean says little: what its policy would get says more.
template <Game G>
Values<G> Root<G>::value(const SearchSettings& settings, const Node<G>& node, const Child<G>& self, int player) const {
  if (settings.gumbel_actions == 0 || !full_ || considered_ == 0) return free_value(settings, node, self, player);
  const std::vector<double> shares = policy(settings, node, self, player);
  Values<G> result;
  double rest = 1.0;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const Child<G>& child = node.children[i];
    if (child.visits == 0) continue;
    result.add_scaled(child.sum, shares[i] / child.visits);
    rest -= shares[i];
  }
  result.add_scaled(free_value(settings, node, self, player), rest);
  return result;
}

template <Game G>
int Root<G>::best(const SearchSettings& settings, const Node<G>& node, int player) const {
  if (settings.solve && node.proven) {
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      const Node<G>& child = *node.children[i].node;
      if (child.proven && child.values().player(player) >= node.values().player(player)) return static_cast<int>(i);
    }
  }
  if (settings.gumbel_actions > 0 && full_) {
    const double unvisited = mixed_value(node, player);
    int best = -1;
    double most = 0.0;
    double best_score = kLowest;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      const double visits = free_visits(node, i) - node.children[i].waiting - static_cast<double>(moves_[i].base);
      const double s = moves_[i].gumbel + moves_[i].logit + gumbel_bonus(settings, node, i, player, unvisited);
      if (visits > most || (visits == most && visits > 0 && s > best_score)) {
        best = static_cast<int>(i);
        most = visits;
        best_score = s;
      }
    }
    if (best >= 0) return best;
  }
  return best_known(settings, node, player);
}

}  // namespace tengen
