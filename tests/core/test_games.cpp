#include <map>
#include <set>
#include <string>
#include <string_view>

#include "check.hpp"
#include "games/connect_four/connect_four.hpp"
#include "games/kuhn_poker/kuhn_poker.hpp"
#include "games/pig/pig.hpp"
#include "games/pyrga/pyrga.hpp"
#include "games/rock_paper_scissors/rock_paper_scissors.hpp"
#include "playing.hpp"

using namespace tengen;
using namespace tengen::check;

namespace {

// A state is sent between processes as its bytes, so equal states must be equal bytes.
template <class... G>
constexpr bool kNoPadding = (std::has_unique_object_representations_v<typename G::State> && ...);
static_assert(kNoPadding<ConnectFour, KuhnPoker, Pig, Pyrga, RockPaperScissors>);

template <Game G>
double payoff_of_first(const G& game, const typename G::State& state) {
  std::array<double, 2> payoffs{};
  game.payoff(state, payoffs);
  return payoffs[0];
}

ConnectFour::State connect_four_after(std::string_view columns) {
  Rng rng;
  const ConnectFour game;
  auto state = game.start(rng);
  for (const char column : columns) game.apply(state, column - '0');
  return state;
}

KuhnPoker::State kuhn_after(int card0, int card1, std::string_view actions) {
  const KuhnPoker game;
  auto state = KuhnPoker::start_with(card0, card1);
  for (const char action : actions) game.apply(state, action == 'b' ? KuhnPoker::kBet : KuhnPoker::kPass);
  return state;
}

}  // namespace

TEST(connect_four_perft) {
  const ConnectFour game;
  const auto state = connect_four_after("");
  const std::array<std::uint64_t, 7> table{7, 49, 343, 2401, 16807, 117649, 823536};
  for (std::size_t i = 0; i < table.size(); ++i) CHECK(perft(game, state, static_cast<int>(i) + 1) == table[i]);
}

TEST(connect_four_ends) {
  const ConnectFour game;
  const auto ends = [&](std::string_view columns, double payoff) {
    const auto before = connect_four_after(columns.substr(0, columns.size() - 1));
    CHECK(game.actor(before) != kNobody);
    const auto state = connect_four_after(columns);
    if (CHECK(game.actor(state) == kNobody)) CHECK(payoff_of_first(game, state) == payoff);
  };
  ends("0101010", 1.0);
  ends("60101010", -1.0);
  ends("0011223", 1.0);
  ends("01122323363", 1.0);
  ends("65544343303", 1.0);
  // Six rows without four in a row.
  ends("010101101010232323323232454545545454666666", 0.0);
  // The top of one column and the foot of the next are no line.
  CHECK(game.actor(connect_four_after("000100112121")) != kNobody);
}

TEST(connect_four_along_random_play) {
  const ConnectFour game;
  Rng rng(5);
  walk(game, 60, [&](const ConnectFour::State& state) {
    check_state(game, state);
    check_heuristic(game, state);
    check_symmetries(game, state);
    if (game.actor(state) != kNobody) check_random_action(game, state, rng, 400);
  });
}

TEST(connect_four_planes) {
  const ConnectFour game;
  const auto state = connect_four_after("34");
  const auto features = encoded(game, state, 1);
  CHECK(features[42 + 5 * 7 + 3] == 1.0F);  // the first player's stone, at the bottom
  CHECK(features[5 * 7 + 4] == 1.0F);
  CHECK(features[84] == 0.0F);
  CHECK(std::accumulate(features.begin(), features.end(), 0.0F) == 2.0F);
  CHECK(encoded(game, state, 0)[84] == 1.0F);
}

TEST(connect_four_heuristic_prefers_threes) {
  const ConnectFour game;
  std::array<double, 2> values{};
  game.heuristic(connect_four_after("303132"), values);
  CHECK(values[0] > 0.1);
  game.heuristic(connect_four_after(""), values);
  CHECK(values[0] == 0.0);
}

