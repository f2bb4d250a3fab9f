"""`tengen check`: does a game keep the contract?"""

from __future__ import annotations

from typing import Annotated

import typer

from tengen.console.options import GameArgument, SeedOption, SetOption, read_game
from tengen.console.output import FailedError, guarded, tell
from tengen.games.conformance import ConformanceError
from tengen.games.conformance import check as check_conformance

__all__ = ["check"]


@guarded
def check(
    game: GameArgument,
    games: Annotated[int, typer.Option(min=1, metavar="N", help="How many random games to play.")] = 20,
    seed: SeedOption = 0,
    settings: SetOption = None,
) -> None:
    """Check that a game keeps the contract, by random games.

    Every answer of the game on the way is looked at: legal actions, refusals, names, drawings, keys, payoffs,
    encodings, symmetries and what each player sees. The first fault is told with the position that shows it.
    """
    rules = read_game(game, settings)
    try:
        report = check_conformance(rules, games, seed or 0)
    except ConformanceError as error:
        text, _, position = str(error).partition("\n")
        if position:
            tell(position)
        raise FailedError(text) from error
    tell(str(report))
    tell(f"{rules.title} keeps the contract.")
    if not any(rules.shape):
        tell("It has no encoding: `tengen search` and `tengen play` do without, `tengen learn` needs one.")
