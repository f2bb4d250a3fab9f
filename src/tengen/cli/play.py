"""`tengen play`: a person against the search."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tengen.cli.computer import Computer
from tengen.cli.console import OutsideError, from_outside, guarded
from tengen.cli.options import (
    EvaluatorOption,
    GameArgument,
    MovesOption,
    SeedOption,
    SetOption,
    StartOption,
    TuneOption,
    choose_evaluator,
    position,
    read_game,
    read_tuning,
)
from tengen.cli.session import Session
from tengen.cli.terminal import Terminal
from tengen.cli.thinking import settings_for

if TYPE_CHECKING:
    from tengen.games import Game

__all__ = ["play"]

_VISITS = 50_000
_SECONDS = 5.0


@guarded
def play(
    game: GameArgument,
    seat: Annotated[
        str, typer.Option(metavar="SEAT", help="Where you sit: 0 begins, 1 comes next, …; or random.")
    ] = "0",
    visits: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Visits of each search: fewer make the computer weaker.",
            show_default=f"{_VISITS:,}, or a champion's own",
        ),
    ] = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="The most time that a search may take.")] = _SECONDS,
    evaluator: EvaluatorOption = None,
    moves: MovesOption = "",
    seed: SeedOption = None,
    settings: SetOption = None,
    start: StartOption = None,
    tune: TuneOption = None,
) -> None:
    """Play against the search. At the prompt, `help` lists moves and commands."""
    rules = read_game(game, settings)
    if not seconds > 0:
        raise OutsideError(f"--seconds is {seconds:g} and must be above 0")
    wanted_seat = _read_seat(rules, seat)
    with from_outside():
        judge, measured = choose_evaluator(evaluator, rules)
        search_settings = settings_for(rules, judge, visits or measured or _VISITS, read_tuning(tune))
        if search_settings.visits < 2:
            raise OutsideError("the computer needs at least 2 visits: one for the position, one for a move")
        computer = Computer(rules, search_settings, judge, random.Random(seed), seconds)
    Terminal(Session(lambda s: position(rules, moves, seed=s, start=start), computer, wanted_seat, seed)).run()


def _read_seat(game: Game, text: str) -> int | Literal["random"]:
    if text == "random":
        return "random"
    if text.isdecimal() and int(text) < game.players:
        return int(text)
    seats = ", ".join(map(str, range(game.players)))
    raise OutsideError(f"--seat is {text!r}: {game.id} has the seats {seats}, and random")
