"""`tengen gtp`: the Go Text Protocol, for boards, servers and other programs."""

from __future__ import annotations

import os
from typing import Annotated, TypeAlias

import typer

from tengen.analysis.engine import Engine
from tengen.cli.analyze import ConfigOption, HumanOption, NetOption, OverrideOption, ThreadsOption, open_config
from tengen.cli.networks import note_network
from tengen.cli.player_option import PlayerOption, open_player
from tengen.console.option_names import VISITS_NAMES
from tengen.console.output import UsageError, guarded, usage_errors
from tengen.games import game as make_game
from tengen.protocols.gtp import GAME, GtpSettings, run_gtp

__all__ = ["gtp"]

VisitsOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        *VISITS_NAMES,
        "-visits",
        min=1,
        metavar="N",
        help="Visits of a move.",
        show_default="the configuration's maxVisits, else 500 unless time is limited",
    ),
]
TimeOption: TypeAlias = Annotated[
    float | None,
    typer.Option(
        "--time",
        "-time",
        min=0.01,
        metavar="SECONDS",
        help="The most that a move takes.",
        show_default="the configuration's maxTime, else no limit",
    ),
]
NameOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--override-name", metavar="TEXT", help="What to say is the program's name.", show_default="Tengen"),
]
VersionOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--override-version",
        "-override-version",
        metavar="TEXT",
        help="What to say is its version; Lizzie wants 0.15 at least.",
        show_default="Tengen's own",
    ),
]


@guarded
def gtp(
    net: NetOption = None,
    config: ConfigOption = None,
    visits: VisitsOption = None,
    seconds: TimeOption = None,
    override_config: OverrideOption = None,
    threads: ThreadsOption = None,
    override_name: NameOption = None,
    override_version: VersionOption = None,
    human_model: HumanOption = None,
    player: PlayerOption = None,
) -> None:
    """Play and analyze over GTP, the Go Text Protocol.

    Implements version 2 with the analysis commands of Leela Zero and KataGo, so Sabaki, Lizzie, q5Go and others can use
    it; docs/gtp.md has every command. Programs that start KataGo can start it: `tengen gtp -model FILE -config FILE`.
    """
    if human_model is not None:
        raise UsageError("--human-model: networks that imitate people are not supported")
    changes = list(override_config or [])
    if visits is not None:
        changes.append(f"maxVisits={visits}")
    if seconds is not None:
        changes.append(f"maxTime={seconds}")
    threads = threads or os.cpu_count() or 1
    read = open_config(config, changes, tables=(GtpSettings,))
    if "numSearchThreads" not in read.values:
        # There is one search at a time: each thread evaluates a leaf of it.
        read = read.override({"numSearchThreads": str(threads)})
    about = {"name": override_name, "version": override_version}
    of = make_game(GAME)
    mover = None if player is None else open_player(player, of, visits=visits)
    note_network(of, net)
    with usage_errors():
        engine = Engine(of, net, config=read, threads=threads)
        status = run_gtp(engine, mover, **{key: text for key, text in about.items() if text is not None})
    raise typer.Exit(status)
