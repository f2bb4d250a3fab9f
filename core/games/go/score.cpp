#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "games/go/go.hpp"

// What a position is worth.
namespace tengen {

using go::Point;

int Go::white_komi(const State& state) const {
  const int stones = state.handicap > 1 ? state.handicap : 0;
  int handicap = 0;
  if (state.rules.bonus == go::kBonusN) handicap = stones;
  if (state.rules.bonus == go::kBonusNMinusOne) handicap = std::max(stones - 1, 0);
  return state.rules.komi + state.bonus + 2 * handicap;
}

int Go::score(const State& state, const go::PointSet& dead, go::Area& area) const {
  const go::RuleSet& rules = state.rules;
  go::Grid grid = state.board.grid;
  for (int i = 0; i < this->area(); ++i) {
    const Point p = point(i);
    if (dead.contains(p)) grid.colors[go::Board::index(p)] = go::kEmpty;
  }
  int regions = 0;
  const bool is_territory = rules.scoring == go::kTerritoryScoring;
  if (is_territory || rules.tax != go::kNoTax) {
    go::independent_life_area(grid, is_territory && rules.tax == go::kNoTax, !is_territory, rules.suicide != 0, area,
                              regions);
  } else if (rules.friendly_pass != 0) {
    go::area(grid, true, true, true, rules.suicide != 0, area);
  } else {
    go::tromp_taylor_area(grid, area);
  }
  if (is_territory) {
    // Stones that still stand where they stood when the second clean-up began count for themselves.
    for (int i = 0; i < this->area(); ++i) {
      const Point p = point(i);
      const auto at = go::Board::index(p);
      if (area[at] != go::kEmpty || grid.at(p) == go::kEmpty) continue;
      if (state.phase < 2 || state.second_start.at(p) == grid.at(p)) area[at] = grid.at(p);
    }
  }
  int board = go::white_minus_black(area);
  if (rules.tax == go::kAllTax) board -= 2 * regions;
  const int button = state.has_button == 0 ? 0 : (state.player == 1 ? 1 : -1);
  return 2 * board + white_komi(state) + button;
}

void Go::payoff(const State& state, std::span<double> out) const {
  assert(actor(state) == kNobody);
  out[1] = static_cast<double>(context_.white_no_result);
  out[0] = -out[1];
  if (state.ended == go::kNoResult) return;
  go::Area owners;
  const int white = score(state, owners);
  const double draw = 2.0 * static_cast<double>(context_.white_draw_equivalent) - 1.0;
  const double white_wins = white > 0 ? 1.0 : (white < 0 ? -1.0 : draw);
  const double jitter = state.rules.result_is_integer() ? 0.5 * draw : 0.0;
  const double black_points = -(0.5 * white + jitter);
  const auto utility = [&](double center, double scale) {
    return 2.0 / std::numbers::pi * std::atan((black_points - center) / (scale * std::sqrt(area())));
  };
  out[0] = -static_cast<double>(context_.win_factor) * white_wins;
  if (context_.static_factor != 0.0F) out[0] += static_cast<double>(context_.static_factor) * utility(0.0, 2.0);
  if (context_.dynamic_factor != 0.0F) {
    out[0] += static_cast<double>(context_.dynamic_factor) *
              utility(static_cast<double>(context_.center), static_cast<double>(context_.scale));
  }
  out[1] = -out[0];
}

void Go::final_aux(const State& state, std::span<float> out) const {
  assert(actor(state) == kNobody);
  go::Area owners;
  const int white = score(state, owners);
  const bool is_scored = state.ended != go::kNoResult;
  const float points = is_scored ? -0.5F * static_cast<float>(white) / static_cast<float>(area()) : 0.0F;
  out[0] = !is_scored || white == 0 ? 0.0F : (white < 0 ? 1.0F : -1.0F);
  out[1] = is_scored ? 0.0F : 1.0F;
  out[2] = points;
  out[3] = points * points;
  out[4] = points;
  for (int i = 0; i < area(); ++i) {
    const go::Color owner = owners[go::Board::index(point(i))];
    const float sign = owner == go::kBlack ? 1.0F : (owner == go::kWhite ? -1.0F : 0.0F);
    out[static_cast<std::size_t>(kScalars + i)] = is_scored ? sign : 0.0F;
  }
}

}  // namespace tengen
