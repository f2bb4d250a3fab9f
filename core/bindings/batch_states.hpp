#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <vector>

#include "bindings/any_game.hpp"

// A game's states, where other programs' networks are to be shown them: of a batch that waits, and of Python's.
namespace tengen {

// `name` is the game's class. A view; valid until the pool collects again.
template <class G>
std::vector<const typename G::State*> batch_states(AnyPool& pool, const std::string& name) {
  if (pool.rules().game != RulesId(name, "").game) throw nb::type_error("the pool searches another game");
  std::vector<const typename G::State*> states;
  for (const AnyPool::Row& row : pool.rows()) states.push_back(static_cast<const typename G::State*>(row.state));
  return states;
}

template <class G>
std::vector<const typename G::State*> given_states(const std::vector<const AnyState*>& given, const std::string& name) {
  const RulesId id(name, "");
  std::vector<const typename G::State*> states;
  for (const AnyState* state : given) {
    if (state == nullptr || state->rules().game != id.game || state->size() != sizeof(typename G::State)) {
      throw nb::type_error("a state of another game");
    }
    states.push_back(&state->template as<typename G::State>());
  }
  return states;
}

// Binds FORMAT_inputs_of_rows and FORMAT_inputs_of_states: what networks of a format see of a batch and of states.
// `inputs_of` takes states and an option of the format.
template <class G>
void bind_inputs(nb::module_& m, const std::string& format, const std::string& game, const char* option, auto inputs_of,
                 const char* documentation) {
  m.def((format + "_inputs_of_rows").c_str(),
        [=](AnyPool& pool, bool given) {
          const BusyGuard guard(pool);
          return inputs_of(batch_states<G>(pool, game), given);
        },
        nb::arg("pool"), nb::arg(option), documentation);
  m.def((format + "_inputs_of_states").c_str(),
        [=](const std::vector<const AnyState*>& states, bool given) {
          return inputs_of(given_states<G>(states, game), given);
        },
        nb::arg("states"), nb::arg(option), "The same of states.");
}

}  // namespace tengen
