"""Actions by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.errors import GameError, NotationError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["look_up", "match_name", "name_of"]


def name_of(names: Sequence[str], number: int) -> str:
    if not 0 <= number < len(names):
        raise GameError(f"there is no action {number}: they are 0 … {len(names) - 1}")
    return names[number]


def look_up(names: Mapping[str, int], text: str, problem: str) -> int:
    """Return the number of a word, whatever its case and the space around it; `problem` is the error for others."""
    try:
        return names[text.strip().casefold()]
    except KeyError:
        raise NotationError(problem) from None


def match_name(text: str, ids: Iterable[int], name: Callable[[int], str]) -> list[int]:
    """Return the ids that have exactly this name; if none has, those that have it but for case and spacing."""
    names = [(number, name(number)) for number in ids]
    plain = " ".join(text.split()).casefold()
    exact = [number for number, own in names if own == text]
    return exact or [number for number, own in names if " ".join(own.split()).casefold() == plain]
