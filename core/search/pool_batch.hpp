#pragma once

#include "search/pool.hpp"

// How a pool makes its batches and takes their answers; see pool.hpp.
namespace tengen {

template <Game G>
std::size_t Pool<G>::collect(std::size_t max_rows) {
  require_idle("collect");
  check_viewers();
  if (max_rows == 0) throw std::invalid_argument("collect: room for at least one row is needed");
  std::vector<Slot*> active;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    const auto& slot = slots_[(cursor_ + i) % slots_.size()];
    if (slot && wants(*slot)) active.push_back(slot.get());
  }
  if (active.empty()) return 0;
  const std::size_t per_leaf =
      G::kFacts.simultaneous && game_.facts().simultaneous ? static_cast<std::size_t>(game_.facts().players) : 1;
  const std::size_t room = std::max<std::size_t>(1, max_rows / per_leaf);
  if (active.size() > room) active.resize(room);
  cursor_ = (cursor_ + active.size()) % slots_.size();
  const std::size_t share = room / active.size();
  std::vector<std::size_t> hits(active.size(), 0);
  try {
    workers_.share(active.size(),
                   [&](std::size_t i, std::size_t worker) { gather(*active[i], share, scratch_[worker], hits[i]); });
    for (const std::size_t count : hits) hits_ += count;
    lay_out(active);
  } catch (...) {
    abandon();
    throw;
  }
  if (rows_.empty()) sweep();
  return rows_.size();
}

template <Game G>
void Pool<G>::gather(Slot& slot, std::size_t share, Scratch& scratch, std::size_t& hits) {
  const std::size_t quota = std::min(share, static_cast<std::size_t>(slot.settings.leaves_per_root));
  slot.waiting = 0;
  if (slot.leaves.size() < quota) slot.leaves.resize(quota);
  int free_walks = 0;
  while (slot.waiting < quota && free_walks < kMaxFreeWalks && slot.tree.wants_visits()) {
    if (slot.waiting == 0) {
      slot.tree.begin_batch();
    } else if (slot.leaves[slot.waiting - 1].in_guaranteed_tree && !slot.tree.wants_guaranteed()) {
      return;
    }
    Leaf<G>& leaf = slot.leaves[slot.waiting];
    const Walk walk = slot.tree.walk(leaf, scratch);
    if (walk == Walk::kCollision) return;
    if (walk == Walk::kDone) {
      ++free_walks;
      continue;
    }
    ++slot.waiting;
    if (cache_.is_on() && answer_from_cache(slot, leaf)) {
      --slot.waiting;
      ++free_walks;
      ++hits;
    }
  }
}

template <Game G>
bool Pool<G>::answer_from_cache(Slot& slot, Leaf<G>& leaf) {
  Evaluation<G> evaluation;
  const int count = rows_of(leaf);
  for (int r = 0; r < count; ++r) {
    const auto* entry = cache_.find(row_key(slot, leaf, r));
    const auto index = static_cast<std::size_t>(r);
    if (entry == nullptr || entry->priors.size() != leaf.legal[index].size()) return false;
    evaluation.values.add_scaled(entry->values, 1.0 / count);
    evaluation.priors[index] = entry->priors;
    evaluation.aux = entry->aux;
  }
  slot.tree.expand(leaf, evaluation);
  return true;
}

