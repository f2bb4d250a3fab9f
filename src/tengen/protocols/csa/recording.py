"""Games on disk: a file is whole after every move, whatever happens then."""

from __future__ import annotations

import logging
import os
import re
from datetime import datetime
from typing import TYPE_CHECKING, Final

from tengen.games.shogi.records import Record, RecordError, format_records

if TYPE_CHECKING:
    from pathlib import Path

    from tengen.protocols.csa.game import GameResult
    from tengen.protocols.csa.summary import GameSummary, TimeControl

__all__ = ["Recording"]

_log = logging.getLogger(__name__)

_SUFFIXES: Final = (".csa", ".kif")
_ENDS: Final = {
    "#RESIGN": "resign",
    "#SENNICHITE": "repetition",
    "#TIME_UP": "time_up",
    "#JISHOGI": "impasse",
    "#MAX_MOVES": "max_moves",
}


class Recording:
    """A game as CSA and KIF in a folder; else nothing is written. A disk that fails does not end the game."""

    def __init__(self, folder: Path | None, summary: GameSummary) -> None:
        self.record = Record(start=summary.board.sfen(), header=_header(summary))
        self._node = self.record.root
        self._is_declared = False
        self._stem: Path | None = None
        if folder is not None:
            name = re.sub(r"[^A-Za-z0-9_.+-]", "_", summary.game_id)[:180].lstrip(".")
            try:
                self._stem = _free_stem(folder, name or "game")
            except OSError as error:
                _log.error("this game is not written: %s: %s", folder, error)
        for move, seconds in summary.moves:
            self._node = self._node.add(move=move)
            self._node.time_s = seconds
        self._write(".csa")

    def add(self, move: str, seconds: float, comment: str) -> None:
        """A USI move, what it took, and what we think of it: a score and a line in CSA's words."""
        self._node = self._node.add(move=move)
        self._node.time_s = seconds
        self._node.comment = f"* {comment}" if comment else ""
        self._write(".csa")

    def declare(self) -> None:
        """Who is to move has declared to have won."""
        self._is_declared = True

    def finish(self, result: GameResult, color: str) -> None:
        """`color` is ours."""
        end = self._node.add(end=self._end(result, color))
        end.comment = f"{result.reason} {result.outcome}"
        self.record.header["ended"] = _now()
        for suffix in _SUFFIXES:
            self._write(suffix)

    def _end(self, result: GameResult, color: str) -> str:
        board = self.record.board
        side = (board.side + len(self.record.moves)) % 2
        lost = {"loss": color, "win": "-" if color == "+" else "+"}.get(result.outcome, "")
        if self._is_declared and result.reason == "#JISHOGI":
            return "declaration"
        if result.reason.startswith(("#ILLEGAL", "#OUTE")):
            # Without a word about who lost, it is who moved last who broke the rule.
            return "illegal_win" if lost == "+-"[1 - side] else "illegal_loss"
        if result.reason == "#RESIGN" and lost == "+-"[1 - side]:
            return "interrupt"  # who is not to move has left
        return _ENDS.get(result.reason, "interrupt")

    def _write(self, suffix: str) -> None:
        if self._stem is None:
            return
        path = self._stem.with_name(self._stem.name + suffix)
        try:
            data = format_records(self.record, suffix)
            part = path.with_name(f".{path.name}.part")
            with part.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.replace(path)
        except (OSError, RecordError) as error:
            _log.error("%s could not be written: %s", path, error)


def _header(summary: GameSummary) -> dict[str, str]:
    header = {"black": summary.names["+"], "white": summary.names["-"], "event": summary.game_id, "started": _now()}
    clocks = {color: _clock(control) for color, control in summary.times.items()}
    if clocks["+"] == clocks["-"]:
        header["clock"] = clocks["+"]
    else:
        header["black_clock"], header["white_clock"] = clocks["+"], clocks["-"]
    if summary.max_moves:
        header["max_moves"] = str(summary.max_moves)
    return {key: value for key, value in header.items() if value}


def _clock(control: TimeControl) -> str:
    """Seconds in all, of byoyomi, added a move; as CSA 3 writes them."""
    parts = (control.total, control.byoyomi, control.increment)
    return "+".join(f"{part * control.unit_ms / 1000:g}" for part in parts) if control.has_clock else ""


def _now() -> str:
    return datetime.now().astimezone().strftime("%Y/%m/%d %H:%M:%S")


def _free_stem(folder: Path, name: str) -> Path:
    """A game that was played twice, or a server that names all of its games alike, overwrites nothing."""
    folder.mkdir(parents=True, exist_ok=True)
    number = 1
    while True:
        stem = folder / (name if number == 1 else f"{name}-{number}")
        if not any(stem.with_name(stem.name + suffix).exists() for suffix in _SUFFIXES):
            return stem
        number += 1
