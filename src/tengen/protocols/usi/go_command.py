"""What follows `go` and `ponderhit`."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tengen.protocols.usi.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["GoCommand", "parse_go"]

_TIMES: Final = ("btime", "wtime", "byoyomi", "binc", "winc", "movetime", "nodes", "depth")
_FLAGS: Final = {"infinite": "is_infinite", "ponder": "is_ponder"}
_MAX: Final = 2**50


@dataclass(frozen=True)
class GoCommand:
    limits: Limits
    mate_s: float | None = None
    """`go mate` for so long, also infinitely; None: it is another search."""
    problems: tuple[str, ...] = ()
    """Words that mean nothing, which are left aside."""


def parse_go(words: Sequence[str]) -> GoCommand:
    """Never fails: who waits for a move is to get one."""
    found: dict[str, Any] = {}
    problems: list[str] = []
    mate_s: float | None = None
    at = 0
    while at < len(words):
        word, value = words[at], words[at + 1] if at + 1 < len(words) else ""
        at += 1
        if word in _FLAGS:
            found[_FLAGS[word]] = True
        elif word in _TIMES:
            number = _number(value)
            if number is None:
                problems.append(f"{word} {value!r} is no number")
                continue
            at += 1
            found[word] = max(0, number)
        elif word == "mate":
            number = _number(value)
            mate_s = math.inf if number is None else max(0, number) / 1000
            at += value == "infinite" or number is not None
        elif word == "searchmoves":
            moves = []
            while at < len(words) and words[at] not in (*_TIMES, *_FLAGS, "mate"):
                moves.append(words[at])
                at += 1
            found["search_moves"] = tuple(moves)
        else:
            problems.append(f"go knows no {word!r}")
    for name in ("nodes", "depth"):
        if not found.get(name, 1):
            del found[name]
    return GoCommand(Limits(**found), mate_s, tuple(problems))


def _number(text: str) -> int | None:
    try:
        number = int(text) if text.isascii() and len(text) < 20 else None
    except ValueError:
        return None
    return None if number is None else min(number, _MAX)
