"""The clocks of a game, kept by what the server says that moves took."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.protocols.usi.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.protocols.csa.summary import TimeControl

__all__ = ["Clock", "limits_of"]


class Clock:
    """One side's. The server's word counts; nothing is measured here."""

    def __init__(self, control: TimeControl) -> None:
        self.control = control
        self._left = control.total
        """In units, without the increment of the move to come."""

    def spend(self, units: int) -> None:
        """A move took so long."""
        self._left = max(0, self._left + self.control.increment - units)

    @property
    def left_ms(self) -> int:
        """For the next move, byoyomi aside."""
        units = self._left + self.control.increment
        if self.control.is_rounded_up:
            units -= 1
        return max(0, units) * self.control.unit_ms

    @property
    def byoyomi_ms(self) -> int:
        units = self.control.byoyomi
        if self.control.is_rounded_up and self._left + self.control.increment < 1:
            units -= 1
        return max(0, units) * self.control.unit_ms

    @property
    def max_ms(self) -> int:
        """All that the next move may take."""
        return self.left_ms + self.byoyomi_ms


def limits_of(
    clocks: Mapping[str, Clock], color: str, *, max_seconds: float | None = None, is_ponder: bool = False
) -> Limits:
    """For the next move of a side. Without a clock it is `max_seconds`, or 10 s."""
    own = clocks[color]
    if not own.control.has_clock:
        return Limits(movetime=round(1000 * (max_seconds or 10.0)), is_ponder=is_ponder)
    if max_seconds is not None and own.max_ms > 2000 * max_seconds:
        return Limits(movetime=round(1000 * max_seconds), is_ponder=is_ponder)
    black, white = clocks["+"], clocks["-"]
    return Limits(
        btime=black.left_ms,
        wtime=white.left_ms,
        byoyomi=own.byoyomi_ms,
        binc=black.control.increment * black.control.unit_ms,
        winc=white.control.increment * white.control.unit_ms,
        is_ponder=is_ponder,
    )
