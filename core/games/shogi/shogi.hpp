#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "game.hpp"
#include "games/shogi/movegen.hpp"
#include "games/shogi/repetition.hpp"

namespace tengen {

namespace shogi {

// When a player may declare a win with the king in the opponent's camp. A suffix H gives the points of pieces that are
// missing from a handicap game to White, who plays without them.
enum class Declaration : std::uint8_t { kNone, kCsa24, kCsa24Handicap, kCsa27, kCsa27Handicap, kTry };
inline constexpr std::array<std::string_view, 6> kDeclarationNames{"NoEnteringKing", "CSARule24",  "CSARule24H",
                                                                   "CSARule27",      "CSARule27H", "TryRule"};

enum class End : std::uint8_t {
  kNone,
  kNoMoves,         // mate, and also stalemate: the side to move has lost
  kRepetition,      // the same position for the fourth time: a draw
  kPerpetualCheck,  // the same, and one side gave check with every move since the first: it has lost
  kDeclaration,
  kTry,       // the king has reached the square where the opponent's started
  kMaxPlies,  // a draw
};

struct State {
  static constexpr std::size_t kRecent = 7;

  Position position;
  Repetition repetition;
  std::array<MadeMove, kRecent> recent{};  // the latest moves, the last one first
  std::array<std::uint16_t, 2> checks{};   // by color: checks given in a row, up to now
  std::uint8_t recent_count = 0;
  std::uint8_t occurrences = 1;  // of this position, this one included
  End end = End::kNone;
  std::int8_t winner = kNobody;  // when it has ended: kNobody is a draw
  std::uint32_t unused = 0;      // states are sent as bytes: no padding

  friend bool operator==(const State&, const State&) = default;
};
static_assert(std::is_trivially_copyable_v<State> && std::has_unique_object_representations_v<State>);

// May the side to move declare that it has won?
bool can_declare(const Position& position, Declaration rule);
// Points for a declaration: 5 for rooks and bishops, 1 for others, of hand and camp without the king; and how many
// pieces besides the king are in the camp.
struct CampCount {
  int points = 0;
  int pieces = 0;
};
CampCount camp_count(const Position& position, Color color);

// Where a move stands among the 2,187 outputs of networks of dlshogi's kind, in the mover's frame: 27 planes of 81
// squares.
inline constexpr int kPolicyCount = 27 * kSquares;
int policy_index(Color mover, Move move);

}  // namespace shogi

// Shogi. Seat 0 is Black (sente). Actions: see shogi::ActionTable; the last one declares a win.
class Shogi {
 public:
  using State = shogi::State;
  static constexpr Facts kFacts{};

  struct Settings {
    shogi::Declaration declaration = shogi::Declaration::kCsa27;
    int max_plies = 0;  // a game that is not decided at this ply is a draw; 0: no limit
  };
  static constexpr std::tuple kSettings{Setting{"declaration", &Settings::declaration},
                                        Setting{"max_plies", &Settings::max_plies}};

  // Few pieces at random hardly ever mate; and of the third of random games from the start that take longer, the end
  // says nothing about where they began.
  static constexpr int kPlayoutPlies = 512;

  // Planes, in the frame of the viewer, who plays upwards: 0-13 the viewer's pieces by kind, 14-27 the opponent's;
  // 28-33 squares that the viewer's pieces attack at least once, twice, three times, then the opponent's; 34-39 where
  // lances, bishops and horses, rooks and dragons reach, then the opponent's. The same in every square: 40-46 the
  // viewer's hand by kind over its largest number, 47-53 the opponent's; 54 whose move it is (1: the viewer's), 55
  // check, 56 the position has come before, 57 twice before, 58 the viewer is White, 59 how near the limit of plies is.
  // [planes][file][rank] as squares are numbered, and as policy_index() numbers them.
  static constexpr int kPlanes = 60;

  // What payoffs depend on and the course of a game does not.
  struct Context {
    double draw_value = 0;  // what a draw is worth to Black, from -1 to 1; White gets the opposite
  };

  Shogi() : Shogi(Settings{}) {}
  explicit Shogi(const Settings& settings);

  const Settings& settings() const { return settings_; }
  const Context& context() const { return context_; }
  Shogi with_context(const Context& context) const {
    Shogi game = *this;
    game.context_ = context;
    return game;
  }

  constexpr Facts facts() const { return kFacts; }
  constexpr int action_count() const { return shogi::ActionTable::kCount; }
  constexpr Shape shape() const { return {kPlanes, 9, 9}; }
  constexpr double payoff_scale() const { return 1.0; }
  constexpr int aux_count() const { return 0; }

  State start(Rng&) const { return start_from(shogi::Position::initial()); }
  State start_from(const shogi::Position& position) const;

  int actor(const State& state) const { return state.end != shogi::End::kNone ? kNobody : state.position.side(); }
  void legal(const State& state, int player, Actions& out) const;
  void apply(State& state, Action action) const;
  // A move that is legal in the position, also after the end by repetition or the limit of plies: a referee may see
  // those otherwise.
  void replay(State& state, shogi::Move move) const;
  Action random_action(const State& state, int player, Rng& rng) const;
  bool can_declare(const State& state) const { return shogi::can_declare(state.position, settings_.declaration); }

  // By a declaration, or by a mate that takes that many plies and a check every move.
  bool has_forced_win(const State& state, int plies) const;

  void payoff(const State& state, std::span<double> out) const;
  // Material, a little mobility of kings: a value between -1 and 1.
  void heuristic(const State& state, std::span<double> out) const;
  void encode(const State& state, int viewer, std::span<float> out) const;

  constexpr int policy_count() const { return shogi::kPolicyCount; }
  // -1: the declaration, which networks do not know.
  int policy_index(const State& state, Action action) const {
    if (action == shogi::kWinAction) return -1;
    return shogi::policy_index(state.position.side(), shogi::move_of(action));
  }

  // Of the position, how often it has come and the ply if that matters: what encode() shows.
  std::uint64_t key(const State& state) const;
  // Of the whole game up to here.
  std::uint64_t rules_key(const State& state) const;

  // Moves only, at a depth.
  template <class BeforeNode>
  std::uint64_t perft(const State& state, int depth, BeforeNode before_node) const {
    return state.end == shogi::End::kNone ? shogi::perft(state.position, depth, before_node) : 0;
  }

 private:
  void judge(State& state) const;

  Settings settings_;
  Context context_;
};

static_assert(Game<Shogi> && HasSettings<Shogi> && HasRandomAction<Shogi> && HasHeuristic<Shogi> &&
              HasForcedWin<Shogi> && HasPlayoutPlies<Shogi> && HasRulesKey<Shogi> && HasPolicyIndex<Shogi> &&
              HasContext<Shogi>);

}  // namespace tengen
