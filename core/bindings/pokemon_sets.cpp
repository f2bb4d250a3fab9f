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

std::vector<std::string_view> moves_of(const FormeSet& one) {
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

double effectiveness(std::string_view attack, const std::vector<std::string>& defence) {
  double product = 1;
  for (const std::string& type : defence) {
    const int doublings = kTypeChart[index_of(find_type(attack))][index_of(find_type(type))];
    product *= doublings == kImmune ? 0.0 : doublings > 0 ? 2.0 : doublings < 0 ? 0.5 : 1.0;
  }
  return product;
}

// What a move is, by the simulator's id; without an id: there is no such move.
const MoveData& move_facts(std::string_view name) { return data(find_move(name)); }

using Redealt = nb::typed<nb::tuple, PositionDict, IntList>;

// A tracked battle dealt anew: the position, and what the viewer is offered in it.
Redealt redeal_position(const PositionDict& position, const Knowledge& known, int viewer, std::uint64_t seed) {
  if (viewer < 0 || viewer > 1) throw nb::value_error("a battle has the sides 0 and 1");
  State state = read_position(position);
  state.known[static_cast<std::size_t>(viewer)] = known;
  Rng rng(seed);
  const State dealt = redeal(state, viewer, rng);
  return Redealt(nb::make_tuple(write_position(dealt), write_actions(offered_choices(dealt, viewer))));
}

}  // namespace

void bind_pokemon_sets(nb::module_& m) {
  nb::class_<FormeSet>(m, "PokemonSet", "A complete set of a random battle.")
      .def_prop_ro("key", [](const FormeSet& s) { return key_names()[s.key]; })
      .def_prop_ro("ability", [](const FormeSet& s) { return ability_names()[s.row().ability]; })
      .def_prop_ro(
          "item", [](const FormeSet& s) { return item_names()[s.row().item]; }, "Empty: none.")
      .def_prop_ro("moves", &moves_of, "Sorted by name.")
      .def_prop_ro("level", [](const FormeSet& s) { return static_cast<int>(s.pool().level); })
      .def_prop_ro("gigantamax", [](const FormeSet& s) { return s.pool().has(PoolKey::kGigantamax); })
      .def_prop_ro("base_stats", [](const FormeSet& s) { return six(s.pool().stats); })
      .def_prop_ro("evs", [](const FormeSet& s) { return six(spread_of(s.row()).evs); })
      .def_prop_ro("ivs", [](const FormeSet& s) { return six(spread_of(s.row()).ivs); });
  nb::class_<MoveData>(m, "PokemonMove", "What a move is.")
      .def_ro("id", &MoveData::id, "Empty: there is no such move.")
      .def_prop_ro("type", [](const MoveData& move) { return kTypeNames[index_of(move.type)]; })
      .def_prop_ro("is_status", [](const MoveData& move) { return move.category == Category::Status; })
      .def_prop_ro("is_contact", [](const MoveData& move) { return (move.flags & kFlagContact) != 0; })
      .def_prop_ro("is_max", [](const MoveData& move) { return move.has(kTraitMax); })
      .def_prop_ro("is_pivot", [](const MoveData& move) { return move.has(kTraitSelfSwitch); })
      .def_prop_ro("has_secondary", [](const MoveData& move) { return move.has(kTraitHasSecondary); })
      .def_prop_ro("pressure_always", [](const MoveData& move) { return (move.flags & kFlagMustpressure) != 0; })
      .def_prop_ro("pp", [](const MoveData& move) { return static_cast<int>(move.pp); })
      .def_prop_ro("priority", [](const MoveData& move) { return static_cast<int>(move.priority); })
      .def_prop_ro("is_physical", [](const MoveData& move) { return move.category == Category::Physical; })
      .def_prop_ro(
          "power", [](const MoveData& move) { return static_cast<int>(move.power); }, "0: none, or it varies.")
      .def_prop_ro(
          "max_power", [](const MoveData& move) { return static_cast<int>(move.max_power); }, "As a Max Move.")
      .def_prop_ro(
          "accuracy", [](const MoveData& move) { return static_cast<int>(move.accuracy); },
          "In percent; 0: it cannot miss.")
      .def_prop_ro(
          "hits", [](const MoveData& move) { return std::pair<int, int>(move.hits.numerator, move.hits.denominator); },
          "At least and at most; 0: one.");
  nb::class_<SpeciesData>(m, "PokemonSpecies", "What a species, in a forme, is.")
      .def_ro("id", &SpeciesData::id, "Empty: there is no such species.")
      .def_prop_ro(
          "base_stats", [](const SpeciesData& species) { return six(species.stats); },
          "HP, attack, defence, special attack, special defence, speed.")
      .def_prop_ro("types", &types_of)
      .def_ro("cannot_dynamax", &SpeciesData::cannot_dynamax);
  m.def(
      "pokemon_species", [](std::string_view id) -> const SpeciesData& { return data(find_species(id)); },
      nb::arg("id"), nb::rv_policy::reference, "By the simulator's id.");
  m.def("pokemon_effectiveness", &effectiveness, nb::arg("attack"), nb::arg("defence"),
        "What an attack of a type is multiplied by against these types.");
  m.def("pokemon_move", &move_facts, nb::arg("id"), nb::rv_policy::reference, "By the simulator's id.");
  m.def(
      "pokemon_has_species", [](std::string_view name) { return find_species(name) != Species::None; }, nb::arg("id"),
      "Whether random battles have it, by the simulator's id.");
  m.def("pokemon_has_item", [](std::string_view name) { return find_item(name) != Item::None; }, nb::arg("id"));
  m.def(
      "pokemon_has_ability", [](std::string_view name) { return find_ability(name) != Ability::None; }, nb::arg("id"));
  m.def("pokemon_redeal", &redeal_position, nb::arg("position"), nb::arg("known"), nb::arg("viewer"), nb::arg("seed"),
        "A position dealt anew from what the viewer knows, and the actions that are offered there.");
  m.def(
      "pokemon_formes", [] { return std::vector<std::string_view>(forme_names().begin(), forme_names().end()); },
      "The formes that players see in random battles.");
  m.def("pokemon_sets", &sets_of, nb::arg("forme"), "The sets of a forme: set i is bit i of its masks.");
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
