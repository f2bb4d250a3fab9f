#pragma once

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

// Values of a position that a caller wrote, checked one by one. Every error names the place, such as
// `sides[0].team[2].hp`, the value found there, and the values that are accepted.
namespace tengen {

namespace nb = nanobind;

// The place of a value within a position. Places form a chain on the stack, so that a path is only written out for an
// error.
struct Place {
  const Place* parent = nullptr;
  std::string_view key = {};
  int index = -1;  // in a list, if not negative

  std::string path() const;
};

// A value as Python would print it, cut short.
std::string show(nb::handle value);

// Raises ValueError and TypeError: "PLACE must be WANTED, got VALUE".
[[noreturn]] void refuse_value(const Place& place, const std::string& wanted, nb::handle got);
[[noreturn]] void refuse_type(const Place& place, const std::string& wanted, nb::handle got);
// Raises ValueError: "PLACE: WHAT".
[[noreturn]] void refuse(const Place& place, const std::string& what);

// A whole number from least to most. Floats without a fraction are accepted, booleans are not.
int to_number(nb::handle value, const Place& place, int least, int most);
std::string to_text(nb::handle value, const Place& place);
// Raises TypeError unless the value is a list or a tuple.
void check_list(nb::handle value, const Place& place);

// A dict of a position. A key whose value is None counts as missing.
class Fields {
 public:
  // Raises TypeError unless the value is a dict whose keys are strings.
  Fields(nb::handle value, const Place& place);

  // Raises ValueError for the first key that is not among these.
  void allow(std::span<const std::string_view> keys) const;

  bool has(const char* key) const { return !get(key).is_none(); }
  bool has_key(const char* key) const { return PyDict_GetItemString(dict_.ptr(), key) != nullptr; }
  // None if the key is missing.
  nb::object get(const char* key) const;
  // Raises ValueError if the key is missing.
  nb::object need(const char* key) const;
  Place at(const char* key) const { return {&place_, key, -1}; }
  const Place& place() const { return place_; }
  nb::dict dict() const { return dict_; }

  int number(const char* key, int least, int most, int otherwise) const;
  int need_number(const char* key, int least, int most) const;
  // Like number(), but a fraction is cut off.
  int whole_part(const char* key, int least, int most, int otherwise) const;
  // Returns true if the value is true. Raises TypeError unless it is a boolean or the number 0 or 1.
  bool flag(const char* key) const;
  // "" if the key is missing.
  std::string text(const char* key) const;
  // The index of the text among the options; `otherwise` if the key is missing.
  int option(const char* key, std::initializer_list<std::string_view> options, int otherwise) const;

 private:
  nb::dict dict_;
  Place place_;
};

}  // namespace tengen
