"""The mate search that runs in parallel to the tree."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING, Final

from tengen.protocols.usi.decision import MateAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.games import State
    from tengen.games.shogi.mate import MateSolver

__all__ = ["RootMate", "find_mate", "mate_thread"]

_LOOK_S: Final = 0.01
_NO_LIMIT: Final = 2**50


def mate_thread() -> ThreadPoolExecutor:
    """Start a thread for mate searches. On a busy machine the start of a thread takes longer than a short move."""
    thread = ThreadPoolExecutor(1, thread_name_prefix="mate")
    thread.submit(int).result()
    return thread


class RootMate:
    """A search for a mate in a thread of its own, from the first moment on.

    Searches in the same thread follow one another, so a solver is never used by two. None of the methods but close()
    waits for the thread, which on a busy machine gets to a processor late.
    """

    def __init__(self, thread: ThreadPoolExecutor, solver: MateSolver, state: State, nodes: int) -> None:
        self.answer: MateAnswer | None = None
        """The result when the search has ended."""
        self._solver = solver
        self._is_closed = False
        self._future = thread.submit(self._run, state, nodes)

    def _run(self, state: State, nodes: int) -> None:
        spent = 0
        while spent < nodes and not self._is_closed:
            found = self._solver.solve(state, nodes - spent)
            spent += max(1, found.nodes)
            if found.is_mate is not None:
                names = tuple(state.game.name(action) for action in found.line)
                self.answer = MateAnswer(names, not found.is_mate, spent)
                return
            # Unknown: the nodes are used up, or a stop() of an earlier search has ended this one.
        self.answer = MateAnswer(nodes=spent)

    @property
    def moves(self) -> tuple[str, ...]:
        """The mate, if one is found."""
        return self.answer.moves if self.answer is not None else ()

    def request_stop(self) -> None:
        self._is_closed = True
        self._solver.stop()

    def close(self) -> None:
        """Stop the search and wait until it has ended."""
        self.request_stop()
        while not wait([self._future], _LOOK_S).done:
            self._solver.stop()


def find_mate(
    thread: ThreadPoolExecutor,
    solver: MateSolver,
    state: State,
    seconds: float | None,
    is_stopped: Callable[[], bool],
) -> MateAnswer:
    """Search until the result is known, the time is up, or the search is stopped."""
    end = None if seconds is None else time.monotonic() + seconds
    search = RootMate(thread, solver, state, _NO_LIMIT)
    try:
        while search.answer is None and not is_stopped() and (end is None or time.monotonic() < end):
            time.sleep(_LOOK_S)
    finally:
        search.close()
    return search.answer or MateAnswer()
