#pragma once

#include <memory>
#include <type_traits>

#include "search/gumbel.hpp"
#include "search/joint.hpp"

// What a tree is given to select by, at its root and where everyone decides.
namespace tengen {

template <Game G>
struct Policies {
  std::unique_ptr<RootPolicy<G>> root;
  [[no_unique_address]] std::conditional_t<G::kFacts.simultaneous, JointPolicy<G>, Nothing> joint;
};

// `settings` must outlive them.
template <Game G>
Policies<G> make_policies(const SearchSettings& settings) {
  Policies<G> made;
  const bool by_ucb1 = settings.rule == Rule::kUcb1;
  if (settings.gumbel_actions > 0) {
    made.root = std::make_unique<GumbelRootPolicy<G>>();
  } else if (by_ucb1) {
    made.root = std::make_unique<BanditRootPolicy<G, Ucb1>>();
  } else {
    made.root = std::make_unique<BanditRootPolicy<G, Puct>>();
  }
  if constexpr (G::kFacts.simultaneous) {
    const JointRule rule = settings.joint_rule != JointRule::kAuto ? settings.joint_rule
                           : IsDecoupled<G>                        ? JointRule::kUcb
                                                                   : JointRule::kRegret;
    if (rule == JointRule::kRegret) {
      made.joint.template emplace<RegretMatching<G>>();
    } else if (by_ucb1) {
      made.joint.template emplace<DecoupledBandit<G, Ucb1>>(settings);
    } else {
      made.joint.template emplace<DecoupledBandit<G, Puct>>(settings);
    }
  }
  return made;
}

}  // namespace tengen
