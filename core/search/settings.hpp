#pragma once

#include <cstdint>
#include <limits>

#include "game.hpp"

namespace tengen {

// How a node that one player decides picks its next visit.
enum class Rule : std::uint8_t { kPuct, kUcb1 };

// How players pick where everyone decides at once.
enum class JointRule : std::uint8_t { kRegret, kUcb };

// Every knob of the search. The defaults stand here and nowhere else; tengen.search.SearchSettings documents each
// field.
struct SearchSettings {
  std::int64_t visits = 400;
  Rule rule = Rule::kPuct;

  double c_puct = 1.1;
  double c_puct_log = 0.0;
  double c_puct_base = 500.0;
  double c_ucb1 = 1.4;
  double fpu_reduction = 0.2;
  double root_fpu_reduction = 0.1;
  double fpu_own_power = 0.0;
  double fpu_value = std::numeric_limits<double>::quiet_NaN();

  int leaves_per_root = 1;
  double virtual_loss = 1.0;

  double noise_fraction = 0.0;
  double noise_alpha = 10.0;
  double root_policy_temperature = 1.0;
  double forced_playouts = 0.0;
  double wide_root_noise = 0.0;

  int gumbel_actions = 0;
  double gumbel_scale = 1.0;
  double gumbel_c_visit = 50.0;
  double gumbel_c_scale = 1.0;

  std::int64_t fast_visits = 0;
  double full_probability = 1.0;

  double widening_factor = 0.0;
  double widening_exponent = 0.5;

  JointRule joint_rule = JointRule::kRegret;
  double joint_exploration = 0.1;

  bool solve = false;
  std::int64_t cache_entries = 0;
};

// Throws std::invalid_argument for values out of range and for settings that others leave without effect.
void check_settings(const SearchSettings& settings);
// The same for settings that a game of this nature can't use.
void check_fits(const SearchSettings& settings, const Facts& facts);

}  // namespace tengen
