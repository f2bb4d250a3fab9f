"""Matches with a bar, over workers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.arena import MatchResult, chunks, find_player, merge, play_chunk
from tengen.champion import Entrant
from tengen.cli.console import OutsideError
from tengen.cli.options import network_in
from tengen.cli.watching import rate_text

if TYPE_CHECKING:
    from tengen.arena import Openings, Player
    from tengen.cli.watching import Bar
    from tengen.cluster import Workers
    from tengen.games import Game

__all__ = ["check_two", "enter", "play", "read_player"]


# Small, so that a match fills several workers; fixed, so that their number changes no game.
_PAIRS_AT_ONCE = 8


def check_two(game: Game) -> None:
    if game.players != 2:
        raise OutsideError(f"{game.id} has {game.players} players: a match is between two")


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
    parts = chunks(games, _PAIRS_AT_ONCE)
    tasks = [workers.submit(play_chunk, game, first, second, list(part), seed, openings) for part in parts]
    began, played = time.monotonic(), 0
    done: dict[int, Any] = {}
    bar.begin(f"{first.name} against {second.name}", games)
    for task, records in workers.results():
        done[task] = records
        played += len(records)
        bar.advance(played, rate_text(played, time.monotonic() - began, "games"))
    bar.end()
    return merge(game, first, second, seed, [done[task] for task in tasks], openings)


def read_player(text: str, game: Game) -> Player:
    """As find_player() reads it, and RUN@VISITS or policy:RUN for the champion of a run's folder, or a step's."""
    player = find_player(_resolve(text), game)
    player.name = text
    return player


def enter(text: str, game: Game) -> Entrant:
    """The same, to be kept in a run with the files that it is made of."""
    read_player(text, game)
    return Entrant.of(_resolve(text), text)


def _resolve(text: str) -> str:
    """With the path of its network where a folder is named."""
    head = "policy:" if text.startswith("policy:") else ""
    for end in _ends(text):
        folder = text[len(head) : end]
        if folder and Path(folder).is_dir():
            return f"{head}{network_in(Path(folder))}{text[end:]}"
    return text


def _ends(text: str) -> list[int]:
    """Where a folder's name may end, the longest first."""
    return [len(text), *sorted((i for i, letter in enumerate(text) if letter in "@,"), reverse=True)]
