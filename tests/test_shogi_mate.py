"""Mates of shogi: what the solver announces is replayed here, whatever the defender answers."""

from __future__ import annotations

import random
import threading

import pytest

import tengen
from tengen.games import GameError
from tengen.games.shogi.mate import MateSolver

SHOGI = tengen.game("shogi")
NODES = 20_000
NINE_PLIES = "pr1k4b/1Ppp1+B1gl/5s2p/1p5p1/S1Ggpp1n1/S4np1P/3GKP2L/L1P1L1R2/2+n3SN1 b P4p 1"
BARE_KING = "4k4/9/9/9/9/9/9/9/4K4 b R 1"


def is_mated(state, solver, plies) -> bool:
    """Whether the defender, who is to move, is mated whatever the answer: the attacker goes on as the solver says."""
    if state.actor is None:
        return SHOGI.end(state) == "no moves" and SHOGI.is_check(state)
    if plies < 2:
        return False
    for answer in state.legal():
        after = state.play(answer)
        found = solver.solve(after, NODES)
        if not found.is_mate:
            return False
        check = after.play(found.line[0])
        if not SHOGI.is_check(check) or not is_mated(check, solver, plies - 2):
            return False
    return True


@pytest.mark.slow
def test_announced_mates_are_mates() -> None:
    rng = random.Random(3)
    solver = MateSolver(4)
    mates = 0
    while mates < 15:
        state = SHOGI.start()
        while state.actor is not None and SHOGI.ply(state) < 200:
            found = solver.solve(state, 500) if SHOGI.ply(state) > 70 and SHOGI.ply(state) % 9 == 0 else None
            if found is not None and found.is_mate and len(found.line) <= 7:
                mates += 1
                assert is_mated(state.play(found.line[0]), solver, 21), SHOGI.sfen(state)
            state = state.play(rng.choice(state.legal()))


def test_the_line_ends_in_mate() -> None:
    state = SHOGI.start(sfen=NINE_PLIES)
    found = MateSolver(1).solve(state)
    assert found.is_mate
    assert found.nodes > 0
    for action in found.line:
        state = state.play(action)
    assert state.payoffs == (1.0, -1.0)


def test_no_mate_and_unknown() -> None:
    solver = MateSolver(1)
    assert solver.solve(SHOGI.start(sfen=BARE_KING)).is_mate is False
    assert solver.solve(SHOGI.start(sfen=BARE_KING), nodes=3).is_mate is None


def test_no_mate_is_looked_for_when_the_game_is_over() -> None:
    state = SHOGI.start(sfen="4k4/9/4P4/9/9/9/9/9/4K4 b G 1").play("G*5b")
    with pytest.raises(GameError, match="over"):
        MateSolver(1).solve(state)


def test_a_table_has_a_size() -> None:
    with pytest.raises(ValueError, match="1 to 65536"):
        MateSolver(0)


def test_another_thread_stops_it() -> None:
    solver = MateSolver(1)
    open_position = SHOGI.start(sfen="4k4/9/9/9/9/9/9/9/4K4 b 2R2B4G4S4N4L9P 1")
    timer = threading.Timer(0.05, solver.stop)
    timer.start()
    found = solver.solve(open_position, nodes=2**50)
    timer.join()
    assert found.is_mate is None or found.nodes < 2**50


def test_the_search_sees_mates_ahead() -> None:
    """A mate of five plies is proven by looking three ahead from the answers to the first check."""
    state = SHOGI.start(sfen=NINE_PLIES)
    line = MateSolver(1).solve(state).line
    for action in line[:-5]:
        state = state.play(action)
    far = tengen.search(state, evaluator="uniform", visits=20_000, solve=True, solve_plies=3, seed=1)
    assert far.proven
    assert far.value == 1.0


def test_looking_ahead_needs_solve() -> None:
    with pytest.raises(ValueError, match="solve_plies has no effect without solve"):
        tengen.search(SHOGI.start(), evaluator="uniform", visits=10, solve_plies=3)
