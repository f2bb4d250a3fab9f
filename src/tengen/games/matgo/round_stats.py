"""What a round is counted for, beyond its gold."""

from __future__ import annotations

from tengen import _core
from tengen.games.game_stats import Rate

__all__ = ["RATES", "count_round"]

RATES = {"go_fail_rate": Rate("go_fails", "gos", safe=_core.MATGO_SAFE_GO_FAILS)}

# Endings whose win is multiplied: by a stop, and by exhaustion.
_MULTIPLIED = (1, 5)
_NOBODY = 2


def count_round(view: _core.MatgoView) -> list[dict[str, float]]:
    """Of each seat, once the round is over.

    A go has failed if the round was not won by who went: each of a player's gos in a round that the other won, by
    whatever ending, or that was nagari. Each of them gave up a win by stopping.
    """
    baks = 0
    if view.winner != _NOBODY and view.ending in _MULTIPLIED:
        by = view.multipliers[view.winner]
        baks = by.gwang_bak + by.pi_bak + by.mong_bak + by.go_bak
    counted = []
    for seat in (0, 1):
        has_won = view.winner == seat
        is_bankrupt = view.funds is not None and view.gold[seat] == 0
        counts = {
            "gos": view.gos[seat],
            "go_fails": 0 if has_won else view.gos[seat],
            "baks_inflicted": baks if has_won else 0,
            "baks_suffered": baks if view.winner == 1 - seat else 0,
            "bankrupt": int(is_bankrupt),
            "nagari": int(view.winner == _NOBODY),
        }
        counted.append({name: float(count) for name, count in counts.items()})
    return counted
