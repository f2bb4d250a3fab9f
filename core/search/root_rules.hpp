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

// The visit counts that sequential halving asks for, visit by visit: `actions` candidates, halved in log2 rounds.
inline std::vector<int> halving_schedule(int actions, std::int64_t visits) {
  std::vector<int> schedule;
  const auto size = static_cast<std::size_t>(std::max<std::int64_t>(0, visits));
  schedule.reserve(size);
  if (actions <= 1) {
    schedule.resize(size);
    std::iota(schedule.begin(), schedule.end(), 0);
    return schedule;
  }
  const int rounds = static_cast<int>(std::ceil(std::log2(actions)));
  int depth = 0;  // visits that every action still considered has had
  for (int considered = actions; schedule.size() < size; considered = std::max(2, considered / 2)) {
    const auto extra = std::max<std::int64_t>(1, visits / (std::int64_t{rounds} * considered));
    for (std::int64_t i = 0; i < extra; ++i, ++depth) {
      for (int j = 0; j < considered && schedule.size() < size; ++j) schedule.push_back(depth);
    }
  }
  return schedule;
}

template <Game G>
void Root<G>::prepare_gumbel(const SearchSettings& settings, const Node<G>& node, Rng& rng) {
  int candidates = 0;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    moves_[i].logit = std::log(std::max(1e-30, static_cast<double>(node.edges[i].prior)));
    moves_[i].gumbel = settings.gumbel_scale * rng.gumbel();
    if (is_candidate(i)) ++candidates;
  }
  schedule_ = halving_schedule(std::min(settings.gumbel_actions, candidates), budget_ - 1);
}

// The value that stands for unvisited actions: the root's own evaluation mixed with the prior-weighted visited ones.
template <Game G>
double Root<G>::mixed_value(const Node<G>& node, int player) const {
  double visits = 0.0;
  double mass = 0.0;
  double weighted = 0.0;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const Child<G>& child = node.children[i];
    if (child.visits == 0) continue;
    visits += child.visits;
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
  for (std::size_t i = 0; i < moves_.size(); ++i) most = std::max(most, static_cast<double>(node.children[i].visits));
  const Child<G>& child = node.children[index];
  const double value = child.visits > 0 ? child.mean(player) : unvisited_value;
  return (settings.gumbel_c_visit + most) * settings.gumbel_c_scale * 0.5 * (value + 1.0);
}

template <Game G>
int Root<G>::pick_gumbel(const SearchSettings& settings, const Node<G>& node, int player) const {
  std::int64_t started = 0;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    started += std::int64_t{node.children[i].visits} + node.children[i].waiting - moves_[i].base - moves_[i].forced;
  }
  const auto turn = static_cast<std::size_t>(
      std::clamp<std::int64_t>(started, 0, std::max<std::int64_t>(0, static_cast<std::int64_t>(schedule_.size()) - 1)));
  const std::int64_t wanted = schedule_.empty() ? 0 : schedule_[turn];
  const double unvisited = mixed_value(node, player);
  int best = -1;
  std::int64_t best_distance = 0;
  double best_score = kLowest;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    if (!is_candidate(i)) continue;
    const Child<G>& child = node.children[i];
    const std::int64_t visits = std::int64_t{child.visits} + child.waiting - moves_[i].base - moves_[i].forced;
    // Visits under way can leave no action with exactly the wanted count: then the nearest serves.
    const std::int64_t distance = std::abs(visits - wanted);
    const double s = moves_[i].gumbel + moves_[i].logit + gumbel_bonus(settings, node, i, player, unvisited);
    if (best < 0 || distance < best_distance || (distance == best_distance && s > best_score)) {
      best = static_cast<int>(i);
      best_distance = distance;
      best_score = s;
    }
  }
  return best;
}

template <Game G>
int Root<G>::pick_best(const SearchSettings& settings, const Node<G>& node, const Child<G>& self, int player,
                       Rng& rng) const {
  const double parent_visits = free_visits(self);
  const double explore = exploration(settings, parent_visits);
  double visited_mass = 0.0;
  int visited = 0;
  int unvisited = 0;
  int candidates = 0;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    if (!is_candidate(i)) continue;
    ++candidates;
    const double visits = static_cast<double>(node.children[i].visits) + node.children[i].waiting;
    if (visits > 0) {
      ++visited;
      visited_mass += static_cast<double>(node.edges[i].prior);
      const double forced =
          std::sqrt(settings.forced_playouts * static_cast<double>(node.edges[i].prior) * parent_visits);
      if (full_ && visits < forced) return static_cast<int>(i);
    } else {
      ++unvisited;
    }
  }
  const bool may_widen = unvisited > 0 && visited < widening_limit(settings, parent_visits, candidates);
  int skip = -1;
  if (settings.rule == Rule::kUcb1 && may_widen)
    skip = static_cast<int>(rng.below(static_cast<std::uint32_t>(unvisited)));
  const double fpu = first_play_value(settings, free_value(node, self).player(player), visited_mass, true);
  int best = -1;
  double best_score = kLowest;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const Child<G>& child = node.children[i];
    if (!is_candidate(i)) continue;
    const auto prior = static_cast<double>(node.edges[i].prior);
    double s = 0.0;
    if (child.visits + child.waiting > 0) {
      s = score(settings, child, prior, parent_visits, explore, player);
    } else {
      if (!may_widen) continue;
      if (skip == 0) return static_cast<int>(i);
      if (skip > 0) --skip;
      s = fpu + explore * prior;
    }
    if (s > best_score) best_score = s, best = static_cast<int>(i);
  }
  return best;
}

