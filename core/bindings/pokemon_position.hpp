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

// Throws std::invalid_argument for names that no gen 8 random battle has.
pokemon::State read_position(const nb::dict& position);

// The whole position. What is at its default is None, so that two positions can be compared key by key.
nb::dict write_position(const pokemon::State& state);

// The short form without hit points, and the twelve hit points.
nb::list write_outcome(const pokemon::State& state);
nb::list write_hp(const pokemon::State& state);

// Actions as a list of numbers, from a bit for each.
nb::list write_actions(std::uint16_t actions);

}  // namespace tengen
