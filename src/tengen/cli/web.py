"""`tengen web`: the page."""

from __future__ import annotations

import contextlib
import errno
import importlib.util
import logging
import os
import secrets
import socket
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias
from urllib.parse import quote

import typer

from tengen._install import how_to_install
from tengen._text import PrintableFormatter
from tengen.analysis.connections import QuietFilter, is_loopback
from tengen.console.output import UsageError, guarded, usage_errors, warn
from tengen.runs import RunError
from tengen.runs.lock import locked

if TYPE_CHECKING:
    from collections.abc import Iterator

    import uvicorn

    from tengen.web.app import WebSettings
    from tengen.web.door import Door

__all__ = ["listen", "server_settings", "web"]

_PORT = 8300
_BACKLOG = 128
_NEEDED = ("fastapi", "uvicorn", "websockets")


GamesArgument: TypeAlias = Annotated[
    list[str] | None,
    typer.Argument(metavar="[FILE:CLASS]…", help="Games of your own to offer as well.", show_default=False),
]
HostOption: TypeAlias = Annotated[str, typer.Option(metavar="HOST", help="Where to listen.")]
PortOption: TypeAlias = Annotated[
    int | None,
    typer.Option(min=0, max=65535, metavar="N", help="0 takes any free one.", show_default=f"{_PORT}, else a free one"),
]
TokenOption: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="What the owner of the page must show, of at least 12 characters. Anywhere but on this machine one is "
        "made up if none is given.",
        envvar="TENGEN_TOKEN",
        show_default=False,
    ),
]
NameOption: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="HOST", help="A name by which browsers call this machine; may be repeated.", show_default=False
    ),
]
RootOption: TypeAlias = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FOLDER", help="Runs, networks and records below it are listed; may be repeated.", show_default="runs"
    ),
]
FolderOption: TypeAlias = Annotated[
    Path | None,
    typer.Option(metavar="FOLDER", help="Where games under way are kept.", show_default="~/.local/share/tengen/web"),
]


@guarded
def web(
    games: GamesArgument = None,
    host: HostOption = "127.0.0.1",
    port: PortOption = None,
    token: TokenOption = None,
    name: NameOption = None,
    root: RootOption = None,
    folder: FolderOption = None,
    seconds: Annotated[float, typer.Option(metavar="S", help="The most time that a computer's move may take.")] = 5.0,
    open_page: Annotated[bool, typer.Option("--open/--no-open", help="Open the page in the browser.")] = True,
) -> None:
    """Play in the browser: every game, to click.

    Prints one address and opens it. Games are played against champions or between people who have the links. Nothing is
    asked from outside.
    """
    missing = [package for package in _NEEDED if importlib.util.find_spec(package) is None]
    if missing:
        raise UsageError(f"the page needs {', '.join(missing)}: {how_to_install('web')}")
    from tengen.web.app import WebSettings
    from tengen.web.door import DoorSettings

    if not seconds > 0:
        raise UsageError(f"--seconds is {seconds:g} and must be above 0")
    host = host.strip("[]")
    if token is None and not is_loopback(host):
        token = secrets.token_urlsafe(18)
    with usage_errors():
        settings = WebSettings(
            folder=folder or _data_folder(),
            door=DoorSettings(host, token, tuple(name or ())),
            games=tuple(games or ()),
            roots=tuple(root or [Path("runs")]),
            seconds=seconds,
        )
    for missing_root in (path for path in root or () if not path.is_dir()):
        warn(f"--root: {missing_root} is no folder yet; what comes there will be listed")
    with _own(settings.folder):
        raise typer.Exit(_serve(settings, listen(host, port), open_page=open_page))


@contextlib.contextmanager
def _own(folder: Path) -> Iterator[None]:
    """Lock the folder: two servers would overwrite each other's moves."""
    with usage_errors("--folder: "):
        folder.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as held:
        try:
            held.enter_context(locked(folder))
        except RunError as error:
            raise UsageError(f"--folder: {error}, or name another folder") from error
        yield


def _serve(settings: WebSettings, listener: socket.socket, *, open_page: bool) -> int:
    import uvicorn

    from tengen.web.app import make_app

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(PrintableFormatter("%(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
    with usage_errors():
        app = make_app(settings)
    address = _address(settings, listener)
    print(f"Tengen is at {address}", flush=True)
    if open_page:
        webbrowser.open(address)
    uvicorn.Server(server_settings(app)).run(sockets=[listener])
    return 0


def server_settings(app: Door) -> uvicorn.Config:
    import uvicorn

    from tengen.web.http_protocol import guarded_protocol

    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        # The address that counts is the one that connects, not one that a header names.
        proxy_headers=False,
        loop="asyncio",
        http=guarded_protocol(app.guard),
        backlog=_BACKLOG,
        ws="websockets-sansio",
        ws_max_size=1 << 20,
        ws_ping_interval=20,
        ws_ping_timeout=60,
        server_header=False,
        timeout_graceful_shutdown=2,
    )
    # A client could fill the disk with complaints about its requests.
    logging.getLogger("uvicorn.error").filters[:] = [QuietFilter()]
    return config


def listen(host: str, port: int | None) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in (_PORT, 0) if port is None else (port,):
        # By its protocol asyncio knows that small messages must not wait for those before to be acknowledged.
        listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, number))
        except socket.gaierror as error:
            listener.close()
            raise UsageError(f"--host: {host} is no address of this machine: {error.strerror}") from error
        except OSError as error:
            listener.close()
            if port is None and number:
                continue
            is_taken = error.errno == errno.EADDRINUSE
            name, hint = ("--port", ": 0 takes any free one") if is_taken else ("--host", "")
            raise UsageError(f"{name}: {host}:{number}: {error.strerror}{hint}") from error
        # Clients that connect before the server has started wait in the backlog.
        listener.listen(_BACKLOG)
        return listener
    raise AssertionError("a free port was asked for last")


def _address(settings: WebSettings, listener: socket.socket) -> str:
    port = listener.getsockname()[1]
    host = settings.door.host
    if host in ("0.0.0.0", "::", ""):  # noqa: S104
        host = _own_address() or host
    shown = f"[{host}]" if ":" in host else host
    # Behind the #, so that no log along the way has it.
    key = "" if settings.door.token is None else f"#token={quote(settings.door.token, safe='')}"
    return f"http://{shown}:{port}/{key}"


def _own_address() -> str:
    """Return the address by which others reach this machine, or an empty text."""
    # connect() on a UDP socket sends nothing; it only selects the local address.
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))
        return str(probe.getsockname()[0])
    # A machine may not know itself by its name.
    with contextlib.suppress(OSError):
        return socket.gethostbyname(socket.gethostname())
    return ""


def _data_folder() -> Path:
    """TENGEN_DATA/web, or tengen/web in XDG_DATA_HOME, by default ~/.local/share."""
    if os.environ.get("TENGEN_DATA"):
        return Path(os.environ["TENGEN_DATA"]) / "web"
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "tengen" / "web"
