"""Win rates as the centipawns that people who play shogi with programs think in."""

from __future__ import annotations

import math
from typing import Final

__all__ = ["EVAL_COEF", "MAX_CP", "centipawns", "format_cp"]

EVAL_COEF: Final = 600.0
"""The option of this name that engines have: the centipawns of a win rate of e / (1 + e), which is 73 %."""
MAX_CP: Final = 9_999
"""What is nearly or wholly decided."""


def centipawns(winrate: float) -> int:
    if not 0.0 < winrate < 1.0:
        return MAX_CP if winrate >= 1.0 else -MAX_CP
    return round(max(-MAX_CP, min(MAX_CP, EVAL_COEF * math.log(winrate / (1.0 - winrate)))))


def format_cp(winrate: float | None) -> str:
    return "?" if winrate is None else f"{centipawns(winrate):+d}"
