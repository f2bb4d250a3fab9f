#include <algorithm>
#include <cmath>
#include <string>

#include "check.hpp"
#include "games/go/go.hpp"
#include "go_boards.hpp"
#include "plain_go.hpp"
#include "playing.hpp"

using namespace tengen;
using namespace tengen::check;

namespace {

// A state is sent between processes as its bytes.
static_assert(std::has_unique_object_representations_v<go::State>);
static_assert(sizeof(go::State) <= 12 * 1024);

go::RuleSet rules_of(go::Ko ko, bool suicide) {
  go::RuleSet rules;
  rules.ko = ko;
  rules.suicide = suicide;
  return rules;
}

const std::array<go::Ko, 4> kKos{go::kSimpleKo, go::kPositionalKo, go::kSituationalKo, go::kSpightKo};

std::string board_of(const Go& game, const go::State& state) {
  std::string board;
  for (int cell = 0; cell < game.area(); ++cell) board += ".XO"[state.board.at(game.point(cell))];
  return board;
}

Actions legal_in(const Go& game, const go::State& state) {
  Actions actions;
  game.legal(state, game.actor(state), actions);
  return actions;
}

go::State start(const Go& game) {
  Rng rng;
  return game.start(rng);
}

// What the board keeps for playing agrees with one that is made of its stones anew.
void check_board(const Go& game, const go::State& state) {
  go::Frame frame{};
  for (int cell = 0; cell < game.area(); ++cell) frame[go::Board::index(game.point(cell))] = game.point(cell);
  const go::Board fresh(state.board.grid, frame);
  CHECK(fresh.stones == state.board.stones);
  CHECK(fresh.empty_count == state.board.empty_count);
  if (state.board.transformed == 0) CHECK(fresh.hash == state.board.hash);
  for (int cell = 0; cell < game.area(); ++cell) {
    const go::Point p = game.point(cell);
    if (state.board.at(p) != go::kEmpty) {
      CHECK(fresh.liberties(p) == state.board.liberties(p));
      CHECK(fresh.chain(p) == state.board.chain(p));
      continue;
    }
    for (const go::Color color : {go::kBlack, go::kWhite}) {
      const go::Probe a = fresh.probe(p, color);
      const go::Probe b = state.board.probe(p, color);
      CHECK(a.liberties == b.liberties && a.joins == b.joins && a.safe == b.safe && a.captures == b.captures);
    }
  }
}

void check_legal(const Go& game, const go::State& state) {
  const Actions actions = legal_in(game, state);
  CHECK(std::is_sorted(actions.begin(), actions.end()));
  CHECK(actions.back() == game.pass());
  for (Action action = 0; action < game.action_count(); ++action) {
    CHECK(game.is_legal(state, action) == std::binary_search(actions.begin(), actions.end(), action));
  }
}

}  // namespace

TEST(go_agrees_with_the_plain_rules) {
  Rng rng(11);
  int superko_games = 0;
  for (const go::Ko ko : kKos) {
    for (const bool suicide : {false, true}) {
      for (const auto& [width, height] : {std::pair{2, 2}, {3, 3}, {4, 3}, {2, 5}, {5, 5}}) {
        const Go game(width, height, rules_of(ko, suicide));
        for (int i = 0; i < 6; ++i) {
          go::State state = start(game);
          PlainGo plain(width, height, game.rules());
          for (int ply = 0; ply < 120 && game.actor(state) != kNobody; ++ply) {
            const Actions actions = legal_in(game, state);
            if (!CHECK(actions == plain.legal())) return;
            // Few passes, so that positions come close to repeating.
            const bool stays = actions.size() > 1 && rng.below(8) != 0;
            const auto count = static_cast<std::uint32_t>(actions.size() - (stays ? 1 : 0));
            const Action action = actions[rng.below(count)];
            game.apply(state, action);
            plain.play(action);
            if (!CHECK(board_of(game, state) == plain.board())) return;
            CHECK((game.actor(state) == kNobody) == plain.is_over());
            CHECK((state.ended == go::kNoResult) == plain.has_no_result());
            superko_games += state.board.ko == go::kNoPoint && game.banned(state) != go::PointSet{};
          }
          go::Area area;
          CHECK(game.score(state, area) == 2 * plain.white_minus_black() + game.rules().komi);
        }
      }
    }
  }
  CHECK(superko_games > 100);
}

TEST(go_board_stays_consistent) {
  for (const auto& [width, height] : {std::pair{5, 5}, {7, 4}, {9, 9}, {19, 19}}) {
    const Go game(width, height);
    walk(game, width > 9 ? 1 : 4, [&](const go::State& state) {
      if (width > 9 && state.ply % 16 != 0) return;
      check_board(game, state);
      if (game.actor(state) != kNobody) check_legal(game, state);
    });
  }
}

