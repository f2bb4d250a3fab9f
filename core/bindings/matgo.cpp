#include "games/matgo/matgo.hpp"

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

#include "bindings/bound_game.hpp"
#include "games/matgo/rollout_weights.hpp"

namespace tengen {

namespace {

using S = MatgoSettings;
using Pair = std::array<int, 2>;

// The table as a player sees it, or as it is, with what follows from it.
struct MatgoView {
  Matgo::State state;
  Pair bases;
  std::array<std::int64_t, 2> gold;
  std::array<Matgo::Multipliers, 2> multipliers;
};

MatgoView view(const BoundGame<Matgo>& rules, const AnyState& position, std::optional<int> viewer) {
  const auto& state = rules.checked(position);
  if (viewer) check_player(rules.game, *viewer);
  MatgoView view{viewer ? rules.game.seen(state, *viewer) : state, {}, {}, {}};
  const bool by_stop = state.ending != Matgo::kByExhaustion;
  for (int seat = 0; seat < 2; ++seat) {
    const auto s = static_cast<std::size_t>(seat);
    view.bases[s] = rules.game.base(state, seat);
    view.gold[s] = rules.game.gold(state, seat);
    view.multipliers[s] = rules.game.multipliers(state, seat, by_stop);
  }
  return view;
}

template <class T>
Pair both(const std::array<T, 2>& values) {
  return {static_cast<int>(values[0]), static_cast<int>(values[1])};
}

std::optional<int> card_or_none(std::uint8_t card) {
  return card == Matgo::kNoCard ? std::nullopt : std::optional<int>(card);
}

std::optional<std::array<std::int64_t, 2>> funds(const MatgoView& view) {
  if (view.state.funds[0] == Matgo::kUnlimited) return std::nullopt;
  return view.state.funds;
}

// In pieces, so that an interrupt is heard.
Matgo::Audit audit(const BoundGame<Matgo>& rules, std::uint64_t seed, std::uint32_t games) {
  constexpr std::uint64_t kPiece = 50'000;
  Matgo::Audit sum;
  while (sum.games < games) {
    Matgo::Audit piece;
    {
      const nb::gil_scoped_release released;
      piece = rules.game.audit(seed ^ mix64(sum.games), std::min(kPiece, games - sum.games));
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    sum.games += piece.games;
    sum.plies += piece.plies;
    sum.invalid += piece.invalid;
    sum.nagaris += piece.nagaris;
    sum.starter_wins += piece.starter_wins;
  }
  return sum;
}

void bind_audit(nb::module_& m) {
  using A = Matgo::Audit;
  nb::class_<A>(m, "MatgoAudit")
      .def_ro("games", &A::games)
      .def_ro("plies", &A::plies)
      .def_ro("invalid", &A::invalid, "States in which cards or gold do not add up.")
      .def_ro("nagaris", &A::nagaris)
      .def_ro("starter_wins", &A::starter_wins);
}

matgo::RolloutWeights read_weights(const std::vector<float>& numbers) {
  matgo::RolloutWeights weights{};
  if (numbers.size() != weights.size()) {
    throw nb::value_error(
        (std::to_string(numbers.size()) + " weights, where " + std::to_string(weights.size()) + " are due").c_str());
  }
  std::copy(numbers.begin(), numbers.end(), weights.begin());
  return weights;
}

// In pieces, so that an interrupt is heard.
std::tuple<double, std::array<double, 2>, std::array<double, 2>> match_weights(const BoundGame<Matgo>& rules,
                                                                               const std::vector<float>& first,
                                                                               const std::vector<float>& second,
                                                                               std::uint64_t seed, std::uint32_t deals,
                                                                               double payoff_cap) {
  constexpr std::uint32_t kPiece = 50'000;
  const auto one = read_weights(first);
  const auto other = read_weights(second);
  if (deals < 1) throw nb::value_error("deals must be at least 1");
  const double games = 2.0 * deals;
  std::tuple<double, std::array<double, 2>, std::array<double, 2>> means{};
  auto& [payoff, risks, gos] = means;
  for (std::uint32_t done = 0; done < deals;) {
    const std::uint32_t now = std::min(kPiece, deals - done);
    Matgo::Match sums;
    {
      const nb::gil_scoped_release released;
      sums = rules.game.match(one, other, seed ^ mix64(done), now, payoff_cap);
    }
    payoff += sums.payoff / games;
    for (std::size_t player = 0; player < 2; ++player) {
      risks[player] += sums.risks[player] / games;
      gos[player] += sums.gos[player] / games;
    }
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    done += now;
  }
  return means;
}

void bind_multipliers(nb::module_& m) {
  using M = Matgo::Multipliers;
  nb::class_<M>(m, "MatgoMultipliers")
      .def_ro("gwang_bak", &M::gwang_bak)
      .def_ro("pi_bak", &M::pi_bak)
      .def_ro("mong_bak", &M::mong_bak)
      .def_ro("go_bak", &M::go_bak)
      .def_ro("hold", &M::hold)
      .def_ro("gos", &M::gos)
      .def_ro("shakes", &M::shakes)
      .def_ro("bombs", &M::bombs)
      .def_ro("product", &M::product, "All of them, without the carry.");
}

// Sets of cards are integers with one bit a card.
void bind_view(nb::module_& m) {
  using V = MatgoView;
  nb::class_<V>(m, "MatgoView")
      .def_prop_ro("phase", [](const V& v) { return static_cast<int>(v.state.phase); })
      .def_prop_ro("mover", [](const V& v) { return static_cast<int>(v.state.mover); })
      .def_prop_ro("starter", [](const V& v) { return static_cast<int>(v.state.starter); })
      .def_prop_ro("carry", [](const V& v) { return v.state.carry; })
      .def_prop_ro(
          "hands", [](const V& v) { return v.state.hand; }, "Of a hidden hand, the cards that were shown.")
      .def_prop_ro(
          "cards", [](const V& v) { return both(v.state.cards); }, "How many cards each hand has.")
      .def_prop_ro("dummies", [](const V& v) { return both(v.state.dummies); })
      .def_prop_ro("shown", [](const V& v) { return v.state.shown; })
      .def_prop_ro("captured", [](const V& v) { return v.state.captured; })
      .def_prop_ro("floor", [](const V& v) { return v.state.floor; })
      .def_prop_ro("table", [](const V& v) { return v.state.table; })
      .def_prop_ro("hand_card", [](const V& v) { return card_or_none(v.state.hand_card); })
      .def_prop_ro("flipped", [](const V& v) { return card_or_none(v.state.flipped); })
      .def_prop_ro("stock", [](const V& v) { return v.state.stock_size - v.state.stock_next; })
      .def_prop_ro("turns", [](const V& v) { return both(v.state.turns); })
      .def_prop_ro("gos", [](const V& v) { return both(v.state.gos); })
      .def_prop_ro("ppuks", [](const V& v) { return both(v.state.ppuks); })
      .def_prop_ro("bombs", [](const V& v) { return both(v.state.bombs); })
      .def_prop_ro("held", [](const V& v) { return both(v.state.held); })
      .def_prop_ro(
          "shaken", [](const V& v) { return both(v.state.shaken); }, "Months, as bits.")
      .def_prop_ro(
          "piles", [](const V& v) { return both(v.state.piles); }, "Months of ppuks on the floor, as bits.")
      .def_prop_ro("gukjin", [](const V& v) { return static_cast<int>(v.state.gukjin); })
      .def_prop_ro(
          "winner", [](const V& v) { return static_cast<int>(v.state.winner); }, "2: nobody.")
      .def_prop_ro("ending", [](const V& v) { return static_cast<int>(v.state.ending); })
      .def_prop_ro("funds", &funds, "Gold before the round; None: without limit.")
      .def_prop_ro("played", [](const V& v) { return v.state.played; })
      .def_prop_ro("last_go_base", [](const V& v) { return both(v.state.last_go_base); })
      .def_prop_ro(
          "bonus_month",
          [](const V& v) {
            const auto& months = v.state.bonus_month;
            return std::array<int, 3>{months[0], months[1], months[2]};
          },
          "The pile that each bonus card lies with; 255: none.")
      .def_prop_ro(
          "viewed_by", [](const V& v) { return v.state.viewed_by - 1; }, "-1: it was dealt and played.")
      .def_ro("bases", &V::bases)
      .def_ro("gold", &V::gold)
      .def_ro("multipliers", &V::multipliers, "If that seat stopped now, or as it ended.");
}

// A view's fields as keywords of compose(), each with its default.
template <class... T>
void bind_compose(GameClass<Matgo>& rules, Setting<Matgo::ViewPosition, T>... fields) {
  const Matgo::ViewPosition defaults;
  rules.def(
      "compose",
      [fields...](const BoundGame<Matgo>& r, const T&... values) {
        Matgo::ViewPosition view;
        ((view.*(fields.field) = values), ...);
        return r.give(r.game.compose(view));
      },
      nb::kw_only(), (nb::arg(fields.name) = defaults.*(fields.field))...,
      "A position by what one seat sees of it; its hidden cards may be any. Sets of cards and months are bits.");
}

auto bind_rules(nb::module_& m) {
  const auto make = [](const S& settings) {
    check_index(settings.gukjin_mode, S::kFreeToggle + 1, "gukjin_mode");
    return Matgo(settings);
  };
  return bind_game<Matgo>(
      m, "Matgo", make, Setting{"bonus_cards", &S::bonus_cards}, Setting{"bonus_steal", &S::bonus_steal},
      Setting{"floor_four_wins", &S::floor_four_wins}, Setting{"floor_four_carry", &S::floor_four_carry},
      Setting{"president_points", &S::president_points}, Setting{"president_choice", &S::president_choice},
      Setting{"president_hold_mult", &S::president_hold_mult}, Setting{"ask_same_kind", &S::ask_same_kind},
      Setting{"first_ppuk_points", &S::first_ppuk_points}, Setting{"three_ppuk_points", &S::three_ppuk_points},
      Setting{"eat_pile", &S::eat_pile}, Setting{"self_ppuk_eat", &S::self_ppuk_eat},
      Setting{"eat_next_capture", &S::eat_next_capture}, Setting{"first_ddadak_points", &S::first_ddadak_points},
      Setting{"two_card_bomb", &S::two_card_bomb}, Setting{"bonus_stuck", &S::bonus_stuck},
      Setting{"flip_choice_keeps_hand_event", &S::flip_choice_keeps_hand_event},
      Setting{"bomb_last_hand", &S::bomb_last_hand}, Setting{"gukjin_mode", &S::gukjin_mode},
      Setting{"gukjin_rescue_always", &S::gukjin_rescue_always}, Setting{"go_min", &S::go_min},
      Setting{"pi_bak_max", &S::pi_bak_max}, Setting{"pi_bak_zero_exempt", &S::pi_bak_zero_exempt},
      Setting{"mong_needs_zero", &S::mong_needs_zero}, Setting{"exhaustion_min", &S::exhaustion_min},
      Setting{"gold_per_point", &S::gold_per_point});
}

}  // namespace

void bind_matgo(nb::module_& m) {
  using R = BoundGame<Matgo>;
  using P = AnyState;
  m.attr("MATGO_SAFE_GO_FAILS") = Matgo::kSafeGoFails;
  bind_multipliers(m);
  bind_view(m);
  bind_audit(m);
  auto rules = bind_rules(m);
  using V = Matgo::ViewPosition;
  bind_compose(rules, Setting{"viewer", &V::viewer}, Setting{"starter", &V::starter}, Setting{"mover", &V::mover},
               Setting{"phase", &V::phase}, Setting{"gukjin", &V::gukjin}, Setting{"carry", &V::carry},
               Setting{"floor", &V::floor}, Setting{"stock", &V::stock}, Setting{"bonus_month", &V::bonus_month},
               Setting{"hand", &V::hand}, Setting{"captured", &V::captured}, Setting{"shown", &V::shown},
               Setting{"played", &V::played}, Setting{"turns", &V::turns}, Setting{"gos", &V::gos},
               Setting{"last_go_base", &V::last_go_base}, Setting{"ppuks", &V::ppuks}, Setting{"bombs", &V::bombs},
               Setting{"shaken", &V::shaken}, Setting{"piles", &V::piles}, Setting{"held", &V::held},
               Setting{"funds", &V::funds});
  rules
      .def(
          "start_with",
          [](const R& r, const std::vector<int>& deck, int starter, std::int32_t carry,
             std::optional<std::array<std::int64_t, 2>> gold) {
            const auto funds = gold.value_or(std::array{Matgo::kUnlimited, Matgo::kUnlimited});
            return r.give(r.game.start_with(deck, starter, carry, funds));
          },
          nb::arg("deck"), nb::arg("starter"), nb::arg("carry"), nb::arg("gold").none(),
          "Ten cards for each seat, eight for the floor, then the stock; gold that can be lost, or None for no limit.")
      .def(
          "deck", [](const R& r, const P& position) { return r.game.deck(r.checked(position)); }, nb::arg("state"),
          "A deck that leads to the same deal.")
      .def("view", &view, nb::arg("state"), nb::arg("viewer").none() = nb::none(), "The table, as the viewer sees it.")
      .def_prop_ro(
          "weights",
          [](const R&) { return std::vector<float>(matgo::kRolloutWeights.begin(), matgo::kRolloutWeights.end()); },
          "Of the learned choice.")
      .def("match_weights", &match_weights, nb::arg("first"), nb::arg("second"), nb::arg("seed"), nb::arg("deals"),
           nb::arg("payoff_cap"),
           "Means of a game, each deal from both seats: the first's payoff, where none counts beyond payoff_cap; the "
           "risks of both; their gos.")
      .def("audit", &audit, nb::arg("seed"), nb::arg("games"),
           "Plays random deals at random and checks every state on the way.");
}

}  // namespace tengen
