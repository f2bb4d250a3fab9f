#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <vector>

#include "bindings/batch_states.hpp"
#include "bindings/conversions.hpp"
#include "games/shogi/shogi.hpp"
#include "nets/miniosl/planes.hpp"

// What miniosl's networks see of shogi, and where they have its moves.
namespace tengen {

namespace {

using Inputs = nb::ndarray<nb::numpy, float, nb::ndim<4>>;
using Order = nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>;

Inputs inputs_of(const std::vector<const shogi::State*>& states, bool fill_history) {
  constexpr std::size_t kSize = miniosl::kInputs;
  auto inputs = OwnedArray<float>(states.size() * kSize, 0.0F);
  {
    const nb::gil_scoped_release unlocked;
    for (std::size_t row = 0; row < states.size(); ++row) {
      miniosl::encode(*states[row], fill_history, inputs.span().subspan(row * kSize, kSize));
    }
  }
  return inputs.release<Inputs>({states.size(), miniosl::kPlanes, 9, 9});
}

// Both label a move in the frame of its mover: one colour tells it for both.
Order label_order() {
  auto order = OwnedArray<std::int64_t>(shogi::kPolicyCount, 0);
  for (Action action = 0; action < shogi::kWinAction; ++action) {
    const shogi::Move move = shogi::move_of(action);
    order.span()[extent(shogi::policy_index(shogi::kBlack, move))] = miniosl::label(shogi::kBlack, move);
  }
  return order.release<Order>({shogi::kPolicyCount});
}

}  // namespace

void bind_miniosl(nb::module_& m);
void bind_miniosl(nb::module_& m) {
  bind_inputs<Shogi>(m, "miniosl", "Shogi", "fill_history", &inputs_of, "[rows, 176, 9, 9] of a batch.");
  m.def("miniosl_label_order", &label_order, "Where miniosl's networks have each label of the game's policy.");
}

}  // namespace tengen
