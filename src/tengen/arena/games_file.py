"""The finished games of a running match, in a file of lines for spectators, until the match has a file of its own."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tengen.arena.result import MatchResult
from tengen.runs.disk import append_to

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["GamesFile", "read_games"]


class GamesFile:
    """Its first line is the match without games. Trouble with the disk is left to those whose files matter."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def add(self, part: MatchResult) -> None:
        """Pairs of the match that are finished."""
        plain = json.loads(part.to_json())
        games = plain.pop("games")
        with suppress(OSError):
            is_new = not self.path.exists() or not self.path.stat().st_size
            lines = [plain, *games] if is_new else games
            append_to(self.path, b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines))

    def remove(self) -> None:
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def read_games(path: Path) -> MatchResult | None:
    """Return the match as far as it is played, None if no pair is.

    Lines that are torn or damaged are left out, and so is a pair of which only one game is there. Raises an OSError, or
    a ValueError if the file holds no match.
    """
    head, *games = _read_lines(path.read_bytes())
    if head is None:
        return None
    by_place = {(game.get("pair"), game.get("first_seat")): game for game in games if game is not None}
    pairs = sorted(pair for pair, seat in by_place if isinstance(pair, int) and seat == 0 and (pair, 1) in by_place)
    if not pairs:
        return None
    return MatchResult.from_json(
        json.dumps(head | {"games": [by_place[pair, seat] for pair in pairs for seat in (0, 1)]})
    )


def _read_lines(data: bytes) -> list[dict[str, Any] | None]:
    """Return the object in each line, None if there is none; a single None if there is no line."""
    found: list[dict[str, Any] | None] = []
    for line in data.split(b"\n")[:-1]:
        plain = None
        with suppress(ValueError, RecursionError):
            plain = json.loads(line)
        found.append(plain if isinstance(plain, dict) else None)
    return found or [None]
