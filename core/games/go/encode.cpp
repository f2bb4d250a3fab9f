#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <vector>

#include "games/go/chains.hpp"
#include "games/go/go.hpp"
#include "games/go/ladder.hpp"

// What a network sees of a position, and the key that tells apart what it sees.
namespace tengen {

using go::Color;
using go::Point;
using go::State;

// How much of the game's end and of its last moves is shown.
struct Go::View {
  bool hides_end = false;  // a pass is shown as if it ended nothing
  int turns = 0;           // moves shown
};

namespace {

constexpr float kKomiMargin = 20.0F;  // komi further beyond the area is all the same to a network

float self_komi(const Go& game, const State& state, int player) {
  const float draw = game.context().white_draw_equivalent - 0.5F;
  const float white =
      0.5F * static_cast<float>(game.white_komi(state)) + (state.rules.result_is_integer() ? draw : 0.0F);
  return player == 1 ? white : -white;
}

// The owners that are shown; `white` is White's minus Black's, with the tax on groups. False: none are shown in this
// phase, because they do not count yet.
bool shown_area(const Go& game, const State& state, const go::Chains& chains, go::Area& area, int& white) {
  const go::RuleSet& rules = state.rules;
  const go::Grid& grid = state.board.grid;
  const bool is_territory = rules.scoring == go::kTerritoryScoring;
  if (is_territory && state.phase < 2) return false;
  int regions = 0;
  if (!is_territory && rules.tax == go::kNoTax) {
    go::area(grid, chains, true, true, true, rules.suicide != 0, area);
  } else {
    go::independent_life_area(grid, is_territory && rules.tax == go::kNoTax, !is_territory, rules.suicide != 0, area,
                              regions);
  }
  for (int i = 0; is_territory && i < game.area(); ++i) {
    const Point p = game.point(i);
    Color& owner = area[go::Board::index(p)];
    if (owner == go::kEmpty && state.second_start.at(p) == grid.at(p)) owner = grid.at(p);
  }
  white = go::white_minus_black(area) - (rules.tax == go::kAllTax ? 2 * regions : 0);
  return true;
}

// A wave of period 2 in komi that rises where a half point turns losses into draws and draws into wins.
float komi_wave(float komi, int area) {
  const float drawable = area % 2 == 0 ? 0.0F : 1.0F;
  const float floor = std::floor((komi - drawable) / 2.0F) * 2.0F + drawable;
  const float above = std::clamp(komi - floor, 0.0F, 2.0F);
  if (above < 0.5F) return above;
  return above < 1.5F ? 1.0F - above : above - 2.0F;
}

// Writes one plane after the other.
class Planes {
 public:
  Planes(const Go& game, std::span<float> out) : game_(game), out_(out) { std::fill(out.begin(), out.end(), 0.0F); }

  void mark(int plane, int cell) {
    out_[static_cast<std::size_t>(plane) * static_cast<std::size_t>(game_.area()) + static_cast<std::size_t>(cell)] =
        1.0F;
  }
  void mark(int plane, Point p) { mark(plane, game_.cell(p)); }
  void mark_if(int plane, const go::PointSet& places) {
    for (Point p = places.first(); p != go::kNoPoint; p = places.next(p)) mark(plane, p);
  }
  void global(int index, float value) {
    const auto area = static_cast<std::size_t>(game_.area());
    const auto plane = static_cast<std::size_t>(Go::kSpatialPlanes + index);
    std::fill_n(out_.begin() + static_cast<std::ptrdiff_t>(plane * area), area, value);
  }
  void global(int index, bool holds) { global(index, holds ? 1.0F : 0.0F); }

 private:
  const Go& game_;
  std::span<float> out_;
};

void put_stones(Planes& planes, const go::Grid& grid, const go::Chains& chains, Color own) {
  int cell = 0;
  for (const Point p : grid.points()) {
    const Color color = grid.at(p);
    planes.mark(0, cell);
    if (color != go::kEmpty) {
      planes.mark(color == own ? 1 : 2, cell);
      const int liberties = chains.liberties(chains.at(p));
      if (liberties >= 1 && liberties <= 3) planes.mark(2 + liberties, cell);
    }
    ++cell;
  }
}

// Stones of chains that are caught in ladders, by board, as this thread has read them. The boards before a move were
// those of its parents in the search, and to read their ladders again would take most of the time of an encoding.
class CaughtStones {
 public:
  static CaughtStones& of_this_thread() {
    thread_local CaughtStones memory;
    return memory;
  }

  struct Entry {
    go::Stones stones;
    go::PointSet caught;
    Point ko = go::kNoPoint;
    std::uint8_t width = 0;  // 0: nothing is remembered here
    std::uint8_t height = 0;
  };

