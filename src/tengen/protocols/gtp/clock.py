"""Time to think: what a clock allows for one move."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from tengen.protocols.gtp.wire import GtpError

__all__ = ["KINDS", "Clock", "TimeControl", "parse_time_settings"]

Kind: TypeAlias = Literal["none", "absolute", "canadian", "byoyomi", "fischer", "fischer-capped"]
KINDS: Final = ("none", "absolute", "byoyomi", "canadian", "fischer", "fischer-capped")
_MIN_MARGIN_S: Final = 0.15
"""Kept back for the way to and from the clock's owner."""
_LONGEST_SHARE: Final = 0.25
"""Of all time left that one move may take."""
_MAX_S: Final = 2.0**40


@dataclass(frozen=True)
class TimeControl:
    """Times are in seconds."""

    kind: Kind = "none"
    main: float = 0.0
    period: float = 0.0
    """Of an overtime period; the increment with Fischer's clock."""
    count: int = 0
    """Stones in a Canadian period; the number of Japanese ones."""
    main_limit: float = math.inf
    move_limit: float = math.inf


@dataclass(frozen=True)
class Clock:
    """One player's."""

    control: TimeControl
    left: float
    """Of the main time, or of the current period."""
    count: int = 0
    """0: still in the main time. Else stones or periods left."""

    @staticmethod
    def fresh(control: TimeControl) -> Clock:
        if control.main <= 0 and control.kind in ("canadian", "byoyomi"):
            return Clock(control, control.period, control.count)
        return Clock(control, control.main)

    def told(self, left: float, count: int) -> Clock:
        """After the owner of the clock said what it shows."""
        return replace(self, left=max(0.0, left), count=count)

    def spent(self, seconds: float) -> Clock:
        """After a move that took so long, as long as nobody says what the clock shows."""
        control, left, count = self.control, self.left - seconds, self.count
        if control.kind.startswith("fischer"):
            return replace(self, left=min(max(0.0, left) + control.period, control.main_limit))
        if control.kind == "canadian" and count > 0:
            return replace(self, left=left, count=count - 1) if count > 1 else Clock.fresh(replace(control, main=0.0))
        if control.kind == "byoyomi" and count > 0:
            lost = max(0, math.ceil(seconds / control.period) - 1) if control.period > 0 else 0
            return replace(self, left=control.period, count=max(1, count - lost))
        if left <= 0 and control.kind in ("canadian", "byoyomi"):
            return Clock.fresh(replace(control, main=0.0))
        return replace(self, left=max(0.0, left))

    def budget(self, ply: int, area: int, lag: float = 0.0) -> float:
        """Seconds for the next move; infinite without a clock."""
        control = self.control
        if control.kind == "none":
            return math.inf
        margin = max(lag, _MIN_MARGIN_S)
        moves = own_moves_left(ply, area)
        if self.count > 0:
            # All of a Japanese period is gone after the move, a Canadian one is shared out.
            shares = self.count if control.kind == "canadian" else 1
            seconds = self.left / shares - margin
        elif control.kind.startswith("fischer"):
            seconds = min(self.left / moves + 0.9 * control.period, self.left - margin)
        elif control.kind == "absolute":
            seconds = min(self.left / moves, _LONGEST_SHARE * self.left) - margin
        else:
            each = control.period / control.count if control.kind == "canadian" else control.period
            seconds = min(self.left / moves + 0.8 * each, self.left + each - margin)
        return min(max(seconds, 0.01), control.move_limit)


def own_moves_left(ply: int, area: int) -> float:
    """How many moves a player may still have to make: about two for three points, and some always."""
    return max(0.7 * area - ply, 0.2 * area, 10.0) / 2


def parse_time_settings(words: list[str]) -> TimeControl:
    """A kind and its numbers, as kgs-time_settings and kata-time_settings give them."""
    if not words or words[0] not in KINDS:
        raise GtpError(f"expected one of {', '.join(KINDS)}, then its numbers")
    kind, *rest = words
    wanted = {"none": 0, "absolute": 1, "canadian": 3, "byoyomi": 3, "fischer": 2, "fischer-capped": 4}[kind]
    if len(rest) != wanted:
        raise GtpError(f"{kind} takes {wanted} numbers")
    numbers = [_seconds(word, is_signed=kind == "fischer-capped" and place >= 2) for place, word in enumerate(rest)]
    if kind == "none":
        return TimeControl()
    if kind == "absolute":
        return TimeControl("absolute", numbers[0])
    if kind.startswith("fischer"):
        limits = [math.inf if number < 0 else number for number in numbers[2:]] or [math.inf, math.inf]
        return TimeControl("fischer", numbers[0], numbers[1], 0, limits[0], limits[1])
    count = int(numbers[2])
    if count < 1 and numbers[1] > 0:
        raise GtpError(f"{kind} with {rest[2]} periods or stones: expected at least 1")
    if numbers[1] == 0:
        return TimeControl("absolute", numbers[0])
    return TimeControl("canadian" if kind == "canadian" else "byoyomi", numbers[0], numbers[1], count)


def _seconds(word: str, *, is_signed: bool = False) -> float:
    try:
        number = float(word)
    except ValueError:
        number = math.nan
    if not (0 <= number <= _MAX_S or (is_signed and -_MAX_S <= number < 0)):
        raise GtpError(f"{word!r} is no time: expected a number of seconds")
    return number
