#include "bindings/python_game.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "bindings/bound_game.hpp"

namespace tengen {
namespace {

nb::object fact(nb::handle game, const char* name) {
  if (nb::hasattr(game, name)) return game.attr(name);
  throw nb::value_error((nb::cast<std::string>(nb::str(game)) + " does not set `" + name + "`").c_str());
}

int read_int(nb::handle object, const char* name) {
  try {
    return nb::cast<int>(object);
  } catch (const nb::cast_error&) {
    throw nb::type_error((std::string("a game's ") + name + " must be an integer").c_str());
  }
}

}  // namespace

PythonGame::PythonGame(nb::object game)
    : game_(std::move(game)), random_(nb::module_::import_("random").attr("Random")) {
  facts_.players = read_int(fact(game_, "players"), "players");
  check_index(facts_.players - 1, kFacts.players, "players - 1:");
  facts_.hidden = nb::cast<bool>(fact(game_, "hidden"));
  facts_.chance = nb::cast<bool>(fact(game_, "chance"));
  facts_.simultaneous = nb::cast<bool>(fact(game_, "simultaneous"));
  facts_.zero_sum = nb::cast<bool>(fact(game_, "zero_sum"));
  action_count_ = read_int(fact(game_, "action_count"), "action_count");
  check_index(action_count_ - 1, 65535, "action_count - 1:");
  const nb::object shape = fact(game_, "shape");
  shape_ = {read_int(shape[0], "shape"), read_int(shape[1], "shape"), read_int(shape[2], "shape")};
  const auto sides = {shape_.planes, shape_.height, shape_.width};
  const double features = static_cast<double>(shape_.planes) * shape_.height * shape_.width;
  if (std::min(sides) < 0 || features > 1 << 24) throw nb::value_error("a game's shape must have from 0 to 2^24 cells");
  if (!nb::try_cast(fact(game_, "payoff_scale"), payoff_scale_) || !(payoff_scale_ > 0.0 && payoff_scale_ < 1e300)) {
    throw nb::value_error("a game's payoff_scale must be a finite number above 0");
  }
  aux_count_ = read_int(fact(game_, "aux_count"), "aux_count");
  check_index(aux_count_, 1 << 20, "aux_count:");
  has_heuristic_ = nb::cast<bool>(fact(game_, "has_heuristic"));
}

void PythonGame::blame(const char* hook, const State& state, const std::string& what) const {
  const std::string text = std::string(hook) + " of " + nb::cast<std::string>(nb::str(game_)) + " answered " + what +
                           " in position " + nb::cast<std::string>(nb::repr(nb::handle(state.position)));
  throw nb::value_error(text.c_str());
}

nb::object PythonGame::player_name(int player) const {
  return player == kChance ? nb::object(nb::str("chance")) : nb::object(nb::int_(player));
}

nb::object PythonGame::random(Rng& rng) const { return random_(nb::int_(rng.next())); }

PythonGame::State PythonGame::hold(nb::object position) const {
  table_.positions.push_back(std::move(position));
  return {table_.positions.back().ptr()};
}

void PythonGame::sweep(const std::vector<State>& held) const {
  std::unordered_set<PyObject*> wanted;
  for (const State& state : held) wanted.insert(state.position);
  std::vector<nb::object> kept;
  for (nb::object& object : table_.positions) {
    if (wanted.erase(object.ptr()) > 0) kept.push_back(std::move(object));
  }
  table_.positions.swap(kept);
}

PythonGame::State PythonGame::start(Rng& rng) const { return hold(game_.attr("initial")(random(rng))); }

int PythonGame::actor(const State& state) const {
  const nb::object answer = game_.attr("actor")(nb::handle(state.position));
  if (answer.is_none()) return kNobody;
  if (nb::isinstance<nb::str>(answer)) {
    const auto text = nb::cast<std::string>(answer);
    if (text == "chance" && facts_.chance) return kChance;
    if (text == "all" && facts_.simultaneous) return kEveryone;
    if (text == "chance") blame("actor", state, "'chance', though the game does not set `chance = True`,");
    if (text == "all") blame("actor", state, "'all', though the game does not set `simultaneous = True`,");
  }
  int player = -1;
  if (!nb::try_cast(answer, player) || player < 0 || player >= facts_.players) {
    blame("actor", state, nb::cast<std::string>(nb::repr(answer)) + ", neither a player nor 'chance', 'all' or None,");
  }
  return player;
}

void PythonGame::legal(const State& state, int player, Actions& out) const {
  out.clear();
  const nb::object answer = game_.attr("legal")(nb::handle(state.position), player_name(player));
  if (!PySequence_Check(answer.ptr())) blame("legal", state, nb::cast<std::string>(nb::repr(answer)) + ", no list,");
  for (const nb::handle item : answer) {
    Action action = -1;
    const bool is_known = nb::try_cast(item, action) && action >= 0 && (player == kChance || action < action_count_);
    if (!is_known) blame("legal", state, nb::cast<std::string>(nb::repr(item)) + ", which is no action,");
    out.push_back(action);
  }
  if (out.empty()) blame("legal", state, "no action for who is to act");
  if (!std::is_sorted(out.begin(), out.end())) blame("legal", state, "actions that are not ascending");
  if (std::adjacent_find(out.begin(), out.end()) != out.end()) blame("legal", state, "an action twice");
}

void PythonGame::apply(State& state, Action action) const {
  state = hold(game_.attr("apply")(nb::handle(state.position), action));
}

void PythonGame::apply(State& state, std::span<const Action> joint) const {
  nb::list actions;
  for (const Action action : joint) actions.append(action);
  state = hold(game_.attr("apply")(nb::handle(state.position), nb::tuple(actions)));
}

Action PythonGame::outcome(const State& state, Rng& rng) const {
  const nb::object answer = game_.attr("outcome")(nb::handle(state.position), random(rng));
  Action outcome = -1;
  if (!nb::try_cast(answer, outcome) || outcome < 0) {
    blame("outcome", state, nb::cast<std::string>(nb::repr(answer)) + ", which is no outcome,");
  }
  return outcome;
}

void PythonGame::read_numbers(const char* hook, const State& state, nb::handle answer, std::span<double> out) const {
  if (!PySequence_Check(answer.ptr())) {
    blame(hook, state, nb::cast<std::string>(nb::repr(answer)) + ", not one number a player,");
  }
  std::size_t count = 0;
  for (const nb::handle item : answer) {
    double number = 0.0;
    if (!nb::try_cast(item, number) || !std::isfinite(number)) {
      blame(hook, state, nb::cast<std::string>(nb::repr(item)) + ", which is no finite number,");
    }
    if (count < out.size()) out[count] = number;
    ++count;
  }
  if (count != out.size()) {
    blame(hook, state, std::to_string(count) + " numbers where " + std::to_string(out.size()) + " are due");
  }
}

void PythonGame::payoff(const State& state, std::span<double> out) const {
  read_numbers("payoff", state, game_.attr("payoff")(nb::handle(state.position)), out);
}

void PythonGame::heuristic(const State& state, std::span<double> out) const {
  read_numbers("heuristic", state, game_.attr("heuristic")(nb::handle(state.position)), out);
}

void PythonGame::final_aux(const State& state, std::span<float> out) const {
  if (out.empty()) return;
  std::vector<double> numbers(out.size());
  read_numbers("final_aux", state, game_.attr("final_aux")(nb::handle(state.position)), numbers);
  std::transform(numbers.begin(), numbers.end(), out.begin(), [](double x) { return static_cast<float>(x); });
}

void PythonGame::encode(const State& state, int viewer, std::span<float> out) const {
  const nb::object answer = game_.attr("encode")(nb::handle(state.position), viewer);
  nb::ndarray<const float, nb::ndim<3>, nb::c_contig, nb::device::cpu> planes;
  const bool fits = nb::try_cast(answer, planes) && planes.shape(0) == extent(shape_.planes) &&
                    planes.shape(1) == extent(shape_.height) && planes.shape(2) == extent(shape_.width);
  if (!fits) blame("encode", state, "something else than float32 planes of the game's shape");
  std::copy_n(planes.data(), out.size(), out.begin());
}

PythonGame::State PythonGame::redeal(const State& state, int viewer, Rng& rng) const {
  return hold(game_.attr("redeal")(nb::handle(state.position), viewer, random(rng)));
}

std::uint64_t PythonGame::read_key(const char* hook, const State& state, nb::handle answer) const {
  std::uint64_t key = 0;
  if (!nb::try_cast(answer, key)) {
    blame(hook, state, nb::cast<std::string>(nb::repr(answer)) + ", which is no number of 64 bits,");
  }
  return key;
}

std::uint64_t PythonGame::key(const State& state) const {
  return read_key("key", state, game_.attr("key")(nb::handle(state.position)));
}

std::uint64_t PythonGame::view_key(const State& state, int viewer) const {
  return read_key("view_key", state, game_.attr("view_key")(nb::handle(state.position), viewer));
}

void bind_python_game(nb::module_& m) {
  nb::class_<BoundGame<PythonGame>, AnyRules>(m, "PythonRules")
      .def(
          "__init__",
          [](BoundGame<PythonGame>* self, nb::object game) {
            new (self) BoundGame<PythonGame>(PythonGame(std::move(game)), "PythonRules", "");
          },
          nb::arg("game"), "Of a tengen.games.Game, whose positions stand for states.");
}

}  // namespace tengen
