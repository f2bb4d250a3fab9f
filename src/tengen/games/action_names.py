"""Names of actions that are plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.errors import GameError, NotationError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["look_up", "name_of"]


def name_of(names: Sequence[str], number: int) -> str:
    if not 0 <= number < len(names):
        raise GameError(f"there is no action {number}: they are 0 … {len(names) - 1}")
    return names[number]


def look_up(names: Mapping[str, int], text: str, problem: str) -> int:
    """What a word stands for, whatever its case and the space around it; `problem` is told of any other."""
    try:
        return names[text.strip().casefold()]
    except KeyError:
        raise NotationError(problem) from None
