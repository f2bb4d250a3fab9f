"""`tengen play`: a person against the search."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from tengen.arena import find_champion, find_player
from tengen.cli.networks import network_note
from tengen.cli.search_progress import run_search
from tengen.cli.terminal import Terminal
from tengen.cli.translation import LangOption, in_language
from tengen.console.files import read_bytes
from tengen.console.levels import FULL_VISITS, LEVELS, level_player, read_level
from tengen.console.option_names import VISITS_NAMES
from tengen.console.options import (
    EvaluatorOption,
    GameArgument,
    MovesOption,
    SeedOption,
    SetOption,
    StartOption,
    TuneOption,
    look_here,
    note_weaker,
    position,
    read_game,
    read_pairs,
    read_start,
    read_tuning,
)
from tengen.console.output import UsageError, guarded, usage_errors
from tengen.console.players import read_player
from tengen.evaluators import FLAT_VISITS
from tengen.games import find
from tengen.games.saved import holds_series
from tengen.games.settings import settings_of
from tengen.play.computers import make_champion
from tengen.play.human_game import HumanGame
from tengen.play.opponents import ArenaOpponent
from tengen.play.problem_game import ProblemGame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games import Game, GameSeries
    from tengen.play.advice import Adviser
    from tengen.play.opponents import Opponent

__all__ = ["play"]

_SECONDS = 5.0


VisitsOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        *VISITS_NAMES,
        min=1,
        metavar="N",
        help="Visits of each search: fewer make the computer weaker.",
        show_default=f"{FULL_VISITS:,}, {FLAT_VISITS:,} of flat Monte Carlo, or a champion's own",
    ),
]
OpponentOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="PLAYER",
        help="Who plays against you, as `tengen arena` takes players: greedy, pimc:1000, NET@200, a program, …",
        show_default="a search with the evaluator",
    ),
]
LevelOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"How strong the computer plays: {', '.join(LEVELS)}. Hints are those of the champion.",
        show_default="champion",
        autocompletion=lambda: list(LEVELS),
    ),
]
SeatOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="SEAT",
        help="Where you sit: 0, 1, …, or random. In most games 0 begins.",
        show_default="0, or as a saved game says",
    ),
]
LoadOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A game that `save` wrote, or any in that format, to go on with. It brings its own settings.",
        show_default=False,
    ),
]
ProblemOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="WHICH",
        help="Solve problems instead: a file of positions, or the name of those that come with the game, such as mate.",
        show_default=False,
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
    seat: SeatOption = None,
    visits: VisitsOption = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="The most time that a search may take.")] = _SECONDS,
    evaluator: EvaluatorOption = None,
    level: LevelOption = None,
    opponent: OpponentOption = None,
    moves: MovesOption = "",
    seed: SeedOption = None,
    settings: SetOption = None,
    start: StartOption = None,
    session: SessionOption = None,
    tune: TuneOption = None,
    load: LoadOption = None,
    problem: ProblemOption = None,
    lang: LangOption = None,
) -> None:
    """Play a game against its champion or a search.

    At the prompt, `help` teaches the rules and lists the commands: `hint` shows what each move is worth, `review` which
    of your decisions cost most, `save` and `load` keep games. Rounds for gold make up a series, in which gold and the
    first player carry over from one to the next; --moves and --start play single games.
    """
    if load is not None and (settings or start or moves or session):
        raise UsageError("--load brings the game's settings and moves: not with --set, --start, --moves or --session")
    if level is not None and any(option is not None for option in (visits, opponent, tune)):
        raise UsageError("--level says how strong the computer is: not with --visits, --opponent or --tune")
    if not seconds > 0:
        raise UsageError(f"--seconds is {seconds:g} and must be above 0")
    if problem is not None and any((load, seat, level, opponent, moves, start, session)):
        raise UsageError("--problem brings positions, your seat and who defends: only with what hints are made by")
    saved = None if load is None else read_bytes(load)
    rules = in_language(read_game(game, settings) if saved is None else _saved_game(game, load, saved), lang)
    with usage_errors():
        adviser, player = _players(rules, evaluator, visits, seconds, tune, random.Random(seed))
        if problem is not None:
            Terminal(ProblemGame(rules.open_problems(problem), adviser, seed), seconds).run()
            return
        if level is not None and read_level(level) != "champion":
            given = find_player(level_player(read_level(level), rules, evaluator), rules)
            player = ArenaOpponent(given, random.Random(seed))
        elif opponent is not None:
            player = ArenaOpponent(read_player(opponent, rules), random.Random(seed))
        is_single = moves or start or (saved is not None and not holds_series(saved))
        series = None if is_single else _read_series(rules, session, seed)
    if session and series is None:
        raise UsageError("--session is for rounds that hang together: not with --moves, --start, or a game without")
    with usage_errors("" if load is None else f"--load {load}: "):
        table = HumanGame(
            lambda s: position(rules, moves, seed=s, start=start),
            player,
            _read_seat(rules, seat),
            seed,
            adviser=adviser,
            series=series,
            options=read_start(rules, start),
            saved=saved,
        )
    Terminal(table, seconds, network_note(rules) if evaluator is None else "").run()


def _players(
    game: Game,
    evaluator: str | None,
    visits: int | None,
    seconds: float,
    tune: Sequence[str] | None,
    rng: random.Random,
) -> tuple[Adviser, Opponent]:
    """Return the adviser and the opponent of the person."""
    champion = None if evaluator is None else find_champion(evaluator, game)
    if champion is None or champion.is_search:
        note_weaker(evaluator, game)
    tuning = None if tune is None else read_tuning(tune)
    return make_champion(game, rng, seconds, evaluator=evaluator, visits=visits, tuning=tuning, run=run_search)


def _saved_game(name: str, path: Path | None, data: bytes) -> Game:
    look_here(name)
    with usage_errors(f"--load {path}: "):
        kind = find(name)
        return kind(**kind.saved_settings(data))


def _read_series(game: Game, settings: Sequence[str] | None, seed: int | None) -> GameSeries | None:
    rng = random.SystemRandom() if seed is None else random.Random(seed)
    return game.start_series(rng, **read_pairs(f"{game.id}'s rounds", settings_of(game.start_series), settings))


def _read_seat(game: Game, text: str | None) -> int | Literal["random"] | None:
    if text is None:
        return None
    if text == "random":
        return "random"
    if text.isdecimal() and int(text) < game.players:
        return int(text)
    seats = ", ".join(map(str, range(game.players)))
    raise UsageError(f"--seat is {text!r}: {game.id} has the seats {seats}, and random")
