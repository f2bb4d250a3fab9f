// An exact solver of Connect Four on the board of 7 columns and 6 rows, for benchmarks of learned players.
//
// Input: one position per line, as the columns 0 to 6 of its moves. Output: one line per position with seven values,
// those of the moves into columns 0 to 6 for the player who makes them: 1 a win, 0 a draw, -1 a loss, and x for a full
// column.
#include <array>
#include <cstdint>
#include <iostream>
#include <string>
#include <vector>

namespace {

constexpr int kWidth = 7;
constexpr int kHeight = 6;
constexpr int kCells = kWidth * kHeight;

// A column has a spare bit on top, so that lines do not wrap around.
constexpr std::uint64_t column(int x) { return ((std::uint64_t{1} << kHeight) - 1) << x * (kHeight + 1); }
constexpr std::uint64_t bottom(int x) { return std::uint64_t{1} << x * (kHeight + 1); }
constexpr std::uint64_t top(int x) { return bottom(x) << (kHeight - 1); }

constexpr std::uint64_t all(std::uint64_t (*part)(int)) {
  std::uint64_t found = 0;
  for (int x = 0; x < kWidth; ++x) found |= part(x);
  return found;
}

constexpr std::uint64_t kBoard = all(column);
constexpr std::uint64_t kBottom = all(bottom);
// Central columns belong to more lines, so they are searched first.
constexpr std::array<int, kWidth> kOrder{3, 2, 4, 1, 5, 0, 6};

struct Position {
  std::uint64_t own = 0;       // the stones of the player to move
  std::uint64_t occupied = 0;  // all stones
  int moves = 0;

  std::uint64_t playable() const { return (occupied + kBottom) & kBoard; }
  void play(std::uint64_t cell) {
    own ^= occupied;
    occupied |= cell;
    ++moves;
  }
  // Different positions have different keys: the sum marks the first free cell of every column.
  std::uint64_t key() const { return own + occupied + kBottom; }
};

// Returns the empty cells that complete four in a row of the given stones, whether playable now or later.
std::uint64_t winning_cells(std::uint64_t stones, std::uint64_t occupied) {
  std::uint64_t found = (stones << 1) & (stones << 2) & (stones << 3);
  for (int step : {kHeight, kHeight + 1, kHeight + 2}) {
    std::uint64_t pair = (stones << step) & (stones << 2 * step);
    found |= pair & (stones << 3 * step);
    found |= pair & (stones >> step);
    pair = (stones >> step) & (stones >> 2 * step);
    found |= pair & (stones << step);
    found |= pair & (stones >> 3 * step);
  }
  return found & (kBoard ^ occupied);
}

// The search asks only whether the value is above a bound, so that a value takes two bits of an entry.
class Table {
 public:
  Table() : entries_(kSize) {}
  // Returns the known lower and upper bound of a value.
  std::pair<int, int> find(std::uint64_t key) const {
    const std::uint64_t entry = entries_[key % kSize];
    if (entry >> 4 != key) return {-1, 1};
    return {static_cast<int>(entry & 3) - 1, static_cast<int>(entry >> 2 & 3) - 1};
  }
  void store(std::uint64_t key, int low, int high) {
    entries_[key % kSize] = key << 4 | static_cast<std::uint64_t>(high + 1) << 2 | static_cast<std::uint64_t>(low + 1);
  }

 private:
  static constexpr std::uint64_t kSize = 8388593;  // a prime: 64 MiB
  std::vector<std::uint64_t> entries_;
};

class Solver {
 public:
  // Returns the value for the player to move, if neither player has four in a row.
  int solve(const Position& position) {
    if (winning_cells(position.own, position.occupied) & position.playable()) return 1;
    return search(position, -1, 1);
  }

 private:
  // Negamax for positions in which the player to move cannot win with the next move.
  int search(const Position& position, int low, int high) {
    if (position.moves == kCells) return 0;
    const std::uint64_t threats = winning_cells(position.own ^ position.occupied, position.occupied);
    std::uint64_t moves = position.playable();
    if (const std::uint64_t forced = moves & threats) {
      if (forced & (forced - 1)) return -1;  // two threats cannot be parried by one stone
      moves = forced;
    }
    moves &= ~(threats >> 1);  // a stone below a threat allows it
    if (moves == 0) return position.playable() == 0 ? 0 : -1;
    if (position.moves >= kCells - 2) return 0;

    const auto [known_low, known_high] = table_.find(position.key());
    low = std::max(low, known_low);
    high = std::min(high, known_high);
    if (low >= high) return low;
    const int first_low = low;
    const int first_high = high;

    struct Choice {
      std::uint64_t cell;
      int threats;
    };
    std::array<Choice, kWidth> choices;
    int count = 0;
    for (int x : kOrder) {
      const std::uint64_t cell = moves & column(x);
      if (cell == 0) continue;
      const int made = __builtin_popcountll(winning_cells(position.own | cell, position.occupied | cell));
      int place = count++;
      for (; place > 0 && choices[place - 1].threats < made; --place) choices[place] = choices[place - 1];
      choices[place] = {cell, made};
    }
    int best = -1;
    for (int i = 0; i < count && best < high; ++i) {
      Position next = position;
      next.play(choices[i].cell);
      best = std::max(best, -search(next, -high, -low));
      low = std::max(low, best);
    }
    const int known = best;
    table_.store(position.key(), known > first_low ? known : known_low, known < first_high ? known : known_high);
    return best;
  }

  Table table_;
};

}  // namespace

int main() {
  std::ios::sync_with_stdio(false);
  Solver solver;
  for (std::string line; std::getline(std::cin, line);) {
    Position position;
    for (char move : line) {
      const int x = move - '0';
      if (x < 0 || x >= kWidth || position.occupied & top(x)) {
        std::cerr << "connect_four_solver: " << line << " is no sequence of moves\n";
        return 1;
      }
      position.play((position.occupied + bottom(x)) & column(x));
    }
    const std::uint64_t wins = winning_cells(position.own, position.occupied);
    for (int x = 0; x < kWidth; ++x) {
      if (x > 0) std::cout << ' ';
      const std::uint64_t cell = position.playable() & column(x);
      if (cell == 0) {
        std::cout << 'x';
      } else if (cell & wins) {
        std::cout << 1;
      } else {
        Position next = position;
        next.play(cell);
        std::cout << -solver.solve(next);
      }
    }
    std::cout << std::endl;
  }
}