// Gives the gathered leaves their rows, equal ones the same row, and encodes what each row's viewer sees.
template <Game G>
void Pool<G>::lay_out(const std::vector<Slot*>& chosen) {
  rows_.clear();
  row_keys_.clear();
  std::unordered_map<std::uint64_t, std::size_t> known;
  for (Slot* slot : chosen) {
    slot->first_row.resize(slot->waiting);
    for (std::size_t i = 0; i < slot->waiting; ++i) {
      const Leaf<G>& leaf = slot->leaves[i];
      const int count = rows_of(leaf);
      const std::uint64_t key = cache_.is_on() ? row_key(*slot, leaf, 0) : 0;
      if (cache_.is_on() && count == 1) {
        const auto [place, is_new] = known.emplace(key, rows_.size());
        slot->first_row[i] = place->second;
        if (!is_new && *rows_[place->second].legal == leaf.legal[0]) continue;
      }
      slot->first_row[i] = rows_.size();
      for (int r = 0; r < count; ++r) {
        rows_.push_back({&leaf.state, &leaf.legal[static_cast<std::size_t>(r)], viewer_of(leaf, r), slot->root,
                         leaf.depth, &slot->tree.game()});
        row_keys_.push_back(cache_.is_on() ? row_key(*slot, leaf, r) : 0);
      }
    }
  }
  const auto size = static_cast<std::size_t>(game_.shape().size());
  if (features_.use_count() > 1) features_ = std::make_shared<std::vector<float>>();
  features_->resize(rows_.size() * size);
  if (size == 0) return;
  workers_.share(rows_.size(), [&](std::size_t i, std::size_t) {
    rows_[i].game->encode(*rows_[i].state, rows_[i].viewer, std::span<float>(*features_).subspan(i * size, size));
  });
}

template <Game G>
std::ptrdiff_t Pool<G>::policy_place(std::size_t size, std::size_t row, Action action) const {
  const std::size_t width = size / rows_.size();
  int index = action;
  if constexpr (HasPolicyIndex<G>) {
    if (width != static_cast<std::size_t>(game_.action_count())) index = game_.policy_index(*rows_[row].state, action);
  }
  return index < 0 ? -1 : static_cast<std::ptrdiff_t>(row * width + static_cast<std::size_t>(index));
}

template <Game G>
void Pool<G>::check_answers(std::span<const float> logits, std::span<const float> values,
                            std::span<const float> aux) const {
  if (rows_.empty()) throw std::logic_error("supply: nothing was collected");
  const auto players = static_cast<std::size_t>(game_.facts().players);
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    bool any = false;
    for (const Action action : *rows_[row].legal) {
      const std::ptrdiff_t place = policy_place(logits.size(), row, action);
      any = any || place < 0;
      if (place < 0) continue;
      const float logit = logits[static_cast<std::size_t>(place)];
      if (std::isnan(logit) || logit == std::numeric_limits<float>::infinity()) {
        refusal::policy_of(action, row, logit);
      }
      any = any || std::isfinite(logit);
    }
    if (!any) refusal::no_policy(row);
    for (std::size_t p = 0; p < players; ++p) {
      const float value = values[row * players + p];
      if (!std::isfinite(value)) refusal::value_of(p, row, value);
    }
  }
  for (const float value : aux) {
    if (!std::isfinite(value)) refusal::aux(value);
  }
}

template <Game G>
void Pool<G>::supply(std::span<const float> logits, std::span<const float> values, std::span<const float> aux) {
  check_answers(logits, values, aux);
  priors_.resize(rows_.size());
  workers_.share(rows_.size(), [&](std::size_t row, std::size_t) {
    const Actions& legal = *rows_[row].legal;
    std::vector<float>& priors = priors_[row];
    priors.resize(legal.size());
    float highest = -std::numeric_limits<float>::infinity();
    for (std::size_t i = 0; i < legal.size(); ++i) {
      const std::ptrdiff_t place = policy_place(logits.size(), row, legal[i]);
      priors[i] = place < 0 ? std::numeric_limits<float>::infinity() : logits[static_cast<std::size_t>(place)];
      if (place >= 0) highest = std::max(highest, priors[i]);
    }
    if (std::isinf(highest)) highest = 0.0F;  // only actions without a label have a chance
    float total = 0.0F;
    for (float& prior : priors) {
      prior = std::exp(std::min(prior - highest, 0.0F));
      total += prior;
    }
    for (float& prior : priors) prior /= total;
  });
  workers_.share(slots_.size(), [&](std::size_t i, std::size_t) {
    if (slots_[i]) answer(*slots_[i], values, aux);
  });
  if (cache_.is_on()) remember(values, aux);
  rows_.clear();
  sweep();
}

