#include <algorithm>
#include <set>

#include "check.hpp"
#include "games/go/area.hpp"
#include "games/go/chains.hpp"
#include "go_boards.hpp"

using namespace tengen;
using namespace tengen::check;
using namespace tengen::go;

namespace {

struct Counted {
  bool stones = false;
  bool safe = false;
  bool unsafe = false;
};
constexpr Counted kPassAlive{};
constexpr Counted kSafe{false, true, false};
constexpr Counted kAll{true, true, true};

Rows area_of(const Grid& grid, Counted counted, bool suicide = false) {
  Area owner;
  area(grid, counted.stones, counted.safe, counted.unsafe, suicide, owner);
  return rows_of(grid, owner);
}

struct IndependentLife {
  Rows rows;
  int white_minus_black = 0;
};

IndependentLife independent(const Grid& grid, bool keep_territories, bool keep_stones, bool suicide = false) {
  Area owner;
  IndependentLife life;
  independent_life_area(grid, keep_territories, keep_stones, suicide, owner, life.white_minus_black);
  life.rows = rows_of(grid, owner);
  return life;
}

Rows nothing_on(const Grid& grid) {
  return rows_of(grid, [](Point) { return '.'; });
}

Rows with_colors_swapped(Rows rows) {
  for (std::string& row : rows) {
    for (char& letter : row) letter = letter == 'X' ? 'O' : (letter == 'O' ? 'X' : letter);
  }
  return rows;
}

// Both for the drawing and for the drawing with the colors swapped.
void check_area(const std::string& board, const std::string& expected, Counted counted, bool suicide = false) {
  const Rows rows = rows_of(board);
  CHECK(same_rows(area_of(grid_of(rows), counted, suicide), rows_of(expected), board));
  CHECK(same_rows(area_of(grid_of(with_colors_swapped(rows)), counted, suicide), with_colors_swapped(rows_of(expected)),
                  board));
}

using Cells = std::set<int>;

// Territory once more, written to be plain instead of fast: from the definitions, with sets of cells.
class PlainArea {
 public:
  PlainArea(const Grid& grid, Color color, bool suicide) : grid_(grid), color_(color) {
    const auto is_own = [&](int cell) { return at(cell) == color_; };
    for (const Cells& chain : components(is_own)) chains_.push_back(chain);
    for (const Cells& region : components([&](int cell) { return !is_own(cell); })) {
      if (std::any_of(region.begin(), region.end(), [&](int cell) { return at(cell) == kEmpty; })) {
        regions_.push_back(region);
      }
    }
    living_.assign(chains_.size(), true);
    while (drop_one_that_can_be_taken(suicide)) {
    }
  }

  bool is_alive(int cell) const {
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      if (chains_[i].contains(cell)) return living_[i];
    }
    return false;
  }

  void mark(Counted counted, Area& out) const {
    if (chains_.empty()) return;
    for (int cell = 0; cell < grid_.area(); ++cell) {
      if (is_alive(cell)) owner(cell, out) = color_;
    }
    for (const Cells& region : regions_) {
      const auto inner = std::count_if(region.begin(), region.end(), [&](int cell) { return touched(cell).empty(); });
      const bool empty = std::all_of(region.begin(), region.end(), [&](int cell) { return at(cell) == kEmpty; });
      const bool safe = is_enclosed(region) && (inner <= 1 || (counted.safe && empty));
      for (const int cell : region) {
        if (safe || (counted.unsafe && empty && owner(cell, out) == kEmpty)) owner(cell, out) = color_;
      }
    }
  }

 private:
  Color at(int cell) const { return grid_.at(grid_.point(cell)); }
  Color& owner(int cell, Area& out) const { return out[static_cast<std::size_t>(grid_.point(cell))]; }

  Cells around(int cell) const {
    Cells cells;
    for (const Point p : grid_.neighbors(grid_.point(cell))) {
      if (grid_.at(p) != kWall) cells.insert(grid_.cell(p));
    }
    return cells;
  }

