#include <stdexcept>
#include <string>

#include "games/go/go.hpp"

// Turned and mirrored boards, and the tables that playing on a board needs.
namespace tengen {

using go::Point;

Go::Go(int width, int height, const go::RuleSet& rules) : width_(width), height_(height), rules_(rules) {
  if (width < 2 || width > go::kMaxSide || height < 2 || height > go::kMaxSide) {
    throw std::invalid_argument("no board of " + std::to_string(width) + "x" + std::to_string(height) +
                                ": both sides are 2 to " + std::to_string(go::kMaxSide));
  }
  const go::Grid grid(width, height);
  for (int i = 0; i < area(); ++i) {
    points_[static_cast<std::size_t>(i)] = grid.point(i);
    cells_[go::Board::index(grid.point(i))] = static_cast<std::int16_t>(i);
  }
  for (int s = 0; s < symmetry_count(); ++s) {
    auto& frame = frames_[static_cast<std::size_t>(s)];
    for (int i = 0; i < area(); ++i) frame[go::Board::index(point(transform_cell(i, s)))] = point(i);
    for (int first = 0; first < symmetry_count(); ++first) {
      int whole = 0;
      const auto is_same = [&](int i) {
        return transform_cell(transform_cell(i, first), s) == transform_cell(i, whole);
      };
      // Two neighboring corners tell the symmetries apart.
      while (!is_same(0) || !is_same(width_ - 1)) ++whole;
      composed_[static_cast<std::size_t>(first)][static_cast<std::size_t>(s)] = static_cast<std::uint8_t>(whole);
    }
  }
}

int Go::transform_cell(int cell, int symmetry) const { return go::transform_cell(cell, width_, height_, symmetry); }

Action Go::transform_action(Action action, int symmetry) const {
  return action == pass() ? action : transform_cell(action, symmetry);
}

int Go::transform_feature(int feature, int symmetry) const {
  return feature / area() * area() + transform_cell(feature % area(), symmetry);
}

go::Grid Go::grid_of(const go::Stones& stones) const {
  go::Grid grid(width_, height_);
  for (int i = 0; i < area(); ++i) grid.colors[go::Board::index(point(i))] = stones.at(point(i));
  return grid;
}

Go::State Go::transform(const State& state, int symmetry) const {
  State transformed = state;
  const auto& back = frames_[static_cast<std::size_t>(symmetry)];
  const auto transform_set = [&](const go::PointSet& places) {
    go::PointSet found;
    for (int i = 0; i < area(); ++i) {
      if (places.contains(back[go::Board::index(point(i))])) found.insert(point(i));
    }
    return found;
  };
  const auto transform_stones = [&](const go::Stones& stones) {
    return go::Stones{{transform_set(stones.of[0]), transform_set(stones.of[1])}};
  };
  const auto transform_point = [&](Point p) {
    return p == go::kNoPoint ? p : point(transform_cell(cell(p), symmetry));
  };
  const std::uint8_t whole = composed_[state.board.transformed][static_cast<std::size_t>(symmetry)];
  transformed.board = go::Board(grid_of(transform_stones(state.board.stones)), frames_[whole]);
  transformed.board.transformed = whole;
  transformed.board.ever = transform_set(state.board.ever);
  transformed.board.ko = transform_point(state.board.ko);
  transformed.board.captured = state.board.captured;
  transformed.before = {transform_stones(state.before[0]), transform_stones(state.before[1])};
  transformed.before_ko = {transform_point(state.before_ko[0]), transform_point(state.before_ko[1])};
  transformed.second_start = transform_stones(state.second_start);
  transformed.blocked = transform_set(state.blocked);
  for (auto& action : transformed.recent) {
    if (action >= 0) action = static_cast<std::int16_t>(transform_action(action, symmetry));
  }
  return transformed;
}

}  // namespace tengen
