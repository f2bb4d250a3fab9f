"""`tengen analyze`: the analysis engine, on standard input and output or over WebSocket."""

from __future__ import annotations

import logging
import os
import re
import secrets
import sys
from pathlib import Path
from typing import Annotated, TypeAlias

import typer

from tengen._text import PrintableFormatter, printable
from tengen.analysis.adapters import DEFAULT_GAME
from tengen.analysis.config import Config, load_config
from tengen.analysis.connections import is_loopback
from tengen.analysis.engine import Engine
from tengen.analysis.logs import LeakyHandler
from tengen.analysis.service import PROTOCOL_VERSION, Service
from tengen.analysis.stdio import run_stdio
from tengen.analysis.websocket import (
    MAX_OPEN,
    MAX_OPEN_BYTES,
    ListenSettings,
    check_websockets,
    run_websocket,
)
from tengen.cli.networks import note_network
from tengen.console.option_names import NET_NAMES
from tengen.console.options import GameArgument, SetOption, note_weaker, read_game
from tengen.console.output import UsageError, guarded, usage_errors

__all__ = [
    "ConfigOption",
    "HumanOption",
    "NetOption",
    "OverrideOption",
    "ThreadsOption",
    "analysis",
    "analyze",
    "open_config",
]

ConfigOption: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        "--config",
        "-config",
        metavar="FILE",
        help="A configuration as KataGo reads; may be repeated.",
        show_default=False,
    ),
]
OverrideOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--override-config",
        "-override-config",
        metavar="KEY=VALUE,…",
        help="Keys of the configuration to change.",
        show_default=False,
    ),
]
NetOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        *NET_NAMES,
        "-net",
        "-model",
        metavar="NAME|FILE",
        help="The network: a file, or a name given by `tengen net add`. Other evaluators serve too.",
        show_default="the newest for the game that `tengen net add` keeps; else as for `tengen search`",
    ),
]
ThreadsOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        min=1, max=1024, metavar="N", help="Threads of the network.", show_default="as many as the machine has cores"
    ),
]
AnalysisThreadsOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--analysis-threads",
        "-analysis-threads",
        min=1,
        max=16384,
        metavar="N",
        help="Positions that are analyzed at once.",
        show_default="the configuration's numAnalysisThreads, or the threads",
    ),
]
QuitOption: TypeAlias = Annotated[
    bool,
    typer.Option(
        "--quit-without-waiting",
        "-quit-without-waiting",
        help="When the input ends, end what is open instead of finishing it.",
    ),
]
HumanOption: TypeAlias = Annotated[
    str | None, typer.Option("--human-model", "-human-model", metavar="FILE", help="Not supported.", hidden=True)
]


@guarded
def analyze(
    game: GameArgument = DEFAULT_GAME,
    net: NetOption = None,
    config: ConfigOption = None,
    override_config: OverrideOption = None,
    listen: Annotated[
        str | None,
        typer.Option(
            metavar="HOST:PORT",
            help="Serve WebSocket clients there instead, one JSON object a message.",
            show_default=False,
        ),
    ] = None,
    token: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="What WebSocket clients must show. Anywhere but on this machine one is made up if none is given.",
            envvar="TENGEN_TOKEN",
            show_default=False,
        ),
    ] = None,
    origin: Annotated[
        list[str] | None,
        typer.Option(metavar="URL", help="A web page that may connect; may be repeated.", show_default=False),
    ] = None,
    threads: ThreadsOption = None,
    analysis_threads: AnalysisThreadsOption = None,
    settings: SetOption = None,
    quit_without_waiting: QuitOption = False,
    human_model: HumanOption = None,
) -> None:
    """Answer queries in KataGo's JSON protocol, for any game.

    Each line of input is a query, each line of output a response; docs/analysis.md lists them all. Programs that start
    KataGo can start this instead: `tengen analysis -config FILE -model FILE`.
    """
    if human_model is not None:
        raise UsageError("--human-model: networks that imitate people are not supported")
    if listen is None and ((token is not None and "TENGEN_TOKEN" not in os.environ) or origin):
        raise UsageError("--token and --origin are for --listen")
    of = read_game(game, settings)
    where = None if listen is None else _read_listen(listen, token, origin or [])
    read = open_config(config, override_config, analysis_threads, served=where is not None)
    threads, read = _share_threads(threads, read)
    note_weaker(net, of)
    note_network(of, net)
    with usage_errors():
        engine = Engine(of, net, config=read, threads=threads)
    about = f"Tengen analysis engine for {of.id}, protocol {PROTOCOL_VERSION}, network {engine.net_name}"
    print(printable(about), file=sys.stderr, flush=True)
    if where is None:
        raise typer.Exit(run_stdio(Service(engine), quit_without_waiting=quit_without_waiting))
    if token is None and where.token is not None:
        print(f"Token: {where.token}", file=sys.stderr, flush=True)
    with usage_errors("--listen: "):
        service = Service(engine, max_open=MAX_OPEN, max_open_bytes=MAX_OPEN_BYTES)
        raise typer.Exit(run_websocket(service, where))


