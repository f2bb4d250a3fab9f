#pragma once

#include "search/tree.hpp"

// The worlds of a hidden game that a tree is searched in; see tree.hpp.
namespace tengen {

// How many worlds take turns where each is used for several visits.
inline constexpr std::uint64_t kWorldsAtOnce = 64;

// The world of a root's visit `number`. `rng` is what a world is drawn from that serves one visit only.
template <Game G>
void Tree<G>::deal_world(State& state, [[maybe_unused]] std::uint64_t number, Rng& rng) {
  if constexpr (G::kFacts.hidden) {
    int visits = settings_.world_visits;
    if constexpr (HasRedrawnChance<G>) {
      if (visits == 0) visits = G::kWorldVisits;
    }
    if (visits <= 1) {
      state = game_.redeal(state_, viewer_, rng);
      return;
    }
    const std::uint64_t place = number % kWorldsAtOnce;
    const std::uint64_t wanted = place + number / (kWorldsAtOnce * static_cast<std::uint64_t>(visits)) * kWorldsAtOnce;
    if (worlds_.empty()) worlds_.reserve(kWorldsAtOnce);
    while (worlds_.size() <= place) worlds_.push_back({~std::uint64_t{0}, state_});
    World& world = worlds_[place];
    if (world.number != wanted) {
      Rng drawing(world_seed_ + wanted);
      world = {wanted, game_.redeal(state_, viewer_, drawing)};
    }
    state = world.state;
    if constexpr (HasRedrawnChance<G>) game_.redraw_chance(state, rng);
  }
}

// Where the viewer decides at the root, its moves are tried in the same worlds, each in the first one, the second one
// and so on: what a world's luck does to all of them says nothing of which is better.
template <Game G>
void Tree<G>::deal([[maybe_unused]] Leaf<G>& leaf, [[maybe_unused]] const Child<G>& after) {
  if constexpr (G::kFacts.hidden) {
    if (!is_hidden() || !deals_by_action()) return;
    const auto number = static_cast<std::uint64_t>(after.visits + after.waiting);
    Rng rng(world_seed_ + number);
    deal_world(leaf.state, number, rng);
  }
}

}  // namespace tengen