// The action that the free visits favor; where there are none, the one whose score is highest.
template <Game G>
int Root<G>::best_free(const SearchSettings& settings, const Node<G>& node, const Child<G>& self, int player) const {
  const double parent_visits = free_visits(self);
  const double explore = exploration(settings, parent_visits);
  int best = -1;
  std::int64_t best_visits = -1;
  double best_score = kLowest;
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const Child<G>& child = node.children[i];
    if (child.visits == 0) continue;
    const std::int64_t visits = child.visits - moves_[i].forced;
    const double s =
        visits > 0 ? child_value(settings, child, player)
                   : score(settings, child, static_cast<double>(node.edges[i].prior), parent_visits, explore, player);
    if (visits > best_visits || (visits == best_visits && s > best_score)) {
      best = static_cast<int>(i);
      best_visits = visits;
      best_score = s;
    }
  }
  return best;
}

template <Game G>
std::vector<double> Root<G>::weights(const SearchSettings& settings, const Node<G>& node, const Child<G>& self,
                                     int player) const {
  std::vector<double> result(moves_.size(), 0.0);
  const int best = best_free(settings, node, self, player);
  if (best < 0) return result;
  const double parent_visits = free_visits(self);
  const double explore = exploration(settings, parent_visits);
  const double spread = settings.c_ucb1 * std::sqrt(std::log(std::max(1.0, parent_visits)));
  const auto score_at = [&](std::size_t i, double visits) {
    const double value = child_value(settings, node.children[i], player);
    if (settings.rule == Rule::kUcb1) return value + spread / std::sqrt(std::max(1.0, visits));
    return value + explore * static_cast<double>(node.edges[i].prior) / (1.0 + visits);
  };
  // The visits at which an action's score has come down to `target`.
  const auto visits_at = [&](std::size_t i, double target) {
    const double gap = target - child_value(settings, node.children[i], player);
    if (gap <= 0.0) return std::numeric_limits<double>::infinity();
    if (settings.rule == Rule::kUcb1) return std::ceil(spread * spread / (gap * gap));
    return std::ceil(explore * static_cast<double>(node.edges[i].prior) / gap - 1.0);
  };
  const auto top = static_cast<std::size_t>(best);
  const double top_visits = static_cast<double>(node.children[top].visits) - static_cast<double>(moves_[top].forced);
  const double target = score_at(top, top_visits);
  for (std::size_t i = 0; i < moves_.size(); ++i) {
    const double visits = node.children[i].visits;
    const double forced =
        settings.forced_playouts > 0.0 && full_ && i != top
            ? std::sqrt(settings.forced_playouts * static_cast<double>(node.edges[i].prior) * parent_visits)
            : 0.0;
    const double least = std::max(0.0, visits - static_cast<double>(moves_[i].forced) - forced);
    double kept = std::clamp(visits_at(i, target), least, std::max(least, visits));
    if (forced > 0.0 && kept <= 1.0) kept = 0.0;
    if (moves_[i].included && visits > 0.0) kept = std::max(kept, kLeastWeight);
    result[i] = kept;
  }
  return result;
}

template <Game G>
std::vector<double> Root<G>::policy(const SearchSettings& settings, const Node<G>& node, const Child<G>& self,
                                    int player) const {
  std::vector<double> result;
  if (settings.gumbel_actions > 0 && full_) {
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

template <Game G>
int Root<G>::best(const SearchSettings& settings, const Node<G>& node, const Child<G>& self, int player) const {
  if (settings.solve && node.proven) {
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      const Node<G>& child = *node.children[i].node;
      if (child.proven && child.values().player(player) >= node.values().player(player)) return static_cast<int>(i);
    }
  }
  if (settings.gumbel_actions > 0 && full_) {
    const double unvisited = mixed_value(node, player);
    int best = -1;
    std::int64_t most = 0;
    double best_score = kLowest;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      const std::int64_t visits = node.children[i].visits - moves_[i].forced - moves_[i].base;
      const double s = moves_[i].gumbel + moves_[i].logit + gumbel_bonus(settings, node, i, player, unvisited);
      if (visits > most || (visits == most && visits > 0 && s > best_score)) {
        best = static_cast<int>(i);
        most = visits;
        best_score = s;
      }
    }
    if (best >= 0) return best;
  }
  return best_free(settings, node, self, player);
}

}  // namespace tengen
