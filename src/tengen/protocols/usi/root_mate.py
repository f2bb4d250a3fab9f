"""The mate search beside the tree."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

from tengen.protocols.usi.decision import MateAnswer

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.games import State
    from tengen.games.shogi.mate import MateSolver

__all__ = ["RootMate", "find_mate"]

_LOOK_S: Final = 0.01
_NO_LIMIT: Final = 2**50


class RootMate:
    """Looks for a mate in a thread of its own, from the first moment on. close() it before the solver is used again."""

    def __init__(self, solver: MateSolver, state: State, nodes: int) -> None:
        self.answer: MateAnswer | None = None
        """Once it has come to an end."""
        self._solver = solver
        self._is_closed = False
        self._thread = threading.Thread(target=self._run, args=(state, nodes), name="mate", daemon=True)
        self._thread.start()

    def _run(self, state: State, nodes: int) -> None:
        spent = 0
        while spent < nodes and not self._is_closed:
            found = self._solver.solve(state, nodes - spent)
            spent += max(1, found.nodes)
            if found.is_mate is not None:
                names = tuple(state.game.name(action) for action in found.line)
                self.answer = MateAnswer(names, not found.is_mate, spent)
                return
            # Unknown: the nodes are used up, or a stop() that was meant for an earlier search has ended this one.
        self.answer = MateAnswer(nodes=spent)

    @property
    def moves(self) -> tuple[str, ...]:
        """The mate, if one is found."""
        return self.answer.moves if self.answer is not None else ()

    def close(self) -> None:
        self._is_closed = True
        while self._thread.is_alive():
            self._solver.stop()
            self._thread.join(_LOOK_S)


def find_mate(solver: MateSolver, state: State, seconds: float | None, is_stopped: Callable[[], bool]) -> MateAnswer:
    """Blocks until it is known, the time is up, or it is stopped."""
    end = None if seconds is None else time.monotonic() + seconds
    search = RootMate(solver, state, _NO_LIMIT)
    while search.answer is None and not is_stopped() and (end is None or time.monotonic() < end):
        time.sleep(_LOOK_S)
    search.close()
    return search.answer or MateAnswer()
