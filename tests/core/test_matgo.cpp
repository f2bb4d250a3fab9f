#include <map>
#include <sstream>
#include <string>

#include "check.hpp"
#include "games/matgo/matgo.hpp"
#include "playing.hpp"

using namespace tengen;
using namespace tengen::check;
using namespace tengen::matgo;

namespace {

using State = Matgo::State;

// 8g gwang, 2y yeol, 1r ribbon, 11d double pi, 5pa and 5pb the plain pi of a month, b2 and b3 the bonus cards.
int card_of(const std::string& code) {
  if (code[0] == 'b') return code == "b2" ? 48 : 49;
  const int first = 4 * (std::stoi(code) - 1);
  const std::string kind = code.substr(code.find_first_not_of("0123456789"));
  for (int k = 0; k < 4; ++k) {
    const Cards card = bit(first + k);
    if ((kind == "g" && (card & kGwang) != 0) || (kind == "y" && (card & kYeol) != 0) ||
        (kind == "r" && (card & kRibbons) != 0) || (kind == "d" && (card & kDoublePi) != 0)) {
      return first + k;
    }
  }
  return first + (kind == "pa" ? 2 : 3);
}

Cards cards(const std::string& codes) {
  Cards set = 0;
  std::istringstream words(codes);
  for (std::string code; words >> code;) set |= bit(card_of(code));
  return set;
}

Tally tally(Cards set) {
  Tally sum = 0;
  for (; set != 0; set &= set - 1) sum += tally_of(std::countr_zero(set));
  return sum;
}

MatgoSettings hangame() {
  MatgoSettings settings;
  settings.president_choice = false;
  settings.self_ppuk_eat = 2;
  settings.first_ddadak_points = 7;
  settings.two_card_bomb = true;
  settings.pi_bak_zero_exempt = false;
  settings.mong_needs_zero = false;
  settings.exhaustion_min = 7;
  return settings;
}

MatgoSettings kflower() {
  MatgoSettings settings;
  settings.floor_four_carry = false;
  settings.eat_next_capture = true;
  settings.bonus_stuck = true;
  settings.flip_choice_keeps_hand_event = false;
  settings.bomb_last_hand = false;
  settings.gukjin_rescue_always = true;
  return settings;
}

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

const std::string kPi5 = "1pa 1pb 2pa 2pb 3pa ";
const std::string kPi9 = kPi5 + "3pb 4pa 4pb 5pa ";
const std::string kPi10 = kPi9 + "5pb ";
const std::string kLoserPi8 = "6pa 6pb 7pa 7pb 8pa 8pb 9pa 9pb ";

struct Score {
  const char* name;
  std::string captured;
  int points;
};

// What stands for itself on the table, whatever the preset.
const std::vector<Score> kScores{
    {"two gwang", "1g 3g", 0},
    {"three gwang without rain", "1g 3g 8g", 3},
    {"three gwang with rain", "1g 3g 12g", 2},
    {"four gwang", "1g 3g 8g 11g", 4},
    {"four gwang with rain", "1g 3g 8g 12g", 4},
    {"five gwang", "1g 3g 8g 11g 12g", 15},
    {"four yeol", "5y 6y 7y 10y", 0},
    {"five yeol", "5y 6y 7y 10y 12y", 1},
    {"godori", "2y 4y 8y", 5},
    {"godori and five yeol", "2y 4y 8y 5y 6y", 6},
    {"nine yeol with godori", "2y 4y 5y 6y 7y 8y 9y 10y 12y", 10},
    {"gukjin is a yeol", "5y 6y 7y 10y 9y", 1},
    {"the rain ribbon is a fifth", "1r 2r 4r 6r 12r", 1},
    {"the rain ribbon makes no set", "1r 2r 12r", 0},
    {"hong", "1r 2r 3r", 3},
    {"cheong", "6r 9r 10r", 3},
    {"cho", "4r 5r 7r", 3},
    {"all ten ribbons", "1r 2r 3r 4r 5r 6r 7r 9r 10r 12r", 15},
    {"nine pi", kPi9, 0},
    {"ten pi", kPi10, 1},
    {"double pi count twice", kPi5 + "3pb 11d 12d", 1},
    {"bonus cards count two and three", kPi5 + "b2 b3", 1},
    {"everything adds up", "1g 3g 8g 2y 4y 1r 2r 3r " + kPi10, 7},
};

TEST(matgo_scores) {
  for (const Score& row : kScores) {
    if (!CHECK(base_score(tally(cards(row.captured))) == row.points)) std::fprintf(stderr, "  %s\n", row.name);
  }
  const Tally gukjin = tally(cards(kPi9 + "9y"));
  CHECK(base_score(gukjin) == 0 && base_score(gukjin + kGukjinAsPi) == 2);
  CHECK(base_score(tally(cards("5y 6y 7y 10y 9y")) + kGukjinAsPi) == 0);
}

// A stop, and what it pays. Seven points are hong, godori less one: kSeven.
const std::string kSeven = "1r 2r 3r 5r 12r 1g 3g 8g ";
const std::string kSafe = "12g 10y ";  // keeps from gwang-bak and mong-bak

struct Stop {
  const char* name;
  std::string winner;
  std::string loser;
  std::int64_t points;
  int gos = 0;
  int loser_gos = 0;
  int shakes = 0;
  int bombs = 0;
  bool held = false;
  int carry = 1;
  MatgoSettings settings{};
};

const std::vector<Stop> kStops{
    {.name = "seven points", .winner = kSeven, .loser = kSafe, .points = 7},
    {.name = "one go", .winner = kSeven, .loser = kSafe, .points = 8, .gos = 1},
    {.name = "two go", .winner = kSeven, .loser = kSafe, .points = 9, .gos = 2},
    {.name = "three go double", .winner = kSeven, .loser = kSafe, .points = 20, .gos = 3},
    {.name = "four go times four", .winner = kSeven, .loser = kSafe, .points = 44, .gos = 4},
    {.name = "five go times eight", .winner = kSeven, .loser = kSafe, .points = 96, .gos = 5},
    {.name = "a shake", .winner = kSeven, .loser = kSafe, .points = 14, .shakes = 1},
    {.name = "two shakes and a bomb", .winner = kSeven, .loser = kSafe, .points = 56, .shakes = 2, .bombs = 1},
    {.name = "gwang-bak", .winner = kSeven, .loser = "10y", .points = 14},
    {.name = "no gwang-bak with two gwang", .winner = "1r 2r 3r 4r 5r 7r 12r 1g 3g", .loser = "10y", .points = 9},
    {.name = "pi-bak at one", .winner = kSeven + kPi10, .loser = kSafe + "6pa", .points = 16},
    {.name = "pi-bak at seven", .winner = kSeven + kPi10, .loser = kSafe + "6pa 6pb 7pa 11d 12d", .points = 16},
    {.name = "no pi-bak at eight", .winner = kSeven + kPi10, .loser = kSafe + kLoserPi8, .points = 8},
    {.name = "no pi-bak without pi", .winner = kSeven + kPi10, .loser = kSafe, .points = 8},
    {.name = "hangame: pi-bak without pi",
     .winner = kSeven + kPi10,
     .loser = kSafe,
     .points = 16,
     .settings = hangame()},
    {.name = "no pi-bak from nine pi", .winner = kSeven + kPi9, .loser = kSafe + "6pa", .points = 7},
    {.name = "shake, bomb and pi-bak: times eight",
     .winner = kSeven + kPi10,
     .loser = kSafe + "6pa",
     .points = 64,
     .shakes = 1,
     .bombs = 1},
    {.name = "mong-bak", .winner = "2y 4y 5y 6y 7y 8y 10y", .loser = "12g", .points = 16},
    {.name = "no mong-bak against a yeol", .winner = "2y 4y 5y 6y 7y 8y 10y", .loser = "12y", .points = 8},
    {.name = "hangame: seven yeol suffice",
     .winner = "2y 4y 5y 6y 7y 8y 10y",
     .loser = "12y",
     .points = 16,
     .settings = hangame()},
    {.name = "go-bak", .winner = kSeven, .loser = kSafe, .points = 14, .loser_gos = 1},
    {.name = "go-bak counts once", .winner = kSeven, .loser = kSafe, .points = 14, .loser_gos = 3},
    {.name = "held four and a shake", .winner = kSeven, .loser = kSafe, .points = 56, .shakes = 1, .held = true},
    {.name = "held four without", .winner = kSeven, .loser = kSafe, .points = 7, .held = true},
    {.name = "carry", .winner = kSeven, .loser = kSafe, .points = 28, .carry = 4},
    {.name = "everything multiplies",
     .winner = kSeven + kPi10,
     .loser = "6pa",
     .points = 11 * 2 * 2 * 2 * 2 * 2 * 4 * 2,
     .gos = 3,
     .loser_gos = 1,
     .shakes = 1,
     .held = true,
     .carry = 2},
    {.name = "an undecided gukjin saves from pi-bak",
     .winner = kSeven + kPi10,
     .loser = "12g 9y 6pa 6pb 7pa 7pb 8pa 8pb",
     .points = 8},
    {.name = "or does not", .winner = kSeven + kPi10, .loser = "12g 9y 6pa", .points = 16},
};

State stopping(const Stop& row, int winner) {
  const auto w = static_cast<std::size_t>(winner);
  State state;
  state.phase = Matgo::kGoStop;
  state.mover = static_cast<std::uint8_t>(winner);
  state.captured[w] = cards(row.winner);
  state.captured[1 - w] = cards(row.loser);
  for (std::size_t seat = 0; seat < 2; ++seat) state.tally[seat] = tally(state.captured[seat]);
  state.gos[w] = static_cast<std::uint8_t>(row.gos);
  state.gos[1 - w] = static_cast<std::uint8_t>(row.loser_gos);
  state.shaken[w] = static_cast<std::uint16_t>((1U << row.shakes) - 1U);
  state.bombs[w] = static_cast<std::uint8_t>(row.bombs);
  state.held[w] = row.held ? 1 : 0;
  state.carry = row.carry;
  return state;
}

TEST(matgo_stops) {
  for (const Stop& row : kStops) {
    const Matgo game(row.settings);
    for (const int winner : {0, 1}) {
      State state = stopping(row, winner);
      game.apply(state, Matgo::kStop);
      const bool holds = state.net == (winner == 0 ? 100 : -100) * row.points && state.winner == winner &&
                         game.actor(state) == kNobody && state.ending == Matgo::kByStop;
      if (!CHECK(holds)) std::fprintf(stderr, "  %s: %lld\n", row.name, static_cast<long long>(state.net));
    }
  }
}

TEST(matgo_a_loser_pays_what_there_is) {
  const Matgo game;
  State state = stopping({.name = "", .winner = kSeven, .loser = kSafe, .points = 7}, 0);
  state.funds = {5000, 450};
  game.apply(state, Matgo::kStop);
  CHECK(state.net == 450 && game.gold(state, 0) == 5450 && game.gold(state, 1) == 0);
}

TEST(matgo_a_locked_gukjin_saves_only_by_setting) {
  const Stop row{.name = "", .winner = kSeven + kPi10, .loser = "12g 9y 6pa 6pb 7pa 7pb 8pa 8pb", .points = 16};
  for (const bool always : {false, true}) {
    MatgoSettings settings;
    settings.gukjin_rescue_always = always;
    State state = stopping(row, 0);
    state.gukjin = Matgo::kAsYeol;
    const Matgo game(settings);
    game.apply(state, Matgo::kStop);
    CHECK(state.net == (always ? 800 : 1600));
  }
}

// The last card of the round is laid down, and nobody has stopped.
struct Exhaustion {
  const char* name;
  std::string first;
  std::string second;
  int winner;  // 2: nagari
  std::int64_t points = 0;
  std::array<std::uint8_t, 2> gos{};
  std::array<std::uint8_t, 2> last{};  // points at the last go
  MatgoSettings settings{};
};

const std::string kFive = "2y 4y 8y 6pa ";
const std::string kNine = "1r 2r 3r 4r 5r 7r 12r 1g 3g 6pb ";
const std::string kThree = "6r 9r 10r 8g 10y 7pa ";

const std::vector<Exhaustion> kExhaustions{
    {.name = "the higher total wins, also below seven", .first = kFive, .second = kThree, .winner = 0, .points = 5},
    {.name = "hangame: seven are needed", .first = kFive, .second = kThree, .winner = 2, .settings = hangame()},
    {.name = "equal totals", .first = "1r 2r 3r", .second = kThree, .winner = 2},
    {.name = "nobody has a point", .first = "1r", .second = "2r", .winner = 2},
    {.name = "who failed a go loses to seven",
     .first = kThree,
     .second = kNine,
     .winner = 1,
     .points = 9,
     .gos = {1, 0},
     .last = {8, 0}},
    {.name = "who failed a go is saved by fewer",
     .first = kThree,
     .second = kFive,
     .winner = 2,
     .gos = {1, 0},
     .last = {8, 0}},
    {.name = "both failed", .first = kThree, .second = kFive, .winner = 2, .gos = {1, 1}, .last = {8, 9}},
    {.name = "an equal score is a failed go",
     .first = kNine,
     .second = kFive,
     .winner = 2,
     .gos = {1, 0},
     .last = {9, 0}},
};

TEST(matgo_exhaustion) {
  for (const Exhaustion& row : kExhaustions) {
    State state;
    state.mover = 1;
    state.captured = {cards(row.first), cards(row.second)};
    state.tally = {tally(state.captured[0]), tally(state.captured[1])};
    state.hand = {0, cards("11pa")};
    state.cards = {0, 1};
    state.turns = {10, 9};
    state.checked = {1, 1};
    state.floor = cards("12y");
    state.gos = row.gos;
    state.last_go_base = row.last;
    // The second player would stop by itself with seven points or more: a go before keeps it from that.
    if (row.winner == 1) state.last_go_base[1] = 9;
    const Matgo game(row.settings);
    game.apply(state, card_of("11pa"));
    const std::int64_t gold = row.winner == 2 ? 0 : (row.winner == 0 ? 100 : -100) * row.points;
    const bool holds = state.winner == row.winner && state.net == gold && state.ending == Matgo::kByExhaustion;
    if (!CHECK(holds)) std::fprintf(stderr, "  %s: %d\n", row.name, state.winner);
  }
}

TEST(matgo_stays_sound) {
  for (const MatgoSettings& settings : variants()) {
    const Matgo game(settings);
    const auto audit = game.audit(11, 10'000);
    CHECK(audit.games == 10'000 && audit.unsound == 0 && audit.plies > 150'000);
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
        CHECK(game.is_sound(dealt));
        CHECK(encoded(game, dealt, viewer) == features);
      }
      if (game.actor(state) == kNobody) return;
      check_random_action(game, state, rng, 200);
      Actions actions;
      game.legal(state, game.actor(state), actions);
      CHECK(std::is_sorted(actions.begin(), actions.end()) && actions.back() < game.action_count());
      CHECK(std::binary_search(actions.begin(), actions.end(), game.greedy_action(state, rng)));
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
