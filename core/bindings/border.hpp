#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "game.hpp"

// What Python holds, and the checks on what it hands over.
namespace tengen {

namespace nb = nanobind;

// A game with its settings.
template <Game G>
struct Rules {
  G game;
  std::string settings;  // "name=value, …"
  std::uint64_t id;      // of the game and its settings
};

// A state, and which settings it belongs to: another board size's state would make the core read out of bounds.
template <Game G>
struct Position {
  typename G::State state;
  std::uint64_t rules;
};

inline std::uint64_t hash_bytes(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
  return mix64(hash);
}

template <class... T>
std::string describe_settings(const std::vector<const char*>& names, const T&... values) {
  std::ostringstream text;
  text.precision(std::numeric_limits<double>::max_digits10);
  std::size_t i = 0;
  ((text << (i == 0 ? "" : ", ") << names[i] << '=' << values, ++i), ...);
  return text.str();
}

inline std::uint64_t rules_id(const std::string& name, const std::string& settings) {
  return hash_bytes(name + "(" + settings + ")");
}

template <Game G>
const typename G::State& checked_state(const Rules<G>& rules, const Position<G>& position) {
  if (position.rules != rules.id) throw nb::value_error("the state belongs to a game with other settings");
  return position.state;
}

inline std::size_t extent(int count) { return static_cast<std::size_t>(count); }

inline void check_index(int index, int count, const char* what) {
  if (index >= 0 && index < count) return;
  throw nb::index_error(
      (std::string(what) + " " + std::to_string(index) + " is not in 0 … " + std::to_string(count - 1)).c_str());
}

template <Game G>
void check_player(const G& game, int player) {
  check_index(player, game.facts().players, "player");
}

// Players act alone or with everyone; chance acts as kChance.
template <Game G>
void check_acts(const G& game, const typename G::State& state, int player) {
  if (player != kChance) check_player(game, player);
  const int actor = game.actor(state);
  if (actor == player || (actor == kEveryone && player != kChance)) return;
  if (actor == kNobody) throw nb::value_error("the game is over: nobody acts any more");
  const auto say = [](int who) { return who == kChance ? std::string("chance") : "player " + std::to_string(who); };
  throw nb::value_error(
      (say(player) + " is not to act" + (actor == kEveryone ? "" : ", " + say(actor) + " is")).c_str());
}

template <Game G>
void check_legal(const G& game, const typename G::State& state, int player, Action action) {
  if (player != kChance) check_index(action, game.action_count(), "action");
  Actions actions;
  game.legal(state, player, actions);
  if (std::binary_search(actions.begin(), actions.end(), action)) return;
  const std::string who = player == kChance ? "chance" : "player " + std::to_string(player);
  throw nb::value_error(("action " + std::to_string(action) + " is illegal for " + who).c_str());
}

template <Game G>
void check_joint(const G& game, const typename G::State& state, const Actions& actions) {
  const auto players = game.facts().players;
  if (actions.size() != extent(players)) {
    throw nb::value_error(
        (std::to_string(actions.size()) + " actions for " + std::to_string(players) + " players").c_str());
  }
  for (int player = 0; player < players; ++player) check_legal(game, state, player, actions[extent(player)]);
}

template <Game G>
void check_over(const G& game, const typename G::State& state, const char* what) {
  if (game.actor(state) != kNobody)
    throw nb::value_error((std::string("the game is not over: no ") + what + " yet").c_str());
}

// A pickle holds the settings' id, a hash that finds damage, and the state's bytes. It is meant for processes of one
// build, as work that is handed to a worker is; records on disk are kept as actions.
template <Game G>
std::string save_position(const Position<G>& position) {
  std::string bytes(sizeof(typename G::State), '\0');
  std::memcpy(bytes.data(), &position.state, bytes.size());
  const std::array<std::uint64_t, 2> head{position.rules, hash_bytes(bytes) ^ position.rules};
  return std::string(reinterpret_cast<const char*>(head.data()), sizeof head) + bytes;
}

template <Game G>
Position<G> restore_position(const nb::bytes& data) {
  using State = typename G::State;
  constexpr std::size_t kHead = 2 * sizeof(std::uint64_t);
  const std::string_view text(data.c_str(), data.size());
  if (text.size() != kHead + sizeof(State)) throw nb::value_error("not a state of this game: wrong size");
  std::array<std::uint64_t, 2> head{};
  std::memcpy(head.data(), text.data(), kHead);
  if (head[1] != (hash_bytes(text.substr(kHead)) ^ head[0])) throw nb::value_error("not a state of this game: damaged");
  std::array<std::byte, sizeof(State)> bytes{};
  std::memcpy(bytes.data(), text.data() + kHead, bytes.size());
  return {std::bit_cast<State>(bytes), head[0]};
}

// Memory that becomes a NumPy array without a copy.
template <class T>
class OwnedArray {
 public:
  OwnedArray(std::size_t size, T fill) : data_(new T[size]), size_(size) { std::fill_n(data_.get(), size, fill); }

  std::span<T> span() { return {data_.get(), size_}; }

  template <class Array>
  Array release(std::initializer_list<std::size_t> shape) {
    T* data = data_.release();
    const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Array(data, shape, owner);
  }

 private:
  std::unique_ptr<T[]> data_;
  std::size_t size_;
};

}  // namespace tengen
