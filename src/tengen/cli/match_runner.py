"""Matches with a bar, over workers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.arena import find_player
from tengen.champion import Contestant
from tengen.champion.jobs import play_match_with
from tengen.cli.console import UsageError
from tengen.cli.levels import level_player, read_level
from tengen.cli.progress import rate_text
from tengen.evaluators import find_named
from tengen.evaluators.choice import CHAMPION

if TYPE_CHECKING:
    from tengen.arena import MatchResult, Openings, Player
    from tengen.cli.progress import Bar
    from tengen.cluster import Workers
    from tengen.games import Game

__all__ = ["check_two", "enter", "play", "read_player"]


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


def read_player(text: str, game: Game) -> Player:
    """As find_player() reads it, and `level:NAME`; of a run's folder, a step's or `champion`, the network is looked up
    now."""
    player = find_player(_resolve(text, game), game)
    player.name = text
    return player


def enter(text: str, game: Game) -> Contestant:
    """The same, to be kept in a run with the files that it is made of."""
    read_player(text, game)
    return Contestant.of(_resolve(text, game), text)


def _resolve(text: str, game: Game) -> str:
    """With the path of its network in the place of a folder, or of `champion`; for a level, the player that it is."""
    if text.startswith("level:"):
        return level_player(read_level(text.removeprefix("level:")), game)
    head = "policy:" if text.startswith("policy:") else ""
    for end in _ends(text):
        name = text[len(head) : end]
        if name == CHAMPION or (name and Path(name).is_dir()):
            return f"{head}{find_named(name, game)}{text[end:]}"
    return text


def _ends(text: str) -> list[int]:
    """Where a folder's name may end, the longest first."""
    return [len(text), *sorted((i for i, letter in enumerate(text) if letter in "@,"), reverse=True)]
