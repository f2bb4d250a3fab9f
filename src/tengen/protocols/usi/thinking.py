"""One search under way: what it may take, and what other threads tell it."""

from __future__ import annotations

import math
import threading
import time
from dataclasses import replace
from typing import TYPE_CHECKING

from tengen.protocols.usi.clock import Budget, budget_of

if TYPE_CHECKING:
    from tengen.games import State
    from tengen.protocols.usi.limits import Limits
    from tengen.protocols.usi.options import EngineSettings

__all__ = ["Thinking"]


class Thinking:
    """stop() and ponderhit() may come from any thread, and before the search has begun."""

    def __init__(self, state: State, limits: Limits, settings: EngineSettings, side: int) -> None:
        self.state = state
        self.settings = settings
        self._side = side
        self.is_background = False
        """It is the opponent's move that is thought about."""
        self.began = time.monotonic()
        self._changed = threading.Condition()
        self._is_stopped = False
        self._limits = limits
        self._clock_began = math.inf if limits.is_ponder else self.began
        self._budget = budget_of(limits, side, settings)

    @property
    def limits(self) -> Limits:
        return self._limits

    @property
    def is_stopped(self) -> bool:
        return self._is_stopped

    @property
    def is_waited_for(self) -> bool:
        """Somebody waits for the answer: neither is the opponent to move, nor is it an analysis without an end."""
        return not (self._limits.is_ponder or self._limits.is_infinite)

    def stop(self) -> None:
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()

    def ponderhit(self, limits: Limits | None = None) -> None:
        """The expected move was played: the clock runs from now on, by these times where they are told."""
        with self._changed:
            if not self._limits.is_ponder:
                return
            told = self._limits if limits is None or not (limits.has_clock or limits.movetime) else limits
            moves = self._limits.search_moves
            self._limits = replace(told, is_ponder=False, search_moves=moves)
            self._clock_began = time.monotonic()
            self._budget = budget_of(self._limits, self._side, self.settings)
            self._changed.notify_all()

    def wait(self) -> None:
        """Until the answer may be given."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_stopped or self.is_waited_for)

    @property
    def budget(self) -> Budget:
        return self._budget

    @property
    def elapsed_ms(self) -> int:
        return round(1000 * (time.monotonic() - self.began))

    def clock_ms(self) -> float:
        """Since the clock runs; below 0 while it does not."""
        return -math.inf if self._clock_began == math.inf else 1000 * (time.monotonic() - self._clock_began)
