#include "games/go/area.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "games/go/chains.hpp"

namespace tengen::go {
namespace {

constexpr std::size_t index(int i) { return static_cast<std::size_t>(i); }

// The maximal sets of connected points that are not of one color, and which chains of that color no opponent can take.
class Benson {
 public:
  Benson(const Grid& grid, const Chains& chains, Color color, bool suicide_legal)
      : grid_(grid), chains_(chains), color_(color), suicide_legal_(suicide_legal) {
    region_.fill(Chains::kNone);
    for (const Point p : grid.points()) {
      // A region without an empty point is no eye, and no game leads to it.
      if (grid.at(p) == kEmpty && region_[index(p)] == Chains::kNone) add_region(p);
      has_stones_ |= grid.at(p) == color;
    }
    find_living();
  }

  void mark(bool safe_big_territories, bool unsafe_big_territories, Area& out) const {
    if (!has_stones_) return;
    for (int chain = 0; chain < chains_.count(); ++chain) {
      if (eyes_[index(chain)] == kDead) continue;
      for (const Point p : chains_.stones(chain)) out[index(p)] = color_;
    }
    for (int i = 0; i < region_count_; ++i) {
      const Region& region = regions_[index(i)];
      const bool is_all_empty = !region.has_opponent;
      const bool is_safe = !region.is_open && (region.inner <= 1 || (safe_big_territories && is_all_empty));
      if (!is_safe && !(unsafe_big_territories && is_all_empty)) continue;
      // What is only fenced off may be the eye space of stones that are dead themselves.
      for (const Point p : points(region)) {
        if (is_safe || out[index(p)] == kEmpty) out[index(p)] = color_;
      }
    }
  }

 private:
  static constexpr int kDead = -1;

  struct Region {
    std::int16_t begin;
    std::int16_t end;
    std::uint8_t inner;  // points that touch no stone of the color: 0, 1, or 2 for more
    bool has_opponent;
    bool is_open;  // it borders a chain that can be taken
    std::uint8_t eye_count;
    std::array<std::int16_t, 4> eye_of;  // the chains that it is an eye of
  };
  // Stones part them.
  static constexpr std::size_t kMaxRegions = (kMaxPoints + 1) / 2;

  std::span<const Point> points(const Region& region) const {
    return {points_.data() + region.begin, points_.data() + region.end};
  }

  void add_region(Point first) {
    const auto id = static_cast<std::int16_t>(region_count_++);
    Region& region = regions_[index(id)];
    region = {};
    region.begin = static_cast<std::int16_t>(point_count_);
    for (const Point p : grid_.neighbors(first)) {
      if (grid_.at(p) != color_) continue;
      const auto chosen = region.eye_of.begin() + region.eye_count;
      if (std::find(region.eye_of.begin(), chosen, chains_.at(p)) == chosen) {
        region.eye_of[region.eye_count++] = chains_.at(p);
      }
    }
    region_[index(first)] = id;
    points_[index(point_count_++)] = first;
    for (int reached = region.begin; reached < point_count_; ++reached) add_point(points_[index(reached)], id);
    region.end = static_cast<std::int16_t>(point_count_);
  }

  void add_point(Point point, std::int16_t id) {
    Region& region = regions_[index(id)];
    bool is_inner = true;
    std::array<std::int16_t, 4> touched{};
    int touched_count = 0;
    for (const Point p : grid_.neighbors(point)) {
      const Color color = grid_.at(p);
      if (color == color_) {
        is_inner = false;
        touched[index(touched_count++)] = chains_.at(p);
      } else if (color != kWall && region_[index(p)] == Chains::kNone) {
        region_[index(p)] = id;
        points_[index(point_count_++)] = p;
      }
    }
    if (is_inner && region.inner < 2) ++region.inner;
    if (grid_.at(point) != kEmpty) {
      region.has_opponent = true;
      if (!suicide_legal_) return;
    }
    const auto is_missed = [&](std::int16_t chain) {
      return std::find(touched.begin(), touched.begin() + touched_count, chain) == touched.begin() + touched_count;
    };
    const auto end = std::remove_if(region.eye_of.begin(), region.eye_of.begin() + region.eye_count, is_missed);
    region.eye_count = static_cast<std::uint8_t>(end - region.eye_of.begin());
  }

  void find_living() {
    for (int chain = 0; chain < chains_.count(); ++chain) {
      eyes_[index(chain)] = grid_.at(chains_.stones(chain)[0]) == color_ ? 0 : kDead;
    }
    for (int i = 0; i < region_count_; ++i) count_eye(regions_[index(i)], 1);
    for (bool changed = true; changed;) {
      changed = false;
      for (int chain = 0; chain < chains_.count(); ++chain) {
        if (eyes_[index(chain)] == kDead || eyes_[index(chain)] >= 2) continue;
        changed = true;
        for (const Point stone : chains_.stones(chain)) open_regions_at(stone);
        eyes_[index(chain)] = kDead;
      }
    }
  }

  void count_eye(const Region& region, int change) {
    for (int i = 0; i < region.eye_count; ++i) {
      int& eyes = eyes_[index(region.eye_of[index(i)])];
      if (eyes != kDead) eyes += change;
    }
  }

