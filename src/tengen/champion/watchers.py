"""Receivers of the progress of a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from tengen.runs import ProgressFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Foreseeing", "Overlapping", "Recorded", "Silent", "Watcher"]


class Watcher(Protocol):
    """A receiver of the progress of a run."""

    def begin(self, phase: str, iteration: int, total: int) -> None: ...
    def advance(self, done: int, figures: Mapping[str, float]) -> None: ...
    def end(self, phase: str, iteration: int, text: str, figures: Mapping[str, Any]) -> None: ...


@runtime_checkable
class Foreseeing(Protocol):
    """A watcher who knows how long the whole run takes still."""

    def left_s(self) -> float | None: ...


@runtime_checkable
class Overlapping(Protocol):
    """A watcher that can report the end of a phase during another phase."""

    def end_beside(
        self, phase: str, iteration: int, text: str, figures: Mapping[str, Any], done: int, spent_s: float
    ) -> None:
        """Report the end of a phase of `done` games or batches that took `spent_s` seconds."""


class Silent:
    """A watcher that ignores everything."""

    def begin(self, phase: str, iteration: int, total: int) -> None: ...
    def advance(self, done: int, figures: Mapping[str, float]) -> None: ...
    def end(self, phase: str, iteration: int, text: str, figures: Mapping[str, Any]) -> None: ...


class Recorded:
    """A watcher that writes progress to the file of the run, for other processes, and calls another watcher."""

    def __init__(self, folder: Path, watcher: Watcher | None = None) -> None:
        self._file = ProgressFile(folder)
        self._other: Watcher = watcher or Silent()

    def begin(self, phase: str, iteration: int, total: int) -> None:
        self._file.begin(phase, iteration, total)
        self._other.begin(phase, iteration, total)

    def advance(self, done: int, figures: Mapping[str, float]) -> None:
        self._other.advance(done, figures)
        self._file.advance(done, figures, self._other.left_s() if isinstance(self._other, Foreseeing) else None)

    def end(self, phase: str, iteration: int, text: str, figures: Mapping[str, Any]) -> None:
        self._file.end()
        self._other.end(phase, iteration, text, figures)

    def end_beside(
        self, phase: str, iteration: int, text: str, figures: Mapping[str, Any], done: int, spent_s: float
    ) -> None:
        """Report the end of a phase during another phase."""
        if isinstance(self._other, Overlapping):
            self._other.end_beside(phase, iteration, text, figures, done, spent_s)
        else:
            self._other.end(phase, iteration, text, figures)
