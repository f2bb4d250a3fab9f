#include <bit>
#include <stdexcept>

#include "check.hpp"
#include "matgo_cards.hpp"
#include "playing.hpp"

using namespace tengen;
using namespace tengen::check;

namespace {

using State = Matgo::State;
using ViewPosition = Matgo::ViewPosition;

// What a seat would state of a position, with the hidden cards as they are.
ViewPosition describe(const State& state, int viewer) {
  ViewPosition given;
  given.viewer = viewer;
  given.starter = state.starter;
  given.mover = state.mover;
  given.phase = state.phase;
  given.gukjin = state.gukjin;
  given.carry = state.carry;
  given.floor = state.floor;
  given.stock.assign(state.stock.begin() + state.stock_next, state.stock.begin() + state.stock_size);
  for (const auto month : state.bonus_month) {
    if (month != Matgo::kNoCard) given.bonus_month = month;
  }
  given.hand = state.hand;
  given.captured = state.captured;
  given.shown = state.shown;
  for (std::size_t s = 0; s < 2; ++s) {
    given.turns[s] = state.turns[s];
    given.gos[s] = state.gos[s];
    given.last_go_base[s] = state.last_go_base[s];
    given.ppuks[s] = state.ppuks[s];
    given.bombs[s] = state.bombs[s];
    given.shaken[s] = state.shaken[s];
    given.piles[s] = state.piles[s];
    given.held[s] = state.held[s];
  }
  return given;
}

bool is_between_choices(const State& state) {
  return state.phase != Matgo::kMatchHand && state.phase != Matgo::kMatchFlip && state.phase != Matgo::kOver;
}

bool is_refused(const Matgo& game, const ViewPosition& given) {
  try {
    static_cast<void>(game.compose(given));
    return false;
  } catch (const std::invalid_argument&) {
    return true;
  }
}

TEST(matgo_positions_of_a_view_go_on_as_the_played_ones) {
  for (const MatgoSettings& settings : {MatgoSettings{}, hangame(), kflower()}) {
    const Matgo game(settings);
    Rng rng(5);
    int composed = 0;
    walk(game, 40, [&](const State& state) {
      if (!is_between_choices(state)) return;
      const int viewer = state.mover;
      const State given = game.compose(describe(state, viewer));
      ++composed;
      CHECK(given.viewed_by == 1 + viewer && game.is_valid(given));
      Actions own;
      Actions played;
      game.legal(given, viewer, own);
      game.legal(state, viewer, played);
      CHECK(own == played);
      State dealt = game.redeal(given, viewer, rng);
      CHECK(game.is_valid(dealt) && game.seen(dealt, viewer) == game.seen(given, viewer));
      while (game.actor(dealt) != kNobody) step(game, dealt, rng);
      CHECK(dealt.phase == Matgo::kOver);
    });
    CHECK(composed > 300);
  }
}

TEST(matgo_refuses_what_no_round_leads_to) {
  const Matgo game;
  Rng rng(7);
  State state = game.start(rng);
  while (!is_between_choices(state) || state.turns[0] + state.turns[1] < 4) {
    if (game.actor(state) == kNobody) state = game.start(rng);
    step(game, state, rng);
  }
  const ViewPosition right = describe(state, state.mover);
  CHECK(!is_refused(game, right));
  const auto refuses = [&](auto change) {
    ViewPosition wrong = right;
    change(wrong);
    return is_refused(game, wrong);
  };
  CHECK(refuses([](ViewPosition& s) { s.viewer = 2; }));
  CHECK(refuses([](ViewPosition& s) { s.mover = -1; }));
  CHECK(refuses([](ViewPosition& s) { s.phase = Matgo::kMatchHand; }));
  CHECK(refuses([](ViewPosition& s) { s.phase = 99; }));
  CHECK(refuses([](ViewPosition& s) { s.phase = Matgo::kPresident; }));
  CHECK(refuses([](ViewPosition& s) { s.gukjin = 3; }));
  CHECK(refuses([](ViewPosition& s) { s.carry = 0; }));
  CHECK(refuses([](ViewPosition& s) { s.floor |= matgo::bit(60); }));
  CHECK(refuses([](ViewPosition& s) { s.stock.push_back(64); }));
  CHECK(refuses([](ViewPosition& s) { s.stock.pop_back(); }));
  CHECK(refuses([](ViewPosition& s) { s.stock.assign(40, 1); }));
  CHECK(refuses([](ViewPosition& s) { s.hand[0] = 0; }));
  CHECK(refuses([](ViewPosition& s) { s.turns[0] = 11; }));
  CHECK(refuses([](ViewPosition& s) { s.ppuks[1] = 300; }));
  CHECK(refuses([](ViewPosition& s) { s.shaken[1] = 1 << 12; }));
  CHECK(refuses([](ViewPosition& s) { s.funds[0] = -1; }));
}

}  // namespace
