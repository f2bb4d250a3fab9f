"""`tengen play`: a person against the search."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from tengen.cli.advice import Searching, Trying
from tengen.cli.computer import Computer, Matched
from tengen.cli.console import OutsideError, from_outside, guarded
from tengen.cli.matching import read_player
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
    read_pairs,
    read_tuning,
)
from tengen.cli.session import Session
from tengen.cli.terminal import Terminal
from tengen.cli.thinking import settings_for
from tengen.games.settings import settings_of
from tengen.nets.shipped import find_shipped

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.cli.advice import Adviser
    from tengen.cli.computer import Opponent
    from tengen.games import Game, Rounds

__all__ = ["play"]

_VISITS = 50_000
_SECONDS = 5.0
_WORLDS = 10_000
_FLAT_PLAYER = "pimc:1000"


OpponentOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="PLAYER",
        help="Who plays against you, as `tengen arena` takes players: greedy, pimc:1000, NET@200, …",
        show_default="a search with the evaluator",
    ),
]
SessionOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--session",
        metavar="KEY=VALUE",
        help="A setting of rounds that hang together, such as start_gold=5000; may be repeated.",
        show_default=False,
    ),
]


@guarded
def play(
    game: GameArgument,
    seat: Annotated[
        str, typer.Option(metavar="SEAT", help="Where you sit: 0, 1, …, or random. In most games 0 begins.")
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
    opponent: OpponentOption = None,
    moves: MovesOption = "",
    seed: SeedOption = None,
    settings: SetOption = None,
    start: StartOption = None,
    session: SessionOption = None,
    tune: TuneOption = None,
) -> None:
    """Play against the search. At the prompt, `help` lists moves and commands.

    `hint` tells what each move is worth, and `review` which of your decisions cost most. In Matgo, gold and who begins
    go from round to round; --moves and --start play single games.
    """
    rules = read_game(game, settings)
    if not seconds > 0:
        raise OutsideError(f"--seconds is {seconds:g} and must be above 0")
    wanted_seat = _read_seat(rules, seat)
    with from_outside():
        is_told = any(option is not None for option in (evaluator, visits, tune))
        adviser, player = _players(rules, is_told, evaluator, visits, seconds, tune, random.Random(seed))
        if opponent is not None:
            player = Matched(read_player(opponent, rules), random.Random(seed))
        rounds = None if moves or start else _read_rounds(rules, session, seed)
    if session and rounds is None:
        raise OutsideError("--session is for rounds that hang together: not with --moves, --start, or a game without")
    table = Session(
        lambda s: position(rules, moves, seed=s, start=start),
        player,
        wanted_seat,
        seed,
        adviser=adviser,
        rounds=rounds,
    )
    Terminal(table, seconds).run()


def _players(
    game: Game,
    is_told: bool,
    evaluator: str | None,
    visits: int | None,
    seconds: float,
    tune: Sequence[str] | None,
    rng: random.Random,
) -> tuple[Adviser, Opponent]:
    """Who advises the person and who plays. A game with sensible quick choices is judged by those, unless something
    else is told or its champion searches: they say more than random play does."""
    shipped = find_shipped(game)
    if not is_told and game.chooser("greedy") is not None and (shipped is None or shipped.tries):
        player = read_player(_FLAT_PLAYER if shipped is None else shipped.player, game)
        return Trying(_WORLDS, rng, learned=shipped is not None), Matched(player, rng)
    judge, measured = choose_evaluator(evaluator, game)
    settings = settings_for(game, judge, visits or measured or _VISITS, read_tuning(tune))
    if settings.visits < 2:
        raise OutsideError("the computer needs at least 2 visits: one for the position, one for a move")
    computer = Computer(game, settings, judge, rng, seconds)
    return Searching(computer), computer


def _read_rounds(game: Game, settings: Sequence[str] | None, seed: int | None) -> Rounds | None:
    rng = random.SystemRandom() if seed is None else random.Random(seed)
    return game.start_rounds(rng, **read_pairs(f"{game.id}'s rounds", settings_of(game.start_rounds), settings))


def _read_seat(game: Game, text: str) -> int | Literal["random"]:
    if text == "random":
        return "random"
    if text.isdecimal() and int(text) < game.players:
        return int(text)
    seats = ", ".join(map(str, range(game.players)))
    raise OutsideError(f"--seat is {text!r}: {game.id} has the seats {seats}, and random")
