"""`tengen showdown`: Pokémon battles on a Showdown server, somebody else's or one that it starts itself."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
import signal
import time
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tengen.console.logs import logged
from tengen.console.options import JsonOption, LogOption
from tengen.console.output import FailedError, UsageError, guarded, print_json, tell, usage_errors, warn
from tengen.console.progress import Bar, rate_text
from tengen.protocols.showdown.client import ShowdownClient
from tengen.protocols.showdown.deciding import find_decider
from tengen.protocols.showdown.errors import NameRefused, ServerMissing, ServerUnreachable, ShowdownFailure
from tengen.protocols.showdown.server import ShowdownServer
from tengen.protocols.showdown.server_match import (
    MatchSummary,
    check_opponent,
    opponent_name,
    play_server_match,
    played_before,
)
from tengen.protocols.showdown.settings import DEFAULT_URL, ShowdownSettings

if TYPE_CHECKING:
    from collections.abc import Coroutine, Iterator

    from tengen.protocols.showdown.deciding import Decider
    from tengen.protocols.showdown.recording import BattleResult

__all__ = ["REFUSED", "showdown"]

REFUSED = 3
"""The exit code where the server refuses the name: trying again is of no use."""
_MATCH_BATTLES = 100

ServerOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        help="The server. With --opponent one of our own is started on this machine if none is named.",
        show_default=DEFAULT_URL,
    ),
]
NameOption: TypeAlias = Annotated[str, typer.Option("--name", metavar="NAME", help="Who you are there.")]
ChallengeOption: TypeAlias = Annotated[
    str | None, typer.Option("--challenge", metavar="NAME", help="Challenge this player, again and again.")
]
AcceptOption: TypeAlias = Annotated[bool, typer.Option("--accept", help="Take challenges of anybody.")]
LadderOption: TypeAlias = Annotated[
    int | None, typer.Option("--ladder", min=1, metavar="N", help="Play so many battles that the server pairs.")
]
OpponentOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--opponent",
        metavar="PLAYER",
        help="A match against showdown:SimpleHeuristics, showdown:MaxBasePower or showdown:Random (poke-env's), or "
        "against another --player. Recorded battles of the two count: the same command goes on.",
    ),
]
ServeOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--serve",
        min=0,
        max=65535,
        metavar="PORT",
        help="Start a server on this port of 127.0.0.1 (0: any free one), for players on this machine only, and keep "
        "it until Ctrl-C.",
    ),
]
BattlesOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--battles", min=1, metavar="N", help="How many.", show_default=f"{_MATCH_BATTLES} of a match, else no end"
    ),
]
PlayerOption: TypeAlias = Annotated[
    str,
    typer.Option(
        "--player",
        metavar="PLAYER",
        help="What decides: a player of the arena, such as heuristic:400, or random, max-power, matchup, "
        "pokemon-seed[:ITERATIONS].",
    ),
]
AtOnceOption: TypeAlias = Annotated[
    int, typer.Option("--at-once", min=1, max=100, metavar="N", help="Battles at the same time.")
]
SecondsOption: TypeAlias = Annotated[
    float,
    typer.Option("--seconds", min=0.01, metavar="S", help="The most that a choice takes; the timer may want less."),
]
ThreadsOption: TypeAlias = Annotated[
    int, typer.Option("--threads", min=1, metavar="N", help="Choices that are thought about at the same time.")
]
TimerOption: TypeAlias = Annotated[bool, typer.Option("--timer", help="Turn the server's timer on in every battle.")]
RecordsOption: TypeAlias = Annotated[Path, typer.Option("--records", metavar="DIR", help="Where battles are kept.")]
PackageOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--package",
        metavar="DIR",
        help="Where the npm package pokemon-showdown is, or node_modules with it.",
        show_default="TENGEN_SHOWDOWN in the environment, ~/.local/share/tengen/showdown",
    ),
]


@guarded
def showdown(
    server: ServerOption = None,
    name: NameOption = "tengen",
    challenge: ChallengeOption = None,
    accept: AcceptOption = False,
    ladder: LadderOption = None,
    opponent: OpponentOption = None,
    serve: ServeOption = None,
    battles: BattlesOption = None,
    player: PlayerOption = "heuristic:20000",
    at_once: AtOnceOption = 1,
    seconds: SecondsOption = 5.0,
    threads: ThreadsOption = 1,
    timer: TimerOption = False,
    records: RecordsOption = Path("showdown-battles"),
    package: PackageOption = None,
    log: LogOption = None,
    json: JsonOption = False,
) -> None:
    """Play gen 8 random battles on a Showdown server.

    Battles are played and recorded. Press Ctrl-C to start no new battles, and again to give up and leave. With
    --opponent it is a match, on a server that is started for it. See docs/showdown.md. The exit code is 3 if the name
    is refused.
    """
    ways = [challenge is not None, accept, ladder is not None, opponent is not None, serve is not None]
    if sum(ways) != 1:
        raise UsageError("one of --challenge, --accept, --ladder, --opponent and --serve is needed")
    if serve is not None:
        _serve(serve, package)
        return
    with usage_errors():
        decider = find_decider(player)
        if opponent is not None:
            check_opponent(opponent)
        settings = ShowdownSettings(
            name=name,
            url=server or DEFAULT_URL,
            challenge=challenge if opponent is None else opponent_name(opponent),
            accept=accept,
            ladder=ladder is not None,
            battles=ladder or battles or (_MATCH_BATTLES if opponent is not None else None),
            at_once=at_once,
            seconds=seconds,
            timer=timer,
            records=records,
            threads=threads,
        )
    _make_folder(records)
    with _exit_codes(decider), logged(log, logging.WARNING if opponent is not None else logging.INFO):
        if opponent is None:
            _tell(MatchSummary(tuple(_play(settings, decider))), as_json=json)
        else:
            _match(settings, decider, opponent, own_server=server is None, package=package, as_json=json)


@contextlib.contextmanager
def _exit_codes(decider: Decider) -> Iterator[None]:
    """Turn failures into exit codes, and close the decider at the end."""
    try:
        yield
    except NameRefused as error:
        warn(str(error))
        raise typer.Exit(REFUSED) from error
    except ServerMissing as error:
        raise UsageError(str(error)) from error
    except ShowdownFailure as error:
        raise FailedError(str(error)) from error
    finally:
        decider.close()


def _serve(port: int, package: Path | None) -> None:
    """Run a server until a signal ends it."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with contextlib.suppress(KeyboardInterrupt), ShowdownServer(package, port=port) as running:
            tell(f"{running.url} (Ctrl-C ends it)")
            running.wait()
            raise FailedError("the server has ended by itself")
    except ServerMissing as error:
        raise UsageError(str(error)) from error


