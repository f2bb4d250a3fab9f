"""Results of a search: reports while it runs, and its decision."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["RESIGN", "WIN", "Decision", "Info", "Line", "MateAnswer", "Score"]

RESIGN = "resign"
WIN = "win"
"""A declaration: an action of the game, and a move of USI."""


@dataclass(frozen=True)
class Score:
    """A score for the side to move: either centipawns, or a forced mate."""

    cp: int | None = None
    mate: int | None = None
    """Plies to the mate: above 0 the side to move mates, below 0 it is mated. 0: it is mated already."""
    is_won: bool | None = None
    """Proven to be won, or lost, where the number of plies is not known."""

    def __str__(self) -> str:
        """As USI writes it after `score`."""
        if self.mate is not None:
            return f"mate {self.mate}" if self.mate else "mate -0"
        if self.is_won is not None:
            return "mate +" if self.is_won else "mate -"
        return f"cp {self.cp or 0}"

    @property
    def centipawns(self) -> int:
        """The score as one number, as programs write it that have no other notation for mates."""
        if self.mate is not None:
            return 100_000 - self.mate if self.mate > 0 else -100_000 - self.mate
        if self.is_won is not None:
            return 100_000 if self.is_won else -100_000
        return self.cp or 0


@dataclass(frozen=True)
class Line:
    """A move of the root with what is expected to follow."""

    score: Score
    pv: tuple[str, ...]
    """USI moves, the first one at the root; never `win` or `resign`."""
    visits: int = 0


@dataclass(frozen=True)
class Info:
    """How far a search has come."""

    depth: int
    seldepth: int
    elapsed_ms: int
    nodes: int
    hashfull: int
    """Share of its memory that the tree uses, in thousandths."""
    lines: tuple[Line, ...]
    """As many as MultiPV asks for, the best first."""
    note: str = ""
    """A message for the user, in ASCII."""

    @property
    def nps(self) -> int:
        return self.nodes * 1000 // max(1, self.elapsed_ms)


@dataclass(frozen=True)
class Decision:
    """The end of a search."""

    move: str
    """A USI move, `win` (a declaration) or `resign`."""
    ponder: str | None = None
    """The answer that is expected, legal after the move."""
    score: Score | None = None
    """Score for the side to move; None without a search: a book move without a score, or nothing to decide."""
    pv: tuple[str, ...] = ()
    """Begins with the move, unless that is `win` or `resign`."""
    info: Info | None = None
    """The last one."""


@dataclass(frozen=True)
class MateAnswer:
    """The result of a mate search."""

    moves: tuple[str, ...] = ()
    """The mate, all of it; empty if none was found."""
    is_disproved: bool = False
    """There is no mate. Where this and `moves` are empty, nothing is known."""
    nodes: int = 0
