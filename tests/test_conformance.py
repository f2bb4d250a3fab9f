"""The suite on every game that ships, on toy games, and on games that break the contract."""

import os
from pathlib import Path

import numpy as np
import pytest
from shipped_games import NAMES, small_game
from toy_games import Duel, FullTicTacToe, HighCard, TicTacToe

from tengen.games.conformance import ConformanceError, check, playthrough

PLAYTHROUGHS = Path(__file__).parent / "data" / "playthroughs"


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_shipped_games_conform(name):
    assert check(small_game(name), games=5).games == 5


@pytest.mark.parametrize(
    "game", [TicTacToe(), FullTicTacToe(), HighCard(), Duel(), Duel(rounds=1, prize=0.5)], ids=repr
)
def test_toy_games_conform(game):
    assert check(game).games == 20


@pytest.mark.parametrize("name", NAMES)
def test_playthrough_is_as_recorded(name):
    """TENGEN_UPDATE_PLAYTHROUGHS=1 writes the files anew; read the difference before you commit it."""
    text = playthrough(small_game(name), seed=1)
    path = PLAYTHROUGHS / f"{name}.txt"
    if os.environ.get("TENGEN_UPDATE_PLAYTHROUGHS"):
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("game", [FullTicTacToe(), HighCard(), Duel()], ids=repr)
def test_playthrough_of_a_python_game_is_deterministic(game):
    assert playthrough(game, seed=3) == playthrough(game, seed=3)
    assert playthrough(game, seed=3, limit=1).count("# State") == 2


def test_report_says_what_was_tried():
    report = check(Duel(), games=2)
    assert report.actors == {"all", "chance", None}
    assert str(report) == "duel: 2 games, 8 states, longest 3 plies; not checked: encoding, symmetries"


class Unsorted(TicTacToe):
    def legal(self, board, player):
        return super().legal(board, player)[::-1]


class NoActions(TicTacToe):
    def legal(self, board, player):
        return super().legal(board, player)[:-1]


class WrongActor(TicTacToe):
    def actor(self, board):
        return None if super().actor(board) is None else 2


class SecretChance(TicTacToe):
    def actor(self, board):
        return "chance" if board.count(None) == 9 else super().actor(board)


class BadSum(TicTacToe):
    def payoff(self, board):
        return (1, 0)


class ThreePayoffs(TicTacToe):
    def payoff(self, board):
        return (1, 0, -1)


class SameNames(TicTacToe):
    def format_action(self, action):
        return "x"


class EmptyName(TicTacToe):
    def format_action(self, action):
        return ""


class Endless(TicTacToe):
    def actor(self, board):
        return 0

    def legal(self, board, player):
        return [0]


class Mutating(TicTacToe):
    def initial(self, rng):
        return list(super().initial(rng))

    def apply(self, board, cell):
        board[cell] = self.actor(board)
        return board


class Unsteady(TicTacToe):
    calls = 0

    def apply(self, board, cell):
        Unsteady.calls += 1
        free = self.legal(board, 0)
        return super().apply(board, free[Unsteady.calls % len(free)])


class WrongShape(FullTicTacToe):
    def encode(self, board, viewer):
        return super().encode(board, viewer)[:1]


class WrongType(FullTicTacToe):
    def encode(self, board, viewer):
        return super().encode(board, viewer).astype(np.float64)


class NotANumber(FullTicTacToe):
    def encode(self, board, viewer):
        return super().encode(board, viewer) * np.float32("nan")


class WrongTurn(FullTicTacToe):
    def transform(self, board, symmetry):
        return board


class WrongFeatures(FullTicTacToe):
    def transform_feature(self, feature, symmetry):
        return feature


class NoPermutation(FullTicTacToe):
    def transform_action(self, cell, symmetry):
        return cell if symmetry == 0 else 0


class CoarseKey(FullTicTacToe):
    def key(self, board):
        return board.count(None)


class LargeKey(FullTicTacToe):
    def key(self, board):
        return -1


class BrokenSvg(FullTicTacToe):
    def draw_svg(self, board, viewer=None):
        return "<svg>"


class Lenient(TicTacToe):
    def advance(self, board, action):
        return self.apply(board, action % 9)


class LeakyPlanes(HighCard):
    def encode(self, position, viewer):
        return super().encode(position, 0)


