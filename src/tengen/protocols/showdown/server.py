"""A Showdown server of our own on this machine: started from the npm package, and ended with us.

The package's folder is only read. What the server writes (configuration, logs, databases) is in a temporary folder
that has links to the rest.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import weakref
from collections import deque
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from tengen.protocols.showdown.errors import ServerMissing

if TYPE_CHECKING:
    from typing import Self

__all__ = ["PACKAGE_VARIABLE", "ShowdownServer", "find_package"]

PACKAGE_VARIABLE: Final = "TENGEN_SHOWDOWN"
_NAME: Final = "pokemon-showdown"
_REMARKS: Final = 8
"""Lines of the server's output that are quoted when it fails."""
_PATIENCE_S: Final = 5.0
"""Between asking the server to end and ending it."""
_TRIES: Final = 3
"""Somebody else may take the port between our choice and the server's start."""

# Only what battles need has a process of its own: the others would hold a copy of all data for chat commands.
_CONFIG: Final = """\
exports.bindaddress = '127.0.0.1';
exports.subprocesses = {network: 1, simulator: 1, validator: 0, verifier: 0, localartemis: 0, remoteartemis: 0,
  friends: 0, chatdb: 0, modlog: 0, pm: 0, battlesearch: 0, datasearch: 0};
exports.repl = false;
exports.crashguard = false;
exports.reportbattles = false;
exports.watchconfig = false;
exports.autosavereplays = false;
"""
# The server lives as long as its standard input is open, so it can't outlive the process that started it;
# then it removes the folder, without following the links to the package.
_START: Final = """\
const fs = require('fs');
function leave() {
  fs.rmSync(__dirname, {recursive: true, force: true});
  process.exit(0);
}
process.stdin.resume();
process.stdin.on('end', leave);
process.stdin.on('error', leave);
process.chdir(__dirname);
require('./pokemon-showdown');
"""


def find_package(folder: Path | str | None = None) -> Path:
    """The folder of the npm package `pokemon-showdown`: `folder` or one above it, else what TENGEN_SHOWDOWN names,
    else in the data folder of the user, else in the working directory. Raises ServerMissing with all of these."""
    given = folder or os.environ.get(PACKAGE_VARIABLE)
    if given:
        places = [Path(given), Path(given) / _NAME, Path(given) / "node_modules" / _NAME]
    else:
        data = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
        places = [data / "tengen" / "showdown" / "node_modules" / _NAME, Path("node_modules") / _NAME]
    for place in places:
        if (place / "dist" / "server" / "index.js").is_file():
            return place.resolve()
    looked = " and ".join(str(place) for place in places)
    home = Path(given) if given else places[0].parent.parent
    raise ServerMissing(
        f"no Showdown server here: the npm package {_NAME} was looked for in {looked}. "
        f"Install it: npm install --prefix {home} {_NAME} (145 MB, minutes); "
        f"or say where it is by --package or {PACKAGE_VARIABLE}; or play on another server by --server"
    )


def find_node() -> str:
    node = shutil.which("node")
    if node is None:
        raise ServerMissing(
            "node is not here: a Showdown server needs Node.js 20 or later (Debian: apt install nodejs npm)"
        )
    return node


class ShowdownServer:
    """Listens on a port of 127.0.0.1 when it is made; `close` ends it with all of its processes. Anybody on this
    machine may play there under any name."""

    def __init__(self, package: Path | str | None = None, *, port: int = 0, timeout_s: float = 120.0) -> None:
        """On any free port if it is 0. Raises ServerMissing."""
        node, folder = find_node(), find_package(package)
        self._folder = tempfile.TemporaryDirectory(prefix="tengen-showdown-", ignore_cleanup_errors=True)
        _lay_out(folder, Path(self._folder.name))
        self._output: deque[str] = deque(maxlen=_REMARKS)
        for left in reversed(range(1 if port else _TRIES)):
            self.port = port or _free_port()
            self._process = self._start(node)
            self._end = weakref.finalize(self, _kill, self._process)
            try:
                self._wait(time.monotonic() + timeout_s)
            except ServerMissing:
                self.close(keep_folder=left > 0)
                if not left:
                    raise
            else:
                return

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/showdown/websocket"

    @property
    def pid(self) -> int:
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def wait(self) -> None:
        """Return when the server has ended."""
        self._process.wait()

    def close(self, *, keep_folder: bool = False) -> None:
        """May be called twice."""
        if self._process.poll() is None:
            with contextlib.suppress(OSError):
                assert self._process.stdin is not None
                self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_PATIENCE_S)
        self._end()
        if not keep_folder:
            self._folder.cleanup()

    def _start(self, node: str) -> subprocess.Popen[bytes]:
        links = ["--preserve-symlinks", "--preserve-symlinks-main"]
        process = subprocess.Popen(
            [node, *links, "tengen-start.js", "start", "--no-security", "--skip-build", str(self.port)],
            cwd=self._folder.name,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        threading.Thread(target=_read, args=(process.stdout, self._output), daemon=True).start()
        return process

    def _wait(self, until: float) -> None:
        while time.monotonic() < until:
            if self._process.poll() is not None:
                raise ServerMissing(f"the Showdown server has ended while starting: {' / '.join(self._output)}")
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", self.port), 1.0):
                return
            time.sleep(0.1)
        raise ServerMissing(f"the Showdown server did not open port {self.port}: {' / '.join(self._output)}")


def _lay_out(package: Path, folder: Path) -> None:
    """A folder that looks like the package and may be written to."""
    own = {"config", "logs", "databases", "node_modules"}
    for entry in package.iterdir():
        if entry.name not in own:
            (folder / entry.name).symlink_to(entry)
    modules = package / "node_modules"
    # Modules are looked for in this folder only: npm puts most next to the package, and some below it.
    (folder / "node_modules").mkdir()
    for place in (package.parent, modules):
        for entry in place.iterdir() if place.is_dir() else ():
            link = folder / "node_modules" / entry.name
            link.unlink(missing_ok=True)
            link.symlink_to(entry)
    for name in ("logs/repl", "logs/chat", "logs/modlog", "config/chat-plugins"):
        (folder / name).mkdir(parents=True)
    if (package / "databases").is_dir():
        shutil.copytree(package / "databases", folder / "databases")
    for entry in (package / "config").iterdir():
        if entry.is_file() and entry.name != "config.js":
            shutil.copy(entry, folder / "config" / entry.name)
    (folder / "config" / "config.js").write_text(_CONFIG, encoding="utf-8")
    (folder / "tengen-start.js").write_text(_START, encoding="utf-8")


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _read(stream: IO[bytes] | None, output: deque[str]) -> None:
    assert stream is not None
    with contextlib.suppress(OSError, ValueError):
        for line in stream:
            output.append(line.decode("utf-8", "replace").strip()[:300])


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Ends the process group: workers too."""
    with contextlib.suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout):
        with contextlib.suppress(OSError):
            if stream is not None:
                stream.close()
