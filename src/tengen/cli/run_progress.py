"""A run as it goes: a bar for the step under way, and a line for every step that is complete."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rich.text import Text

from tengen.champion.plan import Timeline
from tengen.champion.ratings import elo_text, rate_champion
from tengen.console.progress import rate_text, time_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.console.progress import Bar
    from tengen.runs import Run

__all__ = ["GamesView", "View"]

_LOSSES = ("policy", "value")
_UNITS = {"train": "batches"}
_COLORS = {"accept": "green", "reject": "yellow", "training stopped": "red"}


class View:
    """Watches the loop and the final matches. Where several lines tell of one thing, the later ones are indented."""

    def __init__(self, bar: Bar, run: Run, iterations: int, timeline: Timeline | None = None) -> None:
        self.bar = bar
        self._run = run
        self._iterations = iterations
        self._timeline = timeline or Timeline(())
        self._began = time.monotonic()
        self._unit = ""
        self._done, self._total = 0, 0
        self._figures: Mapping[str, float] = {}
        self._elo = ""

    def begin(self, phase: str, iteration: int, total: int) -> None:
        self._begin(f"iteration {iteration}/{self._iterations} · {phase}", phase, iteration, total)

    def begin_final(self, name: str, iteration: int, title: str, games: int) -> None:
        self._begin(title, name, iteration, games)

    def _begin(self, text: str, phase: str, iteration: int, total: int) -> None:
        self._began = time.monotonic()
        self._unit = _UNITS.get(phase, "games")
        self._done, self._total, self._figures = 0, total, {}
        self._rate()
        self._timeline.begin(phase, iteration)
        self.bar.begin(text, total, self._elo_text())

    def advance(self, done: int, figures: Mapping[str, float]) -> None:
        self._done, self._figures = done, figures
        losses = [f"{name} {figures[name]:.3f}" for name in _LOSSES if name in figures]
        self.bar.advance(done, self._elo_text() + ", ".join([*self._speeds(), *losses, *self._left()]))

    def end(self, phase: str, iteration: int, text: str, figures: Mapping[str, Any]) -> None:
        self.end_final()
        if phase == "rate":
            text = _match_text(text, figures)
        spent = ", ".join([time_text(time.monotonic() - self._began), *self._speeds(), *self._left()])
        begins = next((word for word in _COLORS if text.startswith(word)), "")
        line = Text(f"iteration {iteration}  {phase:<9}  ")
        line.append(begins, _COLORS.get(begins, ""))
        line.append(f"{text.removeprefix(begins)} ({spent})")
        self.bar.say(line)

    def advance_match(self, games: int, plies: int) -> None:
        self.advance(games, {"plies": plies})

    def end_final(self) -> None:
        self.bar.end()
        self._timeline.end(time.monotonic() - self._began)

    def left_s(self) -> float | None:
        work = self._figures.get("visits", self._figures.get("plies", 0.0))
        share = self._timeline.share(self._done, self._total, work)
        return self._timeline.left(time.monotonic() - self._began, share)

    def _left(self) -> list[str]:
        left = self.left_s()
        return [] if left is None else [f"about {time_text(left)} left"]

    def _rate(self) -> None:
        """Between phases: by the end of a match its winner is not yet champion."""
        text = elo_text(rate_champion(self._run))
        if text != self._elo:
            self._elo = text
            self.bar.say(f"{'':<14}champion   Elo {text} above the first network")

    def _elo_text(self) -> str:
        return f"Elo {self._elo} · " if self._elo else ""

    def _speeds(self) -> list[str]:
        elapsed = time.monotonic() - self._began
        if not self._done or elapsed <= 0:
            return []
        speeds = [rate_text(self._done, elapsed, self._unit)]
        if "visits" in self._figures:
            speeds.append(rate_text(self._figures["visits"], elapsed, "visits"))
        return speeds


def _match_text(text: str, figures: Mapping[str, Any]) -> str:
    tally = f"+{figures['wins']:g} ={figures['draws']:g} -{figures['losses']:g}"
    return f"{100 * figures['score']:.1f} % of {figures['games']:g} games, {tally}: {text.partition(' in ')[0]}"


class GamesView:
    """Watches games being played, step by step. A subclass may call a step otherwise, at its begin and at its end."""

    def __init__(self, bar: Bar, *, quiet: bool) -> None:
        self._bar = bar
        self._quiet = quiet
        self._began = time.monotonic()

    def title(self, phase: str, iteration: int) -> str:
        return f"{phase} {iteration}"

    def line(self, phase: str, iteration: int, text: str) -> str:
        return f"{phase} {iteration}: {text}"

    def begin(self, phase: str, iteration: int, total: int) -> None:
        self._began = time.monotonic()
        self._bar.begin(self.title(phase, iteration), total)

    def advance(self, done: int, figures: Mapping[str, float]) -> None:  # noqa: ARG002 - of the contract
        self._bar.advance(done, rate_text(done, time.monotonic() - self._began, "games"))

    def end(self, phase: str, iteration: int, text: str, figures: Mapping[str, Any]) -> None:
        self._bar.end()
        if self._quiet:
            return
        line = self.line(phase, iteration, text)
        self._bar.say(f"{line} ({time_text(time.monotonic() - self._began)})")
        for finding in figures.get("findings", ()):
            self._bar.say(f"  {finding['says']:<8} {finding['text']}")
