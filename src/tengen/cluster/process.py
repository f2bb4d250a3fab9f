"""One worker process: both of its ends."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import traceback
from contextlib import contextmanager, suppress
from multiprocessing import connection, resource_tracker
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any, Literal

from tengen.cluster.task_reports import heard_by
from tengen.cluster.values import ValuesError, encode

if TYPE_CHECKING:
    from collections.abc import Iterator
    from multiprocessing.connection import Connection

# Each worker has one core to itself; libraries that take all of them would only get in each other's way.
THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
_GRACE_S = 5.0
_WATCH_S = 1.0

Kind = Literal["ready", "news", "value", "lines", "error"]
"""A value comes as a pickle, or as the lines that a journal keeps."""


class WorkerProcess:
    """The parent's end. A worker is given a task only when it is idle, so the two never wait for each other to empty a
    pipe."""

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), name="tengen-worker", daemon=True)
        self.is_ready = False
        self.task: int | None = None
        with _surroundings():
            self._process.start()
        theirs.close()
        self.sentinel = self._process.sentinel

    @property
    def pid(self) -> int | None:
        return self._process.pid

    def send(self, task: int, payload: bytes) -> bool:
        """False when the worker is gone."""
        self.task = task
        try:
            self.connection.send_bytes(payload)
        except OSError:
            return False
        return True

    def receive(self) -> tuple[Kind, bytes] | None:
        """What it sent, None when it is gone. Call when its connection or its sentinel has something."""
        try:
            # A worker that is gone may have answered before.
            if not self.connection.poll():
                return None
            return self.connection.recv(), self.connection.recv_bytes()
        except (EOFError, OSError):
            return None

    def end(self, *, now: bool) -> str:
        """Waits for its end, or brings it about, and says how it ended."""
        self.connection.close()
        if not now:
            self._process.join(_GRACE_S)
        if self._process.is_alive():
            self._process.kill()
        self._process.join()
        code = self._process.exitcode or 0
        self._process.close()
        if code < 0:
            with suppress(ValueError):
                return f"killed by {signal.Signals(-code).name}"
        return f"exit code {code}"


@contextmanager
def _surroundings() -> Iterator[None]:
    """What a process started here inherits: one thread a library, and no Ctrl-C before it knows how to ignore it."""
    resource_tracker.ensure_running()  # its start would unblock the signal
    before = {name: os.environ.get(name) for name in THREADS}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def _serve(parent: Connection) -> None:
    """The worker's whole life."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    with suppress(OSError):
        os.dup2(2, 1)  # stdout is the parent's: it may speak a protocol there
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        _answer(parent, "ready", b"")
        with heard_by(lambda news: _answer(parent, "news", bytes(ForkingPickler.dumps(news)))):
            while True:
                _answer(parent, *_run(parent.recv_bytes()))


def _run(payload: bytes) -> tuple[Kind, bytes]:
    try:
        function, args, is_kept = ForkingPickler.loads(payload)
        value = function(*args)
        if is_kept:
            with suppress(ValuesError):
                return "lines", encode(value)
        return "value", bytes(ForkingPickler.dumps(value))
    except BaseException:  # noqa: BLE001 - also a SystemExit is the task's, not the worker's
        return "error", traceback.format_exc().encode()


def _answer(parent: Connection, kind: Kind, payload: bytes) -> None:
    parent.send(kind)
    parent.send_bytes(payload)


def _end_with_parent() -> None:
    """Ends this process when the parent is gone, also in the midst of a task.

    Linux could do it by PR_SET_PDEATHSIG, but then also when merely the thread that started this process ends.
    """
    parent: Any = multiprocessing.parent_process()
    while os.getppid() == parent.pid:
        if connection.wait([parent.sentinel], _WATCH_S):
            break
    os._exit(1)
