"""The games that forks of a run's self-play leave: those of the iteration before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.champion.repair import intact
from tengen.games import RecordedGame
from tengen.selfplay import load_records

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.arena import Player
    from tengen.games import Game
    from tengen.runs import Run, Step
    from tengen.selfplay import SelfPlaySettings

__all__ = ["check_forks", "fork_sources", "part_of"]


def check_forks(game: Game, player: Player, play: SelfPlaySettings) -> None:
    """Raise a ValueError if games of self-play are to be forks and cannot be."""
    if not play.fork_share or player.has_forks(game):
        return
    needed = f"{player.name}, which does not evaluate many positions together: use a search or a policy"
    if game.simultaneous:
        needed = f"{game.id}, in which players decide at the same time"
    raise ValueError(f"learning: selfplay.fork_share is {play.fork_share:g} and must be 0 for {needed}")


def fork_sources(
    run: Run, play: SelfPlaySettings, iteration: int, records: str
) -> tuple[list[Step], list[RecordedGame]]:
    """Return the step of the iteration before and its games from the file `records`; nothing if there are no forks.

    Depending on whole steps only, forks are the same with any number of workers and after any interruption.
    """
    if not play.fork_share:
        return [], []
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
