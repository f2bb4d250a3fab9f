#include <nanobind/stl/array.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/any_game.hpp"
#include "bindings/pokemon_position.hpp"
#include "games/pokemon/data.hpp"
#include "games/pokemon/legal.hpp"
#include "games/pokemon/redeal.hpp"
#include "games/pokemon/team_draw.hpp"

// The sets of random battles, what a side knows of a team, and teams drawn from that.
namespace tengen {

namespace {

using namespace pokemon;

using Six = std::array<int, 6>;
using Words = std::array<std::uint64_t, 2>;

// A set as Python sees it: one of a forme's, in the order of its masks' bits.
struct FormeSet {
  std::size_t key;
  std::size_t set;
  const PoolKey& pool() const { return keys()[key]; }
  const SetRow& row() const { return sets()[set]; }
};

Six six(const std::array<std::uint8_t, 6>& values) {
  Six out{};
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[i];
  return out;
}

std::vector<std::string_view> names_of_moves(const FormeSet& one) {
  std::vector<std::string_view> out;
  for (const std::int16_t move : one.row().moves) {
    if (move >= 0) out.push_back(move_names()[static_cast<std::size_t>(move)]);
  }
  return out;
}

std::size_t checked_forme(std::string_view name) {
  const int forme = find_forme(name);
  if (forme < 0) throw nb::value_error(("no set of random battles is of '" + std::string(name) + "'").c_str());
  return static_cast<std::size_t>(forme);
}

std::vector<FormeSet> sets_of(std::string_view name) {
  std::vector<FormeSet> out;
  for (const std::uint16_t key : keys_of(checked_forme(name))) {
    for (std::size_t i = 0; i < keys()[key].set_count; ++i) out.push_back({key, keys()[key].first_set + i});
  }
  return out;
}

// (forme, gender, number of the set among the forme's, which of the seen it is or -1)
using DrawnMember = std::tuple<std::string_view, int, int, int>;

std::tuple<std::vector<DrawnMember>, int, bool> give(const Team& team) {
  std::vector<DrawnMember> members;
  for (const Member& member : team.members) {
    std::size_t number = member.set - keys()[member.key].first_set;
    for (const std::uint16_t key : keys_of(member.forme)) {
      if (key == member.key) break;
      number += keys()[key].set_count;
    }
    members.emplace_back(forme_names()[member.forme], member.gender, static_cast<int>(number),
                         member.seen == kNone ? -1 : member.seen);
  }
  return {members, team.disguised == kNone ? -1 : team.disguised, team.is_forced};
}

// A team by formes and numbers of sets, in order.
double team_likelihood(const std::vector<std::pair<std::string, int>>& given) {
  if (given.size() != kTeamSize) throw nb::value_error("a team has six Pokémon");
  Team team;
  for (std::size_t i = 0; i < kTeamSize; ++i) {
    const std::vector<FormeSet> choice = sets_of(given[i].first);
    const auto number = static_cast<std::size_t>(given[i].second);
    if (number >= choice.size()) throw nb::value_error("no such set");
    team.members[i].key = static_cast<std::uint16_t>(choice[number].key);
    team.members[i].set = static_cast<std::uint16_t>(choice[number].set);
  }
  return likelihood(team);
}

void see(Knowledge& self, std::string_view forme, Words mask, Words sure, int percent) {
  if (self.count >= kTeamSize) throw nb::value_error("a team has six Pokémon");
  const auto number = static_cast<std::uint16_t>(checked_forme(forme));
  Seen& one = self.seen[self.count];
  one.forme = number;
  one.slot = self.count++;
  one.sets = {mask};
  one.sure = {sure};
  one.percent = static_cast<std::uint8_t>(std::clamp(percent, 0, 100));
}

void set_field(Knowledge& self, int lead, int active, bool since_start, Words disguise, int before_hp) {
  const auto seen = [&](int index) {
    if (index < -1 || index >= self.count) throw nb::value_error("not one of the seen");
    return index < 0 ? kNone : static_cast<std::uint8_t>(index);
  };
  self.lead = seen(lead);
  self.active = seen(active);
  self.since_start = since_start ? 1 : 0;
  self.disguise = {disguise};
  self.before_hp = static_cast<std::uint8_t>(std::clamp(before_hp, 0, 100));
}

std::vector<std::string_view> types_of(const SpeciesData& species) {
  std::vector<std::string_view> names;
  for (const Type type : species.types)
    if (type != Type::None) names.push_back(kTypeNames[index_of(type)]);
  return names;
}

nb::dict write_move(const MoveData& move) {
  nb::dict out;
  out["id"] = move.id;
  out["name"] = move.name;
  out["type"] = kTypeNames[index_of(move.type)];
  out["is_status"] = move.category == Category::Status;
  out["is_physical"] = move.category == Category::Physical;
  out["is_contact"] = (move.flags & kFlagContact) != 0;
  out["is_max"] = move.has(kTraitMax);
  out["is_pivot"] = move.has(kTraitSelfSwitch);
  out["has_secondary"] = move.has(kTraitHasSecondary);
  out["pressure_always"] = (move.flags & kFlagMustpressure) != 0;
  out["pp"] = static_cast<int>(move.pp);
  out["priority"] = static_cast<int>(move.priority);
  out["power"] = static_cast<int>(move.power);
  out["max_power"] = static_cast<int>(move.max_power);
  out["accuracy"] = static_cast<int>(move.accuracy);
  out["hits"] = std::pair<int, int>(move.hits.numerator, move.hits.denominator);
  return out;
}

nb::dict write_species(const SpeciesData& species) {
  nb::dict out;
  out["id"] = species.id;
  out["name"] = species.name;
  out["base_stats"] = six(species.stats);
  out["types"] = types_of(species);
  out["cannot_dynamax"] = species.cannot_dynamax;
  return out;
}

template <class Table>
nb::list names_of(const Table& table) {
  nb::list out;
  for (const auto& one : table) out.append(std::pair<std::string_view, std::string_view>(one.id, one.name));
  return out;
}

// How many times damage is doubled, below 0 halved, by attacking and defending type; none where it does nothing.
nb::list write_chart() {
  nb::list out;
  for (const auto& row : kTypeChart) {
    nb::list cells;
    for (const int doublings : row) cells.append(doublings == kImmune ? nb::none() : nb::cast(doublings));
    out.append(cells);
  }
  return out;
}

PositionDict tables() {
  nb::list moves;
  for (const MoveData& move : kMoves) moves.append(write_move(move));
  nb::list species;
  for (const SpeciesData& one : kSpecies) species.append(write_species(one));
  PositionDict out;
  out["moves"] = moves;
  out["species"] = species;
  out["items"] = names_of(kItems);
  out["abilities"] = names_of(kAbilities);
  out["types"] = std::vector<std::string_view>(kTypeNames.begin(), kTypeNames.end());
  out["chart"] = write_chart();
  out["formes"] = std::vector<std::string_view>(forme_names().begin(), forme_names().end());
  return out;
}

nb::typed<nb::list, PositionDict> write_sets(std::string_view forme) {
  nb::typed<nb::list, PositionDict> out;
  for (const FormeSet& one : sets_of(forme)) {
    nb::dict row;
    row["key"] = key_names()[one.key];
    row["ability"] = ability_names()[one.row().ability];
    row["item"] = item_names()[one.row().item];
    row["moves"] = names_of_moves(one);
    row["level"] = static_cast<int>(one.pool().level);
    row["gigantamax"] = one.pool().has(PoolKey::kGigantamax);
    row["base_stats"] = six(one.pool().stats);
    row["evs"] = six(spread_of(one.row()).evs);
    row["ivs"] = six(spread_of(one.row()).ivs);
    out.append(row);
  }
  return out;
}

using Redealt = nb::typed<nb::tuple, PositionDict, IntList>;

// A tracked battle dealt anew: the position, and what the viewer is offered in it.
Redealt redeal_position(const PositionDict& position, const Knowledge& known, int viewer, std::uint64_t seed) {
  if (viewer < 0 || viewer > 1) throw nb::value_error("a battle has the sides 0 and 1");
  Rng rng(seed);
  const State dealt = redeal(read_battle(position, &known, viewer), viewer, rng);
  return Redealt(nb::make_tuple(write_position(dealt), write_actions(offered_choices(dealt, viewer))));
}

}  // namespace

void bind_pokemon_sets(nb::module_& m) {
  m.def("pokemon_tables", &tables,
        "Moves, species, items, abilities, types and formes by the simulator's ids; the first of most is none.");
  m.def("pokemon_redeal", &redeal_position, nb::arg("position"), nb::arg("known"), nb::arg("viewer"), nb::arg("seed"),
        "A position dealt anew from what the viewer knows, and the actions that are offered there.");
  m.def("pokemon_sets", &write_sets, nb::arg("forme"), "The sets of a forme: set i is bit i of its masks.");
  m.def(
      "pokemon_team",
      [](std::uint64_t seed) {
        Rng rng(seed);
        return give(draw_team(rng));
      },
      nb::arg("seed"), "A team as the generator draws it.");
  m.def("pokemon_team_likelihood", &team_likelihood, nb::arg("team"),
        "How likely the generator is to draw these (forme, number of the set) in this order; 0: it never does.");
  nb::class_<Knowledge>(m, "PokemonKnowledge", "What one side knows of the other's team.")
      .def(nb::init<>())
      .def("see", &see, nb::arg("forme"), nb::arg("sets"), nb::arg("sure"), nb::arg("percent") = 100,
           "Adds a Pokémon: sets that fit all that was seen of it, and while it could not be Zoroark in disguise.")
      .def("set_field", &set_field, nb::arg("lead"), nb::arg("active"), nb::arg("since_start"), nb::arg("disguise"),
           nb::arg("before_hp") = 100)
      .def(
          "draw_many",
          [](const Knowledge& self, std::uint64_t seed, int count) {
            const nb::gil_scoped_release released;
            Rng rng(seed);
            int forced = 0;
            for (int i = 0; i < count; ++i) forced += draw_team(self, rng).is_forced ? 1 : 0;
            return forced;
          },
          nb::arg("seed"), nb::arg("count"), "Draws so many teams; answers how many had to be forced.")
      .def("to_bytes",
           [](const Knowledge& self) {
             std::array<char, sizeof(Knowledge)> bytes{};
             std::memcpy(bytes.data(), &self, sizeof(Knowledge));
             return nb::bytes(bytes.data(), bytes.size());
           })
      .def(
          "draw_team",
          [](const Knowledge& self, std::uint64_t seed) {
            Rng rng(seed);
            return give(draw_team(self, rng));
          },
          nb::arg("seed"),
          "Members (forme, gender, set, which of the seen or -1), who of them is disguised or -1, whether it had to be "
          "forced.");
}

}  // namespace tengen
