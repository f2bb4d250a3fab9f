"""Which step is the current best, and which were before it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from tengen.runs.disk import QUARANTINE, atomic_write, keep
from tengen.runs.errors import DamagedRun, explained
from tengen.runs.sealed import append_line, read_lines, seal, unseal

if TYPE_CHECKING:
    from pathlib import Path

CHAMPION = "champion"
HISTORY = "champion.jsonl"


@dataclass(frozen=True)
class Promotion:
    time: str
    """UTC, as ISO 8601 writes it."""
    step: str
    """The step's folder."""
    reason: str


class ChampionPointer:
    """The file `champion` decides: `steps/<id>`, then the promotion as JSON. `champion.jsonl` keeps all promotions; the
    one under way when a writer stopped is still in `champion`, so none is ever lost."""

    def __init__(self, run: Path) -> None:
        self.path = run / CHAMPION
        self._history = run / HISTORY
        self._quarantine = run / QUARANTINE

    def read(self) -> Promotion | None:
        """None when nobody is champion; DamagedRun when the file is not what was written."""
        with explained("read", self.path):
            if not self.path.exists():
                return None
            first, _, record = self.path.read_bytes().partition(b"\n")
        try:
            promotion = _parse(unseal(record))
            fits = first == f"steps/{promotion.step}".encode()
        except (KeyError, ValueError):
            fits = False
        if not fits:
            raise DamagedRun(f"{self.path} is damaged: its checksum does not fit")
        return promotion

    def current(self) -> Promotion | None:
        """The same, from the history when the file is damaged."""
        try:
            return self.read()
        except DamagedRun:
            history = self.history()
            if not history:
                raise
            return history[-1]

    def history(self) -> list[Promotion]:
        records = (record for _, record in read_lines(self._history) if record is not None)
        return [_parse(record) for record in records if record.keys() >= {"time", "step", "reason"}]

    def set(self, step: str, reason: str) -> None:
        """Changes nothing when that step is champion already."""
        try:
            promotion = self.read()
            if promotion is not None and promotion.step == step:
                return
        except DamagedRun:
            with explained("read", self.path):
                keep(self.path.read_bytes(), self._quarantine / f"{CHAMPION}-damaged")
        now = datetime.now(UTC).isoformat(timespec="milliseconds")
        record = {"time": now, "step": step, "reason": reason}
        atomic_write(self.path, f"steps/{step}\n".encode() + seal(record))
        self.complete_history()

    def complete_history(self) -> None:
        """Adds the last promotion if its writer stopped before it could."""
        try:
            promotion = self.read()
        except DamagedRun:
            return
        if promotion is not None and self.history()[-1:] != [promotion]:
            append_line(self._history, vars(promotion), durable=True)


def _parse(record: dict[str, Any]) -> Promotion:
    return Promotion(str(record["time"]), str(record["step"]), str(record["reason"]))