  // The stone's chain can be taken: no region that it borders is anyone's eye any more.
  void open_regions_at(Point stone) {
    for (const Point p : grid_.neighbors(stone)) {
      const std::int16_t id = region_[index(p)];
      if (id == Chains::kNone || regions_[index(id)].is_open) continue;
      regions_[index(id)].is_open = true;
      count_eye(regions_[index(id)], -1);
    }
  }

  const Grid& grid_;
  const Chains& chains_;
  const Color color_;
  const bool suicide_legal_;
  bool has_stones_ = false;
  int region_count_ = 0;
  int point_count_ = 0;
  std::array<std::int16_t, kGridSize> region_;  // of each place
  std::array<Region, kMaxRegions> regions_;
  std::array<Point, kMaxPoints> points_;  // region by region
  std::array<int, kMaxPoints> eyes_;      // of each chain; kDead also for the opponent's chains
};

}  // namespace

void area(const Grid& grid, const Chains& chains, bool non_pass_alive_stones, bool safe_big_territories,
          bool unsafe_big_territories, bool multi_stone_suicide_legal, Area& out) {
  out.fill(kEmpty);
  for (const Color color : {kBlack, kWhite}) {
    Benson(grid, chains, color, multi_stone_suicide_legal).mark(safe_big_territories, unsafe_big_territories, out);
  }
  if (!non_pass_alive_stones) return;
  for (const Point p : grid.points()) {
    if (out[index(p)] == kEmpty) out[index(p)] = grid.at(p);
  }
}

namespace {

// Puts `first` and all places that are connected with it and for which take(place) is true into `points`; take must be
// false for a place from then on.
template <class Take>
int flood(const Grid& grid, Point first, std::array<Point, kMaxPoints>& points, Take take) {
  int count = 0;
  if (take(first)) points[index(count++)] = first;
  for (int reached = 0; reached < count; ++reached) {
    for (const Point p : grid.neighbors(points[index(reached)])) {
      if (take(p)) points[index(count++)] = p;
    }
  }
  return count;
}

}  // namespace

void area(const Grid& grid, bool non_pass_alive_stones, bool safe_big_territories, bool unsafe_big_territories,
          bool multi_stone_suicide_legal, Area& out) {
  area(grid, Chains(grid), non_pass_alive_stones, safe_big_territories, unsafe_big_territories,
       multi_stone_suicide_legal, out);
}

void independent_life_area(const Grid& grid, bool keep_territories, bool keep_stones, bool multi_stone_suicide_legal,
                           Area& out, int& white_minus_black) {
  const Chains chains(grid);
  Area owner;
  area(grid, chains, true, true, true, multi_stone_suicide_legal, owner);
  const auto is_dependent = [&](Point point) {
    if (grid.at(point) == owner[index(point)] && chains.liberties(chains.at(point)) == 1) return true;
    const auto around = grid.neighbors(point);
    return std::any_of(around.begin(), around.end(),
                       [&](Point p) { return grid.at(p) == kEmpty && owner[index(p)] == kEmpty; });
  };
  out.fill(kEmpty);
  white_minus_black = 0;
  std::array<bool, kGridSize> seen{};
  std::array<Point, kMaxPoints> group;
  for (const Point first : grid.points()) {
    const Color color = owner[index(first)];
    if (color == kEmpty || seen[index(first)]) continue;
    const int size = flood(grid, first, group,
                           [&](Point p) { return owner[index(p)] == color && !std::exchange(seen[index(p)], true); });
    const std::span points(group.data(), index(size));
    const bool is_seki = std::any_of(points.begin(), points.end(), is_dependent);
    if (!is_seki) white_minus_black += color == kWhite ? 1 : -1;
    for (const Point p : points) {
      const bool keeps = grid.at(p) == color ? keep_stones : keep_territories;
      if (!is_seki || keeps) out[index(p)] = color;
    }
  }
}

void tromp_taylor_area(const Grid& grid, Area& out) {
  out.fill(kEmpty);
  std::array<bool, kGridSize> seen{};
  std::array<Point, kMaxPoints> region;
  for (const Point first : grid.points()) {
    if (grid.at(first) != kEmpty) out[index(first)] = grid.at(first);
    std::array<bool, 4> touches{};
    const int size = flood(grid, first, region, [&](Point p) {
      touches[grid.at(p)] = true;
      return grid.at(p) == kEmpty && !std::exchange(seen[index(p)], true);
    });
    if (touches[kBlack] == touches[kWhite]) continue;
    for (int i = 0; i < size; ++i) out[index(region[index(i)])] = touches[kBlack] ? kBlack : kWhite;
  }
}

int white_minus_black(const Area& area) {
  return static_cast<int>(std::count(area.begin(), area.end(), kWhite) - std::count(area.begin(), area.end(), kBlack));
}

Grid without_dead_stones(const Grid& grid, const Area& area) {
  Grid cleared = grid;
  for (const Point p : grid.points()) {
    const Color owner = area[index(p)];
    if (grid.at(p) != kEmpty && owner == opponent(grid.at(p))) cleared.colors[index(p)] = kEmpty;
  }
  return cleared;
}

}  // namespace tengen::go