class LeakyDrawing(HighCard):
    def draw_text(self, position, viewer=None, color=False):
        return str(position)


class LeakyPublicDrawing(HighCard):
    def draw_public_svg(self, position):
        return self.draw_svg(position)


class LeakyKey(HighCard):
    def view_key(self, position, viewer):
        return self.key(position)


class NeverRedealt(HighCard):
    def redeal(self, position, viewer, rng):
        return position


class UndeclaredHidden(HighCard):
    hidden = False


class StrangeOutcome(Duel):
    def outcome(self, position, rng):
        return 7


class StrangeHeuristic(TicTacToe):
    def heuristic(self, board):
        return [float("inf"), 0]


class NoActionCount(TicTacToe):
    action_count = 0


@pytest.mark.parametrize(
    ("game", "complaint"),
    [
        (Unsorted, "not ascending"),
        (NoActions, "is empty"),
        (WrongActor, "no such player"),
        (SecretChance, "chance is not declared"),
        (BadSum, "do not add up to 0"),
        (ThreePayoffs, "payoffs are"),
        (SameNames, "called 'x'"),
        (EmptyName, "has the name ''"),
        (Endless, "not over after"),
        (Mutating, "changed the state"),
        (Unsteady, "differs from one call to the next"),
        (WrongShape, "has shape"),
        (WrongType, "not float32"),
        (NotANumber, "not numbers"),
        (WrongTurn, "symmetry 1"),
        (WrongFeatures, "feature_maps do not fit"),
        (NoPermutation, "no permutation"),
        (CoarseKey, "key is that of"),
        (LargeKey, "not 64 bits"),
        (BrokenSvg, "not well formed"),
        (Lenient, "went through"),
        (LeakyPlanes, "sees a difference"),
        (LeakyDrawing, "sees a difference|another view"),
        (LeakyPublicDrawing, "who watches sees a difference"),
        (LeakyKey, "changed view_key"),
        (NeverRedealt, "never changed anything"),
        (UndeclaredHidden, "hidden is not declared"),
        (StrangeOutcome, "which may not come"),
        (StrangeHeuristic, "heuristic is"),
        (NoActionCount, "action_count is not set"),
    ],
)
def test_a_broken_contract_is_found(game, complaint):
    with pytest.raises(ConformanceError, match=complaint):
        check(game(), max_plies=200)


class FourDice(TicTacToe):
    """Tic-tac-toe after a roll of four dice, which decides nothing."""

    chance = True
    named = 0

    def initial(self, rng):
        return None

    def actor(self, board):
        return "chance" if board is None else super().actor(board)

    def legal(self, board, player):
        return range(6**4) if player == "chance" else super().legal(board, player)

    def apply(self, board, action):
        return super().initial(None) if board is None else super().apply(board, action)

    def format_outcome(self, outcome):
        type(self).named += 1
        return " ".join(str(outcome // 6**die % 6 + 1) for die in range(4))


class TwinRolls(FourDice):
    """Two of the rolls have one name."""

    def format_outcome(self, outcome):
        return super().format_outcome(700 if outcome == 701 else outcome)


class LostRoll(FourDice):
    """The name of the last roll is read as another roll."""

    def parse_outcome(self, text, position):
        found = super().parse_outcome(text, position)
        return 0 if found == 6**4 - 1 else found


def test_time_for_names_is_not_the_square_of_the_number_of_outcomes():
    report = check(FourDice(), games=1)
    assert report.most_choices == 1296
    assert FourDice.named < 40 * 1296, "parsing every name would need more than 1,296 * 1,296"
    assert "of up to 1,296 names a sample was parsed" in str(report)


@pytest.mark.parametrize(
    ("broken", "told"), [(TwinRolls, "actions 700 and 701 are both called"), (LostRoll, "which parses as 0")]
)
def test_faults_of_names_among_many_outcomes_are_found(broken, told):
    with pytest.raises(ConformanceError, match=told):
        check(broken(), games=1)


def test_a_check_reports_each_state():
    seen = []
    report = check(Duel(), games=2, on_state=lambda so_far: seen.append((so_far.games, so_far.states)))
    assert seen == [(0, 1), (0, 2), (0, 3), (0, 4), (1, 5), (1, 6), (1, 7), (1, 8)]
    assert report.states == 8
