#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>
#include <vector>

#include "bindings/batch_states.hpp"
#include "bindings/conversions.hpp"
#include "games/shogi/shogi.hpp"
#include "nets/dlshogi/planes.hpp"

// What networks in dlshogi's format see of shogi; their labels of moves are the game's.
namespace tengen {

namespace {

using Inputs = nb::ndarray<nb::numpy, float, nb::ndim<4>>;

std::tuple<Inputs, Inputs> inputs_of(const std::vector<const shogi::State*>& states, bool entering) {
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
  return {boards.release<Inputs>({states.size(), dlshogi::kBoardPlanes, 9, 9}),
          hands.release<Inputs>({states.size(), planes, 9, 9})};
}

}  // namespace

void bind_dlshogi(nb::module_& m);
void bind_dlshogi(nb::module_& m) {
  bind_inputs<Shogi>(m, "dlshogi", "Shogi", "entering", &inputs_of,
                     "[rows, 62, 9, 9] and [rows, 57, 9, 9] of a batch; with `entering` 119 planes.");
}

}  // namespace tengen
