"""Matches with a bar, over workers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tengen.arena import merge
from tengen.champion import Contestant
from tengen.champion.jobs import ScoreSoFar, play_match_with
from tengen.console.output import UsageError
from tengen.console.players import read_player, resolve_player
from tengen.console.progress import rate_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.arena import MatchResult, Openings, PlayedGame, Player
    from tengen.arena.games_file import GamesFile
    from tengen.cluster import Workers
    from tengen.console.progress import Bar
    from tengen.games import Game
    from tengen.runs import ProgressFile

__all__ = ["check_two", "enter", "play"]


_MAX_PAIRS = 8


def check_two(game: Game) -> None:
    if game.players != 2:
        raise UsageError(f"{game.id} has {game.players} players: a match is between two")


def play(
    game: Game,
    first: Player,
    second: Player,
    games: int,
    seed: int,
    workers: Workers,
    bar: Bar,
    openings: Openings | None = None,
    told: ProgressFile | None = None,
    under_way: GamesFile | None = None,
) -> MatchResult:
    """For who watches, `told` is kept up to date, and `under_way` gets games as they are finished, some at a time."""

    def keep(played: Sequence[PlayedGame]) -> None:
        if under_way is not None:
            under_way.add(merge(game, first, second, seed, [played], openings))

    began, score = time.monotonic(), ScoreSoFar(hear=keep)
    title = f"{first.name} against {second.name}"

    def tell(played: int, plies: int) -> None:
        bar.advance(played, rate_text(played, time.monotonic() - began, "games"))
        if told is not None:
            told.advance(played, {"plies": plies, **score.figures})

    bar.begin(title, games)
    if told is not None:
        told.begin("match", 0, games, title)
    result = play_match_with(workers, game, (first, second), games, seed, tell, openings, _MAX_PAIRS, score)
    bar.end()
    if told is not None:
        told.advance(games, score.figures)
        told.end()
    return result


def enter(text: str, game: Game) -> Contestant:
    """A player as read_player() reads it, to be kept in a run with the files that it is made of."""
    read_player(text, game)
    return Contestant.of(resolve_player(text, game), text)
