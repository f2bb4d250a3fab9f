"""Matches with a bar, over workers."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from tengen.champion import Contestant
from tengen.champion.jobs import play_match_with
from tengen.console.output import UsageError
from tengen.console.players import read_player, resolve_player
from tengen.console.progress import rate_text

if TYPE_CHECKING:
    from tengen.arena import MatchResult, Openings, Player
    from tengen.cluster import Workers
    from tengen.console.progress import Bar
    from tengen.games import Game

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
) -> MatchResult:
    began = time.monotonic()

    def tell(played: int, plies: int) -> None:  # noqa: ARG001 - games are what a person counts
        bar.advance(played, rate_text(played, time.monotonic() - began, "games"))

    bar.begin(f"{first.name} against {second.name}", games)
    result = play_match_with(workers, game, (first, second), games, seed, tell, openings, _MAX_PAIRS)
    bar.end()
    return result


def enter(text: str, game: Game) -> Contestant:
    """A player as read_player() reads it, to be kept in a run with the files that it is made of."""
    read_player(text, game)
    return Contestant.of(resolve_player(text, game), text)
