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
"""Number of moves over which the rest of a clock is shared."""
_LARGEST_SHARE: Final = 0.25
"""Largest share of a clock that one move may take."""
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


def budget_of(limits: Limits, side: int, settings: EngineSettings, own_delay_ms: float = 0.0) -> Budget:
    """Return the budget of a move. `side` is to move: 0 Black, 1 White. `own_delay_ms` is kept back for the engine's
    own delays, in addition to the options' delays of the network."""
    if limits.is_infinite:
        return Budget()
    if limits.movetime is not None:
        kept_back = max(min(settings.network_delay, limits.movetime / 10), own_delay_ms)
        return Budget(max(_LEAST_MS, limits.movetime - kept_back), is_exact=True)
    if not limits.has_clock:
        return Budget()
    left = max(0, (limits.btime if side == 0 else limits.wtime) or 0)
    increment = limits.binc if side == 0 else limits.winc
    share, most = _share(left, increment, limits.byoyomi, settings)
    if settings.round_up:
        full = math.ceil((share + settings.network_delay) / 1000) * 1000 - settings.network_delay
        share = full if full <= most else share
    # Byoyomi that is not used is lost, and a larger tree helps the next move.
    is_exact = left <= 0 < limits.byoyomi
    # If the delay is longer than byoyomi, what is known already is the answer; on other clocks a little is left.
    least = 0.0 if is_exact and own_delay_ms >= most else _LEAST_MS
    target = max(least, min(max(share, settings.minimum_thinking_time), most - own_delay_ms))
    return Budget(target, min(settings.minimum_thinking_time, target), is_exact=is_exact)


def _share(left: float, increment: float, byoyomi: float, settings: EngineSettings) -> tuple[float, float]:
    """Return the part of the clock to use, and the part that can be used."""
    slow = settings.slow_mover / 100
    if byoyomi > 0:
        # All of byoyomi is gone after the move, so all of it is used; the clock before it is shared out.
        own = max(byoyomi - _network_delay(byoyomi, settings), byoyomi / 2)
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


def _network_delay(byoyomi: float, settings: EngineSettings) -> float:
    """The delay to keep back of byoyomi: the option's, but if that is as by default, at most a tenth of the time.
    Boards send options that nobody has changed, too."""
    is_default = settings.network_delay == type(settings).network_delay
    return min(settings.network_delay, byoyomi / 10) if is_default else settings.network_delay