template <Game G>
void Pool<G>::answer(Slot& slot, std::span<const float> values, std::span<const float> aux) {
  const auto players = static_cast<std::size_t>(game_.facts().players);
  const auto aux_count = aux.empty() ? 0 : static_cast<std::size_t>(game_.aux_count());
  for (; slot.answered < slot.waiting; ++slot.answered) {
    Leaf<G>& leaf = slot.leaves[slot.answered];
    Evaluation<G> evaluation;
    const int count = rows_of(leaf);
    for (int r = 0; r < count; ++r) {
      const std::size_t row = slot.first_row[slot.answered] + static_cast<std::size_t>(r);
      for (std::size_t v = 0; v < kValueCount<G>; ++v) {
        if (v >= players) break;
        evaluation.values.of[v] += static_cast<double>(values[row * players + v]) / game_.payoff_scale() / count;
      }
      evaluation.priors[static_cast<std::size_t>(r)] = priors_[row];
      if (aux_count > 0) evaluation.aux = aux.subspan(row * aux_count, aux_count);
    }
    slot.tree.expand(leaf, evaluation);
  }
  slot.waiting = slot.answered = 0;
}

template <Game G>
void Pool<G>::remember(std::span<const float> values, std::span<const float> aux) {
  const auto players = static_cast<std::size_t>(game_.facts().players);
  const auto aux_count = aux.empty() ? 0 : static_cast<std::size_t>(game_.aux_count());
  for (std::size_t row = 0; row < rows_.size(); ++row) {
    auto& entry = cache_.place(row_keys_[row]);
    entry.key = row_keys_[row];
    entry.priors = priors_[row];
    for (std::size_t v = 0; v < kValueCount<G> && v < players; ++v) {
      entry.values.of[v] = static_cast<double>(values[row * players + v]) / game_.payoff_scale();
    }
    const auto own = aux.subspan(row * aux_count, aux_count);
    entry.aux.assign(own.begin(), own.end());
  }
}

template <Game G>
template <class E>
bool Pool<G>::run(const E& evaluator, std::int64_t visits) {
  require_idle("run");
  check_viewers();
  std::vector<Slot*> active;
  for (const auto& slot : slots_) {
    if (slot && wants(*slot)) active.push_back(slot.get());
  }
  try {
    workers_.share(active.size(), [&](std::size_t index, std::size_t worker) {
      Slot& slot = *active[index];
      if (slot.leaves.empty()) slot.leaves.resize(1);
      Leaf<G>& leaf = slot.leaves[0];
      slot.tree.set_heuristic_policy(E::template kHasPolicy<G>);
      Evaluation<G> evaluation;
      std::vector<float> aux;
      for (std::int64_t i = 0; i < visits && slot.tree.wants_visits(); ++i) {
        slot.tree.begin_batch();
        if (slot.tree.walk(leaf, scratch_[worker]) != Walk::kLeaf) continue;
        slot.waiting = 1;
        evaluator.evaluate(slot.tree.game(), leaf.state, slot.tree.rng(leaf), scratch_[worker], evaluation, aux);
        slot.tree.expand(leaf, evaluation);
        slot.waiting = 0;
      }
    });
  } catch (...) {
    abandon();
    throw;
  }
  sweep();
  return is_done();
}

template <Game G>
Action Pool<G>::choose(int root, int player, double temperature) {
  Tree<G>& tree = mutable_tree(root);
  const RootReport result = report(root, {});
  std::vector<const MoveReport*> moves;
  for (const MoveReport& move : result.moves) {
    if (move.player == player) moves.push_back(&move);
  }
  if (moves.empty()) refusal::no_choice(player);
  if (temperature <= 0.0) return moves[0]->action;
  std::vector<double> weights;
  double highest = 0.0;
  for (const MoveReport* move : moves) highest = std::max(highest, move->policy);
  double total = 0.0;
  const double least = least_share(tree);
  for (const MoveReport* move : moves) {
    weights.push_back(highest > 0.0 ? std::pow(move->policy / highest, 1.0 / temperature) : 1.0);
    if (move->policy < least * highest) weights.back() = 0.0;
    total += weights.back();
  }
  return moves[static_cast<std::size_t>(draw(weights, total, tree.rng()))]->action;
}

}  // namespace tengen
