"""Errors of shogi records."""

from __future__ import annotations

from typing import Final

from tengen.games.errors import GameError

__all__ = ["NO_GAME", "ImpossibleMoveError", "RecordError"]

NO_GAME: Final = "it holds no game: expected KIF, KI2, CSA, USI lines or .sfenx"


class RecordError(GameError):
    """A record that can't be understood. The text names the file, the line and what is wrong there."""

    def __init__(self, reason: str, line: int | None = None, source: str = "") -> None:
        where = ": ".join(part for part in (source, "" if line is None else f"line {line}") if part)
        super().__init__(f"{where}: {reason}" if where else reason)
        self.reason = reason
        self.line = line
        """Counted from 1; None where the fault is none of a line."""
        self.source = source

    def __reduce__(self) -> tuple[type[RecordError], tuple[str, int | None, str]]:
        return type(self), (self.reason, self.line, self.source)


class ImpossibleMoveError(RecordError):
    """A move that cannot be carried out on the board, such as one from an empty square."""
