#include <map>
#include <string_view>

#include "check.hpp"
#include "games/pyrga/pyrga.hpp"
#include "playing.hpp"

using namespace tengen;
using namespace tengen::check;

namespace {

constexpr int kUp = 0;
constexpr int kRight = 1;
constexpr int kDown = 2;
constexpr int kLeft = 3;

constexpr Action square(int cell) { return cell; }
constexpr Action circle(int cell) { return 16 + cell; }
constexpr Action arrow(int cell, int direction) { return 32 + 4 * cell + direction; }

Actions legal_in(const Pyrga& game, const Pyrga::State& state) {
  Actions actions;
  game.legal(state, game.actor(state), actions);
  return actions;
}

Pyrga::State after(const Pyrga& game, const Actions& actions) {
  Rng rng;
  auto state = game.start(rng);
  for (const Action action : actions) {
    const Actions legal = legal_in(game, state);
    CHECK(std::binary_search(legal.begin(), legal.end(), action));
    game.apply(state, action);
  }
  return state;
}

// The rules once more, written to be plain instead of fast: cells hold lists of pieces.
class PlainPyrga {
 public:
  explicit PlainPyrga(PyrgaSettings settings) : settings_(settings) {}

  Actions legal() const {
    Actions actions = placements([this](int cell) { return is_candidate(cell); });
    if (actions.empty()) actions = placements([this](int cell) { return cells_[index(cell)].empty(); });
    return actions;
  }

  void play(Action action) {
    const Piece piece = piece_of(action);
    const int player = static_cast<int>(history_.size()) % 2;
    cells_[index(piece.cell)].push_back({player, piece.kind});
    --reserve_[index(player)][index(piece.kind)];
    history_.push_back(piece);
  }

  double first_payoff() const {
    for (std::size_t size = 3; size >= 1; --size) {
      int margin = 0;
      for (const auto& cell : cells_) {
        if (cell.size() != size) continue;
        int balance = 0;
        for (const auto& [player, kind] : cell) balance += player == 0 ? 1 : -1;
        margin += balance > 0 ? 1 : (balance < 0 ? -1 : 0);
      }
      if (margin != 0) return margin > 0 ? 1.0 : -1.0;
      if (!settings_.tie_break) return 0.0;
    }
    return -1.0;
  }

 private:
  struct Piece {
    int kind;
    int cell;
    int direction;
  };

  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  static Piece piece_of(Action action) {
    if (action < 32) return {action / 16, action % 16, 0};
    return {2, (action - 32) / 4, (action - 32) % 4};
  }

  static bool points_at(const Piece& from, int cell) {
    const int rows = cell / 4 - from.cell / 4;
    const int columns = cell % 4 - from.cell % 4;
    if (from.kind == 0) return std::abs(rows) + std::abs(columns) == 1;
    if (from.kind == 1) return rows == 0 && columns == 0;
    switch (from.direction) {
      case kUp:
        return columns == 0 && rows < 0;
      case kRight:
        return rows == 0 && columns > 0;
      case kDown:
        return columns == 0 && rows > 0;
      default:
        return rows == 0 && columns < 0;
    }
  }

  bool is_candidate(int cell) const { return history_.empty() || points_at(history_.back(), cell); }

  bool is_allowed(const Piece& piece) const {
    const int player = static_cast<int>(history_.size()) % 2;
    if (reserve_[index(player)][index(piece.kind)] == 0) return false;
    for (const auto& [owner, kind] : cells_[index(piece.cell)]) {
      if (kind == piece.kind) return false;
    }
    if (settings_.second_square_ban && history_.size() == 2 && history_[0].kind == 0 && piece.kind == 0) return false;
    if (!settings_.arrows_stay_on_board || piece.kind != 2) return true;
    for (int cell = 0; cell < 16; ++cell) {
      if (points_at(piece, cell)) return true;
    }
    return false;
  }

  template <class Where>
  Actions placements(Where where) const {
    Actions actions;
    for (Action action = 0; action < Pyrga::kActions; ++action) {
      const Piece piece = piece_of(action);
      if (where(piece.cell) && is_allowed(piece)) actions.push_back(action);
    }
    return actions;
  }

  PyrgaSettings settings_;
  std::array<std::vector<std::pair<int, int>>, 16> cells_;
  std::array<std::array<int, 3>, 2> reserve_{{{5, 5, 5}, {5, 5, 5}}};
  std::vector<Piece> history_;
};

std::vector<PyrgaSettings> all_settings() {
  std::vector<PyrgaSettings> all;
  for (const bool stay : {false, true}) {
    for (const bool ban : {false, true}) {
      for (const bool ties : {false, true}) all.push_back({stay, ban, ties});
    }
  }
  return all;
}

double first_payoff(const Pyrga& game, const Pyrga::State& state) {
  std::array<double, 2> payoffs{};
  game.payoff(state, payoffs);
  return payoffs[0];
}

}  // namespace

TEST(pyrga_perft) {
  const Pyrga game;
  Rng rng;
  const auto state = game.start(rng);
  CHECK(perft(game, state, 1) == 96);
  CHECK(perft(game, state, 2) == 2384);
  CHECK(perft(game, state, 3) == 54752);
}

