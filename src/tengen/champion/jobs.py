"""Tasks for workers that together make one thing: games of self-play, matches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from tengen.arena import MatchResult, chunks, merge, play_chunk
from tengen.arena.result import Tally
from tengen.cluster import report

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tengen.arena import Openings, PlayedGame, Player
    from tengen.cluster import Workers
    from tengen.games import Game

__all__ = [
    "ROUND_PARTS",
    "Progress",
    "ScoreSoFar",
    "collect",
    "pairs_at_once",
    "play_match_with",
    "play_pairs",
    "split",
]

Progress: TypeAlias = "Callable[[int, int], None]"
"""Gets the number of finished games and the work done, in visits or plies."""

_MAX_PAIRS = 16
ROUND_PARTS = 2
"""Tasks of a round of a match that may end early. More tasks fill more workers, and more games are played in vain."""


class ScoreSoFar:
    """The score of the first player in a match that is being played."""

    def __init__(
        self, games: Iterable[PlayedGame] = (), hear: Callable[[Sequence[PlayedGame]], None] | None = None
    ) -> None:
        """`hear` is called with games that are added."""
        self._games = list(games)
        self._hear = hear

    def add(self, games: Sequence[PlayedGame]) -> None:
        self._games += games
        if self._hear is not None:
            self._hear(games)

    @property
    def figures(self) -> dict[str, float]:
        tally = Tally.of(self._games)
        return {"wins": tally.wins, "draws": tally.draws, "losses": tally.losses}


def collect(
    workers: Workers, tasks: Sequence[int], count: Callable[[Any], tuple[int, int]], progress: Progress
) -> list[Any]:
    """Return the tasks' values in order.

    `progress` gets the sums of games and work: from the reports of running tasks, and from `count` of finished ones.
    """
    done: dict[int, Any] = {}
    told: dict[int, tuple[int, int]] = {}

    def hear(task: int, counts: tuple[int, int]) -> None:
        told[task] = counts
        games, work = zip(*told.values(), strict=True)
        progress(sum(games), sum(work))

    for task, value in workers.results(hear):
        done[task] = value
        hear(task, count(value))
    return [done[task] for task in tasks]


def pairs_at_once(games: int, limit: int = _MAX_PAIRS) -> int:
    """The pairs of one task: few enough that a small match fills several workers; whatever their number, so that it
    changes no game."""
    return max(1, min(limit, games // 4))


def play_match_with(
    workers: Workers,
    game: Game,
    players: tuple[Player, Player],
    games: int,
    seed: int,
    progress: Progress,
    openings: Openings | None = None,
    max_pairs: int = _MAX_PAIRS,
    score: ScoreSoFar | None = None,
    stop: Callable[[MatchResult], bool] | None = None,
) -> MatchResult:
    """Play a match of `games` games on workers.

    With `stop`, games are played in rounds of a fixed number; `stop` gets the result after each round and ends the
    match if it returns true. It is not called within a round, because the games that finish first are the short ones.
    The number of workers changes no game and no round.
    """
    parts = chunks(games, pairs_at_once(games, max_pairs))
    if stop is None:
        played = play_pairs(workers, game, players, parts, seed, progress, openings, score)
        return merge(game, *players, seed, played, openings)
    done: list[list[PlayedGame]] = []
    games_before, plies_before = 0, 0
    for first in range(0, len(parts), ROUND_PARTS):

        def add(games: int, plies: int, before: tuple[int, int] = (games_before, plies_before)) -> None:
            progress(before[0] + games, before[1] + plies)

        done += play_pairs(workers, game, players, parts[first : first + ROUND_PARTS], seed, add, openings, score)
        result = merge(game, *players, seed, done, openings)
        if stop(result):
            break
        games_before, plies_before = len(result.games), sum(len(played.actions) for played in result.games)
    return result


def play_pairs(
    workers: Workers,
    game: Game,
    players: tuple[Player, Player],
    parts: Iterable[Sequence[int]],
    seed: int,
    progress: Progress,
    openings: Openings | None = None,
    score: ScoreSoFar | None = None,
) -> list[list[PlayedGame]]:
    """The games of pairs of seats, each part a task. `score` gets them as parts are finished."""

    def count(played: Sequence[PlayedGame]) -> tuple[int, int]:
        if score is not None:
            score.add(played)
        return len(played), sum(len(game.actions) for game in played)

    tasks = [workers.submit(play_chunk, game, *players, list(part), seed, openings, report) for part in parts]
    return collect(workers, tasks, count, progress)


def split(pairs: Sequence[int], size: int = 8) -> list[Sequence[int]]:
    """Parts for tasks."""
    return [pairs[i : i + size] for i in range(0, len(pairs), size)]
