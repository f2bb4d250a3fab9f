"""`tengen config`: what a learning run is made with."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tengen.champion.presets import merge
from tengen.cli.learn import ConfigOption, RunSetOption
from tengen.cli.run_settings import describe, read_file, read_pairs, resolve_named
from tengen.console.output import guarded
from tengen.console.trust import find_game_of
from tengen.games import names
from tengen.games.registry import FIRST_GAME
from tengen.runs import Run

__all__ = ["show"]


@guarded
def show(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME", help="Whose settings.", autocompletion=names, show_default=f"the run's, else {FIRST_GAME}"
        ),
    ] = None,
    run: Annotated[
        Path | None, typer.Option(metavar="DIR", help="The settings of this run.", show_default=False)
    ] = None,
    quick: Annotated[bool, typer.Option("--quick", help="Those of `tengen learn --quick`.")] = False,
    config: ConfigOption = None,
    changes: RunSetOption = None,
) -> None:
    """Show every setting of a learning run as TOML.

    `tengen learn --config` reads it.
    """
    if run is not None:
        opened = Run.open(run)
        if game is None:
            find_game_of(opened, option="tengen config show")
            game = str(opened.settings["game"]["name"])
    game = game or FIRST_GAME
    given = merge(read_file(config) if config else {}, read_pairs(changes))
    rules, settings = resolve_named(game, given, run, quick=quick)
    sys.stdout.write(describe(rules, settings))
