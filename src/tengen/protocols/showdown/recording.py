"""Battles on disk: the protocol as it came, what we thought in lines `|tengen|{…}` between, and a list of results."""

from __future__ import annotations

import json
import logging
import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import IO, TYPE_CHECKING, Any, Final

from tengen.games.pokemon.protocol import OWN_KIND
from tengen.runs.disk import append_to

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tengen.protocols.showdown.deciding import Decision

__all__ = ["BattleResult", "Recording", "read_results", "write_result"]

_log = logging.getLogger(__name__)

RESULTS: Final = "results.jsonl"


@dataclass(frozen=True)
class BattleResult:
    room: str
    opponent: str
    player: str
    """The player that made our choices."""
    outcome: str
    """win, loss, tie, or abandoned: there is no verdict, because the server or the connection was lost."""
    turns: int = 0
    choices: int = 0
    invalid: int = 0
    """Choices that the server called invalid."""
    late: int = 0
    """Choices for which the decider took too long."""
    seconds: float = 0.0
    """Spent on choices."""
    file: str = ""
    """The record, in the same folder."""


class Recording:
    """A file that grows line by line and is flushed after each message. A disk that fails does not end the battle."""

    def __init__(self, folder: Path | None, room: str, **facts: Any) -> None:
        self._file: IO[str] | None = None
        self.name = ""
        if folder is None:
            return
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = self._open(folder, re.sub(r"[^A-Za-z0-9_-]", "_", room)[:120] or "battle")
        except OSError as error:
            _log.error("this battle is not written: %s: %s", folder, error)
        self.note(started=datetime.now(UTC).isoformat(timespec="seconds"), room=room, **facts)

    def _open(self, folder: Path, stem: str) -> IO[str]:
        """Servers count their battles from 1 on whenever they start: nothing is overwritten."""
        number = 1
        while True:
            path = folder / (f"{stem}.log" if number == 1 else f"{stem}_{number}.log")
            try:
                file = path.open("x", encoding="utf-8", errors="replace")
            except FileExistsError:
                number += 1
                continue
            self.name = path.name
            return file

    def add(self, lines: Iterable[str]) -> None:
        self._write("".join(f"{line}\n" for line in lines))

    def note(self, **facts: Any) -> None:
        self._write(f"|{OWN_KIND}|{json.dumps(facts, ensure_ascii=False)}\n")

    def decided(self, turn: int, choice: str, decision: Decision | None, seconds: float, remark: str = "") -> None:
        facts: dict[str, Any] = {"turn": turn, "choice": choice, "seconds": round(seconds, 4)}
        if decision is not None:
            facts |= {"action": decision.action, "win_rate": decision.win_rate}
            facts["considered"] = [asdict(one) for one in decision.considered]
        self.note(**facts, **({"remark": remark} if remark else {}))

    def close(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _write(self, text: str) -> None:
        if self._file is None:
            return
        try:
            self._file.write(text)
            self._file.flush()
        except (OSError, ValueError) as error:
            _log.error("%s could not be written: %s", self.name, error)
            self._file = None


def write_result(folder: Path | None, result: BattleResult) -> None:
    if folder is None:
        return
    try:
        append_to(folder / RESULTS, json.dumps(asdict(result), ensure_ascii=False).encode() + b"\n")
    except OSError as error:
        _log.error("%s could not be written: %s", folder / RESULTS, error)


def read_results(folder: Path) -> list[BattleResult]:
    """Return the results of all finished battles in a folder. Damaged lines are skipped."""
    path = folder / RESULTS
    if not path.exists():
        return []
    results = []
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]:
        try:
            results.append(BattleResult(**json.loads(line)))
        except (ValueError, TypeError):
            _log.warning("%s: a line is no result: %.60s", path, line)
    return results