  template <class Belongs>
  std::vector<Cells> components(Belongs belongs) const {
    std::vector<Cells> found;
    Cells seen;
    for (int first = 0; first < grid_.area(); ++first) {
      if (!belongs(first) || seen.contains(first)) continue;
      Cells component{first};
      std::size_t size = 0;
      while (size != component.size()) {
        size = component.size();
        for (const int cell : Cells(component)) {
          for (const int next : around(cell)) {
            if (belongs(next)) component.insert(next);
          }
        }
      }
      seen.insert(component.begin(), component.end());
      found.push_back(component);
    }
    return found;
  }

  // The chains of the color next to a cell.
  std::set<std::size_t> touched(int cell) const {
    std::set<std::size_t> chains;
    for (const int next : around(cell)) {
      for (std::size_t i = 0; i < chains_.size(); ++i) {
        if (chains_[i].contains(next)) chains.insert(i);
      }
    }
    return chains;
  }

  bool is_enclosed(const Cells& region) const {
    return std::all_of(region.begin(), region.end(), [&](int cell) {
      const auto chains = touched(cell);
      return std::all_of(chains.begin(), chains.end(), [&](std::size_t i) { return living_[i]; });
    });
  }

  bool drop_one_that_can_be_taken(bool suicide) {
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      if (!living_[i]) continue;
      const auto eyes = std::count_if(regions_.begin(), regions_.end(), [&](const Cells& region) {
        return is_enclosed(region) && std::all_of(region.begin(), region.end(), [&](int cell) {
                 return (!suicide && at(cell) != kEmpty) || touched(cell).contains(i);
               });
      });
      if (eyes >= 2) continue;
      living_[i] = false;
      return true;
    }
    return false;
  }

  Grid grid_;
  Color color_;
  std::vector<Cells> chains_;
  std::vector<Cells> regions_;
  std::vector<bool> living_;
};

Rows plain_area(const Grid& grid, Counted counted, bool suicide) {
  Area owner{};
  PlainArea(grid, kBlack, suicide).mark(counted, owner);
  PlainArea(grid, kWhite, suicide).mark(counted, owner);
  return rows_of(grid, [&](Point p) {
    const Color color = owner[static_cast<std::size_t>(p)];
    return ".XO?"[color == kEmpty && counted.stones ? grid.at(p) : color];
  });
}

// White plays alone, as often as White likes. Which of Black's stones can never be taken?
class Siege {
 public:
  Siege(const Grid& grid, bool suicide) : suicide_(suicide), safe_(grid) { attack(grid); }

  bool is_safe(Point p) const { return safe_.at(p) == kBlack; }

 private:
  void attack(const Grid& grid) {
    if (std::count(safe_.colors.begin(), safe_.colors.end(), kBlack) == 0) return;
    if (!seen_.insert(rows_of(grid, [&](Point p) { return ".XO?"[grid.at(p)]; })).second) return;
    for (int cell = 0; cell < grid.area(); ++cell) {
      if (grid.at(grid.point(cell)) != kEmpty) continue;
      Grid next = grid;
      next.colors[static_cast<std::size_t>(grid.point(cell))] = kWhite;
      take_without_liberties(next, Grid(next), kBlack);
      for (int i = 0; i < grid.area(); ++i) {
        const auto p = static_cast<std::size_t>(grid.point(i));
        if (next.colors[p] == kEmpty) safe_.colors[p] = kEmpty;
      }
      if (take_without_liberties(next, Grid(next), kWhite) == 0 || suicide_) attack(next);
    }
  }

  bool suicide_;
  Grid safe_;
  std::set<Rows> seen_;
};

}  // namespace

TEST(two_eyes_live) {
  const std::string board = ".X.XO.. XXXXO.. OOOOO.. .......";
  check_area(board, "XXXX... XXXX... ....... .......", kPassAlive);
  check_area(board, "XXXX... XXXX... ....... .......", kSafe);
  check_area(board, "XXXXOOO XXXXOOO OOOOOOO OOOOOOO", kAll);
}

