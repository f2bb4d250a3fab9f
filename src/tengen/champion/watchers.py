"""Who hears how a run goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from tengen.runs import ProgressFile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["Foreseeing", "Overlapping", "Recorded", "Silent", "Watcher"]


class Watcher(Protocol):
    """Hears how a run goes."""

    def begin(self, phase: str, iteration: int, total: int) -> None: ...
    def advance(self, done: int, figures: Mapping[str, float]) -> None: ...
    def end(self, phase: str, iteration: int, text: str, figures: Mapping[str, Any]) -> None: ...


@runtime_checkable
class Foreseeing(Protocol):
    """A watcher who knows how long the whole run takes still."""

    def left_s(self) -> float | None: ...


@runtime_checkable
class Overlapping(Protocol):
    """A watcher that shows phases that end while another one goes on."""

    def end_beside(
        self, phase: str, iteration: int, text: str, figures: Mapping[str, Any], done: int, spent_s: float
    ) -> None:
        """Report the end of a phase of `done` games or batches that took `spent_s` seconds."""


class Silent:
    """Hears nothing."""

    def begin(self, phase: str, iteration: int, total: int) -> None: ...
    def advance(self, done: int, figures: Mapping[str, float]) -> None: ...
    def end(self, phase: str, iteration: int, text: str, figures: Mapping[str, Any]) -> None: ...


class Recorded:
    """Tells another one, and writes it down for who looks from elsewhere."""

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
        """Report the end of a phase while another one goes on."""
        if isinstance(self._other, Overlapping):
            self._other.end_beside(phase, iteration, text, figures, done, spent_s)
        else:
            self._other.end(phase, iteration, text, figures)