  // The place for a board; what is there may be of another one.
  Entry& place(const go::Stones& stones, Point ko) {
    auto hash = static_cast<std::uint64_t>(ko);
    for (const go::PointSet& places : stones.of) {
      for (const std::uint64_t word : places.words()) hash = mix64(hash ^ word);
    }
    return entries_[hash % kEntries];
  }
  static bool holds(const Entry& entry, const Go& game, const go::Stones& stones, Point ko) {
    return entry.width == game.width() && entry.height == game.height() && entry.ko == ko && entry.stones == stones;
  }
  void remember(const Go& game, const go::Stones& stones, Point ko, const go::PointSet& caught) {
    place(stones, ko) = {stones, caught, ko, static_cast<std::uint8_t>(game.width()),
                         static_cast<std::uint8_t>(game.height())};
  }

 private:
  static constexpr std::size_t kEntries = 2048;  // 360 kB
  std::vector<Entry> entries_{kEntries};
};

void put_ladders(Planes& planes, const Go& game, const State& state, const go::Chains& chains, Color own, int turns) {
  auto& memory = CaughtStones::of_this_thread();
  const go::Grid& grid = state.board.grid;
  go::LadderReader ladders(grid, chains, state.board.ko);
  go::PointSet caught;
  ladders.each_caught([&](auto stones, auto moves) {
    for (const Point stone : stones) caught.insert(stone);
    if (grid.at(stones.front()) == own) return;
    for (const Point move : moves) planes.mark(17, move);
  });
  memory.remember(game, state.board.stones, state.board.ko, caught);
  planes.mark_if(14, caught);
  for (int i = 0; i < 2; ++i) {
    // Where a move is hidden, the board before it is too: the plane is that of the turn after it.
    if (i < turns) {
      const go::Stones& stones = state.before[static_cast<std::size_t>(i)];
      const Point ko = state.before_ko[static_cast<std::size_t>(i)];
      const auto& entry = memory.place(stones, ko);
      if (CaughtStones::holds(entry, game, stones, ko)) {
        caught = entry.caught;
      } else {
        caught = {};
        ladders.reset(game.grid_of(stones), ko);
        ladders.each_caught([&](auto chain, auto) {
          for (const Point stone : chain) caught.insert(stone);
        });
        memory.remember(game, stones, ko, caught);
      }
    }
    planes.mark_if(15 + i, caught);
  }
}

void put_rules(Planes& planes, const State& state) {
  const go::RuleSet& rules = state.rules;
  planes.global(6, rules.ko != go::kSimpleKo);
  planes.global(7, rules.ko == go::kSimpleKo ? 0.0F : (rules.ko == go::kSituationalKo ? -0.5F : 0.5F));
  planes.global(8, rules.suicide != 0);
  planes.global(9, rules.scoring == go::kTerritoryScoring);
  planes.global(10, rules.tax != go::kNoTax);
  planes.global(11, rules.tax == go::kAllTax);
  planes.global(12, state.phase >= 1);
  planes.global(13, state.phase >= 2);
  planes.global(17, state.has_button != 0);
}

}  // namespace

Go::View Go::view(const State& state) const {
  View view;
  view.turns = go::kShown;
  if (pass_would_end_game(state)) {
    view.hides_end = (state.conservative_pass != 0 && is_root(state)) || is_suppressed_friendly(state);
    if (!view.hides_end && context_.passing_hacks) {
      go::Area area;
      int white = 0;
      const bool is_shown = shown_area(*this, state, go::Chains(state.board.grid), area, white);
      const float own = static_cast<float>(state.player == 1 ? white : -white) + self_komi(*this, state, state.player);
      view.hides_end = is_shown && own <= 0.0F;
    }
  }
  if (view.hides_end) {
    view.turns = 0;
  } else if (state.ended != go::kGoing) {
    view.turns = 1;
  }
  if (context_.ignore_history > 1) {
    view.turns = 0;
  } else if (context_.ignore_history != 0 && state.root_ply >= 0) {
    view.turns = std::min(view.turns, std::max(0, state.ply - state.root_ply));
  }
  view.turns = std::min<int>(view.turns, state.shown);
  return view;
}

void Go::encode(const State& state, int viewer, std::span<float> out) const {
  assert(static_cast<int>(out.size()) == shape().size());
  const Color own = go::color_of(viewer);
  const go::Grid& grid = state.board.grid;
  const View seen = view(state);
  const int turns = viewer == state.player ? seen.turns : 0;
  Planes planes(*this, out);
  const go::Chains chains(grid);
  put_stones(planes, grid, chains, own);
  planes.mark_if(6, banned(state));
  planes.mark_if(7, state.blocked);
  for (int i = 0; i < turns; ++i) {
    const int action = state.recent[static_cast<std::size_t>(i)];
    if (action == pass()) {
      planes.global(i, true);
    } else {
      planes.mark(9 + i, action);
    }
  }
  put_ladders(planes, *this, state, chains, own, turns);
  go::Area owners;
  int white = 0;
  if (shown_area(*this, state, chains, owners, white)) {
    for (int i = 0; i < area(); ++i) {
      const Color owner = owners[go::Board::index(point(i))];
      if (owner != go::kEmpty) planes.mark(owner == own ? 18 : 19, i);
    }
  }
  planes.mark_if(20, state.second_start.of[go::seat_of(own)]);
  planes.mark_if(21, state.second_start.of[go::seat_of(go::opponent(own))]);
  put_rules(planes, state);
  const float limit = static_cast<float>(area()) + kKomiMargin;
  const float komi = std::clamp(self_komi(*this, state, viewer), -limit, limit);
  planes.global(5, komi / 20.0F);
  planes.global(14, !seen.hides_end && pass_would_end_phase(state));
  const float advantage = context_.playout_doubling_advantage;
  planes.global(15, advantage != 0.0F);
  planes.global(16, (viewer == context_.advantage_player ? 0.5F : -0.5F) * advantage + 0.0F);
  if (state.rules.scoring == go::kAreaScoring || state.phase == 2) planes.global(18, komi_wave(komi, area()));
}

std::uint64_t Go::board_key(const State& state) const {
  std::uint64_t hash = static_cast<std::uint64_t>(state.board.ko) << 1 | state.player;
  for (const go::PointSet& places : state.board.stones.of) {
    for (const std::uint64_t word : places.words()) hash = mix64(hash ^ word);
  }
  return hash;
}

std::uint64_t Go::key(const State& state) const {
  std::uint64_t hash = board_key(state);
  const auto add = [&hash](std::uint64_t number) { hash = mix64(hash ^ number); };
  const auto add_set = [&](const go::PointSet& places) {
    for (const std::uint64_t word : places.words()) add(word);
  };
  const auto add_stones = [&](const go::Stones& stones) {
    add_set(stones.of[0]);
    add_set(stones.of[1]);
  };
  const auto pack = [](auto... bytes) {
    std::uint64_t packed = 0;
    ((packed = packed << 8 | static_cast<std::uint8_t>(bytes)), ...);
    return packed;
  };
  const View seen = view(state);
  add_set(banned(state));
  add_set(state.blocked);
  add_stones(state.second_start);
  for (int i = 0; i < std::min(seen.turns, 2); ++i) {
    add_stones(state.before[static_cast<std::size_t>(i)]);
    add(static_cast<std::uint64_t>(state.before_ko[static_cast<std::size_t>(i)]));
  }
  for (int i = 0; i < std::max(seen.turns, 1); ++i) {
    add(static_cast<std::uint64_t>(state.recent[static_cast<std::size_t>(i)] + 1));
  }
  const go::RuleSet& rules = state.rules;
  add(pack(rules.ko, rules.scoring, rules.tax, rules.bonus, rules.suicide, rules.button, rules.friendly_pass,
           rules.prevent_cleanup));
  add(pack(state.phase, state.ended, state.has_button, seen.hides_end, seen.turns, pass_would_end_phase(state)));
  add(static_cast<std::uint64_t>(rules.komi + 0x8000) << 32 | static_cast<std::uint32_t>(white_komi(state)));
  add(static_cast<std::uint64_t>(state.board.captured[0]) << 32 | state.board.captured[1]);
  const auto add_floats = [&](float high, float low) {
    add(static_cast<std::uint64_t>(std::bit_cast<std::uint32_t>(high)) << 32 | std::bit_cast<std::uint32_t>(low));
  };
  add_floats(context_.playout_doubling_advantage, context_.white_draw_equivalent);
  add_floats(context_.static_factor, context_.dynamic_factor);
  add_floats(context_.center, context_.scale);
  add(context_.advantage_player);
  // What is seldom asked for: a plain position keeps its key.
  const Context plain;
  if (context_.win_factor != plain.win_factor || context_.white_no_result != plain.white_no_result) {
    add_floats(context_.win_factor, context_.white_no_result);
  }
  const float optimism = is_root(state) ? context_.root_policy_optimism : context_.policy_optimism;
  if (optimism != plain.policy_optimism || context_.policy_temperature != plain.policy_temperature) {
    add_floats(optimism, context_.policy_temperature);
  }
  if (is_root(state) && context_.root_symmetries != plain.root_symmetries) {
    add(static_cast<std::uint64_t>(context_.root_symmetries));
  }
  return hash;
}

}  // namespace tengen
