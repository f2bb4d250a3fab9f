"""Games of pairs with each other, and their records."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from tengen.games.shogi import WIN
from tengen.games.shogi.records import START_SFEN, format_sfenx, new_record
from tengen.labs.shogi.samples import PlayedMoves

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tengen.arena import PlayedGame
    from tengen.games.shogi import Shogi

__all__ = ["format_game", "moves_of", "pair_spec", "pairings", "record_name"]


def pairings(names: Sequence[str]) -> list[tuple[str, str]]:
    """Who meets whom in a round: (a, b), (b, c), (c, a); each meeting is played from both sides, so that (b, a),
    (c, b) and (a, c) follow. One alone meets itself."""
    if len(names) == 1:
        return [(names[0], names[0])]
    if len(names) == 3:
        return [(names[0], names[1]), (names[1], names[2]), (names[2], names[0])]
    return list(itertools.combinations(names, 2))


def pair_spec(
    prophet: Path | str | None, enforcer: Path | str | None, *, depth: int, width: int, temperature: float
) -> str:
    """As `tengen arena` takes players."""
    files = {"prophet": prophet, "enforcer": enforcer}
    there = {name: str(path) for name, path in files.items() if path is not None}
    kind = "pair" if len(there) == 2 else next(iter(there))
    named = ",".join(f"{name}={path}" for name, path in there.items())
    return f"{kind}:{named},prefetch-depth={depth},prefetch-width={width},temperature={temperature:g}"


def moves_of(game: Shogi, played: PlayedGame) -> PlayedMoves:
    """A game of the arena's, from the start position."""
    moves = tuple(game.name(action) for action in played.actions if isinstance(action, int) and action != WIN)
    one, other = played.payoffs
    return PlayedMoves(START_SFEN, moves, None if one == other else int(other > one))


def format_game(played: PlayedMoves) -> str:
    """A line a ply: sfen,plies of the game,move,winner."""
    record = new_record(played.moves, start=played.start)
    side = (record.board.side + len(played.moves)) % 2
    end = "draw" if played.winner is None else "resign" if played.winner != side else "declaration"
    return format_sfenx([new_record(played.moves, start=played.start, end=end)])


def record_name(number: int) -> str:
    return f"{number:07}.sfenx"
