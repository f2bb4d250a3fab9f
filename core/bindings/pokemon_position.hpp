#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <string>

#include "games/pokemon/state.hpp"

// Battles in the format of the reference simulator's recorded positions (tests/data/pokemon/README.md), as dicts.
namespace tengen {

namespace nb = nanobind;

// How stubs name what follows.
using PositionDict = nb::typed<nb::dict, std::string, nb::any>;
using IntList = nb::typed<nb::list, int>;
using AnyList = nb::typed<nb::list, nb::any>;

// Reads a position, which may be a moment within a turn. Raises ValueError or TypeError with the place, the value and
// what is accepted for anything that no gen 8 random battle has.
pokemon::State read_position(const nb::dict& position);

// Reads a position with the viewer's knowledge of the other team. Every Pokémon that must have been on the field
// is added to the knowledge of both sides.
pokemon::State read_battle(const nb::dict& position, const pokemon::Knowledge* known, int viewer);

// Raises ValueError unless a side is to choose, or the battle has ended, and all parts of the state fit together.
void check_battle(const pokemon::State& state);

// The whole position. What is at its default is None, so that two positions can be compared key by key.
nb::dict write_position(const pokemon::State& state);

// Adds the sets of all Pokémon to a written position: level, gender, item and so on, as they were at the start.
void write_drawn_sets(const pokemon::State& state, nb::dict& position);

// Adds to a side's active Pokémon the Max Moves that its moves would become now, with their powers.
void write_max_moves(const pokemon::State& state, int side, nb::dict& position);

// The short form without hit points, and the twelve hit points.
nb::list write_outcome(const pokemon::State& state);
nb::list write_hp(const pokemon::State& state);

// Actions as a list of numbers, from a bit for each.
nb::list write_actions(std::uint16_t actions);

}  // namespace tengen
