#include <array>
#include <bit>

#include "check.hpp"
#include "matgo_cards.hpp"

using namespace tengen;
using namespace tengen::check;

namespace {

using State = Matgo::State;

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

// A turn in the middle of a round: the mover, seat 0, has captured some cards and plays the first card named in `hand`.
struct Turn {
  std::string hand;
  std::string floor;
  std::string stock;
  std::string captured = "";
  std::string other = "10y 12g 6pa";  // the opponent's captured cards
  Action action = -1;
  std::uint8_t gos = 0;
  std::uint8_t last = 0;
  std::uint8_t dummies = 0;
  MatgoSettings settings{};
};

State after(const Turn& turn) {
  State state;
  state.hand = {cards(turn.hand), cards("11pa 11pb")};
  state.cards = {static_cast<std::uint8_t>(std::popcount(state.hand[0])), 2};
  state.dummies[0] = turn.dummies;
  state.turns = {static_cast<std::uint8_t>(10 - state.cards[0] - turn.dummies), 8};
  state.checked = {1, 1};
  state.captured = {cards(turn.captured), cards(turn.other)};
  state.tally = {tally(state.captured[0]), tally(state.captured[1])};
  state.floor = cards(turn.floor);
  state.gos[0] = turn.gos;
  state.last_go_base[0] = turn.last;
  std::istringstream words(turn.stock);
  for (std::string code; words >> code;) state.stock[state.stock_size++] = static_cast<std::uint8_t>(card_of(code));
  const Matgo game(turn.settings);
  game.apply(state, turn.action >= 0 ? turn.action : card_of(turn.hand.substr(0, turn.hand.find(' '))));
  return state;
}

TEST(matgo_last_hand) {
  // Nothing is stolen, and three of a month are no ppuk: the pair is kept, the third card lies.
  State state = after({.hand = "3r", .floor = "3pa 2y", .stock = "3pb"});
  CHECK(state.captured[0] == cards("3r 3pa") && state.floor == cards("3pb 2y") && state.ppuks[0] == 0);
  state = after({.hand = "3r 5y", .floor = "3pa 2y", .stock = "3pb"});
  CHECK(state.captured[0] == 0 && state.ppuks[0] == 1);
  state = after({.hand = "3r", .floor = "2y", .stock = "3pb"});
  CHECK(state.captured[0] == cards("3r 3pb") && state.captured[1] == cards("10y 12g 6pa"));
  state = after({.hand = "3r", .floor = "3g", .stock = "b2 12y"});
  CHECK(state.captured[0] == cards("3r 3g b2"));
  state = after({.hand = "b2", .floor = "2y", .stock = "5y 7y"});
  CHECK(state.captured[0] == cards("b2") && state.hand[0] == cards("5y") && state.phase == Matgo::kPlay);
  // The last card may be a dummy.
  state = after({.hand = "", .floor = "2y 3r", .stock = "b2 3g", .action = Matgo::kDummy, .dummies = 1});
  CHECK(state.captured[0] == cards("3r 3g b2") && state.turns[0] == 10);
}

TEST(matgo_bomb_with_the_last_cards) {
  for (const bool repaired : {true, false}) {
    Turn turn{.hand = "3g 3pa 3pb", .floor = "3r 2y", .stock = "5y 7y", .action = Matgo::kBomb + 2};
    turn.settings.bomb_last_hand = repaired;
    const State state = after(turn);
    CHECK((state.captured[0] & bit(card_of("6pa"))) == (repaired ? 0 : bit(card_of("6pa"))));
    CHECK(state.bombs[0] == 1 && state.cards[0] == 0 && state.mover == 1);
  }
}

TEST(matgo_go_or_stop) {
  const std::string six = "1r 2r 3r 1g 3g 8g";
  // A seventh point, and cards left: a question. Without cards: a stop.
  State state = after({.hand = "4r 5y", .floor = "4pa 2y", .stock = "7y", .captured = six + " 12r"});
  CHECK(state.phase == Matgo::kGoStop && state.mover == 0);
  state = after({.hand = "4r", .floor = "4pa 2y", .stock = "7y", .captured = six + " 12r"});
  CHECK(state.phase == Matgo::kOver && state.winner == 0 && state.net == 700 && state.ending == Matgo::kByStop);
  state = after({.hand = "4y 5y", .floor = "4pa 2y", .stock = "7y", .captured = six + " 12r"});
  CHECK(state.phase == Matgo::kPlay && state.mover == 1);
  // After a go it takes one more point than before.
  const Turn gone{.hand = "4r 5y", .floor = "4pa 2y", .stock = "7y", .captured = six + " 12r", .gos = 1, .last = 7};
  state = after(gone);
  CHECK(state.phase == Matgo::kPlay && state.mover == 1);
  Turn more = gone;
  more.captured += " 5r";
  state = after(more);
  CHECK(state.phase == Matgo::kGoStop);
  const Matgo game;
  game.apply(state, Matgo::kGo);
  CHECK(state.gos[0] == 2 && state.last_go_base[0] == 8 && state.mover == 1 && state.phase == Matgo::kPlay);
}

TEST(matgo_gukjin) {
  const std::string pi8 = kPi5 + "3pb 4pa 4pb ";
  const std::string five = "1r 2r 3r 12g 1g 3g ";  // five points
  const Matgo game;
  // Seven points only as a double pi: asked, once, before go or stop.
  State state = after({.hand = "9y 5y", .floor = "9pa 2y", .stock = "7y", .captured = five + pi8});
  CHECK(state.phase == Matgo::kGukjin && state.mover == 0);
  State as_pi = state;
  game.apply(as_pi, Matgo::kGukjinPi);
  CHECK(as_pi.phase == Matgo::kGoStop && game.base(as_pi, 0) == 7);
  game.apply(state, Matgo::kGukjinYeol);
  CHECK(state.phase == Matgo::kPlay && state.mover == 1 && game.base(state, 0) == 5);
  // No difference, or too few points either way: not asked.
  state = after({.hand = "9y 5y", .floor = "9pa 2y", .stock = "7y", .captured = five});
  CHECK(state.phase == Matgo::kPlay && state.mover == 1);
  // Points enough either way, but they differ.
  state = after({.hand = "9y 5y", .floor = "9pa 2y", .stock = "7y", .captured = five + "8g 11g " + kPi10});
  CHECK(state.phase == Matgo::kGukjin);
  // The same at the last card: without a go before, it stops as the cards lie.
  const Turn last{.hand = "9y", .floor = "9pa 2y", .stock = "7y", .captured = five + "8g 11g " + kPi10};
  CHECK(after(last).phase == Matgo::kOver);
  Turn gone = last;
  gone.gos = 1;
  gone.last = 7;
  CHECK(after(gone).phase == Matgo::kGukjin);
}

TEST(matgo_gukjin_modes) {
  const Turn turn{
      .hand = "9y 5y", .floor = "9pa 2y", .stock = "7y", .captured = "1r 2r 3r 12g 1g 3g 3pb 4pa 4pb " + kPi5};
  Turn best = turn;
  best.settings.gukjin_mode = MatgoSettings::kBestForWinner;
  State state = after(best);
  const Matgo automatic(best.settings);
  CHECK(state.phase == Matgo::kGoStop && automatic.base(state, 0) == 7);
  automatic.apply(state, Matgo::kStop);
  CHECK(state.net == 700 * 2 && state.gukjin == Matgo::kUndecided);  // twelve pi against one: pi-bak
  Turn toggle = turn;
  toggle.settings.gukjin_mode = MatgoSettings::kFreeToggle;
  state = after(toggle);
  const Matgo free(toggle.settings);
  free.apply(state, Matgo::kGukjinPi);
  free.apply(state, Matgo::kGo);
  CHECK(state.gukjin == Matgo::kAsPi && state.tally[0] == tally(state.captured[0]) + kGukjinAsPi);
  // Stolen as a pi, it is the thief's to turn back.
  state.mover = 0;
  state.phase = Matgo::kGukjin;
  free.apply(state, Matgo::kGukjinYeol);
  CHECK(state.gukjin == Matgo::kAsYeol && state.tally[0] == tally(state.captured[0]));
}

TEST(matgo_a_gukjin_that_is_pi_can_be_stolen) {
  const Matgo game;
  State state = after({.hand = "3r 5y", .floor = "2y", .stock = "7y", .other = "9y 10y 11d b3"});
  state.gukjin = Matgo::kAsPi;
  state.tally[1] += kGukjinAsPi;
  for (const char* next : {"11d", "9y", "b3"}) {
    state.mover = 0;
    state.phase = Matgo::kPlay;
    state.hand[0] = cards("b2 5y");
    state.cards[0] = 2;
    state.stock_next = state.stock_size;
    game.apply(state, card_of("b2"));
    CHECK((state.captured[0] & cards(next)) != 0 && (state.captured[1] & cards(next)) == 0);
  }
  CHECK(state.captured[1] == cards("10y") && state.tally[1] == tally(cards("10y")));
}

}  // namespace
