#pragma once

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "bindings/pokemon_fields.hpp"
#include "games/pokemon/data.hpp"
#include "games/pokemon/state.hpp"

// Values that are found in several parts of a position: names, Pokémon, lists of numbers, dicts of effects.
namespace tengen::pokemon_values {

using namespace pokemon;
using std::string_view;

inline constexpr int kMostStat = 2000;      // of any number that a Pokémon has
inline constexpr int kMostTurns = 10;       // that an effect may still last
inline constexpr int kMostCount = 1000000;  // of counters that are capped or kept as they are

// The simulator's id of a name: "Heavy-Duty Boots" is "heavydutyboots".
inline std::string to_id(string_view name) {
  std::string id;
  for (const char letter : name) {
    if (letter >= 'A' && letter <= 'Z') id.push_back(static_cast<char>(letter - 'A' + 'a'));
    if ((letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9')) id.push_back(letter);
  }
  return id;
}

template <class Find>
auto find_named(const std::string& name, const Place& place, const char* what, Find find) {
  const auto found = find(name);
  if (index_of(found) != 0 || name.empty()) return found;
  const std::string id = to_id(name);
  const bool is_close = id != name && index_of(find(id)) != 0;
  refuse(place, "no gen 8 random battle has the " + std::string(what) + " '" + name.substr(0, 60) + "'" +
                    (is_close ? "; its id is '" + id + "'" : ""));
}

inline Species species_at(const Fields& in, const char* key) {
  return find_named(in.text(key), in.at(key), "species", find_species);
}
inline Move move_at(const Fields& in, const char* key) {
  return find_named(in.text(key), in.at(key), "move", find_move);
}
inline Ability ability_at(const Fields& in, const char* key) {
  return find_named(in.text(key), in.at(key), "ability", find_ability);
}
inline Item item_at(const Fields& in, const char* key) {
  return find_named(in.text(key), in.at(key), "item", find_item);
}

template <std::size_t N>
int index_in(const std::array<string_view, N>& names, string_view name) {
  const auto at = std::find(names.begin(), names.end(), name);
  return at == names.end() ? -1 : static_cast<int>(at - names.begin());
}

// The index of an id; 0, which stands for none, if the key is missing.
template <std::size_t N>
int id_at(const Fields& in, const char* key, const std::array<string_view, N>& ids) {
  const std::string id = in.text(key);
  const int found = id.empty() ? 0 : index_in(ids, id);
  if (found >= 0) return found;
  std::string all;
  for (const string_view one : ids) {
    if (!one.empty()) all.append(all.empty() ? "" : ", ").append(one);
  }
  refuse_value(in.at(key), "one of " + all, in.get(key));
}

// A Pokémon written as "p1:3". The simulator also names effects as sources: such a name is nobody.
inline Who who_at(const Fields& in, const char* key) {
  const nb::object value = in.get(key);
  if (value.is_none()) return kNoSlot;
  const std::string name = to_text(value, in.at(key));
  const bool fits = name.size() == 4 && name[0] == 'p' && (name[1] == '1' || name[1] == '2') && name[2] == ':' &&
                    name[3] >= '0' && name[3] < '0' + kTeam;
  if (!fits && !name.empty()) refuse_value(in.at(key), "a Pokémon such as 'p1:3'", value);
  return fits ? pokemon::who_at(name[1] - '1', name[3] - '0') : kNoSlot;
}

template <std::size_t N>
void read_numbers(const Fields& in, const char* key, int least, int most, std::array<int, N>& out) {
  const Place place = in.at(key);
  const nb::object list = in.get(key);
  check_list(list, place);
  if (nb::len(list) != N) refuse_value(place, "a list of " + std::to_string(N) + " numbers", list);
  for (std::size_t i = 0; i < N; ++i) {
    const Place each{&place, {}, static_cast<int>(i)};
    out[i] = to_number(list[i], each, least, most);
  }
}

// Calls read(id's index, state) for each entry of a dict of effects.
template <std::size_t N, class Read>
void read_effects(const Fields& in, const char* key, const std::array<string_view, N>& ids, const char* what,
                  Read read) {
  const nb::object given = in.get(key);
  if (given.is_none()) return;
  const Fields all(given, in.at(key));
  for (const auto [name, state] : all.dict()) {
    const std::string id = to_text(name, all.place());
    const int at = index_in(ids, id);
    if (at < 0) refuse(all.place(), "no gen 8 random battle has the " + std::string(what) + " " + show(name));
    if (!state.is_none()) read(static_cast<std::size_t>(at), Fields(state, Place{&all.place(), id, -1}));
  }
}

// Reads a member of a team, and what holds for it if it is the active one.
Pokemon read_pokemon(const Fields& in);
Active read_active(const Fields& in, const Pokemon& p);

}  // namespace tengen::pokemon_values
