#include <algorithm>
#include <set>

#include "check.hpp"
#include "games/go/chains.hpp"
#include "games/go/ladder.hpp"
#include "games/go/reading.hpp"
#include "go_boards.hpp"

using namespace tengen;
using namespace tengen::check;
using namespace tengen::go;

namespace {

// # a stone that is caught, * a move of `to_move` that catches stones.
Rows ladders_of(const Grid& grid, Color to_move, Point ko = kNoPoint) {
  std::set<Point> caught;
  std::set<Point> catching;
  LadderReader(grid, ko).each_caught([&](std::span<const Point> stones, std::span<const Point> moves) {
    caught.insert(stones.begin(), stones.end());
    if (grid.at(stones[0]) != to_move) catching.insert(moves.begin(), moves.end());
  });
  return rows_of(grid, [&](Point p) { return caught.contains(p) ? '#' : (catching.contains(p) ? '*' : '.'); });
}

// The drawing shows what is caught and Black's moves that catch.
void check_ladders(const std::string& board, const std::string& expected, int ko_cell = -1) {
  const Grid grid = grid_of(board);
  const Point ko = ko_cell < 0 ? kNoPoint : grid.point(ko_cell);
  CHECK(same_rows(ladders_of(grid, kBlack, ko), rows_of(expected), board));
}

using Points = std::set<Point>;

// Ladders once more, written to be plain instead of fast: from the rules, on copies of the grid.
class PlainLadder {
 public:
  static constexpr int kMaxMoves = 5000;

  struct Position {
    Grid grid;
    Point ko;
  };

  // Whether the answer is exact: it is not when it took too many moves.
  bool is_exact() const { return moves_ < kMaxMoves; }

  bool is_caught(const Position& position, Point stone) { return defender_falls({position.grid, kNoPoint}, stone, 0); }

  Points catching_moves(const Position& position, Point stone) {
    Points moves;
    for (const Point p : liberties(position.grid, stone)) {
      Position next = position;
      if (!play(next, p, opponent(position.grid.at(stone)))) continue;
      if (liberties(next.grid, stone).size() == 1 && is_caught(next, stone)) moves.insert(p);
    }
    return moves;
  }

  static Points stones(const Grid& grid, Point stone) {
    const Chains chains(grid);
    const auto found = chains.stones(chains.at(stone));
    return {found.begin(), found.end()};
  }

  static Points around(const Grid& grid, const Points& points, Color color) {
    Points found;
    for (const Point p : points) {
      for (const Point neighbor : grid.neighbors(p)) {
        if (grid.at(neighbor) == color) found.insert(neighbor);
      }
    }
    return found;
  }

  static Points liberties(const Grid& grid, Point stone) { return around(grid, stones(grid, stone), kEmpty); }

  // False if the move is illegal: occupied, banned by ko or suicide.
  static bool play(Position& position, Point p, Color color) {
    if (position.grid.at(p) != kEmpty || p == position.ko) return false;
    Grid next = position.grid;
    next.colors[static_cast<std::size_t>(p)] = color;
    const Grid full = next;
    const int taken = take_without_liberties(next, full, opponent(color));
    if (liberties(next, p).empty()) return false;
    const bool is_ko = taken == 1 && stones(next, p).size() == 1 && liberties(next, p).size() == 1;
    position = {next, is_ko ? *liberties(next, p).begin() : kNoPoint};
    return true;
  }

 private:
  static Points captures(const Grid& grid, Point stone) {
    Points moves;
    for (const Point attacker : around(grid, stones(grid, stone), opponent(grid.at(stone)))) {
      const Points last = liberties(grid, attacker);
      if (last.size() == 1) moves.insert(last.begin(), last.end());
    }
    return moves;
  }

  bool defender_falls(const Position& position, Point stone, int depth) {
    const Grid& grid = position.grid;
    if (depth >= grid.area() * 3 / 2) return true;
    const Points last = liberties(grid, stone);
    if (last.size() >= 2 || position.ko != kNoPoint || ++moves_ >= kMaxMoves) return false;
    Points moves = captures(grid, stone);
    moves.insert(last.begin(), last.end());
    return std::none_of(moves.begin(), moves.end(), [&](Point p) {
      Position next = position;
      return play(next, p, grid.at(stone)) && !attacker_catches(next, stone, depth + 1);
    });
  }

  bool attacker_catches(const Position& position, Point stone, int depth) {
    const Grid& grid = position.grid;
    if (depth >= grid.area() * 3 / 2) return true;
    const Points moves = liberties(grid, stone);
    if (moves.size() != 2) return moves.size() < 2;
    if (is_double_ko(grid, stone, moves)) return true;
    return ++moves_ < kMaxMoves && std::any_of(
                                       moves.begin(), moves.end(),
                                       [&](Point p) {
                                         Position next = position;
                                         return play(next, p, opponent(grid.at(stone))) &&
                                                defender_falls(next, stone, depth + 1);
                                       });
  }

