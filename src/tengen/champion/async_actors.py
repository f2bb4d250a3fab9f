"""Self-play that never stops: chunks of games by the newest network, or by the teacher before there is one."""

from __future__ import annotations

import dataclasses
import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tengen.arena import SearchPlayer, find_player
from tengen.arena.seeds import derive
from tengen.champion.async_chunks import ChunkFacts, ChunkStore
from tengen.champion.forks import fork_sources, part_of
from tengen.champion.loop import RECORDS
from tengen.champion.packed_games import play_packed
from tengen.champion.resignation import adjust_resignation
from tengen.champion.settings import RECORDS_TEACHER
from tengen.champion.teacher_games import STEP, read_chunk, read_games, taught_play

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.arena import Player
    from tengen.champion.settings import LearnSettings
    from tengen.cluster import Workers
    from tengen.games import Game, RecordedGame
    from tengen.runs import Run, Step
    from tengen.selfplay import SelfPlaySettings

__all__ = ["Actors", "timed"]

RECORDS_TARGETS = "visits"


def timed(function: Callable[..., Any], *args: Any) -> tuple[float, Any]:
    """Call a function in a worker and return the seconds that it took, and its value."""
    began = time.monotonic()
    value = function(*args)
    return time.monotonic() - began, value


class Actors:
    """The tasks of self-play in one run. Each finished chunk is in the store before anything else happens."""

    def __init__(
        self,
        run: Run,
        store: ChunkStore,
        game: Game,
        settings: LearnSettings,
        workers: Workers,
        evaluator_of: Callable[[Step], str],
    ) -> None:
        """`evaluator_of` returns the name of the evaluator that plays with a step's network."""
        self._run = run
        self._evaluator_of = evaluator_of
        self._store = store
        self._game = game
        self._settings = settings
        self._workers = workers
        self._out: dict[int, ChunkFacts] = {}
        self._news: dict[int, tuple[int, int]] = {}
        self._network: Step | None = None
        self._player: Player | None = None
        self._teacher: Player | None = None
        self._forked: list[RecordedGame] = []
        self._lines: list[RecordedGame] = []
        self._parts: dict[int, range] = {}
        self._first_games = settings.games_per_iter
        self.play = settings.selfplay
        """Settings of the games that are played now, if not by the teacher."""
        self.seconds = 0.0
        """Time of workers that went into games, in seconds."""

    def teach(self, *, is_first: bool) -> None:
        """Let the teacher play until there is a network. With `is_first`, the parts of the first iteration that are not
        in the store come first."""
        settings = self._settings
        is_reading = settings.teacher == RECORDS_TEACHER
        self._lines = read_games(self._game, settings.records)
        if is_reading:
            self._lines = [each for each in self._lines if each.payoffs is not None and each.actions]
            if not self._lines:
                raise ValueError(f"{', '.join(settings.records)}: no game with a result is in there")
        else:
            self._teacher = find_player(settings.teacher, self._game)
        games = len(self._lines) if is_reading else settings.bootstrap_games
        size = settings.chunk_games or self.chunk_games
        parts = {k + 1: range(k * size, min(games, (k + 1) * size)) for k in range(math.ceil(games / size))}
        there = {chunk.facts.part for chunk in self._store.waiting}
        self._parts = {k: part for k, part in parts.items() if is_first and k not in there}
        self._first_games = games

    @property
    def chunk_games(self) -> int:
        return self._settings.actors.chunk_games or self._settings.selfplay.parallel

    def games_of(self, iteration: int) -> int:
        """Return the number of games that make an iteration."""
        return self._first_games if iteration == 1 else self._settings.games_per_iter

    @property
    def has_taught(self) -> bool:
        """True when the store has all games of the teacher that the first iteration needs."""
        return not self._parts and not any(facts.part for facts in self._out.values())

    @property
    def running(self) -> int:
        """Number of tasks."""
        return len(self._out)

    @property
    def running_games(self) -> int:
        return sum(facts.games for facts in self._out.values())

    @property
    def news(self) -> tuple[int, int]:
        """Games and visits of running tasks, as far as their workers have reported them."""
        games, visits = zip(*self._news.values(), strict=True) if self._news else ((), ())
        return sum(games), sum(visits)

    def listen(self, task: int, news: tuple[int, int]) -> None:
        if task in self._out:
            self._news[task] = news

    def use_network(self, step: Step) -> None:
        """Let a network play from the next chunk on."""
        spec = self._settings.self_play_player
        self._network = step
        self._player = find_player(spec, self._game, network=self._evaluator_of(step))

    def begin_iteration(self, iteration: int) -> None:
        """Play for this iteration from now on.

        Its share of random moves is its own. The threshold of resignation and the games that forks leave come from the
        iteration before.
        """
        play = self._settings.selfplay.at_iteration(iteration)
        self.play = adjust_resignation(play, self._run.find("self-play", iteration - 1))
        _, self._forked = fork_sources(self._run, self.play, iteration, RECORDS)

    @property
    def laid_play(self) -> SelfPlaySettings:
        """The settings of the games that are played now, with the search settings of the player."""
        player = self._player
        return self.play.laid_over(player.settings) if isinstance(player, SearchPlayer) else self.play

    def submit(self) -> int | None:
        """Submit the next chunk and return its task; None if there is nobody who could play now."""
        if self._parts:
            part = min(self._parts)
            return self._teach_part(part, self._parts.pop(part))
        if self._player is not None:
            return self._submit_own(self._player, self._seeds())
        if self._teacher is not None:
            return self._submit_taught(self._teacher, self._seeds())
        return None

    def receive(self, task: int, value: Any, newest: int) -> ChunkFacts | None:
        """Store the games of a task and return their facts; None if the task is another one's.

        `newest` is the iteration of the newest network.
        """
        if task not in self._out:
            return None
        facts = self._out.pop(task)
        self._news.pop(task, None)
        seconds, games = value
        self.seconds += seconds
        is_taught = facts.player != str(self._settings.self_play_player)
        lag = 0 if is_taught else max(0, newest - facts.network)
        facts = dataclasses.replace(facts, lag=lag)
        self._store.add(facts, games)
        return facts

    def _teach_part(self, part: int, games: range) -> int:
        if self._teacher is None:
            lines = [self._lines[i] for i in games]
            task = self._workers.submit(timed, read_chunk, self._game, lines, part)
            return self._note(task, len(games), str(RECORDS_TEACHER), RECORDS_TARGETS, part)
        seeds = [derive(self._settings.seed, STEP, i) for i in games]
        return self._submit_taught(self._teacher, seeds, part)

    def _submit_taught(self, teacher: Player, seeds: Sequence[int], part: int = 0) -> int:
        play = taught_play(teacher, self._settings)
        task = self._workers.submit(timed, play_packed, self._game, teacher, play, seeds, self._lines)
        return self._note(task, len(seeds), str(self._settings.teacher), teacher.policy_targets, part)

    def _submit_own(self, player: Player, seeds: Sequence[int]) -> int:
        lines = part_of(self._forked, self._store.next_number * len(seeds), len(seeds))
        task = self._workers.submit(timed, play_packed, self._game, player, self.play, seeds, lines)
        return self._note(task, len(seeds), str(self._settings.self_play_player), player.policy_targets)

    def _seeds(self) -> list[int]:
        """Return the seeds of the next chunk."""
        number = self._store.next_number
        return [derive(self._settings.seed, "self-play", number, i) for i in range(self.chunk_games)]

    def _note(self, task: int, games: int, spec: str, targets: str, part: int = 0) -> int:
        network = 0 if self._network is None else self._network.iteration or 0
        figures = {"games": float(games)}
        self._out[task] = ChunkFacts(self._store.take_number(), network, 0, spec, targets, figures, part=part)
        return task
