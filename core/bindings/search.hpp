#pragma once

#include <nanobind/nanobind.h>

namespace tengen {

// SearchSettings, MoveReport and RootReport: what every pool shares.
void bind_search(nanobind::module_& m);
// The pool of games written in Python.
void bind_python_pool(nanobind::module_& m);

}  // namespace tengen
