"""An evaluation server: the process that runs networks on one device for many actors.

Its owner starts it with a line of JSON on stdin and ends it by closing stdin, which the system also does when the owner
is killed.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from collections import OrderedDict, deque
from contextlib import suppress
from multiprocessing import AuthenticationError, Pipe, connection, reduction
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import torch

from tengen.evaluators.device_network import DeviceNetwork
from tengen.evaluators.shared_batches import BatchLayout, SharedBatch
from tengen.nets.devices import check_device

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.evaluators.device_network import RunningBatch

__all__ = ["EvaluationServer"]

_MAX_ROWS = 1024
"""Positions that are evaluated together."""
_MAX_WAIT_S = 2e-3
"""Longest time that a request waits for others."""
_WAIT_SHARE = 0.5
"""Share of the time of an evaluation that is worth waiting for a fuller batch."""
_NETWORKS = 4
"""Networks that stay loaded: champion and challenger, and those of a training that has just ended."""


class _Client:
    """An actor's connection."""

    def __init__(self) -> None:
        self.network = ""
        self.batch: SharedBatch | None = None
        self.rows = 0
        """Positions of the request that waits for a response, or 0."""


class _Job(NamedTuple):
    """Requests that are evaluated in one batch."""

    requests: Sequence[tuple[Connection, _Client]]
    batch: RunningBatch
    began: float


