#include "search/settings.hpp"

#include <cmath>
#include <sstream>
#include <stdexcept>

namespace tengen {
namespace {

[[noreturn]] void refuse(const std::string& text) { throw std::invalid_argument("search settings: " + text); }

void check_range(const char* name, double value, double least, double most) {
  if (value >= least && value <= most) return;  // also refuses NaN
  std::ostringstream text;
  text.precision(17);
  text << name << " is " << value << " and must be from " << least << " to " << most;
  refuse(text.str());
}

void check_ranges(const SearchSettings& s) {
  constexpr double kMostVisits = 1125899906842624.0;  // 2^50
  check_range("visits", static_cast<double>(s.visits), 1, kMostVisits);
  check_range("c_puct", s.c_puct, 0, 1000);
  check_range("c_puct_log", s.c_puct_log, 0, 1000);
  check_range("c_puct_base", s.c_puct_base, 1, 1e12);
  check_range("c_ucb1", s.c_ucb1, 0, 1000);
  check_range("fpu_reduction", s.fpu_reduction, -2, 2);
  check_range("root_fpu_reduction", s.root_fpu_reduction, -2, 2);
  check_range("fpu_own_power", s.fpu_own_power, 0, 10);
  if (!std::isnan(s.fpu_value)) check_range("fpu_value", s.fpu_value, -2, 2);
  check_range("leaves_per_root", s.leaves_per_root, 1, 1 << 20);
  check_range("virtual_loss", s.virtual_loss, 0, 1000);
  check_range("noise_fraction", s.noise_fraction, 0, 1);
  check_range("noise_alpha", s.noise_alpha, 1e-3, 1e6);
  check_range("root_policy_temperature", s.root_policy_temperature, 0.01, 100);
  check_range("forced_playouts", s.forced_playouts, 0, 1000);
  check_range("wide_root_noise", s.wide_root_noise, 0, 5);
  check_range("gumbel_actions", s.gumbel_actions, 0, 65535);
  check_range("gumbel_scale", s.gumbel_scale, 0, 1000);
  check_range("gumbel_c_visit", s.gumbel_c_visit, 0, 1e9);
  check_range("gumbel_c_scale", s.gumbel_c_scale, 0, 1000);
  check_range("fast_visits", static_cast<double>(s.fast_visits), 0, kMostVisits);
  check_range("full_probability", s.full_probability, 0, 1);
  check_range("widening_factor", s.widening_factor, 0, 1e6);
  check_range("widening_exponent", s.widening_exponent, 0, 1);
  check_range("joint_exploration", s.joint_exploration, 0, 1);
  check_range("cache_entries", static_cast<double>(s.cache_entries), 0, 1e9);
}

// Refuses a setting that differs from its default though `reason` leaves it without effect.
void refuse_if(bool differs, const char* name, const char* reason) {
  if (differs) refuse(std::string(name) + " has no effect " + reason);
}

void check_unused(const SearchSettings& s) {
  const SearchSettings d;
  if (s.rule == Rule::kUcb1) {
    constexpr const char* kReason = "with rule 'ucb1'";
    refuse_if(s.c_puct != d.c_puct, "c_puct", kReason);
    refuse_if(s.c_puct_log != d.c_puct_log, "c_puct_log", kReason);
    refuse_if(s.fpu_reduction != d.fpu_reduction, "fpu_reduction", kReason);
    refuse_if(s.root_fpu_reduction != d.root_fpu_reduction, "root_fpu_reduction", kReason);
    refuse_if(!std::isnan(s.fpu_value), "fpu_value", kReason);
    refuse_if(s.fpu_own_power > 0, "fpu_own_power", kReason);
    refuse_if(s.noise_fraction > 0, "noise_fraction", kReason);
    refuse_if(s.root_policy_temperature != d.root_policy_temperature, "root_policy_temperature", kReason);
    refuse_if(s.forced_playouts > 0, "forced_playouts", kReason);
    refuse_if(s.wide_root_noise > 0, "wide_root_noise", kReason);
    refuse_if(s.gumbel_actions > 0, "gumbel_actions", kReason);
  } else {
    refuse_if(s.c_ucb1 != d.c_ucb1, "c_ucb1", "with rule 'puct'");
  }
  if (!std::isnan(s.fpu_value)) {
    refuse_if(s.fpu_reduction != d.fpu_reduction, "fpu_reduction", "with fpu_value");
    refuse_if(s.root_fpu_reduction != d.root_fpu_reduction, "root_fpu_reduction", "with fpu_value");
    refuse_if(s.fpu_own_power > 0, "fpu_own_power", "with fpu_value");
  }
  refuse_if(s.leaves_per_root == 1 && s.virtual_loss != d.virtual_loss, "virtual_loss", "with one leaf a root");
  refuse_if(s.c_puct_log == 0 && s.c_puct_base != d.c_puct_base, "c_puct_base", "without c_puct_log");
  if (s.gumbel_actions > 0) {
    refuse_if(s.noise_fraction > 0, "noise_fraction", "with gumbel_actions, which explore by themselves");
    refuse_if(s.forced_playouts > 0, "forced_playouts", "with gumbel_actions");
    refuse_if(s.wide_root_noise > 0, "wide_root_noise", "with gumbel_actions");
    // A fast search of a randomized playout cap picks as usual.
    refuse_if(s.fast_visits == 0 && s.root_fpu_reduction != d.root_fpu_reduction, "root_fpu_reduction",
              "with gumbel_actions");
  } else {
    refuse_if(s.gumbel_scale != d.gumbel_scale, "gumbel_scale", "without gumbel_actions");
    refuse_if(s.gumbel_c_visit != d.gumbel_c_visit, "gumbel_c_visit", "without gumbel_actions");
    refuse_if(s.gumbel_c_scale != d.gumbel_c_scale, "gumbel_c_scale", "without gumbel_actions");
  }
  refuse_if(s.noise_fraction == 0 && s.noise_alpha != d.noise_alpha, "noise_alpha", "without noise_fraction");
  refuse_if(s.fast_visits == 0 && s.full_probability < 1, "full_probability", "without fast_visits");
  refuse_if(s.fast_visits > 0 && s.full_probability >= 1, "fast_visits", "with full_probability 1");
  refuse_if(s.widening_factor == 0 && s.widening_exponent != d.widening_exponent, "widening_exponent",
            "without widening_factor");
}

}  // namespace

void check_settings(const SearchSettings& settings) {
  check_ranges(settings);
  check_unused(settings);
}

void check_fits(const SearchSettings& s, const Facts& facts) {
  const SearchSettings d;
  if (facts.simultaneous) {
    constexpr const char* kReason = "in a game with simultaneous choices";
    refuse_if(s.noise_fraction > 0, "noise_fraction", kReason);
    refuse_if(s.forced_playouts > 0, "forced_playouts", kReason);
    refuse_if(s.wide_root_noise > 0, "wide_root_noise", kReason);
    refuse_if(s.gumbel_actions > 0, "gumbel_actions", kReason);
    refuse_if(s.widening_factor > 0, "widening_factor", kReason);
    refuse_if(s.root_policy_temperature != d.root_policy_temperature, "root_policy_temperature", kReason);
  } else {
    constexpr const char* kReason = "in a game without simultaneous choices";
    refuse_if(s.joint_rule != d.joint_rule, "joint_rule", kReason);
    refuse_if(s.joint_exploration != d.joint_exploration, "joint_exploration", kReason);
  }
  if (s.solve && (facts.hidden || facts.chance || facts.simultaneous || !facts.zero_sum || facts.players != 2)) {
    refuse("solve needs two players in turn, payoffs that add up to 0, nothing hidden and no chance");
  }
}

}  // namespace tengen
