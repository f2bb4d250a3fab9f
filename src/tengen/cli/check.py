"""`tengen check`: does a game keep the contract?"""

from __future__ import annotations

from typing import Annotated

import typer

from tengen.console.options import GameArgument, SeedOption, SetOption, read_game
from tengen.console.output import FailedError, guarded, tell
from tengen.console.progress import Bar
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
    encodings, symmetries and what each player sees. The first fault is shown with the position. In a state with more
    than 64 choices, a sample of their names is parsed; all of them are compared with each other.
    """
    rules = read_game(game, settings)
    try:
        with Bar(has_lines=True) as bar:
            bar.begin("games", games)
            report = check_conformance(
                rules, games, seed or 0, on_state=lambda done: bar.advance(done.games, f"{done.states:,} states")
            )
    except ConformanceError as error:
        text, _, position = str(error).partition("\n")
        if position:
            tell(position)
        raise FailedError(text) from error
    tell(str(report))
    tell(f"{rules.title} keeps the contract.")
    if not any(rules.shape):
        tell("It has no encoding: `tengen search` and `tengen play` do without, `tengen learn` needs one.")