class EvaluationServer:
    """Evaluates the requests of all connected actors in batches.

    While the device computes one batch, the next one is gathered. If the device has nothing to do, a request waits for
    others for a part of the time that an evaluation takes.
    """

    def __init__(self, device: str, address: str, key: bytes, *, half: bool = True) -> None:
        self._device = torch.device(device)
        self._half = half
        self._listener = Listener(address, "AF_UNIX", backlog=128, authkey=key)
        self._clients: dict[Connection, _Client] = {}
        self._waiting: deque[Connection] = deque()
        """Connections with a request, oldest first."""
        self._networks: OrderedDict[tuple[str, int], DeviceNetwork] = OrderedDict()
        self._seconds = 0.0
        """Mean time of the last evaluations."""
        self._accepted: deque[Connection] = deque()
        self._wake, self._waker = Pipe(duplex=False)

    def serve(self) -> None:
        """Serve until the process ends."""
        threading.Thread(target=self._accept, daemon=True).start()
        job: _Job | None = None
        while True:
            requests = self._gather(is_idle=job is None)
            following = self._launch(requests) if requests else None
            if job is not None:
                self._finish(job)
            job = following

    def _accept(self) -> None:
        while True:
            # A client that fails to authenticate, or that has gone meanwhile, must not end the server.
            with suppress(OSError, EOFError, AuthenticationError):
                self._accepted.append(self._listener.accept())
                self._waker.send_bytes(b"")

    def _gather(self, *, is_idle: bool) -> list[tuple[Connection, _Client]]:
        """Return requests for one network. If the device has nothing to do, wait until there are some."""
        self._receive(None if is_idle and not self._waiting else 0.0)
        deadline = time.monotonic() + min(_MAX_WAIT_S, _WAIT_SHARE * self._seconds)
        while is_idle and self._waiting and len(self._waiting) < len(self._clients) and not self._is_full():
            left = deadline - time.monotonic()
            if left <= 0:
                break
            self._receive(left)
        return self._take()

    def _is_full(self) -> bool:
        return sum(self._clients[each].rows for each in self._waiting) >= _MAX_ROWS

    def _take(self) -> list[tuple[Connection, _Client]]:
        """Remove the oldest requests for one network from the queue."""
        taken: list[tuple[Connection, _Client]] = []
        left: deque[Connection] = deque()
        rows = 0
        for each in self._waiting:
            client = self._clients[each]
            fits = not taken or (client.network == taken[0][1].network and rows + client.rows <= _MAX_ROWS)
            if fits:
                taken.append((each, client))
                rows += client.rows
            else:
                left.append(each)
        self._waiting = left
        return taken

    def _receive(self, timeout_s: float | None) -> None:
        """Wait for messages, at most for the time, and handle them."""
        for ready in connection.wait([*self._clients, self._wake], timeout_s):
            if ready is self._wake:
                self._wake.recv_bytes()
                self._clients[self._accepted.popleft()] = _Client()
                continue
            assert isinstance(ready, Connection)
            try:
                self._handle(ready, self._clients[ready], json.loads(ready.recv_bytes()))
            except (EOFError, OSError, ValueError, KeyError, TypeError, RuntimeError):
                # The actor has gone, or what it sends is not of this protocol.
                self._drop(ready)

    def _handle(self, sender: Connection, client: _Client, message: dict[str, Any]) -> None:
        if "evaluate" in message:
            rows = int(message["evaluate"])
            if client.batch is None or not 0 < rows <= client.batch.layout.rows or client.rows:
                _respond(sender, {"error": f"a request to evaluate {rows} positions is out of place"})
                return
            client.rows = rows
            self._waiting.append(sender)
            return
        # The descriptor must be received even if the request fails.
        file = reduction.recv_handle(sender) if "share" in message else None
        try:
            _respond(sender, self._answer(client, message, file))
        except (ValueError, KeyError, TypeError, RuntimeError) as error:
            _respond(sender, {"error": _first_line(error)})
        finally:
            if file is not None:
                os.close(file)

    def _answer(self, client: _Client, message: dict[str, Any], file: int | None) -> dict[str, Any]:
        if "load" in message:
            return {"actors": sum(each.batch is not None for each in self._clients.values())}
        if "describe" in message:
            network = self._network(message["describe"])
            softness = network.architecture.softness
            return {"shape": network.shape, "widths": network.widths, "softness": softness}
        if "share" in message and file is not None:
            network = self._network(message["share"])
            planes, height, width = network.shape
            layout = BatchLayout(int(message["rows"]), (planes, height, width), network.widths)
            client.batch, client.network = SharedBatch(layout, file), message["share"]
            return {}
        raise ValueError(f"there is no request {', '.join(message)!r}")

    def _network(self, path: str) -> DeviceNetwork:
        """Return a network, which is loaded if it is not among the most recent ones."""
        key = (path, Path(path).stat().st_mtime_ns)
        if key not in self._networks:
            self._networks[key] = DeviceNetwork(Path(path), self._device, half=self._half)
            if len(self._networks) > _NETWORKS:
                self._networks.popitem(last=False)
        self._networks.move_to_end(key)
        return self._networks[key]

    def _launch(self, requests: Sequence[tuple[Connection, _Client]]) -> _Job | None:
        began = time.monotonic()
        try:
            network = self._network(requests[0][1].network)
            parts = [client.batch.features[: client.rows] for _, client in requests if client.batch is not None]
            batch = network.launch(parts)
        except (OSError, ValueError, RuntimeError) as error:
            self._fail(requests, error)
            return None
        return _Job(requests, batch, began)

    def _finish(self, job: _Job) -> None:
        try:
            outputs = job.batch.finish()
        except RuntimeError as error:
            self._fail(job.requests, error)
            return
        self._seconds += 0.1 * (time.monotonic() - job.began - self._seconds)
        row = 0
        for receiver, client in job.requests:
            assert client.batch is not None
            for name, output in outputs.items():
                client.batch.outputs[name][: client.rows] = output[row : row + client.rows]
            row += client.rows
            self._end_request(receiver, client, {})

    def _fail(self, requests: Sequence[tuple[Connection, _Client]], error: Exception) -> None:
        for receiver, client in requests:
            self._end_request(receiver, client, {"error": f"{client.network}: {_first_line(error)}"})

    def _end_request(self, receiver: Connection, client: _Client, response: dict[str, Any]) -> None:
        client.rows = 0
        try:
            _respond(receiver, response)
        except OSError:
            self._drop(receiver)

    def _drop(self, gone: Connection) -> None:
        """Forget an actor that has disconnected. The system frees its shared memory."""
        self._clients.pop(gone, None)
        with suppress(ValueError):
            self._waiting.remove(gone)
        gone.close()


def _respond(receiver: Connection, response: dict[str, Any]) -> None:
    receiver.send_bytes(json.dumps(response).encode())


def _first_line(error: Exception) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[0] if lines else type(error).__name__


def _end_with_owner(socket: Path) -> None:
    """Wait for the end of stdin and end the process. The folder of the sockets is removed with the last of them."""
    sys.stdin.buffer.read()
    with suppress(OSError):
        socket.unlink(missing_ok=True)
        socket.parent.rmdir()
    os._exit(0)


def main() -> None:
    """Serve until stdin ends. One line on stdout reports that the server is ready, or why it can't be."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the owner, which closes stdin
    settings: dict[str, Any] = json.loads(sys.stdin.buffer.readline())
    socket = Path(settings["socket"])
    threading.Thread(target=_end_with_owner, args=(socket,), daemon=True).start()
    socket.unlink(missing_ok=True)
    try:
        check_device(settings["device"])
        torch.set_num_threads(1)
        key = bytes.fromhex(settings["key"])
        server = EvaluationServer(settings["device"], settings["socket"], key, half=settings["half"])
    except (ValueError, RuntimeError, OSError) as error:
        print(json.dumps({"error": _first_line(error)}), flush=True)
        return
    print(json.dumps({"ready": True}), flush=True)
    server.serve()


if __name__ == "__main__":
    main()
