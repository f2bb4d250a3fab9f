#include <bit>
#include <stdexcept>

#include "check.hpp"
#include "matgo_cards.hpp"
#include "playing.hpp"

using namespace tengen;
using namespace tengen::check;

namespace {

using State = Matgo::State;
using Stated = Matgo::Stated;

// What a seat would state of a position, with the hidden cards as they are.
Stated describe(const State& state, int viewer) {
  Stated stated;
  stated.viewer = viewer;
  stated.starter = state.starter;
  stated.mover = state.mover;
  stated.phase = state.phase;
  stated.gukjin = state.gukjin;
  stated.carry = state.carry;
  stated.floor = state.floor;
  stated.stock.assign(state.stock.begin() + state.stock_next, state.stock.begin() + state.stock_size);
  for (const auto month : state.bonus_month) {
    if (month != Matgo::kNoCard) stated.bonus_month = month;
  }
  stated.hand = state.hand;
  stated.captured = state.captured;
  stated.shown = state.shown;
  for (std::size_t s = 0; s < 2; ++s) {
    stated.turns[s] = state.turns[s];
    stated.gos[s] = state.gos[s];
    stated.last_go_base[s] = state.last_go_base[s];
    stated.ppuks[s] = state.ppuks[s];
    stated.bombs[s] = state.bombs[s];
    stated.shaken[s] = state.shaken[s];
    stated.piles[s] = state.piles[s];
    stated.held[s] = state.held[s];
  }
  return stated;
}

bool is_between_choices(const State& state) {
  return state.phase != Matgo::kMatchHand && state.phase != Matgo::kMatchFlip && state.phase != Matgo::kOver;
}

bool is_refused(const Matgo& game, const Stated& stated) {
  try {
    static_cast<void>(game.compose(stated));
    return false;
  } catch (const std::invalid_argument&) {
    return true;
  }
}

TEST(matgo_stated_positions_go_on_as_the_played_ones) {
  for (const MatgoSettings& settings : {MatgoSettings{}, hangame(), kflower()}) {
    const Matgo game(settings);
    Rng rng(5);
    int composed = 0;
    walk(game, 40, [&](const State& state) {
      if (!is_between_choices(state)) return;
      const int viewer = state.mover;
      const State stated = game.compose(describe(state, viewer));
      ++composed;
      CHECK(stated.stated_by == 1 + viewer && game.is_sound(stated));
      Actions own;
      Actions played;
      game.legal(stated, viewer, own);
      game.legal(state, viewer, played);
      CHECK(own == played);
      State dealt = game.redeal(stated, viewer, rng);
      CHECK(game.is_sound(dealt) && game.seen(dealt, viewer) == game.seen(stated, viewer));
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
  const Stated right = describe(state, state.mover);
  CHECK(!is_refused(game, right));
  const auto refuses = [&](auto change) {
    Stated wrong = right;
    change(wrong);
    return is_refused(game, wrong);
  };
  CHECK(refuses([](Stated& s) { s.viewer = 2; }));
  CHECK(refuses([](Stated& s) { s.mover = -1; }));
  CHECK(refuses([](Stated& s) { s.phase = Matgo::kMatchHand; }));
  CHECK(refuses([](Stated& s) { s.phase = 99; }));
  CHECK(refuses([](Stated& s) { s.phase = Matgo::kPresident; }));
  CHECK(refuses([](Stated& s) { s.gukjin = 3; }));
  CHECK(refuses([](Stated& s) { s.carry = 0; }));
  CHECK(refuses([](Stated& s) { s.floor |= matgo::bit(60); }));
  CHECK(refuses([](Stated& s) { s.stock.push_back(64); }));
  CHECK(refuses([](Stated& s) { s.stock.pop_back(); }));
  CHECK(refuses([](Stated& s) { s.stock.assign(40, 1); }));
  CHECK(refuses([](Stated& s) { s.hand[0] = 0; }));
  CHECK(refuses([](Stated& s) { s.turns[0] = 11; }));
  CHECK(refuses([](Stated& s) { s.ppuks[1] = 300; }));
  CHECK(refuses([](Stated& s) { s.shaken[1] = 1 << 12; }));
  CHECK(refuses([](Stated& s) { s.funds[0] = -1; }));
}

}  // namespace
