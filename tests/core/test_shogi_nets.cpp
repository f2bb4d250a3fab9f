#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <set>
#include <string_view>
#include <vector>

#include "check.hpp"
#include "games/shogi/movegen.hpp"
#include "games/shogi/shogi.hpp"
#include "nets/dlshogi/planes.hpp"
#include "nets/miniosl/mate.hpp"
#include "nets/miniosl/planes.hpp"
#include "shogi_boards.hpp"

using namespace tengen;
using namespace tengen::shogi;

namespace {

constexpr int kGames = 12;
constexpr int kPlies = 160;
constexpr std::array<std::string_view, 4> kOdd{
    "4k4/9/9/9/9/9/9/9/9 b 2R2B4G4S4N4L18P 1",  // no king of Black's
    "9/9/9/9/9/9/9/9/4K4 w 2r2b4g4s4n4l18p 1",
    "k8/1+P7/9/9/9/9/9/9/8K b GSNLBR 1",
    "8k/9/8P/9/9/9/9/9/K8 b G2N 1",
};

struct Inputs {
  std::vector<float> miniosl, board, hands;

  explicit Inputs(const State& state, bool fill = true)
      : miniosl(miniosl::kInputs),
        board(dlshogi::kBoardPlanes * kSquares),
        hands((dlshogi::kHandPlanes + dlshogi::kEnteringPlanes) * kSquares) {
    miniosl::encode(state, fill, miniosl);
    dlshogi::encode(state.position, board, hands);
  }
  friend bool operator==(const Inputs&, const Inputs&) = default;
};

bool are_shares(const std::vector<float>& numbers) {
  return std::ranges::all_of(numbers, [](float x) { return x >= 0.0F && x <= 1.0F; });
}

// Whichever of the players is to move, a mate that is found is one.
int count_mates(const State& state) {
  if (state.position.is_check()) return 0;
  const auto mate = miniosl::find_mate(state.position, state.position.side());
  if (!mate) return 0;
  CHECK(is_legal(state.position, mate->move));
  Position after = state.position;
  after.play(mate->move);
  CHECK(is_mate(after));
  return 1;
}

// The other player's board: turned, with colors swapped.
Position turned_position(const Position& position) {
  Position other;
  for (Square square = 0; square < kSquares; ++square) {
    const Piece piece = position.piece_at(square);
    if (piece != kNoPiece) other.put(opponent(color_of(piece)), kind_of(piece), turned(square));
  }
  for (const Color color : {kBlack, kWhite}) {
    for (int kind = 0; kind < kHandKinds; ++kind) {
      const int count = position.hand(color).count(static_cast<Kind>(kind));
      if (count > 0) other.add_to_hand(opponent(color), static_cast<Kind>(kind), count);
    }
  }
  other.set_side(opponent(position.side()), position.ply());
  other.refresh();
  return other;
}

}  // namespace

TEST(games_are_shown) {
  const Shogi game;
  Rng rng(5);
  int mates = 0;
  for (int number = 0; number < kGames; ++number) {
    State state = game.start(rng);
    for (int ply = 0; ply < kPlies && game.actor(state) != kNobody; ++ply) {
      const Inputs inputs(state);
      CHECK(are_shares(inputs.miniosl) && are_shares(inputs.board) && are_shares(inputs.hands));
      mates += count_mates(state);
      game.apply(state, game.random_action(state, state.position.side(), rng));
    }
  }
  CHECK(mates > 0);
}

TEST(both_players_see_alike) {
  const Shogi game;
  Rng rng(6);
  State state = game.start(rng);
  for (int ply = 0; ply < kPlies && game.actor(state) != kNobody; ++ply) {
    // Not of the start position, which is known to have no past.
    game.apply(state, game.random_action(state, state.position.side(), rng));
    const State bare = game.start_from(state.position);
    const State other = game.start_from(turned_position(state.position));
    Inputs one(bare), two(other);
    CHECK(one.board == two.board);
    // But for who is White, for mates by one of several equal pieces, and for the points that each needs.
    for (const int plane : {60, 62}) {
      std::fill_n(one.miniosl.begin() + plane * kSquares, kSquares, 0.0F);
      std::fill_n(two.miniosl.begin() + plane * kSquares, kSquares, 0.0F);
    }
    CHECK(one.miniosl == two.miniosl);
    CHECK(std::equal(one.hands.begin(), one.hands.begin() + dlshogi::kHandPlanes * kSquares, two.hands.begin()));
  }
}

TEST(odd_positions_are_shown) {
  const Shogi game;
  for (const std::string_view sfen : kOdd) {
    State state;
    state.position = position_of(sfen);
    CHECK(are_shares(Inputs(state).miniosl));
    CHECK(are_shares(Inputs(state, false).hands));
    count_mates(state);
  }
}

TEST(labels_tell_moves_apart) {
  for (const std::string_view sfen : {"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
                                      "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1"}) {
    const Position position = position_of(sfen);
    std::vector<Move> moves;
    legal_moves(position, moves);
    std::set<int> labels;
    for (const Move move : moves) {
      const int label = miniosl::label(position.side(), move);
      CHECK(label >= 0 && label < miniosl::kLabels);
      labels.insert(label);
    }
    CHECK(labels.size() == moves.size());
  }
}