  static bool is_double_ko(const Grid& grid, Point stone, const Points& mouths) {
    const Color defender = grid.at(stone);
    return captures(grid, stone).empty() && std::all_of(mouths.begin(), mouths.end(), [&](Point mouth) {
             Position taking{grid, kNoPoint};
             Position connecting{grid, kNoPoint};
             return around(grid, {mouth}, kEmpty).empty() && around(grid, {mouth}, opponent(defender)).empty() &&
                    play(taking, mouth, opponent(defender)) && taking.ko != kNoPoint &&
                    (!play(connecting, mouth, defender) || liberties(connecting.grid, mouth).size() <= 2);
           });
  }

  int moves_ = 0;
};

// False if a ladder of the board was too long to compare.
bool check_with_plain_ladders(const Grid& grid, Point ko) {
  std::set<std::pair<Points, Points>> seen;
  LadderReader(grid, ko).each_caught([&](std::span<const Point> stones, std::span<const Point> moves) {
    seen.insert({Points(stones.begin(), stones.end()), Points(moves.begin(), moves.end())});
  });
  std::set<std::pair<Points, Points>> expected;
  const Chains chains(grid);
  for (int chain = 0; chain < chains.count(); ++chain) {
    const Point stone = chains.stones(chain)[0];
    PlainLadder plain;
    Points moves;
    bool is_caught = false;
    if (chains.liberties(chain) == 1) is_caught = plain.is_caught({grid, ko}, stone);
    if (chains.liberties(chain) == 2) moves = plain.catching_moves({grid, ko}, stone);
    if (!plain.is_exact()) return false;
    if (is_caught || !moves.empty()) expected.insert({PlainLadder::stones(grid, stone), moves});
  }
  CHECK(seen == expected);
  return true;
}

// Every chain of the board as Chains sees it.
void check_board(const ReadingBoard& board) {
  const Chains chains(board.grid());
  for (int i = 0; i < chains.count(); ++i) {
    const auto expected = chains.stones(i);
    const Point head = board.head(expected[0]);
    Points stones;
    for (const Point stone : expected) {
      CHECK(board.head(stone) == head);
      stones.insert(board.next(stone));
    }
    CHECK(stones == Points(expected.begin(), expected.end()));
    const auto& chain = board.chain(head);
    CHECK(chain.stone_count == static_cast<int>(expected.size()));
    CHECK(chain.liberty_count == chains.liberties(i) && chain.liberty_count == chain.liberties.size());
    Points liberties;
    for (Point p = chain.liberties.first(); p != kNoPoint; p = chain.liberties.next(p)) liberties.insert(p);
    CHECK(liberties == PlainLadder::liberties(board.grid(), head));
  }
}

// Random moves, each level undoing its own ones.
void wander(ReadingBoard& board, Rng& rng, int depth) {
  const Grid grid = board.grid();
  const Point ko = board.ko();
  for (int i = 0; i < 2; ++i) {
    const Point p = grid.point(static_cast<int>(rng.below(static_cast<std::uint32_t>(grid.area()))));
    const Color color = rng.below(2) == 0 ? kBlack : kWhite;
    PlainLadder::Position expected{grid, ko};
    const bool is_legal = PlainLadder::play(expected, p, color);
    if (!CHECK(board.is_legal(p, color) == is_legal) || !is_legal) continue;
    const auto move = board.play(p, color);
    CHECK(board.grid() == expected.grid && board.ko() == expected.ko);
    check_board(board);
    if (depth > 0) wander(board, rng, depth - 1);
    board.undo(move);
    CHECK(board.grid() == grid && board.ko() == ko);
    check_board(board);
  }
}

}  // namespace

TEST(a_ladder_runs_to_the_edge) {
  const std::string start = "......... ..X...... .XO...... .X....... ";
  const std::string caught = "......... ......... ..#*..... ......... ";
  const std::string empty = "......... ......... ......... ......... ";
  const std::string rest = "......... ......... ......... ......... .........";
  check_ladders(start + rest, caught + rest);
  const std::string breaker = "......... ......... ......O.. ......... .........";
  check_ladders(start + breaker, empty + rest);
  const std::string helper = "......... ......... ......X.. ......... .........";
  check_ladders(start + helper, caught + rest);
  // Once in atari, the stone is caught although White moves.
  check_ladders("......... ..X...... .XOX..... .X....... " + rest, "......... ......... ..#...... ......... " + rest);
  check_ladders("......... ..X...... .XOX..... .X....... " + breaker, empty + rest);
}

TEST(a_ladder_along_the_edge) {
  check_ladders("..OX... ..X.... ....... .......", "..#.... ....... ....... .......");
  check_ladders("..OX... .OX.... ....... .......", "....... ....... ....... .......");
  check_ladders("XO..... XO..... XO..... .......", "#...... #...... #...... .......");
}

