#pragma once

#include <cstdint>
#include <string>

#include "games/pokemon/state.hpp"

namespace tengen::pokemon {

// What is wrong with a state in which somebody is to choose or nobody is any more; "" if nothing is.
std::string fault_of(const State& state);

struct Audit {
  std::uint64_t battles = 0;
  std::uint64_t choices = 0;  // moments at which one side or both chose
  std::uint64_t turns = 0;
  std::uint64_t ties = 0;
  std::uint64_t first_wins = 0;
  std::uint64_t faults = 0;
  std::string fault;  // the first, with the seed of its battle
};

// Plays battles of drawn teams with random choices and looks at every state on the way.
Audit audit(std::uint64_t seed, std::uint64_t battles);

}  // namespace tengen::pokemon
