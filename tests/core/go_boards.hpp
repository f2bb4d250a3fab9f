#pragma once

#include <cstdio>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "games/go/area.hpp"
#include "games/go/chains.hpp"
#include "games/go/grid.hpp"
#include "rng.hpp"

// Go boards as text, as tests draw them: a word a row, X Black, O White, anything else empty.
namespace tengen::check {

using Rows = std::vector<std::string>;

inline Rows rows_of(const std::string& text) {
  std::istringstream words(text);
  Rows rows;
  for (std::string word; words >> word;) rows.push_back(word);
  return rows;
}

inline go::Grid grid_of(const Rows& rows) {
  go::Grid grid(static_cast<int>(rows[0].size()), static_cast<int>(rows.size()));
  int cell = 0;
  for (const std::string& row : rows) {
    for (const char letter : row) {
      const auto p = static_cast<std::size_t>(grid.point(cell++));
      if (letter == 'X') grid.colors[p] = go::kBlack;
      if (letter == 'O') grid.colors[p] = go::kWhite;
    }
  }
  return grid;
}

inline go::Grid grid_of(const std::string& text) { return grid_of(rows_of(text)); }

// letter(point) for each point of the board.
template <class Letter>
Rows rows_of(const go::Grid& grid, Letter letter) {
  Rows rows(grid.height);
  for (int cell = 0; cell < grid.area(); ++cell) {
    rows[static_cast<std::size_t>(cell / grid.width)] += letter(grid.point(cell));
  }
  return rows;
}

inline Rows rows_of(const go::Grid& grid, const go::Area& area) {
  return rows_of(grid, [&](go::Point p) { return ".XO?"[area[static_cast<std::size_t>(p)]]; });
}

inline bool same_rows(const Rows& seen, const Rows& expected, const std::string& name) {
  if (seen == expected) return true;
  std::fprintf(stderr, "%s: seen, expected\n", name.c_str());
  for (std::size_t i = 0; i < seen.size(); ++i) {
    std::fprintf(stderr, "  %s %s\n", seen[i].c_str(), i < expected.size() ? expected[i].c_str() : "");
  }
  return false;
}

// Takes the chains of that color that have no liberty on `full` off the grid. How many stones those are.
inline int take_without_liberties(go::Grid& grid, const go::Grid& full, go::Color color) {
  const go::Chains chains(full);
  int stones = 0;
  for (int chain = 0; chain < chains.count(); ++chain) {
    if (chains.liberties(chain) > 0 || full.at(chains.stones(chain)[0]) != color) continue;
    for (const go::Point p : chains.stones(chain)) grid.colors[static_cast<std::size_t>(p)] = go::kEmpty;
    stones += static_cast<int>(chains.stones(chain).size());
  }
  return stones;
}

// A random board on which every chain has a liberty. About `fill` of 100 points get a stone, `black` of 100 stones are
// black.
inline go::Grid random_grid(int width, int height, std::uint32_t fill, std::uint32_t black, Rng& rng) {
  go::Grid grid(width, height);
  for (int cell = 0; cell < grid.area(); ++cell) {
    if (rng.below(100) >= fill) continue;
    grid.colors[static_cast<std::size_t>(grid.point(cell))] = rng.below(100) < black ? go::kBlack : go::kWhite;
  }
  const go::Grid full = grid;
  take_without_liberties(grid, full, go::kBlack);
  take_without_liberties(grid, full, go::kWhite);
  return grid;
}

// A case of tests/data/go_planes.txt, which says what the fields mean.
struct GoPlanes {
  std::string name;
  bool black_to_move = true;
  int ko_cell = -1;
  std::string area_kind;
  bool suicide = false;
  Rows board;
  Rows area;
  Rows ladders;
};

inline std::vector<GoPlanes> read_go_planes() {
  std::ifstream file("tests/data/go_planes.txt");
  if (!file) throw std::runtime_error("tests/data/go_planes.txt is not there: run this in the repository's root");
  std::vector<GoPlanes> cases;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    if (!(words >> word) || word == "#") continue;
    if (word != "case") {
      std::string area;
      std::string ladders;
      words >> area >> ladders;
      cases.back().board.push_back(word);
      cases.back().area.push_back(area);
      cases.back().ladders.push_back(ladders);
      continue;
    }
    GoPlanes next;
    words >> next.name >> word >> word;
    while (words >> word) {
      const auto split = word.find('=');
      const std::string value = word.substr(split + 1);
      const std::string key = word.substr(0, split);
      if (key == "to_move") next.black_to_move = value == "X";
      if (key == "ko" && value != "-") next.ko_cell = std::stoi(value);
      if (key == "area") next.area_kind = value;
      if (key == "suicide") next.suicide = value == "1";
    }
    cases.push_back(next);
  }
  return cases;
}

}  // namespace tengen::check
