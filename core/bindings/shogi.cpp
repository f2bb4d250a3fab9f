#include "games/shogi/shogi.hpp"

#include <nanobind/stl/pair.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bound_game.hpp"
#include "games/shogi/refusal.hpp"

namespace tengen {

namespace {

using ShogiRules = BoundGame<Shogi>;

// All of one kind, on board and in hands, must fit a byte of a hand.
constexpr int kMaxInHand = shogi::kSquares;

int checked_count(int count) {
  if (count < 0 || count > kMaxInHand) {
    throw nb::value_error((std::to_string(count) + " pieces of one kind in a hand: 0 to 81").c_str());
  }
  return count;
}

// Pieces by square as shogi::Piece; hands of Black and White by kind.
AnyState start_from(const ShogiRules& rules, const nb::bytes& board, const std::vector<int>& hands, int side, int ply) {
  using namespace shogi;
  check_index(side, 2, "side");
  if (ply < 0) throw nb::value_error("the ply is at least 0");
  if (board.size() != kSquares) throw nb::value_error("a board is 81 bytes");
  if (hands.size() != 2 * kHandKinds) throw nb::value_error("hands are 14 numbers");
  Position position;
  for (Square square = 0; square < kSquares; ++square) {
    const auto piece = static_cast<Piece>(board.c_str()[square]);
    if (piece == kNoPiece) continue;
    if (piece >= kPieces || (piece & 15) == 0 || (piece & 15) > kKinds) throw nb::value_error("no such piece");
    const Color color = shogi::color_of(piece);
    if (kind_of(piece) == kKing && position.has_king(color)) throw nb::value_error("a player has two kings");
    position.put(color, kind_of(piece), square);
  }
  for (int i = 0; i < 2 * kHandKinds; ++i) {
    position.add_to_hand(i / kHandKinds, static_cast<Kind>(i % kHandKinds), checked_count(hands[at(i)]));
  }
  if (!position.has_king(kBlack) && !position.has_king(kWhite)) throw nb::value_error("there is no king");
  position.set_side(side, ply);
  position.refresh();
  if (position.is_opponent_in_check()) throw nb::value_error("the king of the side that is not to move is in check");
  return rules.give(rules.game.start_from(position));
}

shogi::Move checked_move(const ShogiRules& rules, Action action) {
  check_index(action, rules.game.action_count(), "action");
  if (action == shogi::kWinAction) throw nb::value_error("a declaration is no move");
  return shogi::move_of(action);
}

AnyState replay(const ShogiRules& rules, const AnyState& given, Action action) {
  shogi::State next = rules.checked(given);
  const shogi::Move move = checked_move(rules, action);
  if (!shogi::is_legal(next.position, move)) throw nb::value_error("the move is illegal in this position");
  rules.game.replay(next, move);
  return rules.give(next);
}

std::vector<int> squares_of(shogi::Bitboard set) {
  std::vector<int> squares;
  set.each([&](shogi::Square square) { squares.push_back(square); });
  return squares;
}

std::vector<int> hands_of(const shogi::Position& position) {
  std::vector<int> hands;
  for (const shogi::Color color : {shogi::kBlack, shogi::kWhite}) {
    for (int kind = 0; kind < shogi::kHandKinds; ++kind) {
      hands.push_back(position.hand(color).count(static_cast<shogi::Kind>(kind)));
    }
  }
  return hands;
}

nb::bytes board_of(const shogi::Position& position) {
  std::string bytes;
  for (shogi::Square square = 0; square < shogi::kSquares; ++square) {
    bytes.push_back(static_cast<char>(position.piece_at(square)));
  }
  return nb::bytes(bytes.data(), bytes.size());
}

// The latest first: action and what it took (a piece, 0 for none).
std::vector<std::pair<Action, int>> recent_of(const shogi::State& state) {
  std::vector<std::pair<Action, int>> recent;
  for (std::size_t i = 0; i < state.recent_count; ++i) {
    recent.emplace_back(shogi::action_of(state.recent[i].move), state.recent[i].captured);
  }
  return recent;
}

// Of every action in order: from (or 81 + kind for a drop), to, promotes. The declaration is none.
std::vector<std::tuple<int, int, bool>> moves() {
  std::vector<std::tuple<int, int, bool>> all;
  for (Action action = 0; action < shogi::kWinAction; ++action) {
    const shogi::Move move = shogi::move_of(action);
    all.emplace_back(move.is_drop() ? shogi::kSquares + move.dropped() : move.from(), move.to(), move.promotes());
  }
  return all;
}

void bind_questions(GameClass<Shogi>& rules) {
  using S = shogi::State;
  const auto ask = [&rules](const char* name, auto answer, const char* doc) {
    rules.def(
        name, [answer](const ShogiRules& r, const AnyState& p) { return answer(r.game, r.checked(p)); },
        nb::arg("state"), doc);
  };
  ask("side", [](const Shogi&, const S& s) { return s.position.side(); }, "To move, also when it is over.");
  ask("ply", [](const Shogi&, const S& s) { return s.position.ply(); }, "The move number of SFEN less one.");
  ask(
      "board", [](const Shogi&, const S& s) { return board_of(s.position); },
      "A byte a square, (file-1)*9 + rank-1: 0 empty, else 1 + kind, and 16 more if it is White's. Kinds: P L N S B R "
      "G "
      "K +P +L +N +S +B +R.");
  ask("hands", [](const Shogi&, const S& s) { return hands_of(s.position); }, "Black's P L N S B R G, then White's.");
  ask("is_check", [](const Shogi&, const S& s) { return s.position.is_check(); }, "");
  ask("checkers", [](const Shogi&, const S& s) { return squares_of(s.position.checkers()); }, "Squares.");
  ask(
      "occurrences", [](const Shogi&, const S& s) { return static_cast<int>(s.occurrences); },
      "How often the position has come in this game; at most 4 are counted.");
  ask(
      "end", [](const Shogi&, const S& s) { return static_cast<int>(s.end); },
      "0 not over; 1 no moves; 2 repetition; 3 perpetual check; 4 declaration; 5 try; 6 limit of plies.");
  ask(
      "recent", [](const Shogi&, const S& s) { return recent_of(s); },
      "The latest moves, the last one first, at most 7: action, piece taken or 0.");
  ask("position_key", [](const Shogi&, const S& s) { return s.position.key(); }, "Of board, hands and side to move.");
  ask("rules_key", [](const Shogi& g, const S& s) { return g.rules_key(s); }, "Of the whole game up to here.");
  ask("can_declare", [](const Shogi& g, const S& s) { return g.can_declare(s); }, "");
  rules
      .def(
          "camp_count",
          [](const ShogiRules& r, const AnyState& p, int color) {
            check_player(r.game, color);
            const shogi::CampCount camp = shogi::camp_count(r.checked(p).position, color);
            return std::pair(camp.points, camp.pieces);
          },
          nb::arg("state"), nb::arg("color"), "Points for a declaration, and pieces in the camp besides the king.")
      .def(
          "attackers",
          [](const ShogiRules& r, const AnyState& p, int color, int square) {
            check_player(r.game, color);
            check_index(square, shogi::kSquares, "square");
            const shogi::Position& position = r.checked(p).position;
            return squares_of(position.attackers(color, square, position.occupied()));
          },
          nb::arg("state"), nb::arg("color"), nb::arg("square"), "Squares of the pieces that attack a square.")
      .def(
          "gives_check",
          [](const ShogiRules& r, const AnyState& p, Action action) {
            const shogi::Position& position = r.checked(p).position;
            const shogi::Move move = checked_move(r, action);
            if (!shogi::is_legal(position, move)) throw nb::value_error("the move is illegal in this position");
            return position.gives_check(move);
          },
          nb::arg("state"), nb::arg("action"), "Whether a legal move gives check.")
      .def(
          "refusal",
          [](const ShogiRules& r, const AnyState& p, Action action) {
            return static_cast<int>(shogi::refusal(r.checked(p).position, checked_move(r, action)));
          },
          nb::arg("state"), nb::arg("action"),
          "Why a move is illegal; see core/games/shogi/refusal.hpp. 0: it is legal.");
}

}  // namespace

void bind_shogi_mate(nb::module_& m);
void bind_dlshogi(nb::module_& m);
void bind_miniosl(nb::module_& m);
void bind_prophet(nb::module_& m);

void bind_shogi(nb::module_& m);
void bind_shogi(nb::module_& m) {
  auto rules = bind_game<Shogi>(m, "Shogi");
  bind_questions(rules);
  bind_dlshogi(m);
  bind_miniosl(m);
  bind_prophet(m);
  rules
      .def("start_from", &start_from, nb::arg("board"), nb::arg("hands"), nb::arg("side"), nb::arg("ply") = 0,
           "Board and hands as board() and hands() answer them.")
      .def("replay", &replay, nb::arg("state"), nb::arg("action"),
           "A legal move, also after an end by repetition or by the limit of plies.")
      .def_prop_ro("draw_value", [](const ShogiRules& r) { return r.game.context().draw_value; })
      .def(
          "with_draw_value",
          [](const ShogiRules& r, double value) {
            if (!(value >= -1 && value <= 1)) throw nb::value_error("a draw is worth -1 to 1");
            return new ShogiRules(r.game.with_context({value}), "Shogi", r.settings());
          },
          nb::arg("value"), nb::rv_policy::take_ownership,
          "The same rules, where a draw is worth so much to Black; states of either belong to both.")
      .def_static("moves", &moves, "Of every action but the last: from, or 81 + kind of a drop; to; promotes.");
  bind_shogi_mate(m);
}

}  // namespace tengen
