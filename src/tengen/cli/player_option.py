"""`--player`: any player of the arena as an engine of a protocol."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tengen.console.output import UsageError, usage_errors, warn

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tengen.arena import Player
    from tengen.games import Game

__all__ = ["PlayerOption", "network_errors", "open_player"]

PlayerOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--player",
        metavar="PLAYER",
        help="Play the moves of this player, as `tengen arena` names players: pair:RUN, policy:FILE, level:easy, …",
        show_default="the search with the network",
    ),
]


@contextmanager
def network_errors(net: str | None, game: Game) -> Iterator[None]:
    """Turn errors of --net into errors of usage. If it names a player, the message suggests --player."""
    try:
        with usage_errors("" if net is None else f"--net {net}: "):
            yield
    except UsageError as error:
        if net is not None and _is_player(net, game):
            raise UsageError(f"--net {net}: this names a player, not a network: use --player {net}") from error
        raise


def _is_player(text: str, game: Game) -> bool:
    from tengen.console.players import read_player

    try:
        read_player(text, game)
    except (ValueError, OSError):
        return False
    return True


def open_player(spec: str, game: Game, **others: object) -> Player:
    """Return the player, and warn if it cannot be interrupted. `others` are options that do not go with --player."""
    from tengen.console.players import read_player
    from tengen.protocols.deliberation import refuse_program, time_warning

    for name, value in others.items():
        if value is not None:
            raise UsageError(f"--{name.replace('_', '-')} has no effect with --player: a player brings its own")
    with usage_errors("--player: "):
        refuse_program(spec)
        player = read_player(spec, game)
        warning = time_warning(player, game)
    if warning is not None:
        warn(warning)
    return player
