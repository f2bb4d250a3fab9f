#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "bindings/any_game.hpp"
#include "bindings/conversions.hpp"
#include "games/shogi/shogi.hpp"
#include "nets/dlshogi/planes.hpp"
#include "nets/miniosl/planes.hpp"

// What other programs' networks see of shogi, and what their answers mean for the search.
namespace tengen {

using namespace nb::literals;

namespace {

template <std::size_t N>
using Floats = nb::ndarray<nb::numpy, float, nb::ndim<N>>;
using Labels = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using States = std::vector<const shogi::State*>;

const RulesId& shogi_id() {
  static const RulesId id("Shogi", "");
  return id;
}

States states_of_rows(const std::vector<AnyPool::Row>& rows) {
  States states;
  for (const AnyPool::Row& row : rows) states.push_back(static_cast<const shogi::State*>(row.state));
  return states;
}

void check_pool(const AnyPool& pool) {
  if (pool.rules().game != shogi_id().game) throw nb::type_error("the pool searches another game than shogi");
}

const shogi::State& take(const AnyState& state) {
  if (state.rules().game != shogi_id().game || state.size() != sizeof(shogi::State)) {
    throw nb::type_error("the state belongs to another game than shogi");
  }
  return state.as<shogi::State>();
}

States take_all(const std::vector<const AnyState*>& given) {
  States states;
  for (const AnyState* state : given) {
    if (state == nullptr) throw nb::type_error("None is no state");
    states.push_back(&take(*state));
  }
  return states;
}

Floats<4> miniosl_inputs(const States& states, bool fill_history) {
  constexpr std::size_t kSize = miniosl::kInputs;
  auto inputs = OwnedArray<float>(states.size() * kSize, 0.0F);
  {
    const nb::gil_scoped_release unlocked;
    for (std::size_t row = 0; row < states.size(); ++row) {
      miniosl::encode(*states[row], fill_history, inputs.span().subspan(row * kSize, kSize));
    }
  }
  return inputs.release<Floats<4>>({states.size(), miniosl::kPlanes, 9, 9});
}

std::tuple<Floats<4>, Floats<4>> dlshogi_inputs(const States& states, bool entering) {
  const std::size_t planes = dlshogi::kHandPlanes + (entering ? dlshogi::kEnteringPlanes : 0);
  const std::size_t size = planes * shogi::kSquares;
  constexpr std::size_t kBoardSize = dlshogi::kBoardPlanes * shogi::kSquares;
  auto boards = OwnedArray<float>(states.size() * kBoardSize, 0.0F);
  auto hands = OwnedArray<float>(states.size() * size, 0.0F);
  {
    const nb::gil_scoped_release unlocked;
    for (std::size_t row = 0; row < states.size(); ++row) {
      dlshogi::encode(states[row]->position, boards.span().subspan(row * kBoardSize, kBoardSize),
                      hands.span().subspan(row * size, size));
    }
  }
  return {boards.release<Floats<4>>({states.size(), dlshogi::kBoardPlanes, 9, 9}),
          hands.release<Floats<4>>({states.size(), planes, 9, 9})};
}

using Labelling = int (*)(shogi::Color, shogi::Move);

Labelling find_labelling(const std::string& program) {
  if (program == "miniosl") return &miniosl::label;
  if (program == "dlshogi") return &shogi::policy_index;
  throw nb::value_error(("no labels of moves are called '" + program + "': there are miniosl and dlshogi").c_str());
}

// The declaration, which networks do not know, wins at once: it is to be tried first.
constexpr float kDeclarationLead = 5.0F;

Floats<2> logits_of_rows(AnyPool& pool, const Labels& policy, const std::string& program, float temperature) {
  const BusyGuard guard(pool);
  check_pool(pool);
  const Labelling label = find_labelling(program);
  const auto rows = pool.rows();
  if (policy.shape(0) != rows.size() || policy.shape(1) != shogi::kPolicyCount) {
    throw nb::value_error("the policy must be [rows, 2187]");
  }
  if (!(temperature > 0)) throw nb::value_error("the temperature must be above 0");
  const auto count = static_cast<std::size_t>(pool.facts().action_count);
  auto logits = OwnedArray<float>(rows.size() * count, 0.0F);
  {
    const nb::gil_scoped_release unlocked;
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const shogi::Color mover = static_cast<const shogi::State*>(rows[row].state)->position.side();
      const float* from = policy.data() + row * shogi::kPolicyCount;
      float* to = logits.span().data() + row * count;
      float most = 0;
      bool any = false;
      for (const Action action : *rows[row].legal) {
        if (action == shogi::kWinAction) continue;
        const float logit = from[label(mover, shogi::move_of(action))] / temperature;
        to[action] = logit;
        most = any ? std::max(most, logit) : logit;
        any = true;
      }
      to[shogi::kWinAction] = most + kDeclarationLead;
    }
  }
  return logits.release<Floats<2>>({rows.size(), count});
}

std::vector<int> labels_of(const AnyState& state, const Actions& actions, const std::string& program) {
  const shogi::Color mover = take(state).position.side();
  const Labelling label = find_labelling(program);
  std::vector<int> labels;
  for (const Action action : actions) {
    check_index(action, shogi::ActionTable::kCount, "action");
    labels.push_back(action == shogi::kWinAction ? -1 : label(mover, shogi::move_of(action)));
  }
  return labels;
}

}  // namespace

void bind_shogi_nets(nb::module_& m) {
  m.def(
      "miniosl_inputs_of_rows",
      [](AnyPool& pool, bool fill_history) {
        const BusyGuard guard(pool);
        check_pool(pool);
        return miniosl_inputs(states_of_rows(pool.rows()), fill_history);
      },
      "pool"_a, "fill_history"_a, "[rows, 176, 9, 9] of a batch.");
  m.def(
      "miniosl_inputs_of_states",
      [](const std::vector<const AnyState*>& states, bool fill_history) {
        return miniosl_inputs(take_all(states), fill_history);
      },
      "states"_a, "fill_history"_a);
  m.def(
      "dlshogi_inputs_of_rows",
      [](AnyPool& pool, bool entering) {
        const BusyGuard guard(pool);
        check_pool(pool);
        return dlshogi_inputs(states_of_rows(pool.rows()), entering);
      },
      "pool"_a, "entering"_a, "[rows, 62, 9, 9] and [rows, 57, 9, 9] of a batch; with `entering` 119 planes.");
  m.def(
      "dlshogi_inputs_of_states",
      [](const std::vector<const AnyState*>& states, bool entering) {
        return dlshogi_inputs(take_all(states), entering);
      },
      "states"_a, "entering"_a);
  m.def("shogi_logits_of_rows", &logits_of_rows, "pool"_a, "policy"_a.noconvert(), "program"_a, "temperature"_a,
        "Log-odds [rows, actions] of a batch's legal moves, from a policy [rows, 2187] in a program's labels.");
  m.def("shogi_labels", &labels_of, "state"_a, "actions"_a, "program"_a,
        "Where a program's networks have these actions of the player to move; -1: nowhere.");
}

}  // namespace tengen
