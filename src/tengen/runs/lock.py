"""One writer at a time."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from tengen.runs.disk import write_all
from tengen.runs.errors import RunBusy, explained

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LOCK = "lock"


@contextmanager
def locked(run: Path) -> Iterator[None]:
    """Holds the run's lock, or raises RunBusy at once. However the holder ends, the kernel releases it; the file stays,
    because removing it would let two writers lock two files of the same name."""
    path = run / LOCK
    with explained("lock", path):
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        with explained("lock", path):
            try:
                fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise RunBusy(f"{run} is being written by {_holder(fd)}; wait for it, or stop it") from None
            os.ftruncate(fd, 0)
            write_all(fd, _own_card())
        try:
            yield
        finally:
            with suppress(OSError):
                os.ftruncate(fd, 0)
    finally:
        os.close(fd)


def find_writer(run: Path) -> int | None:
    """The process on this machine that writes a run; None: none does. Nothing is locked to find out."""
    try:
        card = json.loads((run / LOCK).read_bytes()[:4096])
        pid = int(card["pid"]) if card["host"] == socket.gethostname() else 0
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return pid if is_alive(pid) else None


def is_alive(pid: int) -> bool:
    if pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except PermissionError:  # it is another user's
        return True
    except (OSError, OverflowError):
        return False
    return True


def _own_card() -> bytes:
    since = datetime.now(UTC).isoformat(timespec="seconds")
    return json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "since": since}).encode()


def _holder(fd: int) -> str:
    try:
        card = json.loads(os.pread(fd, 4096, 0))
        return f"process {card['pid']} on {card['host']} since {card['since']}"
    except (ValueError, KeyError, TypeError):  # between its flock and its write
        return "another process"
