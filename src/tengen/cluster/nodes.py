"""This machine as a part of a cluster: Ray's programs started with a token and fixed ports, and ended again."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.cluster.probe import check_head
from tengen.cluster.process import THREADS
from tengen.cluster.security import (
    ClusterError,
    check_address,
    check_ray,
    check_surroundings,
    own_address,
    ray_environment,
    read_token,
)
from tengen.cluster.tls import client_context, tls_environment

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "PORTS",
    "NodeChoices",
    "cluster_name",
    "is_member",
    "node_address",
    "start_head",
    "start_node",
    "stop_node",
    "tls_folder",
]

PORTS = {"--node-manager-port": 6380, "--object-manager-port": 6381, "--runtime-env-agent-port": 6382}
"""Of every node."""
_WORKER_PORTS = (11000, 11999)
_OBJECT_STORE = 1_000_000_000
_GRACE_S = 3.0
_START_S = 180.0
_LATE = "timed out during startup"


@dataclass(frozen=True)
class NodeChoices:
    token: Path
    slots: int
    listen: str | None = None
    """An address of this machine, which is used even if it is public; None: the one in its private network."""
    gpus: int | None = None
    """None: as many as Ray finds."""
    tls: Path | None = None


def start_head(port: int, choices: NodeChoices) -> str:
    """The head, on this machine; answers HOST:PORT. A ClusterError says why not."""
    with _starting(choices):
        address = choices.listen or own_address()
        _check_own(address, choices)
        if _listens(port):
            raise ClusterError(f"something listens on port {port} already: end it, or choose another by --port")
        words = ["--head", f"--port={port}", "--include-dashboard=false", "--no-monitor"]
        _start(words, address, choices, f"{address}:{port}")
    return f"{address}:{port}"


def start_node(host: str, port: int, choices: NodeChoices) -> str:
    """A node of the cluster whose head is there; answers its own address."""
    with _starting(choices) as token:
        os.environ.update(tls_environment(choices.tls))
        check_head(host, port, token, client_context())
        address = choices.listen or _address_towards(host, port)
        _check_own(address, choices)
        _start([f"--address={host}:{port}"], address, choices, f"{host}:{port}")
    return address


def stop_node() -> int:
    """Ends what was started here; answers how many processes that were."""
    session = _read_state().get("session", 0)
    count = len(_members(session))
    # The node itself first, which then takes its leave of the head.
    for how, name in ((signal.SIGTERM, b"raylet/raylet"), (signal.SIGTERM, b"ray"), (signal.SIGKILL, b"ray")):
        for pid in _members(session, name):
            with suppress(ProcessLookupError):
                os.kill(pid, how)
        end = time.monotonic() + _GRACE_S
        while _members(session, name) and time.monotonic() < end:
            time.sleep(0.05)
    _state_path().unlink(missing_ok=True)
    return count


def cluster_name() -> str | None:
    """HOST:PORT of the cluster whose part runs here; None if there is none, or Tengen has not started it."""
    found = _read_state()
    return str(found["cluster"]) if _members(found.get("session", 0)) else None


def node_address() -> str | None:
    """By which the others know this machine; None if its part in a cluster was not started by Tengen."""
    address = _read_state().get("address")
    return str(address) if address else None


def tls_folder() -> Path | None:
    """The certificates that this machine's part in a cluster was started with."""
    found = _read_state().get("tls")
    return Path(found) if found else None


def is_member() -> bool:
    """Whether a node of some cluster runs on this machine. Ray ends a process that connects where there is none."""
    if cluster_name() is not None:
        return True
    temporary = Path(os.environ.get("RAY_TMPDIR") or tempfile.gettempdir())
    for path in temporary.glob("ray/session_*/sockets/raylet*"):
        with suppress(OSError), socket.socket(socket.AF_UNIX) as end:
            end.connect(str(path))
            return True
    return False