TEST(three_liberties_escape) {
  const std::string rest = "......... ......... ......... ......... .........";
  const std::string empty = "......... ......... ......... ......... " + rest;
  check_ladders("......... ..X...... .XOX..... ......... " + rest, empty);
  check_ladders("......... ..X...... .XO...... ......... " + rest, empty);
}

TEST(taking_attackers_escapes) {
  check_ladders("..O...... .OX...... .XO...... .X....... ......... ......... ......... ......... .........",
                "......... ......... ......... ......... ......... ......... ......... ......... .........");
}

TEST(snapback) {
  // Taking the stone that Black throws in leaves one liberty.
  check_ladders("X..OX. XOOOX. .XXX.. ......", ".**#.. .###.. ...... ......");
  // Here it leaves two, and Black's corner can be taken.
  check_ladders("...OX. XOOOX. .XXX.. ......", ".*.#.. .###.. ...... ......");
}

TEST(a_ladder_that_needs_a_ko_fails) {
  // White takes two stones, and Black's only atari takes the ko in the corner.
  check_ladders(".OOXX OXX.O XXOOO .XXXO", "..... #.... ..... .....");
}

TEST(a_double_ko_catches) {
  check_ladders(".OOO. OXXXO XXXXX ..XXX", "*###* #...# ..... .....");
  // Simple ko bans a first move.
  check_ladders(".OOO. OXXXO XXXXX ..XXX", ".###* #...# ..... .....", 0);
}

TEST(a_ladder_that_takes_long_to_read_fails) {
  const Grid grid = grid_of(
      ".XO.X............. .XO.O............. ....XX............ ..XOOOXX.......... .X.OOOXOX......... "
      "XO..OX...O........ "
      "OXX.XO.O.XO....... O...OX.XO......... X....X..XO........ X.....X..XX....... X....OX..OX....... "
      ".......O.X........ "
      ".....OXOOX........ ...XX.O.X......... ..XO..XOX......... .XO...O........... ..OO..XX.......... "
      "..X............... "
      "..................");
  const Point stone = grid.point(6 * grid.width);
  CHECK(LadderReader(grid, kNoPoint, 100000).is_caught(stone));
  CHECK(!LadderReader(grid, kNoPoint).is_caught(stone));
}

TEST(chains_without_liberties_are_left_alone) {
  check_ladders("XX XX", ".. ..");
  check_ladders("OXX.. XX... ..... .....", "..... ..... ..... .....");
}

TEST(golden_ladders) {
  int caught = 0;
  int catching = 0;
  for (const GoPlanes& planes : read_go_planes()) {
    const Grid grid = grid_of(planes.board);
    const Point ko = planes.ko_cell < 0 ? kNoPoint : grid.point(planes.ko_cell);
    CHECK(same_rows(ladders_of(grid, planes.black_to_move ? kBlack : kWhite, ko), planes.ladders, planes.name));
    for (const std::string& row : planes.ladders) {
      caught += static_cast<int>(std::count(row.begin(), row.end(), '#'));
      catching += static_cast<int>(std::count(row.begin(), row.end(), '*'));
    }
  }
  CHECK(caught > 50 && catching > 15);
}

TEST(random_boards_agree_with_plain_ladders) {
  Rng rng(5);
  const int before = failures;
  int compared = 0;
  for (int i = 0; i < 3000; ++i) {
    const int width = 2 + static_cast<int>(rng.below(6));
    const int height = 2 + static_cast<int>(rng.below(6));
    const Grid grid = random_grid(width, height, 20 + rng.below(75), 30 + rng.below(41), rng);
    Point ko = grid.point(static_cast<int>(rng.below(static_cast<std::uint32_t>(grid.area()))));
    if (grid.at(ko) != kEmpty) ko = kNoPoint;
    compared += check_with_plain_ladders(grid, ko) ? 1 : 0;
    if (failures > before) return;
  }
  CHECK(compared > 2900);
}

TEST(what_is_played_can_be_undone) {
  Rng rng(3);
  const int before = failures;
  for (int i = 0; i < 40; ++i) {
    const int width = 2 + static_cast<int>(rng.below(5));
    const int height = 2 + static_cast<int>(rng.below(5));
    const Grid grid = random_grid(width, height, 30 + rng.below(60), 50, rng);
    ReadingBoard board(grid, Chains(grid), kNoPoint);
    check_board(board);
    wander(board, rng, 8);
    if (failures > before) return;
  }
}

TEST(sets_of_points) {
  PointSet set;
  CHECK(set.first() == kNoPoint && set.size() == 0);
  for (const Point p : std::array<Point, 4>{420, 1, 63, 64}) CHECK(set.insert(p) && !set.insert(p));
  CHECK(set.size() == 4 && set.first() == 1 && set.next(1) == 63 && set.next(63) == 64 && set.next(64) == 420);
  CHECK(set.next(420) == kNoPoint && set.contains(64) && !set.contains(65));
  CHECK(set.erase(64) && !set.erase(64) && set.next(63) == 420);
}
