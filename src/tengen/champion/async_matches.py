"""Matches that are played at the same time as self-play, a few games in each task."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from tengen.arena import chunks, merge, play_chunk
from tengen.champion.async_actors import timed
from tengen.champion.jobs import ROUND_PARTS, ScoreSoFar, pairs_at_once
from tengen.cluster import report

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tengen.arena import MatchResult, PlayedGame, Player
    from tengen.cluster import Workers
    from tengen.games import Game
    from tengen.runs import Step

__all__ = ["Match"]


class Match:
    """A match whose parts are tasks. With `stop` it is played in rounds of a fixed number of games, as by
    play_match_with(), and ends early when `stop` returns true."""

    def __init__(
        self,
        iteration: int,
        steps: tuple[Step, Step | None],
        game: Game,
        players: tuple[Player, Player],
        games: int,
        seed: int,
        stop: Callable[[MatchResult], bool] | None = None,
    ) -> None:
        """`steps` hold the networks of the players; None stands for a fixed player, which rates the first one."""
        self.kind = "rate" if steps[1] is None else "arena"
        self.steps = steps
        self.iteration = iteration
        self.games = games
        self.seed = seed
        self.score = ScoreSoFar()
        self.began = time.monotonic()
        self._game = game
        self._players = players
        self._stop = stop
        self._parts = chunks(games, pairs_at_once(games))
        self._next = 0
        self._done: dict[int, list[PlayedGame]] = {}
        self._out: dict[int, int] = {}
        self._result: MatchResult | None = None

    @property
    def running(self) -> int:
        """Number of tasks."""
        return len(self._out)

    @property
    def played(self) -> int:
        return sum(map(len, self._done.values()))

    @property
    def result(self) -> MatchResult | None:
        """The result of the whole match; None before its end."""
        return self._result

    def submit(self, workers: Workers, journal: Path) -> int | None:
        """Submit the next part and return its task; None if the result of other parts decides how to go on.

        Finished parts are kept in the journal, so that a repeated match plays only the others.
        """
        end = len(self._parts)
        if self._stop is not None:
            end = min(end, (self._next_round() + 1) * ROUND_PARTS)
        if self._result is not None or self._next >= end:
            return None
        part = self._parts[self._next]
        with workers.journal(journal):
            arguments = (self._game, *self._players, list(part), self.seed, None, report)
            task = workers.submit(timed, play_chunk, *arguments)
        self._out[task] = self._next
        self._next += 1
        return task

    def receive(self, task: int, value: Any) -> float | None:
        """Add the games of a task and return the seconds that a worker needed; None if the task is another one's."""
        if task not in self._out:
            return None
        seconds, played = value
        self._done[self._out.pop(task)] = played
        self.score.add(played)
        if not self._out and self._next == len(self._done):
            self._judge()
        return float(seconds)

    def _next_round(self) -> int:
        return len(self._done) // ROUND_PARTS

    def _judge(self) -> None:
        is_whole = len(self._done) == len(self._parts)
        is_round = len(self._done) % ROUND_PARTS == 0
        if not is_whole and (self._stop is None or not is_round):
            return
        result = merge(self._game, *self._players, self.seed, [self._done[i] for i in sorted(self._done)], None)
        if is_whole or (self._stop is not None and self._stop(result)):
            self._result = result
