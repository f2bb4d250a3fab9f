"""A learning run as an object: its champion, networks, ratings, games, samples, losses and settings."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.arena import find_player
from tengen.champion.loop import CHECKPOINT, RECORDS
from tengen.champion.opening import GAME, run_settings
from tengen.champion.presets import LEARN
from tengen.champion.ratings import match_steps, rate_run
from tengen.champion.settings import LearnSettings
from tengen.champion.value_check import VALUE_CHECK, read_value_check
from tengen.champion.window import SAMPLES, samples_file
from tengen.games import find_stored
from tengen.learning import Samples, load_packed, load_samples
from tengen.nets.run_network import NETWORK
from tengen.runs import Run, RunError
from tengen.runs.used_time import read_used_s
from tengen.selfplay import load_records

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.arena import Player, Rating, Ratings
    from tengen.champion.value_check import ValueFit
    from tengen.games import Game
    from tengen.runs import Step
    from tengen.selfplay import GameRecord

__all__ = ["GrownNetwork", "LearningRun"]


@dataclass(frozen=True)
class GrownNetwork:
    """A network of a run."""

    iteration: int
    """The iteration that trained it; 0 for the first network."""
    onnx: Path
    """The network for playing; any evaluator takes this path."""
    checkpoint: Path
    """The network for training, with its architecture."""
    is_champion: bool
    rating: Rating | None
    """None if it has played no match."""


class LearningRun:
    """The folder of a learning run, which may still be growing: every property reads what is there now."""

    def __init__(self, path: str | Path, game: Game | None = None) -> None:
        """`game` is needed only if it is in a file that was not loaded before."""
        self._run = Run.open(path)
        if LEARN not in self._run.settings:
            raise RunError(f"{path} is no learning run")
        self.path = Path(path)
        table: Mapping[str, Any] = self._run.settings[GAME]
        self.game: Game = game or find_stored(str(table["name"]))(**table.get("settings", {}))
        self.settings: LearnSettings = run_settings(self._run, LearnSettings, LEARN)

    def __repr__(self) -> str:
        return f"<LearningRun {self.path}: {self.game.id}, {self.iterations} iterations>"

    @property
    def iterations(self) -> int:
        """The number of the last iteration that trained a network."""
        return max((step.iteration or 0 for step in self._run.steps("train")), default=0)

    @property
    def champion(self) -> Player:
        """The player that passed the last gate: the run's `player` with the champion's network.

        It plays wherever players are taken, such as tengen.arena.play_match(), and has what tengen.search() takes:
        `evaluator` and, if it searches a tree, `settings`.
        """
        return find_player(str(self.path), self.game)

    @property
    def network(self) -> Path:
        """The champion's network, an ONNX file that evaluators take."""
        champion = self._run.champion
        if champion is None:
            raise RunError(f"{self.path} has no champion yet")
        return champion.file(NETWORK)

    def player(self, iteration: int) -> Player:
        """Return the run's player with the network of an iteration; 0 is the first network."""
        return find_player(str(self._network_step(iteration).path), self.game)

    @property
    def networks(self) -> list[GrownNetwork]:
        """All networks of the run, oldest first."""
        ratings = self.ratings
        by_step = {} if ratings is None else {rating.name: rating for rating in ratings.players}
        champion = self._run.champion
        return [
            GrownNetwork(
                step.iteration or 0,
                step.path / NETWORK,
                step.path / CHECKPOINT,
                step == champion,
                by_step.get(step.id),
            )
            for step in self._run.steps()
            if step.name in ("initial", "train")
        ]

    @property
    def ratings(self) -> Ratings | None:
        """Elo of all players that met in the run's matches; the first network is 0. None before the first match.

        Networks are named by their steps; `networks` has them by iteration.
        """
        return rate_run(self._run)

    @property
    def matches(self) -> list[Mapping[str, Any]]:
        """The figures of the run's matches, oldest first: gates, ratings and final matches."""
        return [{"kind": s.name, "iteration": s.iteration, **s.metrics} for s in match_steps(self._run.steps())]

    @property
    def losses(self) -> list[Mapping[str, Any]]:
        """The mean losses of each training, oldest first, with their iteration."""
        return [{"iteration": step.iteration, **step.metrics} for step in self._run.steps("train")]

    @property
    def value_checks(self) -> dict[int, list[ValueFit]]:
        """How well each iteration's newest network, and the search, foresaw the results of games on which the network
        was not trained, by phase of the game."""
        events = [event for event in self._run.events() if event.get("event") == VALUE_CHECK]
        return {event["iteration"]: read_value_check(event) for event in events}

    @property
    def used_s(self) -> float:
        """Seconds that were spent on the run."""
        return read_used_s(self._run)

    def games(self, iteration: int) -> list[GameRecord]:
        """Return the games that were played in an iteration to learn from."""
        return [record for step in self._game_steps(iteration) for record in load_records(step.file(RECORDS))]

    def samples(self, iteration: int | None = None) -> Samples:
        """Return the samples of an iteration, or those of the newest one.

        A first iteration with `chunk_games` or records keeps its samples in chunks; `games()` has its games.
        """
        number = self._newest() if iteration is None else iteration
        step = self._run.find("self-play", number)
        file = samples_file(step)
        if step is None or file not in step.files:
            raise RunError(f"{self.path} has no samples of iteration {number}")
        if file == SAMPLES:
            return load_samples(step.file(file).read_bytes(), is_own=True)
        packed = load_packed(step.file(file))
        return packed.take(np.arange(len(packed)))

    def export(self, path: str | Path, iteration: int | None = None) -> Path:
        """Copy the champion's network, or that of an iteration, to an ONNX file and return its path."""
        source = self.network if iteration is None else self._network_step(iteration).file(NETWORK)
        return Path(shutil.copyfile(source, path))

    def report(self, path: str | Path | None = None) -> Path:
        """Write the page about the run, by default into its folder, and return its path."""
        from tengen.champion.report import write_report

        return write_report(self._run, Path(path or self.path / "report.html"), lambda _name, _settings: self.game)

    def _newest(self) -> int:
        return max((step.iteration or 0 for step in self._run.steps("self-play")), default=0)

    def _network_step(self, iteration: int) -> Step:
        step = self._run.find("train", iteration) if iteration else self._run.find("initial")
        if step is None:
            raise RunError(f"{self.path} has no network of iteration {iteration}; there are 0 to {self.iterations}")
        return step

    def _game_steps(self, iteration: int) -> list[Step]:
        names = ("self-play", "teacher-games") if iteration == 1 else ("self-play",)
        steps = [s for s in self._run.steps() if s.name in names and RECORDS in s.files]
        found = [s for s in steps if s.iteration == iteration or s.name == "teacher-games"]
        if not found:
            raise RunError(f"{self.path} has no games of iteration {iteration}")
        return found