@guarded
def analysis(
    net: NetOption = None,
    config: ConfigOption = None,
    override_config: OverrideOption = None,
    threads: ThreadsOption = None,
    analysis_threads: AnalysisThreadsOption = None,
    quit_without_waiting: QuitOption = False,
    human_model: HumanOption = None,
) -> None:
    """`tengen analyze`, under the name that KataGo gives it."""
    analyze(
        game=DEFAULT_GAME,
        net=net,
        config=config,
        override_config=override_config,
        threads=threads,
        analysis_threads=analysis_threads,
        quit_without_waiting=quit_without_waiting,
        human_model=human_model,
    )


def _share_threads(threads: int | None, read: Config) -> tuple[int, Config]:
    """Return the threads of the network and a configuration with enough searches to keep them busy."""
    if threads is None:
        named = "numEigenThreadsPerModel" in read.values
        threads = read.settings.num_eigen_threads_per_model if named else os.cpu_count() or 1
    if "numAnalysisThreads" not in read.values:
        read = read.override({"numAnalysisThreads": str(threads)})
    return threads, read


def open_config(
    files: list[Path] | None,
    overrides: list[str] | None,
    analysis_threads: int | None = None,
    *,
    served: bool = False,
    tables: tuple[type, ...] = (),
) -> Config:
    """Read the configuration, start logging, and list on stderr the keys that have no effect.

    `tables` are additional keys of the calling program.
    """
    changes = list(overrides or [])
    if analysis_threads is not None:
        changes.append(f"numAnalysisThreads={analysis_threads}")
    for file in files or []:
        if not file.is_file():
            raise UsageError(f"--config: no file {file}")
    with usage_errors():
        read = load_config(files or [], changes)
    if served and "numAnalysisThreads" not in read.values:
        # Many clients fill the network's batches.
        read = read.override({"numAnalysisThreads": "16"})
    with usage_errors():
        notes = read.notes(*tables)
    for note in notes:
        print(printable(note), file=sys.stderr)
    level = logging.INFO if read.settings.log_to_stderr else logging.CRITICAL
    handler = LeakyHandler(sys.stderr)
    handler.setFormatter(PrintableFormatter(": %(message)s"))
    logging.basicConfig(handlers=[handler], level=level)
    return read


def _read_listen(text: str, token: str | None, origins: list[str]) -> ListenSettings:
    found = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^:]*):(\d{1,5})", text)
    if found is None or int(found[2]) > 65535:
        raise UsageError(f"--listen: {text!r} is not of the form HOST:PORT, such as 127.0.0.1:8765")
    # Now, and not once a network of a hundred megabytes is loaded.
    with usage_errors("--listen: "):
        check_websockets()
    host = found[1].strip("[]") or "127.0.0.1"
    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(24)
    with usage_errors("--token: "):
        return ListenSettings(host, int(found[2]), token, tuple(origins))
