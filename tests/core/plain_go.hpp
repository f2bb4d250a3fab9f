#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "games/go/go.hpp"

namespace tengen::check {

// Go's main phase once more, written to be plain instead of fast: a board is a text, history is a list of boards.
class PlainGo {
 public:
  PlainGo(int width, int height, const go::RuleSet& rules)
      : width_(width), height_(height), rules_(rules), board_(static_cast<std::size_t>(width * height), '.') {
    history_.push_back({board_, 'X'});
  }

  bool is_over() const { return is_over_; }
  bool has_no_result() const { return has_no_result_; }
  const std::string& board() const { return board_; }

  Actions legal() const {
    Actions actions;
    for (int cell = 0; cell < width_ * height_; ++cell) {
      if (is_legal(cell)) actions.push_back(cell);
    }
    actions.push_back(width_ * height_);
    return actions;
  }

  void play(Action action) {
    const bool is_pass = action == width_ * height_;
    before_last_ = is_pass ? std::nullopt : std::optional(board_);
    const bool passes_end_repeated = rules_.ko == go::kSimpleKo || rules_.ko == go::kSpightKo;
    bool repeated_pass = false;
    if (is_pass) {
      const Situation now = situation(board_, player_);
      repeated_pass = passes_end_repeated && std::ranges::count(passed_, std::pair(now, player_)) > 0;
      passed_.emplace_back(now, player_);
      passes_ = rules_.ko == go::kSpightKo ? 0 : passes_ + 1;
      if (passes_end_repeated) history_.clear();
    } else {
      passes_ = 0;
      board_ = after(action).first;
    }
    player_ = other(player_);
    history_.push_back(situation(board_, player_));
    is_over_ = passes_ >= 2 || repeated_pass;
    if (!is_pass && rules_.ko == go::kSimpleKo && std::ranges::count(history_, history_.back()) >= 3) {
      is_over_ = has_no_result_ = true;
    }
  }

  // Stones, and empty regions that touch one color only.
  int white_minus_black() const {
    int score = 0;
    std::string seen = board_;
    for (std::size_t start = 0; start < board_.size(); ++start) {
      if (board_[start] != '.') score += board_[start] == 'O' ? 1 : -1;
      if (seen[start] != '.') continue;
      std::vector<int> region{static_cast<int>(start)};
      std::string touched;
      seen[start] = '#';
      for (std::size_t i = 0; i < region.size(); ++i) {
        for (const int near : around(region[i])) {
          char& there = seen[static_cast<std::size_t>(near)];
          if (there == '.') {
            there = '#';
            region.push_back(near);
          } else if (there != '#') {
            touched += there;
          }
        }
      }
      const int size = static_cast<int>(region.size());
      if (!touched.empty() && touched.find('X') == std::string::npos) score += size;
      if (!touched.empty() && touched.find('O') == std::string::npos) score -= size;
    }
    return score;
  }

 private:
  using Situation = std::pair<std::string, char>;

  static char other(char player) { return player == 'X' ? 'O' : 'X'; }

  std::vector<int> around(int cell) const {
    std::vector<int> found;
    const int x = cell % width_;
    const int y = cell / width_;
    if (x > 0) found.push_back(cell - 1);
    if (x + 1 < width_) found.push_back(cell + 1);
    if (y > 0) found.push_back(cell - width_);
    if (y + 1 < height_) found.push_back(cell + width_);
    return found;
  }

  // Takes the stones of a color that have no liberty; whether there were any.
  bool take(std::string& board, char color) const {
    std::string kept = board;
    bool any = false;
    for (std::size_t start = 0; start < board.size(); ++start) {
      if (board[start] != color) continue;
      std::vector<int> chain{static_cast<int>(start)};
      bool lives = false;
      for (std::size_t i = 0; i < chain.size(); ++i) {
        for (const int near : around(chain[i])) {
          const char there = board[static_cast<std::size_t>(near)];
          lives = lives || there == '.';
          if (there == color && std::ranges::count(chain, near) == 0) chain.push_back(near);
        }
      }
      if (!lives) kept[start] = '.';
      any = any || !lives;
    }
    board = kept;
    return any;
  }

  // The board after a move, and whether it took stones of its own.
  std::pair<std::string, bool> after(int cell) const {
    std::string board = board_;
    board[static_cast<std::size_t>(cell)] = player_;
    take(board, other(player_));
    const bool is_suicide = take(board, player_);
    return {board, is_suicide};
  }

  bool is_legal(int cell) const {
    if (board_[static_cast<std::size_t>(cell)] != '.') return false;
    const auto [board, is_suicide] = after(cell);
    if (board == board_ || (is_suicide && rules_.suicide == 0)) return false;
    if (board == before_last_) return false;
    if (rules_.ko == go::kSimpleKo) return true;
    return std::ranges::count(history_, situation(board, other(player_))) == 0;
  }

  Situation situation(const std::string& board, char next) const {
    const bool knows_player = rules_.ko == go::kSimpleKo || rules_.ko == go::kSituationalKo;
    return {board, knows_player ? next : 'X'};
  }

  int width_;
  int height_;
  go::RuleSet rules_;
  std::string board_;
  char player_ = 'X';
  int passes_ = 0;
  bool is_over_ = false;
  bool has_no_result_ = false;
  std::optional<std::string> before_last_;  // what the last stone was played on
  std::vector<Situation> history_;
  std::vector<std::pair<Situation, char>> passed_;
};

}  // namespace tengen::check
