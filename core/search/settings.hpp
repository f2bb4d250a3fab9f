#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

#include "game.hpp"

namespace tengen {

// How a node that one player decides picks its next visit.
enum class Rule : std::uint8_t { kPuct, kUcb1 };

// How players pick where everyone decides at once; kAuto: as suits the game.
enum class JointRule : std::uint8_t { kAuto, kRegret, kUcb };

// The names of an enumeration's values, in their order.
template <class E>
inline constexpr std::array<std::string_view, 2> kNames{};
template <>
inline constexpr std::array<std::string_view, 2> kNames<Rule>{"puct", "ucb1"};
template <>
inline constexpr std::array<std::string_view, 3> kNames<JointRule>{"auto", "regret", "ucb"};

// Every knob of the search, as settings.inc lists them.
struct SearchSettings {
#define SETTING(type, name, value, ...) type name = value;
#include "search/settings.inc"
#undef SETTING
};

// Throws std::invalid_argument for values out of range and for settings that others leave without effect.
void check_settings(const SearchSettings& settings);
// The same for settings that a game of this nature can't use.
void check_fits(const SearchSettings& settings, const Facts& facts);

}  // namespace tengen
