#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "search/report.hpp"
#include "search/settings.hpp"

namespace nb = nanobind;

namespace tengen {
namespace {

std::string format_rule(Rule rule) { return rule == Rule::kPuct ? "puct" : "ucb1"; }
std::string format_joint_rule(JointRule rule) { return rule == JointRule::kRegret ? "regret" : "ucb"; }

Rule parse_rule(const std::string& text) {
  if (text == "puct") return Rule::kPuct;
  if (text == "ucb1") return Rule::kUcb1;
  throw nb::value_error(("search settings: rule is '" + text + "' and must be 'puct' or 'ucb1'").c_str());
}

JointRule parse_joint_rule(const std::string& text) {
  if (text == "regret") return JointRule::kRegret;
  if (text == "ucb") return JointRule::kUcb;
  throw nb::value_error(("search settings: joint_rule is '" + text + "' and must be 'regret' or 'ucb'").c_str());
}

void bind_settings(nb::module_& m) {
  using S = SearchSettings;
  nb::class_<S>(m, "SearchSettings")
      .def(nb::init<>())
      .def_rw("visits", &S::visits)
      .def_prop_rw(
          "rule", [](const S& s) { return format_rule(s.rule); },
          [](S& s, const std::string& text) { s.rule = parse_rule(text); })
      .def_rw("c_puct", &S::c_puct)
      .def_rw("c_puct_log", &S::c_puct_log)
      .def_rw("c_puct_base", &S::c_puct_base)
      .def_rw("c_ucb1", &S::c_ucb1)
      .def_rw("fpu_reduction", &S::fpu_reduction)
      .def_rw("root_fpu_reduction", &S::root_fpu_reduction)
      .def_rw("fpu_own_power", &S::fpu_own_power)
      .def_rw("fpu_value", &S::fpu_value)
      .def_rw("leaves_per_root", &S::leaves_per_root)
      .def_rw("virtual_loss", &S::virtual_loss)
      .def_rw("noise_fraction", &S::noise_fraction)
      .def_rw("noise_alpha", &S::noise_alpha)
      .def_rw("root_policy_temperature", &S::root_policy_temperature)
      .def_rw("forced_playouts", &S::forced_playouts)
      .def_rw("wide_root_noise", &S::wide_root_noise)
      .def_rw("gumbel_actions", &S::gumbel_actions)
      .def_rw("gumbel_scale", &S::gumbel_scale)
      .def_rw("gumbel_c_visit", &S::gumbel_c_visit)
      .def_rw("gumbel_c_scale", &S::gumbel_c_scale)
      .def_rw("fast_visits", &S::fast_visits)
      .def_rw("full_probability", &S::full_probability)
      .def_rw("widening_factor", &S::widening_factor)
      .def_rw("widening_exponent", &S::widening_exponent)
      .def_prop_rw(
          "joint_rule", [](const S& s) { return format_joint_rule(s.joint_rule); },
          [](S& s, const std::string& text) { s.joint_rule = parse_joint_rule(text); })
      .def_rw("joint_exploration", &S::joint_exploration)
      .def_rw("solve", &S::solve)
      .def_rw("cache_entries", &S::cache_entries)
      .def("check", &check_settings, "ValueError for what is out of range or without effect.");
}

void bind_reports(nb::module_& m) {
  nb::class_<MoveReport>(m, "MoveReport")
      .def_ro("player", &MoveReport::player)
      .def_ro("action", &MoveReport::action)
      .def_ro("visits", &MoveReport::visits)
      .def_ro("prior", &MoveReport::prior)
      .def_ro("weight", &MoveReport::weight)
      .def_ro("policy", &MoveReport::policy)
      .def_ro("included", &MoveReport::included)
      .def_ro("proven", &MoveReport::proven)
      .def_ro("values", &MoveReport::values)
      .def_ro("spread", &MoveReport::spread)
      .def_ro("line", &MoveReport::line)
      .def_ro("line_visits", &MoveReport::line_visits)
      .def_ro("aux", &MoveReport::aux)
      .def_ro("deviations", &MoveReport::deviations)
      .def_ro("free_values", &MoveReport::free_values)
      .def_ro("free_aux", &MoveReport::free_aux)
      .def_ro("free_deviations", &MoveReport::free_deviations);
  nb::class_<RootReport>(m, "RootReport")
      .def_ro("visits", &RootReport::visits)
      .def_ro("guaranteed_visits", &RootReport::guaranteed_visits)
      .def_ro("nodes", &RootReport::nodes)
      .def_ro("bytes", &RootReport::bytes)
      .def_ro("is_done", &RootReport::is_done)
      .def_ro("is_full", &RootReport::is_full)
      .def_ro("proven", &RootReport::proven)
      .def_ro("values", &RootReport::values)
      .def_ro("raw_values", &RootReport::raw_values)
      .def_ro("moves", &RootReport::moves)
      .def_ro("aux", &RootReport::aux)
      .def_ro("deviations", &RootReport::deviations)
      .def_ro("raw_aux", &RootReport::raw_aux)
      .def_ro("actions", &RootReport::actions)
      .def_ro("priors", &RootReport::priors);
}

}  // namespace

void bind_search(nb::module_& m) {
  bind_settings(m);
  bind_reports(m);
}

}  // namespace tengen
