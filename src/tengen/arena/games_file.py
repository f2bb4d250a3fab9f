"""The games of a match under way, in a file of lines: for who watches, until the match has a file of its own."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from tengen.arena.result import MatchResult

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
        with suppress(OSError), self.path.open("ab") as file:
            lines = games if file.tell() else [plain, *games]
            file.write(b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in lines))

    def remove(self) -> None:
        with suppress(OSError):
            self.path.unlink(missing_ok=True)


def read_games(path: Path) -> MatchResult | None:
    """The match as far as it is played; None: no pair is. It may be written to just now: a line that is cut, what comes
    after it, and a pair's only game are left out. Raises an OSError, or a ValueError if it is no such file."""
    lines = _whole_lines(path.read_bytes())
    if not lines:
        return None
    head, *games = lines
    by_place = {(game.get("pair"), game.get("first_seat")): game for game in games}
    pairs = sorted(pair for pair, seat in by_place if isinstance(pair, int) and seat == 0 and (pair, 1) in by_place)
    if not pairs:
        return None
    return MatchResult.from_json(
        json.dumps(head | {"games": [by_place[pair, seat] for pair in pairs for seat in (0, 1)]})
    )


def _whole_lines(data: bytes) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for line in data.splitlines(keepends=True):
        with suppress(ValueError, RecursionError):
            plain = json.loads(line) if line.endswith(b"\n") else None
            if isinstance(plain, dict):
                found.append(plain)
                continue
        break
    return found
