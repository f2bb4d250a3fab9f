"""Matches with a bar, over workers."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.arena import MatchResult, chunks, find_player, merge, play_chunk
from tengen.cli.options import network_in
from tengen.cli.watching import rate_text

if TYPE_CHECKING:
    from tengen.arena import Player
    from tengen.cli.watching import Bar
    from tengen.cluster import Workers
    from tengen.games import Game

__all__ = ["play", "read_player"]

# Small, so that a match fills several workers; fixed, so that their number changes no game.
_PAIRS_AT_ONCE = 8


def play(game: Game, first: Player, second: Player, games: int, seed: int, workers: Workers, bar: Bar) -> MatchResult:
    parts = chunks(games, _PAIRS_AT_ONCE)
    tasks = [workers.submit(play_chunk, game, first, second, list(part), seed) for part in parts]
    began, played = time.monotonic(), 0
    done: dict[int, Any] = {}
    bar.begin(f"{first.name} against {second.name}", games)
    for task, records in workers.results():
        done[task] = records
        played += len(records)
        bar.advance(played, rate_text(played, time.monotonic() - began, "games"))
    bar.end()
    return merge(game, first, second, seed, [done[task] for task in tasks])


def read_player(text: str, game: Game) -> Player:
    """As find_player() reads it, and RUN@VISITS or policy:RUN for the champion of a run's folder, or a step's."""
    head = "policy:" if text.startswith("policy:") else ""
    for end in _ends(text):
        folder = text[len(head) : end]
        if folder and Path(folder).is_dir():
            player = find_player(f"{head}{network_in(Path(folder))}{text[end:]}", game)
            player.name = text
            return player
    return find_player(text, game)


def _ends(text: str) -> list[int]:
    """Where a folder's name may end, the longest first."""
    return [len(text), *sorted((i for i, letter in enumerate(text) if letter in "@,"), reverse=True)]