TEST(go_draws_evenly) {
  Rng rng(5);
  for (const go::Ko ko : kKos) {
    const Go game(4, 4, rules_of(ko, true));
    walk(game, 3, [&](const go::State& state) {
      if (game.actor(state) != kNobody) check_random_action(game, state, rng, 1500);
    });
  }
  go::RuleSet territory = rules_of(go::kSimpleKo, false);
  territory.scoring = go::kTerritoryScoring;
  const Go game(4, 4, territory);
  walk(game, 3, [&](const go::State& state) {
    if (game.actor(state) != kNobody) check_random_action(game, state, rng, 1500);
  });
}

TEST(go_turns) {
  go::RuleSet territory = rules_of(go::kSimpleKo, false);
  territory.scoring = go::kTerritoryScoring;
  territory.tax = go::kSekiTax;
  for (const go::RuleSet& rules : {rules_of(go::kPositionalKo, true), rules_of(go::kSpightKo, false), territory}) {
    for (const auto& [width, height] : {std::pair{3, 3}, {4, 4}, {4, 3}}) {
      const Go game(width, height, rules);
      walk(game, 2, [&](const go::State& state) {
        check_symmetries(game, state);
        for (int s = 0; s < game.symmetry_count(); ++s) {
          const go::State transformed = game.transform(state, s);
          check_board(game, transformed);
          CHECK(transformed.board.hash == state.board.hash);
          for (int back = 0; back < game.symmetry_count(); ++back) {
            const go::State again = game.transform(transformed, back);
            if (again.board.transformed == 0) CHECK(again == state && game.key(again) == game.key(state));
          }
        }
      });
    }
  }
}

TEST(go_key_does_not_know_how_a_board_was_transformed) {
  const Go game(5, 5);
  go::State state = start(game);
  game.apply(state, 0);
  go::State other = game.transform(start(game), 3);
  game.apply(other, 0);
  CHECK(game.key(other) == game.key(state));
  CHECK(game.board_key(other) == game.board_key(state));
  CHECK(game.key(game.transform(state, 3)) != game.key(state));
}

TEST(go_takes_any_stones_and_any_replay) {
  Rng rng(17);
  for (int i = 0; i < 125; ++i) {
    const int width = 2 + static_cast<int>(rng.below(6));
    const int height = 2 + static_cast<int>(rng.below(6));
    go::Context context;
    context.passing_hacks = true;
    const Go game = Go(width, height).with_context(context);
    go::RuleSet rules = rules_of(kKos[rng.below(4)], rng.below(2) != 0);
    rules.scoring = rng.below(2) == 0 ? go::kAreaScoring : go::kTerritoryScoring;
    rules.tax = static_cast<go::Tax>(rng.below(3));
    rules.bonus = static_cast<go::Bonus>(rng.below(3));
    rules.button = static_cast<std::uint8_t>(rng.below(2));
    rules.friendly_pass = static_cast<std::uint8_t>(rng.below(2));
    rules.prevent_cleanup = static_cast<std::uint8_t>(rng.below(2));
    go::Grid grid(width, height);
    const std::uint32_t density = rng.below(4);
    for (int cell = 0; cell < game.area(); ++cell) {
      const std::uint32_t drawn = rng.below(4);
      grid.colors[go::Board::index(game.point(cell))] =
          drawn < density ? go::color_of(static_cast<int>(drawn & 1)) : go::kEmpty;
    }
    const int phase = rules.scoring == go::kAreaScoring ? 0 : static_cast<int>(rng.below(3));
    go::State state = game.start_from(rules, grid, static_cast<int>(rng.below(2)), phase);
    for (int ply = 0; ply < 60; ++ply) {
      const int player = rng.below(8) == 0 ? static_cast<int>(rng.below(2)) : state.player;
      const auto action = static_cast<Action>(rng.below(static_cast<std::uint32_t>(game.action_count())));
      const go::State before = state;
      if (!game.replay(state, player, action)) CHECK(state == before);
      check_board(game, state);
      state = game.in_search(state, state.ply - static_cast<int>(rng.below(2)), true);
      for (const int viewer : {0, 1}) {
        for (const float x : encoded(game, state, viewer)) CHECK(std::isfinite(x));
      }
      go::Area area;
      game.score(state, area);
      game.key(state);
      if (game.actor(state) != kNobody) check_legal(game, state);
    }
  }
}

TEST(go_remembers_long_games) {
  // Alternating far longer than the history is: nothing of it may be out of bounds, and kos stay banned.
  const Go game(9, 9);
  Rng rng(3);
  go::State state = start(game);
  for (int ply = 0; ply < 3000; ++ply) {
    Actions actions = legal_in(game, state);
    if (actions.size() > 1) actions.pop_back();
    CHECK(game.replay(state, state.player, actions[rng.below(static_cast<std::uint32_t>(actions.size()))]));
  }
  CHECK(state.ply == 3000);
  check_board(game, state);
}

