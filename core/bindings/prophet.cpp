#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <string>
#include <tuple>
#include <vector>

#include "bindings/any_game.hpp"
#include "bindings/bound_game.hpp"
#include "bindings/conversions.hpp"
#include "games/shogi/shogi.hpp"
#include "nets/prophet/planes.hpp"

// What prophet and enforcer are trained on and asked, many positions at once and without Python's lock.
namespace tengen {

namespace {

using prophet::kEntries;
using prophet::kPackedSize;
using prophet::kPlanes;

using PackedRows = nb::ndarray<const std::uint8_t, nb::shape<-1, kPackedSize>, nb::c_contig, nb::device::cpu>;
using Numbers = nb::ndarray<const std::int32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using PackedArray = nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<2>>;
using Planes = nb::ndarray<nb::numpy, float, nb::ndim<4>>;
using Integers = nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>>;

PackedArray pack(const BoundGame<Shogi>& rules, const std::vector<nb::object>& states) {
  auto out = OwnedArray<std::uint8_t>(states.size() * kPackedSize, 0);
  for (std::size_t row = 0; row < states.size(); ++row) {
    const auto bytes = std::span<std::uint8_t, kPackedSize>(out.span().subspan(row * kPackedSize, kPackedSize));
    prophet::pack(take_state(rules.game, rules.id(), states[row]).position, bytes);
    prophet::unpack(bytes);  // throws where pieces have no slots
  }
  return out.release<PackedArray>({states.size(), kPackedSize});
}

shogi::Position position_of(const PackedRows& packed, std::size_t row) {
  return prophet::unpack(prophet::PackedPosition(packed.data() + row * kPackedSize, kPackedSize));
}

void check_rows(const PackedRows& packed, const Numbers& numbers, int count, const char* what) {
  if (packed.shape(0) != numbers.shape(0)) {
    throw nb::value_error(
        (std::to_string(numbers.shape(0)) + " " + what + "s for " + std::to_string(packed.shape(0)) + " positions")
            .c_str());
  }
  for (std::size_t row = 0; row < numbers.shape(0); ++row) check_index(numbers(row), count, what);
}

Planes planes(const PackedRows& packed, bool viewer_to_move) {
  constexpr std::size_t kSize = std::size_t{kPlanes} * shogi::kSquares;
  const std::size_t rows = packed.shape(0);
  auto out = OwnedArray<float>(rows * kSize, 0.0F);
  {
    const nb::gil_scoped_release released;
    for (std::size_t row = 0; row < rows; ++row) {
      const shogi::Position position = position_of(packed, row);
      const shogi::Color viewer = viewer_to_move ? position.side() : shogi::opponent(position.side());
      prophet::encode(position, viewer, out.span().subspan(row * kSize, kSize));
    }
  }
  return out.release<Planes>({rows, kPlanes, 9, 9});
}

Integers to_array(const std::vector<std::int32_t>& values) {
  auto out = OwnedArray<std::int32_t>(values.size(), 0);
  std::copy(values.begin(), values.end(), out.span().begin());
  return out.release<Integers>({values.size()});
}

std::tuple<Integers, Integers, Integers> legal_entries(const PackedRows& packed) {
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> actions;
  std::vector<std::int32_t> entries;
  {
    const nb::gil_scoped_release released;
    std::vector<prophet::LegalEntry> found;
    for (std::size_t row = 0; row < packed.shape(0); ++row) {
      prophet::legal_entries(position_of(packed, row), found);
      for (const prophet::LegalEntry& each : found) {
        rows.push_back(static_cast<std::int32_t>(row));
        actions.push_back(shogi::action_of(each.move));
        entries.push_back(each.entry);
      }
    }
  }
  return {to_array(rows), to_array(actions), to_array(entries)};
}

Integers entries_of(const PackedRows& packed, const Numbers& actions) {
  check_rows(packed, actions, shogi::kWinAction, "action");
  std::vector<std::int32_t> entries(packed.shape(0));
  for (std::size_t row = 0; row < entries.size(); ++row) {
    const shogi::Position position = position_of(packed, row);
    const shogi::Move move = shogi::move_of(actions(row));
    if (!shogi::is_legal(position, move)) {
      throw nb::value_error(
          ("action " + std::to_string(actions(row)) + " is illegal in position " + std::to_string(row)).c_str());
    }
    entries[row] = prophet::Slots(position, position.side()).entry_of(move);
  }
  return to_array(entries);
}

Integers actions_of(const PackedRows& packed, const Numbers& entries) {
  check_rows(packed, entries, kEntries, "entry");
  std::vector<std::int32_t> actions(packed.shape(0));
  for (std::size_t row = 0; row < actions.size(); ++row) {
    const shogi::Position position = position_of(packed, row);
    const shogi::Move move = prophet::Slots(position, position.side()).move_of(entries(row));
    actions[row] = !move.is_none() && shogi::is_legal(position, move) ? shogi::action_of(move) : -1;
  }
  return to_array(actions);
}

}  // namespace

void bind_prophet(nb::module_& m) {
  m.def("prophet_pack", &pack, nb::arg("rules"), nb::arg("states"),
        "[states, 96]: board, hands and side to move in bytes.");
  m.def("prophet_planes", &planes, nb::arg("packed").noconvert(), nb::arg("viewer_to_move"),
        "[rows, 148, 9, 9]: what prophet (the viewer has just moved) or enforcer (the viewer is to move) sees.");
  m.def("prophet_legal_entries", &legal_entries, nb::arg("packed").noconvert(),
        "Rows, actions and entries of the enforcer's output of all legal moves, a drop once for each such piece.");
  m.def("prophet_entries", &entries_of, nb::arg("packed").noconvert(), nb::arg("actions").noconvert(),
        "Where the enforcer writes a legal action, one a position.");
  m.def("prophet_actions", &actions_of, nb::arg("packed").noconvert(), nb::arg("entries").noconvert(),
        "The legal action that an entry stands for, one a position; -1: none.");
}

}  // namespace tengen
