#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "games/shogi/mate_table.hpp"
#include "games/shogi/repetition.hpp"

namespace tengen::shogi {

struct MateLimits {
  std::uint64_t nodes = 1'000'000;
  int max_plies = 0;  // the ply at which the game is drawn, as Position::ply() counts; 0: none
};

enum class Mate : std::uint8_t {
  kUnknown,  // the limits did not suffice, or it was stopped
  kFound,
  kNone,  // whatever checks are given, the king gets away
};

struct MateAnswer {
  Mate mate = Mate::kUnknown;
  std::vector<Move> line;  // to the mate, the defender holding out as long as is known
  std::uint64_t nodes = 0;
};

// Looks for a mate by checks alone, by depth-first proof-number search (df-pn). It answers what is proven only.
//
// The attacker gives check with every move. A position that repeats one of the line is no mate there: the attacker
// would have come no further, and in the end lose by perpetual check. What rests on such a repetition is remembered for
// that line alone. Mates are not the shortest there are, but one of a single move is always found first, then one of
// three.
class MateSolver {
 public:
  explicit MateSolver(std::size_t table_bytes = std::size_t{64} << 20) : table_(table_bytes) {}

  // The attacker is to move. `past` are the positions of the game up to this one.
  MateAnswer solve(const Position& position, const Repetition& past, const MateLimits& limits);

  // Ends a solve() in another thread soon, or the next one at once. The next one after that is not affected.
  void stop() { stopped_ = true; }

 private:
  static constexpr int kMaxDepth = 500;
  // Positions of the game that came so often are not entered again: once more, and the game might end there.
  static constexpr int kMaxOccurrences = 2;

  struct Child {
    Move move;
    MateTable::Place place;
    MateNumbers numbers;
    bool is_decided = false;  // whatever the table says: no answer to a check, or a repetition
  };
  using Children = std::vector<Child>;

  // As the side to move sees it: `phi` is what it takes to decide a position its way, `delta` the other way.
  struct View {
    std::uint32_t phi;
    std::uint32_t delta;
  };
  struct Choice {
    MateNumbers numbers;  // of the position, by its children
    std::size_t best = 0;
    std::uint32_t next_delta = MateNumbers::kDecided;  // of the second best child
    std::uint32_t open = 0;                            // children that still stand against the side to move
  };

  static bool is_attack(int depth) { return depth % 2 == 0; }
  static View view_of(const MateNumbers& numbers, int depth) {
    return is_attack(depth) ? View{numbers.proof, numbers.disproof} : View{numbers.disproof, numbers.proof};
  }

  // Until one of the numbers reaches its limit.
  MateNumbers search(const Position& position, int depth, View limits);
  MateNumbers search_child(const Position& position, int depth, const Child& child, View limits);
  void expand(const Position& position, int depth, Children& out);
  MateNumbers first_numbers(const Position& position, int depth, bool& is_decided);
  Choice choose(Children& children, int depth) const;
  static MateNumbers decided(const Children& children, int depth, bool by_mover);
  std::vector<Move> find_line(Position position);

  // How many plies a mate may take from a position of this depth.
  int plies_left(int depth) const;
  bool is_at_limit() const { return nodes_ >= node_limit_ || stopped_; }
  MateTable::Place place_of(const Position& position) const {
    return {position.board_key(), position.hand(attacker_), line_};
  }

  MateTable table_;
  std::atomic<bool> stopped_{false};
  // Of the solve() at hand.
  const Repetition* past_ = nullptr;
  Color attacker_ = kBlack;
  int root_ply_ = 0;
  int max_plies_ = 0;
  std::uint64_t nodes_ = 0;
  std::uint64_t node_limit_ = 0;
  bool is_cut_ = false;              // positions were left out that may hold a mate
  std::vector<std::uint64_t> path_;  // keys of the positions before the one at hand, the root's first
  std::uint64_t line_ = 0;           // of these as a set
};

}  // namespace tengen::shogi
