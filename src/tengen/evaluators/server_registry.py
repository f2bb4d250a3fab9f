"""The file in the user's data folder by which actors find the evaluation servers of a run."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from tengen._files import data_folder

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["Registry", "ServerList", "read_servers", "server_id"]


def server_id(owner: str) -> str:
    """Return the name of the servers of an owner, such as the path of a run. It stays the same when the owner is
    started again, so that tasks which name it do too."""
    return hashlib.sha256(owner.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class ServerList:
    """The servers that an owner has started."""

    sockets: tuple[str, ...]
    """Paths of Unix sockets, one for each server."""
    key: bytes
    """Key that actors and servers authenticate each other with."""
    failure: str = ""
    """The reason if the servers have ended and will not be started again."""


def read_servers(servers: str) -> ServerList | None:
    """Return the servers of an owner by their id, or None if none are registered."""
    try:
        found = json.loads(_path(servers).read_bytes())
        return ServerList(tuple(map(str, found["sockets"])), bytes.fromhex(found["key"]), str(found["failure"]))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError):  # the owner is writing the file
        return ServerList((), b"")


class Registry:
    """The file of one owner, which is locked while the owner lives. Only its user may read it."""

    def __init__(self, servers: str) -> None:
        """Raise a ValueError if another process has servers of the same id."""
        path = _path(servers)
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._path = path
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._file)
            raise ValueError(f"another process has evaluation servers for this run ({path} is locked)") from None

    def write(self, servers: ServerList) -> None:
        text = {"sockets": servers.sockets, "key": servers.key.hex(), "failure": servers.failure}
        data = json.dumps(text).encode()
        os.pwrite(self._file, data, 0)
        os.ftruncate(self._file, len(data))

    def close(self) -> None:
        """Remove the file."""
        self._path.unlink(missing_ok=True)
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _path(servers: str) -> Path:
    return data_folder() / "servers" / f"{servers}.json"
