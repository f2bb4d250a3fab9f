"""Code that files name: games of a run that are in files of their own, and programs that play."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from tengen._text import printable
from tengen.arena.named_programs import programs_in, programs_of
from tengen.console.options import look_here
from tengen.console.output import FailedError, UsageError, usage_errors
from tengen.games import UntrustedGame, find, find_stored, trust_file, trust_game
from tengen.games.loading import is_source, split_source
from tengen.games.trust import is_trusted_program, trust_program
from tengen.runs import Run

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tengen.games import Game

__all__ = ["RunGameOption", "check_programs", "find_game_of", "programs_in", "trust_named"]

RunGameOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="GAME",
        help="The run's game if it is one of your own: its file, or file.py:Class. Naming it says that you trust the "
        "code in it; a file that you never named is not loaded because a run names it.",
        show_default=False,
    ),
]


def find_game_of(run: Run, named: str | None = None, *, option: str = "--game") -> type[Game]:
    """Return the class of a run's game. If it is in a file that the user has not named, now or before, ask in a
    terminal, and refuse elsewhere with the advice to name it by the `option`."""
    table = run.settings.get("game")
    name = str(table.get("name", "")) if isinstance(table, dict) else ""
    if named is not None:
        return _find_named(run, name, named)
    with usage_errors(f"{run.path}: "):
        try:
            return find_stored(name)
        except UntrustedGame as error:
            if error.path is None or not _is_yes(f"The rules of this run's game are code in {error.path}. Run it?"):
                advice = f"If you trust it, name it: {option} {error.source}"
                raise FailedError(f"{run.path}: {error.problem}. {advice}") from error
            trust_file(error.path)
            return find_stored(name)


def _find_named(run: Run, name: str, named: str) -> type[Game]:
    look_here(named)
    with usage_errors("--game: "):
        found = find(named)
    own = split_source(name)[1] if is_source(name) else name
    if own not in (found.id, found.__qualname__, ""):
        raise UsageError(f"--game: {run.path} is a run of {name}, not of {named}")
    trust_game(found)
    return found


def trust_named(game: Game, players: Iterable[Any], path: Path) -> None:
    """Remember the code that the user has named for a run, and check the rest of a run that is there already."""
    trust_game(type(game))
    for text in programs_in(list(players)):
        trust_program(text)
    if (path / "run.toml").is_file():
        check_programs(Run.open(path))


def check_programs(run: Run) -> None:
    """Refuse a run that would start programs which the user has never named; ask in a terminal."""
    for text in programs_of(run):
        if is_trusted_program(text):
            continue
        if not _is_yes(f"{run.path} plays with the program {text}. Run it?"):
            raise FailedError(
                f"{run.path}: it would start the program {text}, which was never named before by this user. If you "
                "trust it, go on with the run in a terminal, which asks"
            )
        trust_program(text)


def _is_yes(question: str) -> bool:
    """Ask in a terminal; elsewhere nobody can answer."""
    return _is_terminal() and typer.confirm(printable(question), err=True)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()
