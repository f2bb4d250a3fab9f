#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "search/report.hpp"
#include "search/settings.hpp"

namespace nb = nanobind;

namespace tengen {
namespace {

using Settings = nb::class_<SearchSettings>;

// What a setting's values are, in a refusal.
template <class T>
void write_kind(std::ostream& out) {
  if constexpr (std::is_enum_v<T>) {
    for (std::size_t i = 0; i < kNames<T>.size(); ++i) {
      out << (i == 0 ? "'" : i + 1 < kNames<T>.size() ? ", '" : " or '") << kNames<T>[i] << "'";
    }
  } else if constexpr (std::is_same_v<T, bool>) {
    out << "a bool";
  } else if constexpr (std::is_arithmetic_v<T>) {
    out << (std::is_integral_v<T> ? "an int" : "a float");
  } else {
    out << "a float or None";
  }
}

template <class T>
bool read_value(nb::handle given, T& value) {
  if constexpr (std::is_enum_v<T>) {
    std::string text;
    if (!nb::try_cast(given, text)) return false;
    const auto found = std::find(kNames<T>.begin(), kNames<T>.end(), text);
    if (found == kNames<T>.end()) return false;
    value = static_cast<T>(found - kNames<T>.begin());
    return true;
  } else {
    return nb::try_cast(given, value);
  }
}

template <class T>
void set(T& value, const char* name, nb::handle given) {
  if (read_value(given, value)) return;
  std::ostringstream refusal;
  refusal << "search settings: " << name << " is " << nb::repr(given).c_str() << " and must be ";
  write_kind<T>(refusal);
  throw nb::value_error(refusal.str().c_str());
}

[[noreturn]] void refuse_name(const std::string& setting) {
  throw nb::value_error(("no search setting is called " + setting).c_str());
}

// By name; those that are not given are as by default.
SearchSettings make_settings(const nb::kwargs& given) {
  SearchSettings settings;
  for (const auto& [key, value] : given) {
    const std::string setting = nb::cast<std::string>(key);
#define SETTING(type, name, ...)      \
  if (setting == #name) {             \
    set(settings.name, #name, value); \
    continue;                         \
  }
#include "search/settings.inc"
#undef SETTING
    refuse_name(setting);
  }
  return settings;
}

template <class T>
void bind_setting(Settings& settings, const char* name, T SearchSettings::* field, const char* documentation) {
  if constexpr (std::is_enum_v<T>) {
    settings.def_prop_ro(
        name, [field](const SearchSettings& s) { return kNames<T>[static_cast<std::size_t>(s.*field)]; },
        documentation);
  } else {
    settings.def_ro(name, field, documentation);
  }
}

template <class T>
std::vector<std::string_view> names_of(T SearchSettings::* /*field*/) {
  if constexpr (std::is_enum_v<T>) return {kNames<T>.begin(), kNames<T>.end()};
  return {};
}

void bind_settings(nb::module_& m) {
  Settings settings(m, "SearchSettings");
  settings
      .def(
          "__init__",
          [](SearchSettings* self, const nb::kwargs& given) { new (self) SearchSettings(make_settings(given)); },
          nb::sig("def __init__(self, **settings: object) -> None"))
      .def_static(
          "choices",
          [](const std::string& setting) {
#define SETTING(type, name, ...) \
  if (setting == #name) return names_of(&SearchSettings::name);
#include "search/settings.inc"
#undef SETTING
            refuse_name(setting);
          },
          nb::arg("setting"), "The names that a setting may have as its value; none where it is a number.")
      .def("check", &check_settings, "ValueError for what is out of range or without effect.");
#define SETTING(type, name, value, minimum, maximum, documentation, ...) \
  bind_setting(settings, #name, &SearchSettings::name, documentation);
#include "search/settings.inc"
#undef SETTING
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
      .def_ro("free_deviations", &MoveReport::free_deviations)
      .def_ro("replies", &MoveReport::replies);
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
