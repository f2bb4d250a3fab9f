#include "games/go/go.hpp"

#include <nanobind/stl/pair.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bound_game.hpp"
#include "games/go/chains.hpp"

namespace tengen {

void bind_katago(nb::module_& m);

namespace {

using GoRules = BoundGame<Go>;
using Cells = std::vector<int>;

constexpr const char* kName = "Go";
constexpr int kMaxKomi = 800;  // half points

struct GoSettings {
  int width = 19;
  int height = 19;
  int ko = 1;
  int scoring = 0;
  int tax = 0;
  int bonus = 0;
  bool suicide = true;
  bool button = false;
  bool friendly_pass = false;
  int komi = 15;  // half points
};

template <class E>
E checked_choice(int value, int count, const char* what) {
  check_index(value, count, what);
  return static_cast<E>(value);
}

go::RuleSet make_rules(int ko, int scoring, int tax, int bonus, bool suicide, bool button, bool friendly_pass,
                       bool prevent_cleanup, int komi) {
  if (komi < -kMaxKomi || komi > kMaxKomi) {
    throw nb::value_error(("komi of " + std::to_string(komi) + " half points: -800 to 800").c_str());
  }
  go::RuleSet rules;
  rules.komi = static_cast<std::int16_t>(komi);
  rules.ko = checked_choice<go::Ko>(ko, 4, "ko");
  rules.scoring = checked_choice<go::Scoring>(scoring, 2, "scoring");
  rules.tax = checked_choice<go::Tax>(tax, 3, "tax");
  rules.bonus = checked_choice<go::Bonus>(bonus, 3, "bonus");
  rules.suicide = suicide;
  rules.button = button;
  rules.friendly_pass = friendly_pass;
  rules.prevent_cleanup = prevent_cleanup;
  return rules;
}

go::PointSet places(const Go& game, const Cells& cells) {
  go::PointSet found;
  for (const int cell : cells) {
    check_index(cell, game.area(), "cell");
    found.insert(game.point(cell));
  }
  return found;
}

Cells cells_of(const Go& game, const go::PointSet& set) {
  Cells cells;
  for (int cell = 0; cell < game.area(); ++cell) {
    if (set.contains(game.point(cell))) cells.push_back(cell);
  }
  return cells;
}

template <class At>
nb::bytes bytes_of(const Go& game, At at) {
  std::string bytes;
  for (int cell = 0; cell < game.area(); ++cell) bytes.push_back(static_cast<char>(at(game.point(cell))));
  return nb::bytes(bytes.data(), bytes.size());
}

// A stone of a set-up: it replaces one that is there and takes what has no liberties left, the opponent's first.
void place(go::Grid& grid, go::Point point, go::Color color) {
  const auto take_if_breathless = [&grid](go::Point p) {
    const go::Chains chains(grid);
    if (chains.liberties(chains.at(p)) > 0) return;
    for (const go::Point stone : chains.stones(chains.at(p))) grid.colors[go::Board::index(stone)] = go::kEmpty;
  };
  grid.colors[go::Board::index(point)] = color;
  for (const go::Point next : grid.neighbors(point)) {
    if (grid.at(next) == go::opponent(color)) take_if_breathless(next);
  }
  take_if_breathless(point);
}

AnyState start_from(const GoRules& rules, const go::RuleSet& played, const std::vector<std::pair<int, int>>& stones,
                    int player, int phase) {
  check_player(rules.game, player);
  check_index(phase, 3, "phase");
  if (phase > 0 && played.scoring != go::kTerritoryScoring) {
    throw nb::value_error(("phase " + std::to_string(phase) + ": only territory scoring has clean-up phases").c_str());
  }
  go::Grid grid(rules.game.width(), rules.game.height());
  for (const auto& [seat, cell] : stones) {
    check_player(rules.game, seat);
    check_index(cell, rules.game.area(), "cell");
    place(grid, rules.game.point(cell), go::color_of(seat));
  }
  return rules.give(rules.game.start_from(played, grid, player, phase));
}

AnyState replay(const GoRules& rules, const AnyState& position, int player, Action action) {
  go::State next = rules.checked(position);
  check_player(rules.game, player);
  check_index(action, rules.game.action_count(), "action");
  if (!rules.game.replay(next, player, action)) {
    throw nb::value_error(
        ("action " + std::to_string(action) + " cannot be played: the point is taken, or the stone would take itself")
            .c_str());
  }
  return rules.give(next);
}

// Of an area, who owns each cell; scored by the state's own rules.
std::pair<double, nb::bytes> score_now(const GoRules& rules, const AnyState& position, const Cells& dead) {
  go::Area area;
  const int white = rules.game.score(rules.checked(position), places(rules.game, dead), area);
  return {0.5 * -white, bytes_of(rules.game, [&](go::Point p) { return area[go::Board::index(p)]; })};
}

nb::bytes pass_alive(const GoRules& rules, const AnyState& position) {
  const go::State& state = rules.checked(position);
  go::Area area;
  go::area(state.board.grid, false, false, false, state.rules.suicide != 0, area);
  return bytes_of(rules.game, [&](go::Point p) { return area[go::Board::index(p)]; });
}

nb::bytes independent_life(const GoRules& rules, const AnyState& position, const Cells& dead) {
  const go::State& state = rules.checked(position);
  go::Area area;
  int regions = 0;
  const go::PointSet without = places(rules.game, dead);
  go::Grid grid = state.board.grid;
  for (const int cell : cells_of(rules.game, without))
    grid.colors[go::Board::index(rules.game.point(cell))] = go::kEmpty;
  go::independent_life_area(grid, false, false, state.rules.suicide != 0, area, regions);
  return bytes_of(rules.game, [&](go::Point p) { return area[go::Board::index(p)]; });
}

void bind_rules(nb::module_& m) {
  nb::class_<go::RuleSet>(m, "GoRules")
      .def(
          "__init__",
          [](go::RuleSet* self, int ko, int scoring, int tax, int bonus, bool suicide, bool button, bool friendly_pass,
             bool prevent_cleanup, int komi) {
            new (self)
                go::RuleSet(make_rules(ko, scoring, tax, bonus, suicide, button, friendly_pass, prevent_cleanup, komi));
          },
          nb::kw_only(), nb::arg("ko") = 1, nb::arg("scoring") = 0, nb::arg("tax") = 0, nb::arg("bonus") = 0,
          nb::arg("suicide") = true, nb::arg("button") = false, nb::arg("friendly_pass") = false,
          nb::arg("prevent_cleanup") = false, nb::arg("komi") = 15,
          "ko: simple, positional, situational, Spight; scoring: area, territory; tax: none, seki, all; bonus: none, "
          "n, "
          "n-1. Komi in half points.")
      .def_prop_ro("ko", [](const go::RuleSet& r) { return static_cast<int>(r.ko); })
      .def_prop_ro("scoring", [](const go::RuleSet& r) { return static_cast<int>(r.scoring); })
      .def_prop_ro("tax", [](const go::RuleSet& r) { return static_cast<int>(r.tax); })
      .def_prop_ro("bonus", [](const go::RuleSet& r) { return static_cast<int>(r.bonus); })
      .def_prop_ro("suicide", [](const go::RuleSet& r) { return r.suicide != 0; })
      .def_prop_ro("button", [](const go::RuleSet& r) { return r.button != 0; })
      .def_prop_ro("friendly_pass", [](const go::RuleSet& r) { return r.friendly_pass != 0; })
      .def_prop_ro("prevent_cleanup", [](const go::RuleSet& r) { return r.prevent_cleanup != 0; })
      .def_prop_ro("komi", [](const go::RuleSet& r) { return static_cast<int>(r.komi); });
}

// A number of a context by its name, and what it may be.
struct ContextField {
  const char* name;
  float go::Context::* field;
  float min;
  float max;
};

constexpr float kAny = std::numeric_limits<float>::max();
constexpr ContextField kContextFields[] = {
    {"playout_doubling_advantage", &go::Context::playout_doubling_advantage, -kAny, kAny},
    {"white_draw_equivalent", &go::Context::white_draw_equivalent, 0.0F, 1.0F},
    {"static_factor", &go::Context::static_factor, -kAny, kAny},
    {"dynamic_factor", &go::Context::dynamic_factor, -kAny, kAny},
    {"center", &go::Context::center, -kAny, kAny},
    {"scale", &go::Context::scale, std::numeric_limits<float>::min(), kAny},
    {"win_factor", &go::Context::win_factor, 0.0F, 1.0F},
    {"white_no_result", &go::Context::white_no_result, -1.0F, 1.0F},
    {"policy_optimism", &go::Context::policy_optimism, 0.0F, 1.0F},
    {"root_policy_optimism", &go::Context::root_policy_optimism, 0.0F, 1.0F},
    {"policy_temperature", &go::Context::policy_temperature, 0.01F, 100.0F},
};

void check_context(const go::Context& context) {
  for (const ContextField& field : kContextFields) {
    const float value = context.*field.field;
    if (value >= field.min && value <= field.max) continue;  // also refuses NaN
    throw nb::value_error((std::string(field.name) + " is out of its range").c_str());
  }
  if (context.root_symmetries < 1 || context.root_symmetries > 8) throw nb::value_error("root_symmetries is 1 to 8");
}

void bind_context(nb::module_& m) {
  using C = go::Context;
  const C d;
  const auto make = [](C* self, float advantage, int advantage_player, float draw, float static_factor,
                       float dynamic_factor, float center, float scale, float win_factor, float white_no_result,
                       float policy_optimism, float root_policy_optimism, float policy_temperature, int root_symmetries,
                       bool passing_hacks, bool ignore_history, bool ignore_all_history) {
    check_index(advantage_player, 2, "player");
    new (self) C{advantage,
                 draw,
                 static_factor,
                 dynamic_factor,
                 center,
                 scale,
                 win_factor,
                 white_no_result,
                 policy_optimism,
                 root_policy_optimism,
                 policy_temperature,
                 root_symmetries,
                 static_cast<std::uint8_t>(advantage_player),
                 passing_hacks,
                 static_cast<std::uint8_t>(ignore_all_history ? 2 : ignore_history)};
    check_context(*self);
  };
  nb::class_<C>(m, "GoContext", "What evaluations depend on beside the position; see core/games/go/context.hpp.")
      .def("__init__", make, nb::kw_only(), nb::arg("playout_doubling_advantage") = 0.0F,
           nb::arg("advantage_player") = 0, nb::arg("white_draw_equivalent") = d.white_draw_equivalent,
           nb::arg("static_factor") = 0.0F, nb::arg("dynamic_factor") = 0.0F, nb::arg("center") = 0.0F,
           nb::arg("scale") = d.scale, nb::arg("win_factor") = d.win_factor, nb::arg("white_no_result") = 0.0F,
           nb::arg("policy_optimism") = 0.0F, nb::arg("root_policy_optimism") = 0.0F,
           nb::arg("policy_temperature") = d.policy_temperature, nb::arg("root_symmetries") = 1,
           nb::arg("passing_hacks") = false, nb::arg("ignore_history") = false, nb::arg("ignore_all_history") = false);
}

void bind_questions(GameClass<Go>& rules) {
  using State = go::State;
  const auto ask = [&rules](const char* name, auto answer, const char* doc) {
    rules.def(
        name, [answer](const GoRules& r, const AnyState& p) { return answer(r.game, r.checked(p)); }, nb::arg("state"),
        doc);
  };
  ask("player", [](const Go&, const State& s) { return static_cast<int>(s.player); }, "To move, also when it is over.");
  ask("ply", [](const Go&, const State& s) { return static_cast<int>(s.ply); }, "Moves since the start.");
  ask("phase", [](const Go&, const State& s) { return static_cast<int>(s.phase); }, "0, or clean-up 1 or 2.");
  ask(
      "ended", [](const Go&, const State& s) { return static_cast<int>(s.ended); },
      "0 no; 1 by passes, but held open; 2 scored; 3 no result.");
  ask(
      "captured",
      [](const Go&, const State& s) { return std::pair<int, int>(s.board.captured[0], s.board.captured[1]); },
      "Stones taken from Black, from White.");
  ask(
      "board", [](const Go& g, const State& s) { return bytes_of(g, [&](go::Point p) { return s.board.at(p); }); },
      "A byte a cell: 0 empty, 1 Black, 2 White.");
  ask(
      "ko", [](const Go& g, const State& s) { return s.board.ko == go::kNoPoint ? -1 : g.cell(s.board.ko); },
      "The cell that simple ko bans; -1: none.");
  ask(
      "banned", [](const Go& g, const State& s) { return cells_of(g, g.banned(s)); },
      "Empty cells that a ko rule bans for the player to move.");
  ask(
      "recent",
      [](const Go&, const State& s) {
        Cells actions;
        for (const int action : s.recent) {
          if (action >= 0) actions.push_back(action);
        }
        return actions;
      },
      "The last actions since the history began, the latest first; at most 5.");
  ask(
      "white_komi", [](const Go& g, const State& s) { return 0.5 * g.white_komi(s); },
      "What White has besides the board: komi, handicap bonus, button; under territory scoring the stones played.");
  ask("board_key", [](const Go& g, const State& s) { return g.board_key(s); }, "Of stones, player and ko alone.");
  ask("rules_of", [](const Go&, const State& s) { return s.rules; }, "");
  ask("root_ply", [](const Go&, const State& s) { return static_cast<int>(s.root_ply); }, "-1: of no search.");
  ask("conservative_pass", [](const Go&, const State& s) { return s.conservative_pass != 0; }, "");
}

}  // namespace

void bind_go(nb::module_& m) {
  bind_rules(m);
  bind_context(m);
  bind_katago(m);
  using S = GoSettings;
  const auto make = [](const S& s) {
    return Go(s.width, s.height,
              make_rules(s.ko, s.scoring, s.tax, s.bonus, s.suicide, s.button, s.friendly_pass, false, s.komi));
  };
  auto rules =
      bind_game<Go>(m, kName, make, Setting{"width", &S::width}, Setting{"height", &S::height}, Setting{"ko", &S::ko},
                    Setting{"scoring", &S::scoring}, Setting{"tax", &S::tax}, Setting{"bonus", &S::bonus},
                    Setting{"suicide", &S::suicide}, Setting{"button", &S::button},
                    Setting{"friendly_pass", &S::friendly_pass}, Setting{"komi", &S::komi});
  bind_questions(rules);
  rules
      .def("start_from", &start_from, nb::arg("rules"), nb::arg("stones"), nb::arg("player"), nb::arg("phase") = 0,
           "Stones as (seat, cell).")
      .def("replay", &replay, nb::arg("state"), nb::arg("player"), nb::arg("action"),
           "A move of either player, whatever the ko, also after the end.")
      .def(
          "is_legal",
          [](const GoRules& r, const AnyState& p, Action action) {
            check_index(action, r.game.action_count(), "action");
            return r.game.is_legal(r.checked(p), action);
          },
          nb::arg("state"), nb::arg("action"), "For the player to move.")
      .def_prop_ro("context", [](const GoRules& r) { return r.game.context(); })
      .def(
          "with_context",
          [](const GoRules& r, const go::Context& context) {
            return new GoRules(r.game.with_context(context), kName, r.settings());
          },
          nb::arg("context"), nb::rv_policy::take_ownership, "The same rules; states of either belong to both.")
      .def(
          "in_search",
          [](const GoRules& r, const AnyState& p, int root_ply, bool conservative_pass) {
            return r.give(r.game.in_search(r.checked(p), root_ply, conservative_pass));
          },
          nb::arg("state"), nb::arg("root_ply"), nb::arg("conservative_pass") = false,
          "The position in a search that began at root_ply; there, it is never over.")
      .def("score", &score_now, nb::arg("state"), nb::arg("dead"),
           "If it ended now without those stones: Black's lead in points, and a byte a cell with its owner.")
      .def("independent_life", &independent_life, nb::arg("state"), nb::arg("dead"),
           "Without those stones: a byte a cell with the owner of what lives and is no seki.")
      .def("pass_alive", &pass_alive, nb::arg("state"), "A byte a cell with the owner of what is pass-alive.")
      .def(
          "chain",
          [](const GoRules& r, const AnyState& p, int cell) {
            check_index(cell, r.game.area(), "cell");
            return cells_of(r.game, r.checked(p).board.chain(r.game.point(cell)));
          },
          nb::arg("state"), nb::arg("cell"), "The stones that are connected with the one there; none of an empty cell.")
      .def(
          "liberties",
          [](const GoRules& r, const AnyState& p, int cell) {
            check_index(cell, r.game.area(), "cell");
            const go::Board& board = r.checked(p).board;
            const go::Point point = r.game.point(cell);
            return board.at(point) == go::kEmpty ? 0 : board.liberties(point);
          },
          nb::arg("state"), nb::arg("cell"), "Of the chain there.");
}

}  // namespace tengen
