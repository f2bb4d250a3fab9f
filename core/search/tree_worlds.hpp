#pragma once

#include "search/tree.hpp"

// The worlds of a hidden game that a tree is searched in; see tree.hpp.
namespace tengen {

// The number of worlds that take turns if each serves several visits.
inline constexpr std::uint64_t kWorldsAtOnce = 64;

// The number of visits that a drawn world serves; 0 and 1 mean one.
template <Game G>
int Tree<G>::world_visits() const {
  if constexpr (HasRedrawnChance<G>) {
    if (settings_.world_visits == 0) return G::kWorldVisits;
  }
  return settings_.world_visits;
}

// The world of a root's visit `number`. `rng` is what a world is drawn from that serves one visit only.
template <Game G>
void Tree<G>::deal_world(State& state, [[maybe_unused]] std::uint64_t number, Rng& rng) {
  if constexpr (G::kFacts.hidden) {
    const int visits = world_visits();
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

// If the viewer decides at the root, every move is tried in the same sequence of worlds: the luck of a world affects
// all moves and does not change which is better.
template <Game G>
void Tree<G>::deal([[maybe_unused]] Leaf<G>& leaf, [[maybe_unused]] const Child<G>& after) {
  if constexpr (G::kFacts.hidden) {
    if (!is_hidden() || !deals_by_action()) return;
    const auto number = static_cast<std::uint64_t>(after.visits + after.waiting);
    // A world that serves several visits is drawn from world_seed_ + its number: the chance of each visit must not be
    // drawn from the same seed.
    const std::uint64_t seed = world_seed_ + number;
    Rng rng(world_visits() > 1 ? mix64(~seed) : seed);
    deal_world(leaf.state, number, rng);
  }
}

}  // namespace tengen
