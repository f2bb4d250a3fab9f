#include "games/pokemon/pokemon.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/bound_game.hpp"
#include "bindings/pokemon_position.hpp"
#include "games/pokemon/policy.hpp"
#include "games/pokemon/sets.hpp"
#include "games/pokemon/views.hpp"

namespace tengen {

void bind_pokemon_battles(nb::module_& m);
void bind_pokemon_sets(nb::module_& m);

namespace {

// Forme, numbers of sets, item and ability.
using SeenByViewer = std::tuple<std::string, std::vector<int>, std::optional<std::string>, std::optional<std::string>>;

}  // namespace

void bind_pokemon(nb::module_& m) {
  bind_pokemon_battles(m);
  bind_pokemon_sets(m);
  bind_game<Pokemon>(m, "Pokemon")
      .def(
          "position",
          [](const BoundGame<Pokemon>& rules, const AnyState& given,
             std::optional<int> viewer) -> nb::typed<nb::dict, std::string, nb::any> {
            const pokemon::State& state = rules.checked(given);
            if (viewer) check_player(rules.game, *viewer);
            nb::dict position = write_position(viewer ? pokemon::seen(state, *viewer) : state);
            if (!viewer) write_drawn_sets(state, position);
            for (int side = 0; side < 2; ++side) {
              if (!viewer || *viewer == side) write_max_moves(state, side, position);
            }
            return position;
          },
          nb::arg("state"), nb::arg("viewer").none() = nb::none(),
          "Return the position in the simulator's words, with all sets; for a viewer without sets, and the other team "
          "as "
          "it was seen, with hit points in percent.")
      .def(
          "seen",
          [](const BoundGame<Pokemon>& rules, const AnyState& given, int viewer) {
            check_player(rules.game, viewer);
            const pokemon::State view = pokemon::seen(rules.checked(given), viewer);
            const pokemon::Knowledge& known = view.known[static_cast<std::size_t>(viewer)];
            std::vector<SeenByViewer> found;
            for (std::size_t i = 0; i < known.count; ++i) {
              const pokemon::Seen& one = known.seen[i];
              const pokemon::Pokemon& p = view.sides[static_cast<std::size_t>(1 - viewer)].team[i];
              std::vector<int> sets;
              for (std::size_t number = 0; number < pokemon::set_count_of(one.forme); ++number) {
                if (one.sets.has(number)) sets.push_back(static_cast<int>(number));
              }
              std::optional<std::string> item, ability;
              if (pokemon::is_item_shown(p)) item = pokemon::data(p.item).id;
              if (p.ability != pokemon::Ability::None) ability = pokemon::data(p.ability).id;
              found.emplace_back(pokemon::forme_names()[one.forme], std::move(sets), item, ability);
            }
            return found;
          },
          nb::arg("state"), nb::arg("viewer"),
          "Return whom the viewer has seen of the other team, in the order of position(): forme, the sets that fit, "
          "and "
          "the present item and ability if they are known to differ from the set's.")
      .def(
          "label_name",
          [](const BoundGame<Pokemon>& rules, int label) {
            check_index(label, rules.game.action_label_count(), "label");
            if (label < pokemon::kActions) throw nb::value_error("label: this is an action, not a move's label");
            const int moves = static_cast<int>(pokemon::Move::Count);
            const int move = (label - pokemon::kActions) % moves;
            const bool grows = label - pokemon::kActions >= moves;
            return (grows ? "dynamax " : "") + std::string(pokemon::kMoves[static_cast<std::size_t>(move)].name);
          },
          nb::arg("label"), "What a search keeps the other side's choice of a move by.")
      .def_prop_ro(
          "has_uniform_sets",
          [](const BoundGame<Pokemon>& rules) { return rules.game.context().sets == pokemon::SetOdds::Uniform; })
      .def(
          "with_uniform_sets",
          [](const BoundGame<Pokemon>& rules, bool uniform) {
            const auto odds = uniform ? pokemon::SetOdds::Uniform : pokemon::SetOdds::Generator;
            return new BoundGame<Pokemon>(rules.game.with_context({odds}), "Pokemon", rules.settings());
          },
          nb::arg("uniform"), nb::rv_policy::take_ownership,
          "The same rules, where redeal() takes all sets of a species that fit for equally likely, or as the generator "
          "draws them; states of either belong to both.")
      .def(
          "features",
          [](const BoundGame<Pokemon>& rules, const AnyState& given) {
            const pokemon::Features features = pokemon::find_features(rules.checked(given));
            return std::vector<float>(features.begin(), features.end());
          },
          nb::arg("state"), "What the heuristic judges a battle by; see core/games/pokemon/evaluation.hpp.")
      .def(
          "policy_features",
          [](const BoundGame<Pokemon>& rules, const AnyState& given, int player) {
            const pokemon::State& state = rules.checked(given);
            check_acts(rules.game, state, player);
            Actions legal;
            rules.game.legal(state, player, legal);
            std::vector<pokemon::PolicyFeatures> rows(legal.size());
            pokemon::find_policy_features(state, player, legal, rows);
            std::vector<std::vector<float>> found;
            for (const pokemon::PolicyFeatures& row : rows) found.emplace_back(row.begin(), row.end());
            return found;
          },
          nb::arg("state"), nb::arg("player"),
          "What the heuristic judges each legal choice by; see core/games/pokemon/policy.hpp.")
      .def(
          "from_position",
          [](const BoundGame<Pokemon>& rules, const nb::typed<nb::dict, std::string, nb::any>& position,
             const pokemon::Knowledge* known, int side, std::uint64_t luck) {
            check_player(rules.game, side);
            pokemon::State state = read_battle(position, known, side);
            check_battle(state);
            state.luck = luck;
            return rules.give(state);
          },
          nb::arg("position"), nb::arg("known").none() = nb::none(), nb::arg("side") = 0, nb::arg("luck") = 0,
          "Return the state of a position in the simulator's words, with what a side knows of the other's team. "
          "Pokémon "
          "that fainted, are hurt or used something count as seen. Raise ValueError or TypeError for anything "
          "invalid.");
}

}  // namespace tengen
