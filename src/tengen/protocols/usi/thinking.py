"""The state of one running search: its limits, and requests of other threads."""

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
    """One search. stop() and ponderhit() may be called from any thread, and before the search starts."""

    def __init__(
        self, state: State, limits: Limits, settings: EngineSettings, side: int, own_delay_ms: float = 0.0
    ) -> None:
        """`own_delay_ms` is kept back of every clock for the engine's own delays."""
        self.state = state
        self.settings = settings
        self._side = side
        self.own_delay_ms = own_delay_ms
        self.is_background = False
        """True if the opponent is to move in the position."""
        self.began = time.monotonic()
        self._changed = threading.Condition()
        self._is_stopped = False
        self._limits = limits
        self._clock_began = math.inf if limits.is_ponder else self.began
        self._budget = budget_of(limits, side, settings, own_delay_ms)

    @property
    def limits(self) -> Limits:
        return self._limits

    @property
    def is_stopped(self) -> bool:
        return self._is_stopped

    @property
    def is_waited_for(self) -> bool:
        """True if the board waits for the response: the engine neither ponders nor analyzes without an end."""
        return not (self._limits.is_ponder or self._limits.is_infinite)

    def stop(self) -> None:
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()

    def ponderhit(self, limits: Limits | None = None) -> None:
        """Start the clock, because the expected move was played; `limits` replaces the times if it has any."""
        with self._changed:
            if not self._limits.is_ponder:
                return
            told = self._limits if limits is None or not (limits.has_clock or limits.movetime) else limits
            moves = self._limits.search_moves
            self._limits = replace(told, is_ponder=False, search_moves=moves)
            self._clock_began = time.monotonic()
            self._budget = budget_of(self._limits, self._side, self.settings, self.own_delay_ms)
            self._changed.notify_all()

    def wait(self) -> None:
        """Wait until the response may be given."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_stopped or self.is_waited_for)

    @property
    def budget(self) -> Budget:
        return self._budget

    @property
    def elapsed_ms(self) -> int:
        return round(1000 * (time.monotonic() - self.began))

    def clock_ms(self) -> float:
        """Return the milliseconds since the clock started, or minus infinity if it has not."""
        return -math.inf if self._clock_began == math.inf else 1000 * (time.monotonic() - self._clock_began)