def _make_folder(records: Path) -> None:
    try:
        records.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--records {records}: no folder for battles can be made there: {error.strerror}") from error


def _play(settings: ShowdownSettings, decider: Decider) -> list[BattleResult]:
    client = ShowdownClient(settings, decider)
    try:
        return _run(client, client.run())
    except ShowdownFailure:
        if client.results:
            tell(str(MatchSummary(tuple(client.results))))
        raise


def _match(
    settings: ShowdownSettings,
    decider: Decider,
    opponent: str,
    *,
    own_server: bool,
    package: Path | None,
    as_json: bool,
) -> None:
    from dataclasses import replace

    total = settings.battles or _MATCH_BATTLES
    before = [one for one in played_before(settings.records, decider.name, opponent) if one.outcome != "abandoned"]
    wanted = total - len(before)
    results = list(before)
    if before:
        warn(f"{len(before)} battles of the two are in {settings.records} already, {max(0, wanted)} are left")
    with ExitStack() as stack:
        bar = stack.enter_context(Bar(has_lines=True))
        if wanted > 0:
            if own_server:
                settings = replace(settings, url=stack.enter_context(ShowdownServer(package)).url)
            began = time.monotonic()
            bar.begin(f"{decider.name} against {opponent}", total)

            def hear(result: BattleResult) -> None:
                results.append(result)
                summary = MatchSummary(tuple(results))
                new = len(results) - len(before)
                bar.advance(
                    summary.battles, f"{summary.score_text}, {rate_text(new, time.monotonic() - began, 'battles')}"
                )

            client = ShowdownClient(replace(settings, battles=wanted), decider, hear)
            try:
                _run(client, play_server_match(client.settings, decider, opponent, client=client))
            except ServerUnreachable:
                raise
            except ShowdownFailure as error:
                if results:
                    bar.say(str(MatchSummary(tuple(results))))
                raise ShowdownFailure(f"{error}; the same command goes on from here") from error
            finally:
                bar.end()
    _tell(MatchSummary(tuple(results)), as_json=as_json, player=decider.name, opponent=opponent)


def _run(client: ShowdownClient, playing: Coroutine[None, None, list[BattleResult]]) -> list[BattleResult]:
    """Run until the battles end. Ctrl-C starts no new ones; a second Ctrl-C or SIGTERM stops immediately."""

    async def run() -> list[BattleResult]:
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, client.stop)
        loop.add_signal_handler(signal.SIGTERM, client.stop, 2)
        try:
            return await playing
        finally:
            loop.remove_signal_handler(signal.SIGINT)
            loop.remove_signal_handler(signal.SIGTERM)

    return asyncio.run(run())


def _tell(summary: MatchSummary, *, as_json: bool, **facts: str) -> None:
    if not as_json:
        tell(str(summary))
        return
    score = summary.score
    rate = {"score": score.value, "low": score.low, "high": score.high} if summary.battles else {"score": None}
    counts = {outcome: summary.count(outcome) for outcome in ("win", "tie", "loss")}
    figures = {key: value for key, value in summary.figures.items() if math.isfinite(value)}
    print_json({**facts, "battles": summary.battles, **counts, **rate, **figures})
