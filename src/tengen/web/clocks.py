"""Time to think, kept by the server."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen.web.messages import Clock
from tengen.web.refusals import Refusal

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

__all__ = ["ClockSettings", "GameClock"]

_MOST_S = 24 * 3600.0


@dataclass(frozen=True)
class ClockSettings:
    """Of each player: a main time, then an increment with every move or periods of byoyomi."""

    main_s: float = 600.0
    increment_s: float = 0.0
    byoyomi_s: float = 0.0
    periods: int = 0

    @classmethod
    def of_plain(cls, plain: Mapping[str, Any]) -> ClockSettings:
        """Raises a ValueError that says what does not fit."""
        unknown = set(plain) - {"main_s", "increment_s", "byoyomi_s", "periods"}
        if unknown:
            raise ValueError(f"a clock has no {', '.join(sorted(unknown))}")
        for name, value in plain.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST_S:
                told = "the clock's {name} is {value}: expected seconds from 0 to a day"
                raise Refusal(told, name=name, value=f"{value!r:.20}")
        values: dict[str, Any] = {name: int(v) if name == "periods" else float(v) for name, v in plain.items()}
        found = cls(**values)
        if found.main_s <= 0 and not (found.byoyomi_s and found.periods):
            raise Refusal("the clock gives no time: main_s, or byoyomi_s and periods, must be above 0")
        return found


@dataclass
class GameClock:
    settings: ClockSettings
    left_s: list[float]
    periods: list[int]
    running: set[int] = field(default_factory=set)
    """Seats whose time runs."""
    since: float = 0.0

    @classmethod
    def begin(cls, settings: ClockSettings, players: int) -> GameClock:
        return cls(settings, [settings.main_s] * players, [settings.periods] * players)

    def run(self, seats: Collection[int], moved: Collection[int] = ()) -> None:
        """From now on the time of these seats runs; `moved` get their increment and their period back."""
        self._take()
        for seat in moved:
            self.left_s[seat] += self.settings.increment_s
            if self._in_byoyomi(seat):
                self.left_s[seat] = self.settings.byoyomi_s
        self.running = set(seats)

    def fallen(self) -> int | None:
        """A seat whose time is up."""
        self._take()
        return next((seat for seat in sorted(self.running) if self.left_s[seat] <= 0), None)

    def next_fall_s(self) -> float | None:
        """Until a main time or a period ends; None: no time runs."""
        self._take()
        return min((self.left_s[seat] for seat in self.running), default=None)

    def faces(self) -> tuple[Clock, ...]:
        self._take()
        s = self.settings
        return tuple(
            Clock(round(max(0.0, left), 2), seat in self.running, s.increment_s, s.byoyomi_s, self.periods[seat])
            for seat, left in enumerate(self.left_s)
        )

    def to_plain(self) -> list[list[float]]:
        self._take()
        return [[round(left, 3), periods] for left, periods in zip(self.left_s, self.periods, strict=True)]

    def restore(self, plain: list[list[float]]) -> None:
        self.left_s = [float(left) for left, _ in plain]
        self.periods = [int(periods) for _, periods in plain]
        self.running = set()

    def _in_byoyomi(self, seat: int) -> bool:
        s = self.settings
        return bool(s.byoyomi_s) and self.periods[seat] < s.periods

    def _take(self) -> None:
        now = time.monotonic()
        for seat in self.running:
            self.left_s[seat] -= now - self.since
            while self.left_s[seat] <= 0 and self.settings.byoyomi_s and self.periods[seat] > 0:
                self.periods[seat] -= 1
                self.left_s[seat] += self.settings.byoyomi_s
        self.since = now
