"""The commands together."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tengen import __version__
from tengen.cli.bench import bench
from tengen.cli.games import games
from tengen.cli.learn import learn
from tengen.cli.perft import perft
from tengen.cli.play import play
from tengen.cli.search import search

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["app", "main"]

# Typer would print every variable of every frame; a plain traceback is what reports of faults need.
app = typer.Typer(
    name="tengen",
    help="Grow a champion for a game, then play it, match it and ask it anything.",
    epilog="Start with: tengen games, then tengen play connect_four.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_EXAMPLES: dict[Callable[..., None], list[str]] = {
    games: ["tengen games", "tengen games pig --json"],
    play: [
        "tengen play pyrga",
        "tengen play pig --set target=50 --seat random",
        "tengen play my_games.py:Nim --visits 5000",
    ],
    search: [
        'tengen search connect_four --moves "d d c" --visits 100000',
        'tengen search pyrga --include "square b2" --include-visits 100 --json',
        'tengen search kuhn_poker --start cards=QJ --moves "pass, bet"',
    ],
    learn: [
        "tengen learn pyrga --run runs/pyrga --quick",
        "tengen learn connect_four --run runs/four --iters 50 --mcts-sims-sp 400 --set net.channels=64",
    ],
    perft: ["tengen perft pyrga --depth 4", 'tengen perft connect_four --depth 8 --moves "d d" --divide'],
    bench: ["tengen bench", "tengen bench pyrga --seconds 5 --json"],
}
for _command, _lines in _EXAMPLES.items():
    app.command(epilog="Examples:\n\n" + "\n\n".join(_lines))(_command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"tengen {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    """What goes before a command."""


def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        # Boards are drawn with signs that a terminal of another encoding lacks: better a question mark than an error.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    app(prog_name="tengen")
