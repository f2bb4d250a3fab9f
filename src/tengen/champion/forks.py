"""The games that forks of a run's self-play leave: those of the iteration before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.champion.repair import intact
from tengen.games import RecordedGame
from tengen.selfplay import load_records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games import Game
    from tengen.runs import Run, Step
    from tengen.selfplay import SelfPlaySettings

__all__ = ["fork_sources", "part_of"]


def fork_sources(
    run: Run, game: Game, play: SelfPlaySettings, iteration: int, records: str
) -> tuple[list[Step], list[RecordedGame]]:
    """Return the step of the iteration before and its games from the file `records`; nothing if there are no forks.

    Depending on whole steps only, forks are the same with any number of workers and after any interruption.
    """
    if not play.fork_share:
        return [], []
    if game.simultaneous:
        raise ValueError(f"self-play: fork_share is for games in which one player decides at a time, not for {game.id}")
    found = run.find("self-play", iteration - 1)
    step = intact(run, "self-play", iteration - 1, records) if found is not None and records in found.files else None
    if step is None:
        return [], []
    games = load_records(step.file(records).read_bytes())
    return [step], [
        RecordedGame(tuple(a for a in each.actions if isinstance(a, int)), each.payoffs, each.start, each.seed)
        for each in games
    ]


def part_of(lines: Sequence[RecordedGame], first: int, count: int) -> Sequence[RecordedGame]:
    """Return `count` lines from `first` on, for the games of one task, beginning anew at the end."""
    if len(lines) <= count:
        return lines
    return [lines[(first + i) % len(lines)] for i in range(count)]
