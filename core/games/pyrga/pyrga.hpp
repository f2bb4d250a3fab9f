#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <span>
#include <tuple>

#include "game.hpp"

namespace tengen {

// The house rules, off by default.
struct PyrgaSettings {
  bool arrows_stay_on_board = false;  // an arrow may not point off the board
  bool second_square_ban = false;     // who opened with a square may not place a square on the next move
  bool tie_break = false;             // equal towers: cells of two, then of one, by majority; else the second player
};

// Pyrga: players place squares, circles and arrows on a 4x4 board, each piece saying where the next one may go. A cell
// takes one piece of each kind; a cell with all three is a tower of whoever has more pieces in it.
//
// Cells are row-major from the top left; a set of cells is 16 bits. Actions: 0-15 square, 16-31 circle on that cell,
// 32-95 arrow, 32 + 4 * cell + direction (0 up, 1 right, 2 down, 3 left).
class Pyrga {
 public:
  static constexpr int kCells = 16;
  static constexpr int kActions = 96;
  static constexpr int kReserve = 5;  // of each kind and player
  static constexpr int kPlanes = 20;
  static constexpr Facts kFacts{};

  enum Kind : std::uint8_t { kSquare, kCircle, kArrow, kKinds };

  struct State {
    std::array<std::array<std::uint16_t, kKinds>, 2> pieces{};  // by owner and kind
    // The cells that take a piece of each kind from the player to move. All empty: the game is over.
    std::array<std::uint16_t, kKinds> open{0xffff, 0xffff, 0xffff};
    std::int8_t last = -1;  // the action just played
    std::uint8_t ply = 0;
    std::uint32_t directions = 0;  // two bits a cell; 0 where no arrow lies

    friend bool operator==(const State&, const State&) = default;
  };

  // One bit an action: 0-31 in the first word, 32-95 in the second.
  struct ActionSet {
    std::uint32_t solids = 0;
    std::uint64_t arrows = 0;
  };

  using Settings = PyrgaSettings;
  static constexpr std::tuple kSettings{Setting{"arrows_stay_on_board", &Settings::arrows_stay_on_board},
                                        Setting{"second_square_ban", &Settings::second_square_ban},
                                        Setting{"tie_break", &Settings::tie_break}};

  explicit Pyrga(PyrgaSettings settings = {}) : settings_(settings) {}

  const PyrgaSettings& settings() const { return settings_; }
  constexpr Facts facts() const { return kFacts; }
  constexpr int action_count() const { return kActions; }
  // Planes:
  //   0-2    the viewer's squares, circles, arrows
  //   3-5    the opponent's
  //   6-9    an arrow (anyone's) that points up, right, down, left
  //   10-12  the viewer's squares, circles, arrows in reserve, over 5; the same in every cell
  //   13-15  the opponent's
  //   16     the cells that the last piece points to (all of them before the first)
  //   17     the cells that take a piece now, with the fallback and the reserves taken into account
  //   18     all ones when the viewer is to move
  //   19     the cell of the last piece
  constexpr Shape shape() const { return {kPlanes, 4, 4}; }
  constexpr double payoff_scale() const { return 1.0; }
  // The owner of the tower on each cell: +1 seat 0, -1 seat 1, 0 nobody.
  constexpr int aux_count() const { return kCells; }

  State start(Rng&) const { return {}; }

  int actor(const State& state) const {
    return (state.open[kSquare] | state.open[kCircle] | state.open[kArrow]) == 0 ? kNobody : state.ply & 1;
  }

  void legal(const State& state, int player, Actions& out) const {
    assert(player == actor(state));
    static_cast<void>(player);
    const ActionSet set = actions(state);
    out.clear();
    for (std::uint32_t bits = set.solids; bits != 0; bits &= bits - 1) out.push_back(std::countr_zero(bits));
    for (std::uint64_t bits = set.arrows; bits != 0; bits &= bits - 1) out.push_back(32 + std::countr_zero(bits));
  }

  void apply(State& state, Action action) const {
    assert(action >= 0 && action < kActions);
    const Placement placement = kPlacements[static_cast<std::size_t>(action)];
    assert((state.open[placement.kind] & placement.cell) != 0);
    auto& board = state.pieces[state.ply & 1U][placement.kind];
    board = static_cast<std::uint16_t>(board | placement.cell);
    state.directions |= placement.direction;
    state.last = static_cast<std::int8_t>(action);
    ++state.ply;
    open_cells(state);
  }

  Action random_action(const State& state, int, Rng& rng) const {
    const ActionSet set = actions(state);
    const int solids = std::popcount(set.solids);
    int index = static_cast<int>(rng.below(static_cast<std::uint32_t>(solids + std::popcount(set.arrows))));
    if (index < solids) {
      std::uint32_t bits = set.solids;
      while (index-- > 0) bits &= bits - 1;
      return std::countr_zero(bits);
    }
    index -= solids;
    std::uint64_t bits = set.arrows;
    while (index-- > 0) bits &= bits - 1;
    return 32 + std::countr_zero(bits);
  }

