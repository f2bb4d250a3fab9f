"""`tengen csa`: shogi on floodgate and other servers that use CSA's protocol."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tengen.cli.player_option import PlayerOption, network_errors
from tengen.cli.usi import NetOption, OptionOption, open_engine
from tengen.console.logs import logged
from tengen.console.options import LogOption
from tengen.console.output import FailedError, UsageError, guarded, tell, usage_errors, warn
from tengen.protocols.csa import CsaClient, CsaFailure, CsaSettings, LoginRefused, StopRequest
from tengen.protocols.csa.settings import DEFAULT_GAME, DEFAULT_PORT, check_password
from tengen.protocols.usi import ShogiEngine
from tengen.protocols.usi.options import PlayerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tengen.protocols.csa import GameResult

__all__ = ["REFUSED", "csa"]

REFUSED = 3
"""Exit code if the server refuses the login: another try would fail, too."""
PASSWORD_VARIABLE = "TENGEN_CSA_PASSWORD"  # noqa: S105 - where it is, not what it is

HostOption: TypeAlias = Annotated[str, typer.Option("--host", metavar="NAME", help="The server.", show_default=False)]
PortOption: TypeAlias = Annotated[int, typer.Option("--port", min=1, max=65535, metavar="N", help="Its port.")]
NameOption: TypeAlias = Annotated[
    str,
    typer.Option("--name", metavar="NAME", help="Who you are there: letters, digits, '_' and '-'.", show_default=False),
]
PasswordOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--password",
        metavar="TEXT",
        help="Your password. Other people on this machine can see it: better --password-file.",
        show_default=f"what {PASSWORD_VARIABLE} holds in the environment",
    ),
]
PasswordFileOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--password-file", metavar="FILE", help="The password is the first line of this file."),
]
GameOption: TypeAlias = Annotated[
    str,
    typer.Option("--game", metavar="NAME", help="What to play, by the server's name for it; '' where it has none."),
]
GamesOption: TypeAlias = Annotated[
    int | None,
    typer.Option("--games", min=1, metavar="N", help="Leave after so many.", show_default="play until stopped"),
]
RecordsOption: TypeAlias = Annotated[
    Path, typer.Option("--records", metavar="DIR", help="Where games are kept, as CSA and KIF.")
]
ThreadsOption: TypeAlias = Annotated[
    int | None, typer.Option("--threads", min=1, metavar="N", help="Threads of the search.")
]
ResignOption: TypeAlias = Annotated[
    int | None,
    typer.Option(
        "--resign",
        min=1,
        metavar="CP",
        help="Resign when so many centipawns behind for three moves.",
        show_default="never",
    ),
]
SecondsOption: TypeAlias = Annotated[
    float | None,
    typer.Option("--seconds", min=0.01, metavar="S", help="The most that a move takes.", show_default="by the clock"),
]
PonderOption: TypeAlias = Annotated[bool, typer.Option("--ponder", help="Think on the opponent's time too.")]
CommentsOption: TypeAlias = Annotated[
    bool, typer.Option("--comments/--no-comments", help="Send score and line with moves, as floodgate shows them.")
]
KeepAliveOption: TypeAlias = Annotated[
    float, typer.Option("--keep-alive", metavar="SECONDS", help="Between signs of life: 30 at least, 0 for none.")
]


@guarded
def csa(
    host: HostOption,
    name: NameOption,
    port: PortOption = DEFAULT_PORT,
    password: PasswordOption = None,
    password_file: PasswordFileOption = None,
    game: GameOption = DEFAULT_GAME,
    games: GamesOption = None,
    records: RecordsOption = Path("csa-games"),
    net: NetOption = None,
    player: PlayerOption = None,
    threads: ThreadsOption = None,
    option: OptionOption = None,
    resign: ResignOption = None,
    seconds: SecondsOption = None,
    ponder: PonderOption = False,
    comments: CommentsOption = True,
    keep_alive: KeepAliveOption = 45.0,
    log: LogOption = None,
) -> None:
    """Play on floodgate and other servers that speak CSA's protocol.

    Plays games of shogi one after another and keeps them. Ctrl-C: leave after this game; twice: resign and leave.
    docs/csa.md is floodgate in five minutes. The exit code is 3 where the server refuses the login.
    """
    with usage_errors():
        settings = CsaSettings(
            host=host,
            name=name,
            port=port,
            game=game,
            games=games,
            records=records,
            with_comments=comments,
            ponder=ponder,
            max_seconds=seconds,
            keep_alive_s=keep_alive,
        )
        records.mkdir(parents=True, exist_ok=True)
        secret = check_password(_password(password, password_file))
    choices = {"DNN_Model": net, "Threads": threads, "ResignValue": resign, "USI_Ponder": ponder or None}
    with logged(log):
        engine = ShogiEngine() if player is None else open_engine(PlayerSettings(), player, net=net, threads=threads)
        _set_options(engine, {key: value for key, value in choices.items() if value is not None}, option or [])
        with network_errors(net, engine.game):
            for note in engine.prepare():
                warn(note)
        client = CsaClient(settings, secret, engine)
        try:
            with _signals(client.stop):
                client.run()
        except LoginRefused as error:
            warn(str(error))
            raise typer.Exit(REFUSED) from error
        except CsaFailure as error:
            raise FailedError(str(error)) from error
        finally:
            engine.close()
            if client.results:
                tell(_summary(client.results))


def _password(given: str | None, file: Path | None) -> str:
    if given is not None and file is not None:
        raise UsageError("--password and --password-file: give one of them")
    if file is not None:
        return (file.read_text(encoding="utf-8").splitlines() or [""])[0].strip()
    secret = given if given is not None else os.environ.get(PASSWORD_VARIABLE)
    if secret is None:
        raise UsageError(f"a password is needed: --password-file FILE, or {PASSWORD_VARIABLE} in the environment")
    return secret


def _set_options(engine: ShogiEngine, choices: dict[str, object], options: list[str]) -> None:
    texts = {key: str(value).lower() if isinstance(value, bool) else str(value) for key, value in choices.items()}
    for text in options:
        key, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"--option {text}: expected NAME=VALUE, such as NetworkDelay=200")
        texts[key.strip()] = value.strip()
    with usage_errors("--option: "):
        for key, value in texts.items():
            engine.set_option(key, value)


@contextmanager
def _signals(stop: StopRequest) -> Iterator[None]:
    """Stop after the game on Ctrl-C, and immediately on a second one or on SIGTERM."""
    handlers = {signal.SIGINT: lambda *_: stop.ask(), signal.SIGTERM: lambda *_: stop.ask(2)}
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _summary(results: list[GameResult]) -> str:
    counts = {outcome: sum(result.outcome == outcome for result in results) for outcome in ("win", "loss", "draw")}
    others = len(results) - sum(counts.values())
    games = "1 game" if len(results) == 1 else f"{len(results)} games"
    words = f"{games}: {counts['win']} won, {counts['loss']} lost, {counts['draw']} drawn"
    return f"{words}, {others} without a result" if others else words
