"""Connect Four agrees with OpenSpiel's."""

import random

import pyspiel
import pytest

import tengen

GAMES = 10_000


@pytest.fixture(scope="module")
def theirs():
    return pyspiel.load_game("connect_four")


@pytest.mark.slow
def test_random_games_agree(theirs):
    rng = random.Random(4)
    start = tengen.game("connect_four").start()
    results = set()
    for _ in range(GAMES):
        state = start
        other = theirs.new_initial_state()
        while not other.is_terminal():
            legal = other.legal_actions()
            assert (state.actor, state.legal()) == (other.current_player(), legal), f"after {state.names}"
            action = rng.choice(legal)
            state = state.play(action)
            other.apply_action(action)
        assert state.is_over, f"after {state.names}"
        assert list(state.payoffs) == other.returns(), f"after {state.names}"
        results.add(state.payoffs)
    assert results == {(1, -1), (-1, 1), (0, 0)}


def perft(state, depth):
    """Ways to play `depth` moves on; games that end before are none."""
    if state.is_terminal():
        return 0
    actions = state.legal_actions()
    return len(actions) if depth == 1 else sum(perft(state.child(action), depth - 1) for action in actions)


def test_perft_agrees(theirs):
    game = tengen.game("connect_four")
    # In the second position many lines end within the six moves.
    for moves in ("", "dddeeecc"):
        state = game.start()
        other = theirs.new_initial_state()
        for move in moves:
            state = state.play(move)
            other.apply_action(state.history[-1])
        ours = [game.core.perft(state.position, depth) for depth in range(1, 7)]
        assert ours == [perft(other, depth) for depth in range(1, 7)]
