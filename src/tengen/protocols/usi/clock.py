"""How long a move may take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tengen.protocols.usi.limits import Limits
    from tengen.protocols.usi.options import EngineSettings

__all__ = ["Budget", "budget_of"]

_MOVES_AHEAD: Final = 40
"""That the rest of a clock is shared out over."""
_LARGEST_SHARE: Final = 0.25
"""Of a clock that one move may take."""
_INCREMENT_SHARE: Final = 0.9
_LEAST_MS: Final = 10.0


@dataclass(frozen=True)
class Budget:
    """Milliseconds from the start of the clock; infinite where nothing limits them."""

    target: float = math.inf
    """When to stop."""
    least: float = 0.0
    """Before which nothing but a forced answer is given."""
    is_exact: bool = False
    """The time was named: a move need not come earlier."""


def budget_of(limits: Limits, side: int, settings: EngineSettings) -> Budget:
    """`side` is who is to move: 0 Black, 1 White."""
    if limits.is_infinite:
        return Budget()
    if limits.movetime is not None:
        return Budget(
            max(_LEAST_MS, limits.movetime - min(settings.network_delay, limits.movetime / 10)), is_exact=True
        )
    if not limits.has_clock:
        return Budget()
    left = max(0, (limits.btime if side == 0 else limits.wtime) or 0)
    increment = limits.binc if side == 0 else limits.winc
    share, most = _share(left, increment, limits.byoyomi, settings)
    if settings.round_up:
        full = math.ceil((share + settings.network_delay) / 1000) * 1000 - settings.network_delay
        share = full if full <= most else share
    target = max(_LEAST_MS, min(max(share, settings.minimum_thinking_time), most))
    return Budget(target, min(settings.minimum_thinking_time, target))


def _share(left: float, increment: float, byoyomi: float, settings: EngineSettings) -> tuple[float, float]:
    """What to take of the clock, and what is there to be taken."""
    slow = settings.slow_mover / 100
    if byoyomi > 0:
        # All of byoyomi is gone after the move, so all of it is used; the clock before it is shared out.
        own = max(byoyomi - settings.network_delay, byoyomi / 2)
        if left <= 0:
            return own, own
        most = max(left + byoyomi - settings.network_delay2, own)
        return min(own + slow * left / _MOVES_AHEAD, own + _LARGEST_SHARE * left), most
    if left <= 0 < increment:
        # Some clocks add the increment when the move begins.
        return increment / 2, max(increment - settings.network_delay2, increment / 2)
    share = slow * (left / _MOVES_AHEAD + _INCREMENT_SHARE * increment)
    most = left - settings.network_delay2
    if most < _LEAST_MS:
        # Next to nothing is left: a little is better than a random move, and the flag may still hold.
        most = left / 10
    return min(share, max(_LARGEST_SHARE * left, _LEAST_MS)), most
