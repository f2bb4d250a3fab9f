#include "search/settings.hpp"

#include <initializer_list>
#include <sstream>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace tengen {
namespace {

constexpr std::int64_t kMaxVisits = std::int64_t{1} << 50;

[[noreturn]] void refuse(const std::string& text) { throw std::invalid_argument("search settings: " + text); }

template <class T>
void check_range(const char* name, const T& value, double minimum, double maximum) {
  if constexpr (std::is_arithmetic_v<T>) {
    const auto number = static_cast<double>(value);
    if (number >= minimum && number <= maximum) return;  // also refuses NaN
    std::ostringstream text;
    text.precision(17);
    text << name << " is " << number << " and must be from " << minimum << " to " << maximum;
    refuse(text.str());
  }
}

void check_range(const char* name, const std::optional<double>& value, double minimum, double maximum) {
  if (value) check_range(name, *value, minimum, maximum);
}

// What leaves a setting without effect: other settings, or the game.
struct Reason {
  bool (*by_settings)(const SearchSettings&);
  bool (*by_game)(const Facts&);
  const char* text;
};

void check_effect(const char* name, const SearchSettings& settings, const Facts* game,
                  std::initializer_list<Reason> reasons) {
  for (const Reason& reason : reasons) {
    const bool holds = game == nullptr ? reason.by_settings != nullptr && reason.by_settings(settings)
                                       : reason.by_game != nullptr && reason.by_game(*game);
    if (holds) refuse(std::string(name) + " has no effect " + reason.text);
  }
}

// Refuses a setting that differs from its default though something leaves it without effect; with a game, by what the
// game is, else by the other settings.
void check_effects(const SearchSettings& settings, const Facts* facts) {
  const SearchSettings defaults;
#define NO_EFFECT(condition, text) Reason{[](const SearchSettings& s) { return condition; }, nullptr, text}
#define UNFIT(condition, text) Reason{nullptr, [](const Facts& game) { return condition; }, text}
#define SETTING(type, name, value, minimum, maximum, documentation, ...) \
  if (settings.name != defaults.name) check_effect(#name, settings, facts, {__VA_ARGS__});
#include "search/settings.inc"
#undef SETTING
#undef UNFIT
#undef NO_EFFECT
}

}  // namespace

void check_settings(const SearchSettings& settings) {
#define SETTING(type, name, value, minimum, maximum, ...) check_range(#name, settings.name, minimum, maximum);
#include "search/settings.inc"
#undef SETTING
  check_effects(settings, nullptr);
}

void check_fits(const SearchSettings& settings, const Facts& facts) {
  check_effects(settings, &facts);
  if (settings.solve && (facts.hidden || facts.chance || facts.simultaneous || !facts.zero_sum || facts.players != 2)) {
    refuse("solve needs two players in turn, payoffs that add up to 0, nothing hidden and no chance");
  }
}

}  // namespace tengen