TEST(go_holds_a_finished_root_open) {
  const Go game(5, 5);
  go::State state = start(game);
  game.apply(state, game.pass());
  go::State asked = game.in_search(state, 1, true);
  game.apply(asked, game.pass());
  CHECK(asked.ended == go::kHeldOpen && game.actor(asked) == 0);
  game.apply(asked, game.pass());
  CHECK(game.actor(asked) == kNobody);
  game.apply(state, game.pass());
  CHECK(game.actor(state) == kNobody);
  CHECK(game.actor(game.in_search(state, 2, true)) == 0);
}

TEST(go_score_utility) {
  const Go plain(5, 5);
  go::Context context;
  context.static_factor = 0.1F;
  context.dynamic_factor = 0.3F;
  context.center = 2.0F;
  for (const int i : {0, 1}) {
    const Go game = i == 0 ? plain : plain.with_context(context);
    go::State ended = game.start_from(game.rules(), grid_of("XXXXX X.X.X XXXXX ..... OOOOO"), 0);
    game.apply(ended, game.pass());
    game.apply(ended, game.pass());
    std::array<double, 2> payoffs{};
    game.payoff(ended, payoffs);
    const double points = 15.0 - 5.0 - 7.5;
    const auto utility = [&](double center, double scale) {
      return 2.0 / 3.14159265358979 * std::atan((points - center) / (scale * 5.0));
    };
    const double expected = i == 0 ? 1.0 : 1.0 + 0.1 * utility(0.0, 2.0) + 0.3 * utility(2.0, 0.75);
    CHECK(std::abs(payoffs[0] - expected) < 1e-6 && payoffs[1] == -payoffs[0]);
    std::vector<float> aux(static_cast<std::size_t>(game.aux_count()));
    game.final_aux(ended, aux);
    CHECK(aux[0] == 1.0F && aux[1] == 0.0F && aux[2] == 2.5F / 25.0F && aux[4] == aux[2]);
    CHECK(aux[5] == 1.0F && aux[5 + 15] == 0.0F && aux[5 + 24] == -1.0F);
  }
}

// The position as one of a search that began near it.
go::State randomly_searched(const Go& game, const go::State& state, Rng& rng) {
  const int root_ply = std::max(-1, state.ply - 3 + static_cast<int>(rng.below(6)));
  return game.in_search(state, root_ply, rng.below(2) != 0);
}

TEST(go_states_of_equal_rules_key_go_on_alike) {
  const Go game(3, 3);
  Rng rng(11);
  int alike = 0;
  int unlike = 0;
  for (int number = 0; number < 2000; ++number) {
    go::RuleSet rules = rules_of(kKos[rng.below(4)], rng.below(2) != 0);
    rules.scoring = rng.below(3) == 0 ? go::kTerritoryScoring : go::kAreaScoring;
    rules.button = static_cast<std::uint8_t>(rules.scoring == go::kAreaScoring && rng.below(2) != 0);
    rules.friendly_pass = static_cast<std::uint8_t>(rng.below(2));
    rules.prevent_cleanup = static_cast<std::uint8_t>(rng.below(2));
    // A record of the game, and two searches of it that go on along its moves as far as they are alike.
    go::State record = game.start_from(rules, go::Grid(3, 3), 0);
    go::State one = record;
    go::State two = record;
    for (int move = 0; move < 12; ++move) {
      if (rng.below(2) == 0) one = randomly_searched(game, record, rng);
      if (rng.below(2) == 0) two = randomly_searched(game, record, rng);
      const bool is_alike = game.rules_key(one) == game.rules_key(two);
      ++(is_alike ? alike : unlike);
      if (is_alike && !CHECK(game.actor(one) == game.actor(two))) return;
      if (game.actor(one) == kNobody || game.actor(two) == kNobody) break;
      if (is_alike && !CHECK(legal_in(game, one) == legal_in(game, two))) return;
      const Actions legal = legal_in(game, one);
      const Action action =
          rng.below(2) == 0 ? game.pass() : legal[rng.below(static_cast<std::uint32_t>(legal.size()))];
      if (!game.replay(record, one.player, action)) break;
      game.apply(one, action);
      game.apply(two, action);
      if (is_alike && !CHECK(game.rules_key(one) == game.rules_key(two))) return;
    }
  }
  CHECK(alike > 5000 && unlike > 500);
}

TEST(go_refuses_other_boards) {
  CHECK_THROWS(Go(1, 5));
  CHECK_THROWS(Go(5, 20));
  const Go game(3, 3);
  CHECK_THROWS(game.start_from(game.rules(), go::Grid(3, 3), 0, 1));
}
