"""What a search is given: time, visits, moves."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Limits"]


@dataclass(frozen=True)
class Limits:
    """Of one move. Times are in milliseconds; what is None, or 0 of an increment or byoyomi, is not given. Without any
    limit a search goes on until it is stopped."""

    btime: int | None = None
    """Left on Black's clock before the move."""
    wtime: int | None = None
    byoyomi: int = 0
    """For the move, once the clock has run out."""
    binc: int = 0
    """Added to Black's clock with every move."""
    winc: int = 0
    movetime: int | None = None
    """All that this move takes."""
    nodes: int | None = None
    """Visits, those of a tree that is used again not counted."""
    depth: int | None = None
    """Until the principal variation is so long."""
    is_infinite: bool = False
    """Until stop(), whatever is found."""
    is_ponder: bool = False
    """On the opponent's time: no clock runs until ponderhit()."""
    search_moves: tuple[str, ...] = ()
    """The only moves to think of; empty: all."""

    @property
    def has_clock(self) -> bool:
        return bool(self.btime is not None or self.wtime is not None or self.byoyomi or self.binc or self.winc)