TEST(kuhn_payoffs) {
  const KuhnPoker game;
  const std::map<std::string, double> with_better_first{
      {"pp", 1.0}, {"bp", 1.0}, {"bb", 2.0}, {"pbp", -1.0}, {"pbb", 2.0}};
  const std::map<std::string, double> with_better_second{
      {"pp", -1.0}, {"bp", 1.0}, {"bb", -2.0}, {"pbp", -1.0}, {"pbb", -2.0}};
  for (const auto& [actions, payoff] : with_better_first) {
    CHECK(payoff_of_first(game, kuhn_after(2, 0, actions)) == payoff);
  }
  for (const auto& [actions, payoff] : with_better_second) {
    CHECK(payoff_of_first(game, kuhn_after(0, 1, actions)) == payoff);
  }
  CHECK(game.actor(kuhn_after(0, 1, "pb")) == 0);
  CHECK(game.actor(kuhn_after(0, 1, "b")) == 1);
}

TEST(kuhn_refuses_impossible_deals) {
  for (const auto& [card0, card1] : {std::pair{1, 1}, {-1, 0}, {0, 3}}) {
    bool refused = false;
    try {
      KuhnPoker::start_with(card0, card1);
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
}

TEST(kuhn_deals_evenly) {
  const KuhnPoker game;
  Rng rng(3);
  std::map<std::pair<int, int>, int> deals;
  for (int i = 0; i < 6000; ++i) {
    const auto state = game.start(rng);
    ++deals[{state.cards[0], state.cards[1]}];
  }
  CHECK(deals.size() == 6);
  for (const auto& [deal, count] : deals) CHECK(deal.first != deal.second && std::abs(count - 1000) < 150);
}

TEST(kuhn_redeals_what_the_viewer_cannot_see) {
  const KuhnPoker game;
  Rng rng(4);
  for (const std::string_view actions : {"", "p", "b", "pb", "bp", "pbp"}) {
    for (int viewer = 0; viewer < 2; ++viewer) {
      const auto state = kuhn_after(0, 2, actions);
      std::map<int, int> others;
      for (int i = 0; i < 2000; ++i) {
        const auto dealt = game.redeal(state, viewer, rng);
        CHECK(dealt.cards[static_cast<std::size_t>(viewer)] == state.cards[static_cast<std::size_t>(viewer)]);
        CHECK(dealt.plies == state.plies && dealt.bets == state.bets);
        CHECK(game.view_key(dealt, viewer) == game.view_key(state, viewer));
        ++others[dealt.cards[static_cast<std::size_t>(1 - viewer)]];
      }
      CHECK(others.size() == 2 && !others.contains(state.cards[static_cast<std::size_t>(viewer)]));
      for (const auto& [card, count] : others) CHECK(std::abs(count - 1000) < 150);
    }
  }
  for (const std::string_view actions : {"pp", "bb", "pbb"}) {
    const auto state = kuhn_after(0, 2, actions);
    for (int i = 0; i < 20; ++i) CHECK(game.redeal(state, i & 1, rng) == state);
  }
}

TEST(kuhn_views) {
  const KuhnPoker game;
  std::vector<KuhnPoker::State> states;
  for (int card0 = 0; card0 < 3; ++card0) {
    for (int card1 = 0; card1 < 3; ++card1) {
      if (card0 == card1) continue;
      for (const std::string_view actions : {"", "p", "b", "pb", "pp", "bp", "bb", "pbp", "pbb"}) {
        states.push_back(kuhn_after(card0, card1, actions));
      }
    }
  }
  for (int viewer = 0; viewer < 2; ++viewer) {
    std::set<std::uint64_t> decisions;
    for (const auto& a : states) {
      check_state(game, a);
      if (game.actor(a) == viewer) decisions.insert(game.view_key(a, viewer));
      for (const auto& b : states) {
        const bool same = encoded(game, a, viewer) == encoded(game, b, viewer);
        CHECK((game.view_key(a, viewer) == game.view_key(b, viewer)) == same);
        CHECK((game.key(a) == game.key(b)) == (a == b));
      }
    }
    CHECK(decisions.size() == 6);
  }
}

TEST(rock_paper_scissors_equilibrium) {
  const RockPaperScissors game;
  Rng rng;
  const std::array<double, 3> mix{1.0 / 16.0, 10.0 / 16.0, 5.0 / 16.0};
  for (Action column = 0; column < 3; ++column) {
    double against_column = 0.0;
    double against_row = 0.0;
    for (Action row = 0; row < 3; ++row) {
      auto state = game.start(rng);
      game.apply(state, std::array<Action, 2>{row, column});
      const double payoff = payoff_of_first(game, state);
      against_column += mix[static_cast<std::size_t>(row)] * payoff;
      auto mirrored = game.start(rng);
      game.apply(mirrored, std::array<Action, 2>{column, row});
      CHECK(payoff_of_first(game, mirrored) == -payoff);
      against_row += mix[static_cast<std::size_t>(row)] * payoff_of_first(game, mirrored);
    }
    // Whatever the other does, the mix earns nothing and loses nothing: it is optimal, and every choice ties.
    CHECK(std::abs(against_column) < 1e-12);
    CHECK(std::abs(against_row) < 1e-12);
  }
}

TEST(rock_paper_scissors_round) {
  const RockPaperScissors game;
  walk(game, 50, [&](const RockPaperScissors::State& state) { check_state(game, state); });
  Rng rng;
  auto state = game.start(rng);
  CHECK(game.actor(state) == kEveryone);
  CHECK(encoded(game, state, 1) == std::vector<float>({1, 0, 0, 0, 0, 0, 0}));
  game.apply(state, std::array<Action, 2>{0, 2});
  CHECK(game.actor(state) == kNobody);
  CHECK(payoff_of_first(game, state) == 50.0);
  CHECK(encoded(game, state, 1) == std::vector<float>({0, 0, 0, 1, 1, 0, 0}));
}

TEST(pig_rules) {
  const Pig game({.target = 10});
  Rng rng;
  Actions actions;
  auto state = game.start(rng);
  game.legal(state, 0, actions);
  CHECK(actions == Actions{Pig::kRoll});
  game.apply(state, Pig::kRoll);
  CHECK(game.actor(state) == kChance);
  game.legal(state, kChance, actions);
  CHECK(actions == Actions({0, 1, 2, 3, 4, 5}));
  game.apply(state, 5);
  CHECK(game.actor(state) == 0 && state.total == 6);
  game.legal(state, 0, actions);
  CHECK(actions == Actions({Pig::kHold, Pig::kRoll}));
  game.apply(state, Pig::kHold);
  CHECK(game.actor(state) == 1 && state.scores[0] == 6 && state.total == 0);
  game.apply(state, Pig::kRoll);
  game.apply(state, 3);
  game.apply(state, Pig::kRoll);
  game.apply(state, 0);
  CHECK(game.actor(state) == 0 && state.scores[1] == 0 && state.total == 0);
  game.apply(state, Pig::kRoll);
  game.apply(state, 5);
  CHECK(state.total == 4);
  CHECK(game.actor(state) == 0);
  game.apply(state, Pig::kHold);
  CHECK(game.actor(state) == kNobody && payoff_of_first(game, state) == 1.0);
}

TEST(pig_rolls_evenly) {
  const Pig game;
  Rng rng(9);
  auto state = game.start(rng);
  game.apply(state, Pig::kRoll);
  std::array<int, 6> counts{};
  for (int i = 0; i < 6000; ++i) ++counts[static_cast<std::size_t>(game.outcome(state, rng))];
  for (const int count : counts) CHECK(std::abs(count - 1000) < 150);
}

TEST(pig_along_random_play) {
  const Pig game;
  std::map<std::uint64_t, Pig::State> seen;
  walk(game, 300, [&](const Pig::State& state) {
    check_state(game, state);
    const auto [entry, fresh] = seen.try_emplace(game.key(state), state);
    CHECK(entry->second == state);
  });
  CHECK(seen.size() > 500);
}

TEST(pig_refuses_impossible_targets) {
  for (const int target : {0, -3, 10001}) {
    bool refused = false;
    try {
      const Pig game({.target = target});
    } catch (const std::invalid_argument&) {
      refused = true;
    }
    CHECK(refused);
  }
}
