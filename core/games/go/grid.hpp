#pragma once

#include <array>
#include <cstdint>

// The stones on a board and nothing else: what territory and ladder reading look at.
namespace tengen::go {

enum Color : std::uint8_t { kEmpty, kBlack, kWhite, kWall };

constexpr Color opponent(Color color) { return color == kBlack ? kWhite : kBlack; }

// A place in Grid::colors. 0 is no place.
using Point = std::int16_t;
inline constexpr Point kNoPoint = 0;

inline constexpr int kMaxSide = 19;
inline constexpr int kMaxPoints = kMaxSide * kMaxSide;
inline constexpr int kGridSize = (kMaxSide + 1) * (kMaxSide + 2) + 1;

// Where a cell comes to stand; see Go::symmetry_count().
constexpr int transform_cell(int cell, int width, int height, int symmetry) {
  const int y = (symmetry & 1) != 0 ? height - 1 - cell / width : cell / width;
  const int x = (symmetry & 2) != 0 ? width - 1 - cell % width : cell % width;
  return (symmetry & 4) != 0 ? x * width + y : y * width + x;
}

// Rows of width + 1 places from the top left, with walls all around: the last place of a row is the wall to the left of
// the next one too.
struct Grid {
  // Runs over the places of the board in the order of its cells: a division for each would take longer than most of
  // what is done there.
  class Iterator {
   public:
    Iterator(Point p, int width) : point_(p), left_(width), width_(width) {}
    Point operator*() const { return point_; }
    Iterator& operator++() {
      ++point_;
      if (--left_ > 0) return *this;
      ++point_;  // the wall
      left_ = width_;
      return *this;
    }
    bool operator==(const Iterator& other) const { return point_ == other.point_; }

   private:
    Point point_;
    int left_;
    int width_;
  };
  struct Points {
    Iterator first;
    Iterator last;
    Iterator begin() const { return first; }
    Iterator end() const { return last; }
  };

  std::uint8_t width = 0;
  std::uint8_t height = 0;
  std::array<Color, kGridSize> colors{};

  Grid() = default;
  Grid(int w, int h) : width(static_cast<std::uint8_t>(w)), height(static_cast<std::uint8_t>(h)) {
    colors.fill(kWall);
    for (const Point p : points()) colors[static_cast<std::size_t>(p)] = kEmpty;
  }

  int stride() const { return width + 1; }
  int area() const { return width * height; }
  // Cells are 0 … area - 1, row by row from the top left.
  Point point(int cell) const { return static_cast<Point>((cell / width + 1) * stride() + cell % width + 1); }
  Points points() const { return {{point(0), width}, {point(area()), width}}; }
  int cell(Point p) const { return (p / stride() - 1) * width + p % stride() - 1; }
  Color at(Point p) const { return colors[static_cast<std::size_t>(p)]; }
  // Up, left, right, down.
  std::array<Point, 4> neighbors(Point p) const {
    const auto step = static_cast<Point>(stride());
    return {static_cast<Point>(p - step), static_cast<Point>(p - 1), static_cast<Point>(p + 1),
            static_cast<Point>(p + step)};
  }

  friend bool operator==(const Grid&, const Grid&) = default;
};

}  // namespace tengen::go