@contextmanager
def _starting(choices: NodeChoices) -> Iterator[str]:
    """The token, while nobody else starts a part of a cluster on this machine."""
    check_ray()
    check_surroundings()
    token = read_token(choices.token)
    path = _state_path().with_suffix(".lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise ClusterError("another `tengen cluster` starts on this machine just now: wait for it") from error
        own = cluster_name()
        if own is not None:
            raise ClusterError(f"this machine is in the cluster {own} already; `tengen cluster stop` ends that")
        yield token


def _check_own(address: str, choices: NodeChoices) -> None:
    if choices.listen is None:
        check_address(address)
    with socket.socket() as end:
        try:
            end.bind((address, 0))
        except OSError as error:
            raise ClusterError(
                f"--listen {address}: that is no address of this machine, such as {own_address()}"
            ) from error


def _start(words: list[str], address: str, choices: NodeChoices, cluster: str) -> None:
    command = [sys.executable, "-m", "tengen.cluster.start_ray", "start", *words, f"--node-ip-address={address}"]
    command += [f"{name}={port}" for name, port in PORTS.items()]
    command += [f"--min-worker-port={_WORKER_PORTS[0]}", f"--max-worker-port={_WORKER_PORTS[1]}"]
    command += [f"--num-cpus={choices.slots}", f"--object-store-memory={_OBJECT_STORE}", "--disable-usage-stats"]
    command += ["--include-log-monitor=false"]  # would send what workers print to coordinators, who do not ask for it
    command += [] if choices.gpus is None else [f"--num-gpus={choices.gpus}"]
    environment = os.environ | ray_environment(choices.token) | tls_environment(choices.tls)
    environment |= dict.fromkeys(THREADS, "1")  # for the workers, which inherit it: a slot is a core
    log = _state_path().with_suffix(".log")
    tls = None if choices.tls is None else str(choices.tls.absolute())
    about = {"cluster": cluster, "address": address, "tls": tls}
    code = _run_start(command, environment, log, about)
    if code and _LATE in log.read_text(errors="replace"):  # a busy machine: Ray waits no longer than 30 s
        stop_node()
        code = _run_start(command, environment, log, about)
    if code:
        stop_node()
        lines = log.read_text(errors="replace").strip().splitlines()[-3:]
        raise ClusterError(f"Ray did not start ({' / '.join(lines) or 'it took too long'}); {log} has all of it")


def _run_start(command: list[str], environment: dict[str, str], log: Path, about: dict[str, Any]) -> int:
    """`ray start`; its exit code. What it leaves behind is a session, by which it is found again."""
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        _state_path().write_text(json.dumps({"session": process.pid} | about))
        try:
            return process.wait(_START_S)
        except subprocess.TimeoutExpired:
            return -1
        except BaseException:
            stop_node()
            raise


def _members(session: int, name: bytes = b"ray") -> list[int]:
    """The processes of a session that are Ray's: a number may have been given to others since."""
    found = []
    for path in Path("/proc").iterdir() if session else ():
        if not path.name.isdecimal():
            continue
        with suppress(OSError, IndexError):
            state, _, _, own = (path / "stat").read_text().rpartition(")")[2].split()[:4]
            if int(own) == session and state != "Z" and name in (path / "cmdline").read_bytes():
                found.append(int(path.name))
    return found


def _state_path() -> Path:
    """tengen/cluster-HOST.json in XDG_STATE_HOME, by default ~/.local/state, which machines may share."""
    home = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(home) / "tengen" / f"cluster-{socket.gethostname()}.json"


def _read_state() -> dict[str, Any]:
    try:
        found = json.loads(_state_path().read_text())
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _listens(port: int) -> bool:
    with socket.socket() as end:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            end.bind(("", port))
        except OSError:
            return True
    return False


def _address_towards(host: str, port: int) -> str:
    with socket.create_connection((host, port), timeout=3.0) as end:
        return str(end.getsockname()[0])
