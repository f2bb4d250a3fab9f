#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <string>

#include "bindings/any_game.hpp"
#include "bindings/pokemon_position.hpp"
#include "games/pokemon/audit.hpp"
#include "games/pokemon/battle.hpp"
#include "games/pokemon/legal.hpp"

// Battles as they truly are, in the simulator's words: what conformance checks and clients of a server stand on.
namespace tengen {

namespace {

using namespace pokemon;

// A value: playing makes another one.
struct TrueBattle {
  State state;
};

void check_side(int side) {
  if (side != 0 && side != 1) throw nb::index_error(("a side is 0 or 1, not " + std::to_string(side)).c_str());
}

// The choices of both sides, -1 for who waits. Throws for what is not legal.
std::array<int, 2> checked(const State& state, std::array<std::optional<int>, 2> choices) {
  std::array<int, 2> out{-1, -1};
  for (std::size_t side = 0; side < 2; ++side) {
    const std::uint16_t legal = legal_choices(state, static_cast<int>(side));
    const int choice = choices[side].value_or(-1);
    const bool fits = legal == 0 ? choice < 0 : choice >= 0 && choice < kActions && (legal >> choice & 1U) != 0;
    if (!fits) {
      const std::string what = choices[side] ? std::to_string(choice) : "None";
      throw nb::value_error(("choice " + what + " is not legal for side " + std::to_string(side)).c_str());
    }
    out[side] = choice;
  }
  return out;
}

TrueBattle played(const TrueBattle& battle, std::optional<int> first, std::optional<int> second, Chance chance) {
  check_battle(battle.state);
  const auto choices = checked(battle.state, {first, second});
  TrueBattle after = battle;
  Battle(after.state, chance).choose(choices[0], choices[1]);
  return after;
}

std::array<int, 16> rolls(const TrueBattle& battle, int side, const std::string& move, bool max, bool crit, int hit) {
  check_side(side);
  const Move id = find_move(move);
  if (id == Move::None) throw nb::value_error(("no gen 8 random battle has the move '" + move + "'").c_str());
  return damage_rolls(battle.state, side, id, max, crit, hit);
}

PositionDict audited(std::uint64_t seed, std::uint64_t battles) {
  Audit sum;
  {
    const nb::gil_scoped_release released;
    sum = audit(seed, battles);
  }
  PositionDict out;
  out["battles"] = sum.battles;
  out["choices"] = sum.choices;
  out["turns"] = sum.turns;
  out["ties"] = sum.ties;
  out["first_wins"] = sum.first_wins;
  out["faults"] = sum.faults;
  out["fault"] = sum.fault;
  return out;
}

}  // namespace

void bind_pokemon_battles(nb::module_& m) {
  nb::class_<TrueBattle>(m, "PokemonBattle", "A battle with everything that is hidden, as a value.")
      .def_static(
          "read", [](const PositionDict& position) { return TrueBattle{read_position(position)}; }, nb::arg("position"),
          "From a position in the simulator's words; ValueError for names that no gen 8 random battle has.")
      .def(
          "position", [](const TrueBattle& b) { return PositionDict(write_position(b.state)); },
          "In the simulator's words; what is at its default is None.")
      .def(
          "outcome", [](const TrueBattle& b) { return AnyList(write_outcome(b.state)); },
          "What players tell apart, in short and without hit points.")
      .def(
          "hp", [](const TrueBattle& b) { return IntList(write_hp(b.state)); }, "Twelve hit points, by team slot.")
      .def(
          "legal",
          [](const TrueBattle& b, int side) {
            check_side(side);
            return IntList(write_actions(legal_choices(b.state, side)));
          },
          nb::arg("side"), "What the simulator accepts; empty for a side that waits.")
      .def(
          "offered",
          [](const TrueBattle& b, int side) {
            check_side(side);
            return IntList(write_actions(offered_choices(b.state, side)));
          },
          nb::arg("side"), "What the side is shown: more than is legal where a trap is hidden.")
      .def(
          "play",
          [](const TrueBattle& b, std::optional<int> first, std::optional<int> second, std::uint64_t seed) {
            Rng rng(seed);
            return played(b, first, second, Chance(rng));
          },
          nb::arg("first").none(), nb::arg("second").none(), nb::arg("seed"),
          "To the next choice or the end. None for a side that waits.")
      .def(
          "play_scripted",
          [](const TrueBattle& b, std::optional<int> first, std::optional<int> second, const std::string& script) {
            if (script.size() != 1 || script[0] < 'A' || script[0] > 'D') {
              throw nb::value_error(("a script is A, B, C or D, not '" + script + "'").c_str());
            }
            return played(b, first, second, Chance(script[0]));
          },
          nb::arg("first").none(), nb::arg("second").none(), nb::arg("script"),
          "As play, with every draw of a kind answered alike.")
      .def("damage", &rolls, nb::arg("side"), nb::arg("move"), nb::arg("max") = false, nb::arg("crit") = false,
           nb::arg("hit") = 1,
           "The sixteen amounts that a hit of a side's move can do to the foe now, the least first.");
  m.def("audit_pokemon", &audited, nb::arg("seed"), nb::arg("battles"),
        "Plays random battles and looks at every state: counts, and what is wrong.");
}

}  // namespace tengen