TEST(a_false_eye_is_none) {
  const std::string board = ".X.XO XXXOO OOOO. .....";
  CHECK(same_rows(area_of(grid_of(board), kPassAlive), nothing_on(grid_of(board)), board));
  check_area(board, "XXXXO XXXOO OOOOO OOOOO", kAll);
}

TEST(chains_can_live_on_shared_eyes) {
  check_area("XX.XX X.X.X XX.XX", "XXXXX XXXXX XXXXX", kPassAlive);
  check_area("XX.X. X.X.. XX.X.", "..... ..... .....", kPassAlive);
}

TEST(dead_stones_are_territory) {
  const std::string board = ".X.XO.X XXXX.XX ...XXXX";
  check_area(board, "XXXXXXX XXXXXXX XXXXXXX", kPassAlive);
  Area owner;
  area(grid_of(board), false, false, false, false, owner);
  CHECK(without_dead_stones(grid_of(board), owner) == grid_of(".X.X..X XXXX.XX ...XXXX"));
  CHECK(white_minus_black(owner) == -21);
}

TEST(big_territories) {
  const std::string open = ".X.X..... XXXX..... ......... .........";
  check_area(open, "XXXX..... XXXX..... ......... .........", kPassAlive);
  check_area(open, "XXXXXXXXX XXXXXXXXX XXXXXXXXX XXXXXXXXX", kSafe);
  check_area(open, "XXXXXXXXX XXXXXXXXX XXXXXXXXX XXXXXXXXX", {false, false, true});
  const std::string invaded = ".X.X..... XXXX..... ......O.. .........";
  check_area(invaded, "XXXX..... XXXX..... ......O.. .........", kAll);
  check_area("..... ..X.. .....", "..... ..... .....", kSafe);
  check_area("..... ..X.. .....", "XXXXX XXXXX XXXXX", kAll);
  check_area("..... ..... .....", "..... ..... .....", kAll);
}

TEST(what_dead_stones_surround_is_not_theirs) {
  check_area("X.X.XO. XXXXXXO .....XX", "XXXXXXX XXXXXXX XXXXXXX", kAll);
}

TEST(chains_without_liberties_are_only_stones) {
  check_area("XX XX", "XX XX", kAll);
  check_area("XX XX", ".. ..", kPassAlive);
  check_area("OXX.. XX... ..... .....", "OXXXX XXXXX XXXXX XXXXX", kAll);
}

TEST(bent_four_stands_as_it_is) {
  check_area("OO.XO.O OXXXOOO XX.OO.O OOOO.OO", "OO.XOOO OXXXOOO XX.OOOO OOOOOOO", kAll);
}

TEST(suicide_of_several_stones_takes_an_eye) {
  const std::string board = "XXXXX.X XX.XXXX X.O.XXX XX.XXXX XXXXXXX";
  check_area(board, "XXXXXXX XXXXXXX XXXXXXX XXXXXXX XXXXXXX", kPassAlive, false);
  check_area(board, "....... ....... ....... ....... .......", kPassAlive, true);
}

TEST(seki_is_no_independent_life) {
  const Grid grid = grid_of(".X.O. XX.OO");
  CHECK(same_rows(area_of(grid, kAll), rows_of("XX.OO XX.OO"), "seki"));
  CHECK(same_rows(independent(grid, false, false).rows, rows_of("..... ....."), "nothing kept"));
  CHECK(same_rows(independent(grid, false, true).rows, rows_of(".X.O. XX.OO"), "stones kept"));
  CHECK(same_rows(independent(grid, true, false).rows, rows_of("X...O ....."), "territories kept"));
  CHECK(same_rows(independent(grid, true, true).rows, rows_of("XX.OO XX.OO"), "all kept"));
  CHECK(independent(grid, true, true).white_minus_black == 0);
}

