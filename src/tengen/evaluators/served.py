"""Networks that an evaluation server runs on a device, for actors in other processes."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from multiprocessing import AuthenticationError, reduction
from multiprocessing.connection import Client, Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.evaluators.network import NetworkEvaluator, find_file
from tengen.evaluators.server_registry import read_servers
from tengen.evaluators.shared_batches import BatchLayout, SharedBatch
from tengen.nets.errors import NetworkError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.evaluators.server_registry import ServerList

__all__ = ["Served", "ServerLost", "served_name"]

_ROWS = 256
"""Positions of a shared batch: those of a pool's batch."""
_PATIENCE_S = 120.0
"""Time that a server has to be started again; loading PyTorch takes most of it on a busy machine."""
_RETRY_S = 0.1
_ATTEMPTS = 3


class ServerLost(NetworkError):  # noqa: N818 - says what happened
    """The evaluation servers have ended."""


def served_name(servers: str, network: str | Path) -> str:
    """Return the evaluator's name for a checkpoint that the servers of this id run."""
    return f"served:{servers}:{network}"


class Served(NetworkEvaluator):
    """A checkpoint on an evaluation server, found by the id of the servers.

    Of several servers the one with the fewest actors is taken. If it ends, the batch is evaluated again as soon as its
    owner has started it anew; if that does not happen, a ServerLost is raised.
    """

    def __init__(self, servers: str, path: str | Path) -> None:
        file = find_file(path)
        self._servers = servers
        self._connection: Connection | None = None
        self._batch: SharedBatch | None = None
        about = self._repeat(file, lambda connection: _request(connection, {"describe": str(file.resolve())}))
        super().__init__(file, about["shape"], {name: [width] for name, width in about["widths"].items()})
        self._widths: dict[str, int] = about["widths"]
        self.softness = float(about["softness"])

    def answer(self, features: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        parts = [self._evaluate(features[i : i + _ROWS]) for i in range(0, len(features), _ROWS)]
        if len(parts) == 1:
            return parts[0]
        return {name: np.concatenate([part[name] for part in parts]) for name in self._widths}

    def _evaluate(self, features: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        def exchange(connection: Connection) -> dict[str, NDArray[np.float32]]:
            batch = self._shared(connection)
            batch.features[: len(features)] = features
            _request(connection, {"evaluate": len(features)})
            return {name: output[: len(features)].copy() for name, output in batch.outputs.items()}

        assert self.path is not None
        found: dict[str, NDArray[np.float32]] = self._repeat(self.path, exchange)
        return found

    def _shared(self, connection: Connection) -> SharedBatch:
        """Return the memory that is shared over this connection."""
        if self._batch is None:
            planes, height, width = self._shape
            batch, file = SharedBatch.create(BatchLayout(_ROWS, (planes, height, width), self._widths))
            try:
                assert self.path is not None
                connection.send_bytes(_encode({"share": str(self.path.resolve()), "rows": _ROWS}))
                reduction.send_handle(connection, file, None)
                _response(connection)
            finally:
                os.close(file)
            self._batch = batch
        return self._batch

    def _repeat(self, file: Path, exchange: Any) -> Any:
        """Call `exchange` with a connection to a server, again if the server ends meanwhile."""
        for attempt in range(_ATTEMPTS):
            if self._connection is None:
                self._connection = self._connect(file)
            try:
                return exchange(self._connection)
            except NetworkError:
                raise
            except (EOFError, OSError) as error:
                self._disconnect()
                if attempt == _ATTEMPTS - 1:
                    raise ServerLost(
                        f"{file} can't be evaluated: the evaluation server ended {_ATTEMPTS} times"
                    ) from error
            except BaseException:
                self._disconnect()  # the response of an interrupted request would be read as that of the next one
                raise
        raise AssertionError

    def _disconnect(self) -> None:
        assert self._connection is not None
        self._connection.close()
        self._connection = self._batch = None

    def _connect(self, file: Path) -> Connection:
        deadline = time.monotonic() + _PATIENCE_S
        while True:
            servers = read_servers(self._servers)
            if servers is None:
                raise ServerLost(f"{file} can't be evaluated: no evaluation servers {self._servers!r} are running")
            if servers.failure:
                raise ServerLost(f"{file} can't be evaluated: {servers.failure}")
            connection = _least_busy(servers)
            if connection is not None:
                return connection
            if time.monotonic() > deadline:
                raise ServerLost(f"{file} can't be evaluated: the evaluation servers do not respond")
            time.sleep(_RETRY_S)


def _least_busy(servers: ServerList) -> Connection | None:
    """Return a connection to the server with the fewest actors, or None if no server responds."""
    best: tuple[tuple[int, int], Connection] | None = None
    for number, socket in enumerate(servers.sockets):
        with suppress(OSError, EOFError, AuthenticationError):
            connection = Client(socket, family="AF_UNIX", authkey=servers.key)
            actors = int(_request(connection, {"load": True})["actors"])
            # Actors that start at the same time all see empty servers: their numbers spread them.
            rank = (actors, (number - os.getpid()) % len(servers.sockets))
            if best is None or rank < best[0]:
                best = (rank, connection)
    return None if best is None else best[1]


def _request(connection: Connection, message: dict[str, Any]) -> dict[str, Any]:
    connection.send_bytes(_encode(message))
    return _response(connection)


def _response(connection: Connection) -> dict[str, Any]:
    """Receive a response. Raises a NetworkError with the server's reason if the request failed."""
    found: dict[str, Any] = json.loads(connection.recv_bytes())
    if "error" in found:
        raise NetworkError(found["error"])
    return found


def _encode(message: dict[str, Any]) -> bytes:
    return json.dumps(message).encode()
