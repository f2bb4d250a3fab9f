#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "game.hpp"
#include "games/go/area.hpp"
#include "games/go/context.hpp"
#include "games/go/state.hpp"

namespace tengen {

// Go on boards of 2x2 to 19x19. Seat 0 is Black. Actions: the cells row by row from the top left, then the pass.
class Go {
 public:
  using State = go::State;
  using Context = go::Context;
  static constexpr int kSpatialPlanes = 22;
  static constexpr int kGlobals = 19;
  static constexpr int kScalars = 5;  // aux before the ownership of the cells
  static constexpr Facts kFacts{};

  // Throws std::invalid_argument for sides that are not 2 … 19.
  Go(int width, int height, const go::RuleSet& rules = {});

  int width() const { return width_; }
  int height() const { return height_; }
  int area() const { return width_ * height_; }
  Action pass() const { return area(); }
  const go::RuleSet& rules() const { return rules_; }
  const Context& context() const { return context_; }
  Go with_context(const Context& context) const {
    Go game = *this;
    game.context_ = context;
    return game;
  }

  constexpr Facts facts() const { return kFacts; }
  int action_count() const { return area() + 1; }
  // The planes and then the global numbers of KataGo's inputs version 7, the latter the same in every cell; what is the
  // mover's there is the viewer's here. To a viewer who is not to move no moves are shown.
  Shape shape() const { return {kSpatialPlanes + kGlobals, height_, width_}; }
  constexpr double payoff_scale() const { return 1.0; }
  // Win minus loss, no result, score over area and its square, lead over area, then the owner of each cell: +1 Black.
  int aux_count() const { return kScalars + area(); }

  State start(Rng&) const { return start_from(rules_, go::Grid(width_, height_), 0); }
  // The phase is 0, or 1 or 2 for a clean-up of territory scoring.
  State start_from(const go::RuleSet& rules, const go::Grid& stones, int player, int phase = 0) const;

  int actor(const State& state) const { return state.ended >= go::kScored ? kNobody : state.player; }
  void legal(const State& state, int player, Actions& out) const;
  bool is_legal(const State& state, Action action) const;
  void apply(State& state, Action action) const { advance(state, action, false); }
  Action random_action(const State& state, int player, Rng& rng) const;

  void payoff(const State& state, std::span<double> out) const;
  void final_aux(const State& state, std::span<float> out) const;
  void encode(const State& state, int viewer, std::span<float> out) const;
  std::uint64_t key(const State& state) const;
  // What decides how the game goes on: the position and its past, and whether a search holds it open.
  std::uint64_t rules_key(const State& state) const;
  // Stones, player and ko alone.
  std::uint64_t board_key(const State& state) const;

  // Symmetry s flips up and down (s & 1), left and right (s & 2), then the axes (s & 4; square boards only).
  int symmetry_count() const { return width_ == height_ ? 8 : 4; }
  State transform(const State& state, int symmetry) const;
  Action transform_action(Action action, int symmetry) const;
  int transform_feature(int feature, int symmetry) const;

  // Replays a move of either color, whatever the ko; after the end too. A player who moves twice in a row starts anew
  // from the position. False and no change: the point is taken, or the stone would take only itself.
  bool replay(State& state, int player, Action action) const;
  // A position of a search that began at `root_ply`. Passes that end the game that is played may not end what a search
  // looks at, and its root is never over: the question is how it stands.
  State in_search(const State& state, int root_ply, bool conservative_pass = false) const;

  // White minus Black in half points, bonuses and komi included, if the game ended here without the dead stones.
  int score(const State& state, const go::PointSet& dead, go::Area& area) const;
  int score(const State& state, go::Area& area) const { return score(state, {}, area); }

  // Empty places that a ko rule forbids the player to move, now.
  go::PointSet banned(const State& state) const;
  bool pass_would_end_phase(const State& state) const;
  bool pass_would_end_game(const State& state) const;
  // Half points for White, on top of what is on the board.
  int white_komi(const State& state) const;

  go::Point point(int cell) const { return points_[static_cast<std::size_t>(cell)]; }
  int cell(go::Point p) const { return cells_[static_cast<std::size_t>(p)]; }
  go::Grid grid_of(const go::Stones& stones) const;

 private:
  const go::Frame& frame(const State& state) const { return frames_[state.board.transformed]; }
  void begin(State& state, int player, int phase) const;
  void advance(State& state, Action action, bool is_replay) const;
  bool end_by_pass(State& state) const;
  void play_stone(State& state, go::Point p) const;
  void remember(State& state, Action action) const;
  void end_phase(State& state, bool hold_open) const;

  bool is_legal_point(const State& state, go::Point p) const;
  bool is_superko(const State& state, go::Point p, const go::Probe& probe) const;
  go::Point blocked_by_ko(const State& state, go::Point p) const;
  std::uint64_t situation(const State& state) const;
  std::uint64_t situation(const State& state, std::uint64_t stones, int player) const;
  std::uint64_t ko_capture_hash(const State& state, go::Point p) const;
  bool is_suppressed_friendly(const State& state) const;
  bool holds_open(const State& state) const;
  bool is_root(const State& state) const { return state.root_ply >= 0 && state.ply == state.root_ply; }
  bool is_repeated_pass(const State& state) const;
  bool ends_by_repeated_pass(const State& state) const;
  int passes_after_pass(const State& state) const;

  struct View;
  View view(const State& state) const;
  int transform_cell(int cell, int symmetry) const;

  int width_;
  int height_;
  go::RuleSet rules_;
  Context context_;
  std::array<go::Point, go::kMaxPoints> points_{};
  std::array<std::int16_t, go::kGridSize> cells_{};
  // By symmetry: a transformed state's places in the frame of its hashes.
  std::array<go::Frame, 8> frames_{};
  std::array<std::array<std::uint8_t, 8>, 8> composed_{};
};

static_assert(Game<Go> && HasAux<Go> && HasRandomAction<Go> && HasSymmetries<Go> && HasContext<Go>);

}  // namespace tengen
