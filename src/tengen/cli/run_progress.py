"""The progress of a run: a bar for the current step, and a line for every complete step."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from rich.text import Text

from tengen.champion.ratings import FINAL_ANCHOR, FINAL_INITIAL, elo_text
from tengen.console.progress import rate_text, time_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tengen.champion.progress import LearnProgress
    from tengen.console.progress import Bar

__all__ = ["GamesView", "View"]

_LOSSES = ("policy", "value")
_UNITS = {"train": "batches"}
_TITLES = {"speed": "measuring how fast the game is here"}
_COLORS = {"accept": "green", "reject": "yellow", "training stopped": "red"}


class View:
    """Shows a learning run: a bar for the current phase, and a line for every phase that has ended.

    If several lines belong together, the later ones are indented.
    """

    def __init__(self, bar: Bar) -> None:
        self.bar = bar
        self._elo = ""
        self._phase = ("", 0)
        self._show: dict[str, Callable[[LearnProgress], None]] = {
            "begin": self._begin,
            "advance": self._advance,
            "end": self._end,
            "note": lambda now: bar.say(Text(now.text)),
            "warning": lambda now: bar.warn(now.text),
        }

    def __call__(self, now: LearnProgress) -> None:
        self._show[now.event](now)

    def _begin(self, now: LearnProgress) -> None:
        elo = elo_text(now.elo)
        if elo != self._elo:
            self._elo = elo
            self.bar.say(f"{'':<14}champion   Elo {elo} above the first network")
        self._phase = (now.phase, now.iteration)
        name = _TITLES.get(now.phase) or now.title or f"{now.position} · {now.phase}"
        self.bar.begin(name, now.total, self._elo_text())

    def _advance(self, now: LearnProgress) -> None:
        losses = [f"{name} {now.figures[name]:.3f}" for name in _LOSSES if name in now.figures]
        self.bar.advance(now.done, self._elo_text() + ", ".join([*_speeds(now), *losses, *_left(now)]))

    def _end(self, now: LearnProgress) -> None:
        if self._phase == (now.phase, now.iteration):  # otherwise another phase is shown
            self.bar.end()
        if now.phase in (FINAL_INITIAL, FINAL_ANCHOR):
            return  # the whole result follows as a note
        if now.phase == "speed":
            self.bar.say(f"speed     {now.text}")
            return
        text = _match_text(now.text, now.figures) if now.phase == "rate" else now.text
        spent = ", ".join([time_text(now.phase_s), *_speeds(now), *_left(now)])
        begins = next((word for word in _COLORS if text.startswith(word)), "")
        line = Text(f"iteration {now.iteration}  {now.phase:<9}  ")
        line.append(begins, _COLORS.get(begins, ""))
        line.append(f"{text.removeprefix(begins)} ({spent})")
        self.bar.say(line)

    def _elo_text(self) -> str:
        return f"Elo {self._elo} · " if self._elo else ""


def _left(now: LearnProgress) -> list[str]:
    return [] if now.left_s is None else [f"about {time_text(now.left_s)} left"]


def _speeds(now: LearnProgress) -> list[str]:
    if not now.done or now.phase_s <= 0:
        return []
    speeds = [rate_text(now.done, now.phase_s, _UNITS.get(now.phase, "games"))]
    if "visits" in now.figures:
        speeds.append(rate_text(now.figures["visits"], now.phase_s, "visits"))
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