  void payoff(const State& state, std::span<double> out) const;
  void encode(const State& state, int viewer, std::span<float> out) const;
  void heuristic(const State& state, std::span<double> out) const;
  void final_aux(const State& state, std::span<float> out) const;
  std::uint64_t key(const State& state) const;

  // Symmetry s mirrors left and right when s >= 4, then turns s % 4 quarters clockwise.
  constexpr int symmetry_count() const { return 8; }
  State transform(const State& state, int symmetry) const;
  Action transform_action(Action action, int symmetry) const;
  int transform_feature(int feature, int symmetry) const;

 private:
  struct Placement {
    std::uint32_t direction;  // as in State::directions
    std::uint16_t cell;       // one bit
    std::uint16_t next;       // the cells that the piece points to
    Kind kind;
  };

  static constexpr std::array<Placement, kActions> kPlacements = [] {
    constexpr std::array<int, 4> kRowStep{-1, 0, 1, 0};
    constexpr std::array<int, 4> kColumnStep{0, 1, 0, -1};
    std::array<Placement, kActions> all{};
    for (int cell = 0; cell < kCells; ++cell) {
      const auto bit = static_cast<std::uint16_t>(1U << cell);
      std::uint16_t neighbors = 0;
      for (std::size_t direction = 0; direction < 4; ++direction) {
        std::uint16_t ray = 0;
        int row = cell / 4 + kRowStep[direction];
        int column = cell % 4 + kColumnStep[direction];
        for (bool first = true; row >= 0 && row < 4 && column >= 0 && column < 4; first = false) {
          const auto next = static_cast<std::uint16_t>(1U << (4 * row + column));
          ray = static_cast<std::uint16_t>(ray | next);
          if (first) neighbors = static_cast<std::uint16_t>(neighbors | next);
          row += kRowStep[direction];
          column += kColumnStep[direction];
        }
        all[32 + 4 * static_cast<std::size_t>(cell) + direction] = {static_cast<std::uint32_t>(direction) << (2 * cell),
                                                                    bit, ray, kArrow};
      }
      all[static_cast<std::size_t>(cell)] = {0, bit, neighbors, kSquare};
      all[16 + static_cast<std::size_t>(cell)] = {0, bit, bit, kCircle};
    }
    return all;
  }();

  // The arrow actions that stay on the board, as in ActionSet::arrows.
  static constexpr std::uint64_t kInward = [] {
    std::uint64_t inward = 0;
    for (std::size_t i = 0; i < 64; ++i) inward |= static_cast<std::uint64_t>(kPlacements[32 + i].next != 0) << i;
    return inward;
  }();

  // Moves bit i to bits 4i … 4i+3.
  static constexpr std::uint64_t spread(std::uint64_t cells) {
    cells = (cells | cells << 24) & 0x000000ff000000ffULL;
    cells = (cells | cells << 12) & 0x000f000f000f000fULL;
    cells = (cells | cells << 6) & 0x0303030303030303ULL;
    cells = (cells | cells << 3) & 0x1111111111111111ULL;
    return cells * 0xf;
  }

  // Every cell that takes an arrow has at least two directions inward, so the house rule never empties a cell's choices
  // and State::open need not know of it.
  ActionSet actions(const State& state) const {
    const std::uint64_t arrows = spread(state.open[kArrow]);
    return {state.open[kSquare] | static_cast<std::uint32_t>(state.open[kCircle]) << 16,
            settings_.arrows_stay_on_board ? arrows & kInward : arrows};
  }

  void open_cells(State& state) const {
    const auto& own = state.pieces[state.ply & 1U];
    const auto& other = state.pieces[1U - (state.ply & 1U)];
    const std::uint32_t candidates = kPlacements[static_cast<std::size_t>(state.last)].next;
    const bool square_banned = settings_.second_square_ban && state.ply == 2 && own[kSquare] != 0;
    std::uint32_t occupied = 0;
    std::uint32_t any = 0;
    std::array<bool, kKinds> has{};
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      has[kind] = std::popcount(own[kind]) < kReserve && !(kind == kSquare && square_banned);
      const std::uint32_t taken = own[kind] | static_cast<std::uint32_t>(other[kind]);
      occupied |= taken;
      const std::uint32_t open = has[kind] ? candidates & ~taken : 0;
      state.open[kind] = static_cast<std::uint16_t>(open);
      any |= open;
    }
    if (any != 0) return;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
      state.open[kind] = has[kind] ? static_cast<std::uint16_t>(~occupied) : std::uint16_t{0};
    }
  }

  PyrgaSettings settings_;
};

static_assert(Game<Pyrga> && HasAux<Pyrga> && HasHeuristic<Pyrga> && HasRandomAction<Pyrga> && HasSymmetries<Pyrga>);

}  // namespace tengen
