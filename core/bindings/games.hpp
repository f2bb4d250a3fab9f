#pragma once

#include <nanobind/nanobind.h>

// One function and one file a game, so that they compile side by side.
namespace tengen {

void bind_connect_four(nanobind::module_& m);
void bind_go(nanobind::module_& m);
void bind_go_network(nanobind::module_& m);
void bind_kuhn_poker(nanobind::module_& m);
void bind_matgo(nanobind::module_& m);
void bind_pig(nanobind::module_& m);
void bind_pyrga(nanobind::module_& m);
void bind_rock_paper_scissors(nanobind::module_& m);

}  // namespace tengen