TEST(pyrga_agrees_with_the_plain_rules) {
  for (const PyrgaSettings& settings : all_settings()) {
    const Pyrga game(settings);
    Rng rng(11);
    std::map<double, int> results;
    for (int i = 0; i < 150; ++i) {
      auto state = game.start(rng);
      PlainPyrga plain(settings);
      for (;;) {
        const Actions expected = plain.legal();
        if (!CHECK((game.actor(state) == kNobody) == expected.empty())) return;
        if (expected.empty()) break;
        if (!CHECK(legal_in(game, state) == expected)) return;
        const Action action = game.random_action(state, game.actor(state), rng);
        game.apply(state, action);
        plain.play(action);
      }
      CHECK(first_payoff(game, state) == plain.first_payoff());
      ++results[first_payoff(game, state)];
    }
    CHECK(results.size() == (settings.tie_break ? 2 : 3));
  }
}

TEST(pyrga_constraints) {
  const Pyrga game;
  // A circle: the same cell, which then lacks only a square and an arrow.
  CHECK(legal_in(game, after(game, {circle(5)})) ==
        Actions({square(5), arrow(5, kUp), arrow(5, kRight), arrow(5, kDown), arrow(5, kLeft)}));
  // A square in the corner: its two neighbors.
  CHECK(legal_in(game, after(game, {square(0)})).size() == 2 * 6);
  // An arrow: its ray up to the edge.
  CHECK(legal_in(game, after(game, {arrow(4, kRight)})).size() == 3 * 6);
  // An arrow off the board: every empty cell.
  CHECK(legal_in(game, after(game, {arrow(0, kUp)})).size() == 15 * 6);
  // A full cell takes nothing, so its circle leads to the fallback, which leaves out cells in use.
  const auto fallback = after(game, {square(1), arrow(0, kRight), circle(1), arrow(1, kLeft), circle(0), square(0),
                                     square(4), arrow(8, kUp), circle(4), arrow(4, kUp)});
  CHECK(legal_in(game, fallback).size() == 12 * 6);
}

TEST(pyrga_house_rules) {
  const Pyrga inward({.arrows_stay_on_board = true});
  Rng rng;
  CHECK(perft(inward, inward.start(rng), 1) == 96 - 16);
  const Pyrga ban({.second_square_ban = true});
  const Actions banned = legal_in(ban, after(ban, {square(5), circle(6)}));
  CHECK(banned == Actions({arrow(6, kUp), arrow(6, kRight), arrow(6, kDown), arrow(6, kLeft)}));
  CHECK(legal_in(ban, after(ban, {square(5)})).size() == 4 * 6);
  CHECK(legal_in(ban, after(ban, {circle(5), square(5)})).front() == square(1));
  CHECK(legal_in(ban, after(ban, {square(5), circle(6), arrow(6, kUp), circle(2)})).front() == square(2));
}

TEST(pyrga_along_random_play) {
  for (const PyrgaSettings& settings : all_settings()) {
    const Pyrga game(settings);
    Rng rng(7);
    walk(game, 12, [&](const Pyrga::State& state) {
      check_state(game, state);
      check_heuristic(game, state);
      check_symmetries(game, state);
      if (game.actor(state) != kNobody) check_random_action(game, state, rng, 300);
    });
  }
}

TEST(pyrga_keys_tell_states_apart) {
  const Pyrga game;
  std::map<std::uint64_t, Pyrga::State> seen;
  walk(game, 500, [&](const Pyrga::State& state) {
    const auto [entry, fresh] = seen.try_emplace(game.key(state), state);
    CHECK(entry->second == state);
  });
  CHECK(seen.size() > 10000);
}

TEST(pyrga_towers_and_aux) {
  const Pyrga game;
  // Both cells become towers: a1 by the first player (circle, square against arrow), b1 by the second.
  const auto state = after(game, {circle(0), arrow(0, kRight), circle(1), square(1)});
  std::array<float, 16> owners{};
  game.final_aux(state, owners);
  CHECK(std::all_of(owners.begin(), owners.end(), [](float owner) { return owner == 0.0F; }));
  const auto later = after(game, {circle(0), arrow(0, kRight), circle(1), square(1), square(0), arrow(1, kLeft)});
  game.final_aux(later, owners);
  CHECK(owners[0] == 1.0F && owners[1] == -1.0F);
  CHECK(std::accumulate(owners.begin(), owners.end(), 0.0F) == 0.0F);
  walk(game, 50, [&](const Pyrga::State& final_state) {
    if (game.actor(final_state) != kNobody) return;
    game.final_aux(final_state, owners);
    const float margin = std::accumulate(owners.begin(), owners.end(), 0.0F);
    const double result = first_payoff(game, final_state);
    CHECK(margin == 0.0F ? result == 0.0 : (margin > 0.0F) == (result > 0.0));
  });
}

TEST(pyrga_planes) {
  const Pyrga game;
  const auto state = after(game, {arrow(5, kRight), circle(6)});
  const auto first = encoded(game, state, 0);
  const auto second = encoded(game, state, 1);
  const auto at = [](int plane, int cell) { return static_cast<std::size_t>(16 * plane + cell); };
  CHECK(first[at(2, 5)] == 1.0F && first[at(4, 6)] == 1.0F);
  CHECK(second[at(5, 5)] == 1.0F && second[at(1, 6)] == 1.0F);
  CHECK(first[at(7, 5)] == 1.0F && second[at(7, 5)] == 1.0F && first[at(6, 5)] == 0.0F);
  CHECK(first[at(10, 0)] == 1.0F && first[at(12, 3)] == 0.8F && first[at(14, 9)] == 0.8F);
  CHECK(first[at(16, 6)] == 1.0F && first[at(16, 5)] == 0.0F && first[at(17, 6)] == 1.0F);
  CHECK(first[at(18, 0)] == 1.0F && second[at(18, 0)] == 0.0F);
  CHECK(first[at(19, 6)] == 1.0F && first[at(19, 5)] == 0.0F);
}
