"""Go agrees with OpenSpiel's: legal moves at every step, and the area score at the end.

OpenSpiel bans the simple ko and every suicide; a repeated position is not banned but ends the game as a draw, and after
two moves a point the board is counted as it is. So its legal moves are ours under simple ko without suicide, and those
that do not repeat a position are ours under positional superko.
"""

import random

import pyspiel
import pytest

import tengen

SIMPLE = '{"ko": "SIMPLE", "scoring": "AREA", "tax": "NONE", "suicide": false}'
SUPERKO = '{"ko": "POSITIONAL", "scoring": "AREA", "tax": "NONE", "suicide": false}'


class Pair:
    """The same game here and there."""

    def __init__(self, size, komi=7.5, rules=SIMPLE, **settings):
        self.size = size
        self.game = tengen.game("go", size=size, rules=rules, komi=komi)
        self.theirs = pyspiel.load_game("go", {"board_size": size, "komi": float(komi), **settings})
        # Their rows count from the bottom.
        cells = [(size - 1 - cell // size) * size + cell % size for cell in range(size * size)]
        self.ours = [*cells, size * size]

    def start(self):
        return self.game.start(), self.theirs.new_initial_state()

    def legal(self, other):
        return sorted(self.ours[action] for action in other.legal_actions())


def count_area(board, size):
    """Black's area minus White's, counted the plain way: stones, and empty regions that touch one color."""
    total = board.count("X") - board.count("O")
    rows = board.split("/")
    empty = {(y, x) for y in range(size) for x in range(size) if rows[y][x] == "."}
    while empty:
        region, colors = [empty.pop()], set()
        for y, x in region:
            for near in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                if near in empty:
                    empty.remove(near)
                    region.append(near)
                elif 0 <= near[0] < size and 0 <= near[1] < size:
                    colors.add(rows[near[0]][near[1]])
        colors.discard(".")
        if len(colors) == 1:
            total += len(region) if colors == {"X"} else -len(region)
    return total


def winner(pair, actions):
    """Who wins over there with the komi of a pair; replayed, because komi is a setting."""
    other = pair.theirs.new_initial_state()
    for action in actions:
        other.apply_action(action)
    return other.returns()


@pytest.mark.parametrize(("size", "games"), [(3, 100), (5, 100), (9, 100), (13, 8), (19, 4)])
def test_random_games_agree(size, games):
    rng = random.Random(size)
    pair = Pair(size)
    for _ in range(games):
        state, other = pair.start()
        while not other.is_terminal():
            assert (state.actor, state.legal()) == (other.current_player(), pair.legal(other)), f"after {state.names}"
            action = rng.choice(other.legal_actions())
            state = state.play(pair.ours[action])
            other.apply_action(action)
        passed = state.names[-2:] == ("pass", "pass")
        assert state.is_over == passed, f"after {state.names}"
        lead = pair.game.score(state)
        assert lead == count_area(pair.game.board(state), size) - 7.5
        if other.returns()[0] != 0:
            assert (lead > 0) == (other.returns()[0] > 0)
        if passed:
            assert list(state.payoffs) == other.returns(), f"after {state.names}"


def test_scores_agree_to_the_point():
    """Over there only the winner is told: with half a point more of komi it must be the other one."""
    rng = random.Random(7)
    pair = Pair(7)
    for _ in range(40):
        state, other = pair.start()
        while not other.is_terminal():
            action = rng.choice(other.legal_actions())
            state = state.play(pair.ours[action])
            other.apply_action(action)
        if other.returns()[0] == 0:
            continue
        points = pair.game.score(state) + 7.5
        for komi, black_wins in ((points - 0.5, True), (points + 0.5, False)):
            assert (winner(Pair(7, komi), other.history())[0] > 0) == black_wins


def test_superko_bans_what_ends_their_games():
    rng = random.Random(3)
    pair = Pair(3, rules=SUPERKO, max_game_length=1000)
    banned = 0
    for _ in range(60):
        state, other = pair.start()
        while not other.is_terminal() and len(other.history()) < 150:
            fresh = [action for action in other.legal_actions() if action == 9 or not other.child(action).is_terminal()]
            assert state.legal() == sorted(pair.ours[action] for action in fresh), f"after {state.names}"
            banned += len(other.legal_actions()) - len(fresh)
            action = rng.choice(fresh[:-1] or fresh)
            state = state.play(pair.ours[action])
            other.apply_action(action)
    assert banned > 100
