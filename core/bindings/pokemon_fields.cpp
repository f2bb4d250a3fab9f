#include "bindings/pokemon_fields.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tengen {

namespace {

constexpr std::size_t kLongestShown = 60;

std::string range_of(int least, int most) {
  return "a whole number from " + std::to_string(least) + " to " + std::to_string(most);
}

}  // namespace

std::string Place::path() const {
  std::string before = parent == nullptr ? "" : parent->path();
  if (index >= 0) return before + "[" + std::to_string(index) + "]";
  if (before.empty()) return key.empty() ? "the position" : std::string(key);
  // The whole position has no name in a path.
  if (parent->parent == nullptr && parent->key.empty() && parent->index < 0) return std::string(key);
  return before + "." + std::string(key);
}

std::string show(nb::handle value) {
  PyObject* text = PyObject_Repr(value.ptr());
  const char* bytes = text == nullptr ? nullptr : PyUnicode_AsUTF8(text);
  std::string shown;
  if (bytes == nullptr) {
    PyErr_Clear();
    shown = std::string("an object of type ") + Py_TYPE(value.ptr())->tp_name;
  } else {
    shown = bytes;
  }
  Py_XDECREF(text);
  if (shown.size() <= kLongestShown) return shown;
  std::size_t end = kLongestShown;
  while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xc0U) == 0x80U) --end;
  return shown.substr(0, end) + "…";
}

void refuse_value(const Place& place, const std::string& wanted, nb::handle got) {
  throw std::invalid_argument(place.path() + " must be " + wanted + ", got " + show(got));
}

void refuse_type(const Place& place, const std::string& wanted, nb::handle got) {
  throw nb::type_error((place.path() + " must be " + wanted + ", got " + show(got)).c_str());
}

void refuse(const Place& place, const std::string& what) { throw std::invalid_argument(place.path() + ": " + what); }

int to_number(nb::handle value, const Place& place, int least, int most) {
  double number = 0.0;
  if (PyFloat_Check(value.ptr())) {
    number = PyFloat_AS_DOUBLE(value.ptr());
    if (number != std::floor(number)) refuse_value(place, range_of(least, most), value);
  } else if (PyLong_Check(value.ptr()) && !PyBool_Check(value.ptr())) {
    int overflow = 0;
    const long long whole = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow != 0) refuse_value(place, range_of(least, most), value);
    number = static_cast<double>(whole);
  } else {
    refuse_type(place, range_of(least, most), value);
  }
  if (!(number >= least && number <= most)) refuse_value(place, range_of(least, most), value);
  return static_cast<int>(number);
}

std::string to_text(nb::handle value, const Place& place) {
  if (!PyUnicode_Check(value.ptr())) refuse_type(place, "a string", value);
  Py_ssize_t size = 0;
  const char* bytes = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (bytes == nullptr) {  // lone surrogates
    PyErr_Clear();
    refuse_value(place, "valid text", value);
  }
  return {bytes, static_cast<std::size_t>(size)};
}

void check_list(nb::handle value, const Place& place) {
  if (!PyList_Check(value.ptr()) && !PyTuple_Check(value.ptr())) refuse_type(place, "a list", value);
}

Fields::Fields(nb::handle value, const Place& place) : place_(place) {
  if (!PyDict_Check(value.ptr())) refuse_type(place, "a dict", value);
  dict_ = nb::borrow<nb::dict>(value);
  for (const auto [key, item] : dict_) {
    if (!PyUnicode_Check(key.ptr())) refuse(place, "keys must be strings, got " + show(key));
  }
}

void Fields::allow(std::span<const std::string_view> keys) const {
  for (const auto [key, item] : dict_) {
    const std::string name = to_text(key, place_);
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
    std::string all;
    for (const std::string_view one : keys) all.append(all.empty() ? "" : ", ").append(one);
    refuse(place_, "unknown key " + show(key) + "; known keys are " + all);
  }
}

nb::object Fields::get(const char* key) const {
  PyObject* value = PyDict_GetItemString(dict_.ptr(), key);
  return value == nullptr ? nb::none() : nb::borrow(value);
}

nb::object Fields::need(const char* key) const {
  nb::object value = get(key);
  if (value.is_none()) refuse(place_, "the key '" + std::string(key) + "' is missing");
  return value;
}

int Fields::number(const char* key, int least, int most, int otherwise) const {
  const nb::object value = get(key);
  return value.is_none() ? otherwise : to_number(value, at(key), least, most);
}

int Fields::need_number(const char* key, int least, int most) const {
  return to_number(need(key), at(key), least, most);
}

int Fields::whole_part(const char* key, int least, int most, int otherwise) const {
  const nb::object value = get(key);
  if (value.is_none()) return otherwise;
  if (!PyFloat_Check(value.ptr())) return to_number(value, at(key), least, most);
  const double number = PyFloat_AS_DOUBLE(value.ptr());
  if (!(number >= least && number <= most)) {
    refuse_value(at(key), "a number from " + std::to_string(least) + " to " + std::to_string(most), value);
  }
  return static_cast<int>(number);
}

bool Fields::flag(const char* key) const {
  const nb::object value = get(key);
  if (value.is_none()) return false;
  if (PyBool_Check(value.ptr())) return value.ptr() == Py_True;
  if (!PyLong_Check(value.ptr())) refuse_type(at(key), "true or false", value);
  return to_number(value, at(key), 0, 1) == 1;
}

std::string Fields::text(const char* key) const {
  const nb::object value = get(key);
  return value.is_none() ? "" : to_text(value, at(key));
}

int Fields::option(const char* key, std::initializer_list<std::string_view> options, int otherwise) const {
  const nb::object value = get(key);
  if (value.is_none()) return otherwise;
  const std::string found = to_text(value, at(key));
  const auto place = std::find(options.begin(), options.end(), found);
  if (place != options.end()) return static_cast<int>(place - options.begin());
  std::string all;
  for (const std::string_view one : options) all.append(all.empty() ? "'" : ", '").append(one).append("'");
  refuse_value(at(key), "one of " + all, value);
}

}  // namespace tengen