TEST(independent_groups_are_counted) {
  const auto life = independent(grid_of(".OX.XO. OOXXXOO .OX.XO."), false, false);
  CHECK(same_rows(life.rows, rows_of("OOXXXOO OOXXXOO OOXXXOO"), "three groups"));
  CHECK(life.white_minus_black == 1);
  // Two eyes, but a dame on its side.
  const auto beside_dame = independent(grid_of(".X.O. XX.OO .XXO. XXXOO .XXO."), false, false);
  CHECK(same_rows(beside_dame.rows, rows_of("..... ..... ..... ..... ....."), "dame"));
  CHECK(beside_dame.white_minus_black == 0);
  // One stone in atari spoils the group.
  const Grid atari = grid_of(".OX.XX OOXXX. .OXXXX OOOOOX .O.O.O");
  CHECK(same_rows(area_of(atari, kAll), rows_of("OOXXXX OOXXXX OOXXXX OOOOOX OOOOOO"), "atari"));
  CHECK(independent(atari, false, false).white_minus_black == -1);
}

TEST(tromp_taylor_knows_no_dead_stones) {
  const Grid grid = grid_of(".X.XO.X XXXX.XX ...XXXX");
  Area owner;
  tromp_taylor_area(grid, owner);
  CHECK(same_rows(rows_of(grid, owner), rows_of("XXXXO.X XXXX.XX XXXXXXX"), "tromp-taylor"));
  CHECK(white_minus_black(owner) == 1 - 18);
  tromp_taylor_area(grid_of("... ... ..."), owner);
  CHECK(white_minus_black(owner) == 0);
}

TEST(chains_know_their_stones_and_liberties) {
  const Grid grid = grid_of("XX.O .X.O ..OO");
  const Chains chains(grid);
  CHECK(chains.count() == 2);
  CHECK(chains.at(grid.point(0)) == 0 && chains.at(grid.point(3)) == 1 && chains.at(grid.point(2)) == Chains::kNone);
  CHECK(chains.stones(0).size() == 3 && chains.stones(1).size() == 4);
  CHECK(chains.liberties(0) == 4 && chains.liberties(1) == 3);
}

TEST(golden_areas) {
  int counted = 0;
  for (const GoPlanes& planes : read_go_planes()) {
    if (planes.area_kind == "none") continue;
    ++counted;
    const Grid grid = grid_of(planes.board);
    const Rows seen = planes.area_kind == "all" ? area_of(grid, kAll, planes.suicide)
                                                : independent(grid, false, true, planes.suicide).rows;
    CHECK(same_rows(seen, planes.area, planes.name));
  }
  CHECK(counted == 19);
}

TEST(random_boards_agree_with_plain_areas) {
  Rng rng(7);
  int alive = 0;
  for (int i = 0; i < 4000; ++i) {
    const int width = 2 + static_cast<int>(rng.below(6));
    const int height = 2 + static_cast<int>(rng.below(6));
    const Grid grid = random_grid(width, height, 40 + rng.below(55), rng.below(101), rng);
    const bool suicide = rng.below(2) == 0;
    const Counted counted{rng.below(2) == 0, rng.below(2) == 0, rng.below(2) == 0};
    if (!CHECK(same_rows(area_of(grid, counted, suicide), plain_area(grid, counted, suicide), "random"))) return;
    alive += area_of(grid, kPassAlive, suicide) != nothing_on(grid) ? 1 : 0;
  }
  CHECK(alive > 800);
}

TEST(pass_alive_stones_outlive_any_siege) {
  Rng rng(11);
  int alive = 0;
  for (int i = 0; i < 400; ++i) {
    const int width = 3 + static_cast<int>(rng.below(2));
    const Grid grid = random_grid(width, 3, 50 + rng.below(45), 60 + rng.below(41), rng);
    const bool suicide = rng.below(2) == 0;
    const Rows owners = area_of(grid, kPassAlive, suicide);
    const Siege siege(grid, suicide);
    for (int cell = 0; cell < grid.area(); ++cell) {
      const Point p = grid.point(cell);
      if (grid.at(p) != kBlack) continue;
      const bool is_alive =
          owners[static_cast<std::size_t>(cell / width)][static_cast<std::size_t>(cell % width)] == 'X';
      alive += is_alive ? 1 : 0;
      // Benson's theorem needs suicide for its other half.
      if (!CHECK(suicide ? is_alive == siege.is_safe(p) : !is_alive || siege.is_safe(p))) return;
    }
  }
  CHECK(alive > 200);
}
