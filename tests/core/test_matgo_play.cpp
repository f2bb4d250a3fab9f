#include <map>

#include "check.hpp"
#include "matgo_cards.hpp"
#include "playing.hpp"

using namespace tengen;
using namespace tengen::check;

namespace {

using State = Matgo::State;

std::vector<MatgoSettings> variants() {
  std::vector<MatgoSettings> all{{}, hangame(), kflower()};
  MatgoSettings many;
  many.bonus_cards = 3;
  many.bonus_steal = 2;
  many.ask_same_kind = true;
  many.gukjin_mode = MatgoSettings::kFreeToggle;
  all.push_back(many);
  MatgoSettings few;
  few.bonus_cards = 0;
  few.gukjin_mode = MatgoSettings::kBestForWinner;
  few.floor_four_wins = false;
  all.push_back(few);
  return all;
}

TEST(matgo_stays_sound) {
  for (const MatgoSettings& settings : variants()) {
    const Matgo game(settings);
    const auto audit = game.audit(11, 10'000);
    CHECK(audit.games == 10'000 && audit.invalid == 0 && audit.plies > 150'000);
    CHECK(audit.starter_wins > 4500 && audit.nagaris < 200);
  }
}

TEST(matgo_along_random_play) {
  for (const MatgoSettings& settings : variants()) {
    const Matgo game(settings);
    Rng rng(3);
    walk(game, 30, [&](const State& state) {
      for (const int viewer : {0, 1}) {
        const auto features = encoded(game, state, viewer);
        CHECK(std::all_of(features.begin(), features.end(), [](float x) { return x >= 0.0F && x <= 1.0F; }));
        const State dealt = game.redeal(state, viewer, rng);
        CHECK(game.seen(dealt, viewer) == game.seen(state, viewer));
        CHECK(game.view_key(dealt, viewer) == game.view_key(state, viewer));
        CHECK(game.is_valid(dealt));
        CHECK(encoded(game, dealt, viewer) == features);
      }
      if (game.actor(state) == kNobody) return;
      check_random_action(game, state, rng, 200);
      Actions actions;
      game.legal(state, game.actor(state), actions);
      CHECK(std::is_sorted(actions.begin(), actions.end()) && actions.back() < game.action_count());
      for (const int policy : {0, 1}) {
        const Action action = game.rollout_action(state, game.actor(state), policy, rng);
        CHECK(std::binary_search(actions.begin(), actions.end(), action));
      }
    });
  }
}

TEST(matgo_keys_tell_states_apart) {
  const Matgo game;
  std::map<std::uint64_t, State> seen;
  walk(game, 500, [&](const State& state) {
    const auto [entry, fresh] = seen.try_emplace(game.key(state), state);
    CHECK(entry->second == state);
  });
  CHECK(seen.size() > 8000);
}

TEST(matgo_a_deck_leads_to_the_same_deal) {
  for (const MatgoSettings& settings : variants()) {
    const Matgo game(settings);
    Rng rng(5);
    for (int i = 0; i < 100; ++i) {
      const State first = game.start(rng);
      State state = first;
      for (int ply = 0; ply < i % 20 && game.actor(state) != kNobody; ++ply) step(game, state, rng);
      const auto deck = game.deck(state);
      CHECK(game.start_with(deck, first.starter, 1, first.funds) == first);
    }
  }
}

TEST(matgo_refuses_what_is_no_deal) {
  const Matgo game;
  std::vector<int> deck(50);
  std::iota(deck.begin(), deck.end(), 0);
  const std::array<std::int64_t, 2> gold{Matgo::kUnlimited, Matgo::kUnlimited};
  CHECK_THROWS(game.start_with(std::span(deck).first(49), 0, 1, gold));
  CHECK_THROWS(game.start_with(deck, 2, 1, gold));
  CHECK_THROWS(game.start_with(deck, 0, 0, gold));
  CHECK_THROWS(game.start_with(deck, 0, 1, {-1, 5}));
  deck[3] = 4;
  CHECK_THROWS(game.start_with(deck, 0, 1, gold));
  deck[3] = 50;
  CHECK_THROWS(game.start_with(deck, 0, 1, gold));
  MatgoSettings settings;
  settings.bonus_cards = 1;
  CHECK_THROWS(Matgo(settings));
  settings = {};
  settings.go_min = 0;
  CHECK_THROWS(Matgo(settings));
}

}  // namespace
