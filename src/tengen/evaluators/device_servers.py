"""Evaluation servers, one for each device, that this process starts, watches and ends."""

from __future__ import annotations

import json
import logging
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path
from typing import Self

from tengen.evaluators.served import served_name
from tengen.evaluators.server_registry import Registry, ServerList, server_id
from tengen.nets.devices import device_names

__all__ = ["DeviceServers"]

_log = logging.getLogger(__name__)
_COMMAND = [sys.executable, "-m", "tengen.evaluators.server"]
_FAILED_STARTS = 3
_GRACE_S = 5.0


class DeviceServers:
    """A context in which evaluation servers run. A server that ends is started again."""

    def __init__(self, devices: str, owner: str, *, half: bool = True) -> None:
        """`devices` are the names of one or several devices, as in device_names(). `owner` identifies the servers, such
        as the path of a run. Networks compute with 16 bits unless `half` is false."""
        self._devices = device_names(devices)
        self._id = server_id(owner)
        self._half = half
        self._key = secrets.token_bytes(32)
        self._is_closing = threading.Event()
        self._servers: list[_ServerProcess] = []

    def name(self, network: str | Path) -> str:
        """Return the name of the evaluator that runs a checkpoint on the servers."""
        return served_name(self._id, network)

    def __enter__(self) -> Self:
        """Start the servers and wait until all are ready. Raises a ValueError if one can't start."""
        self._registry = Registry(self._id)
        self._folder = Path(tempfile.mkdtemp(prefix="tengen-servers-"))
        try:
            for number, device in enumerate(self._devices):
                self._servers.append(_ServerProcess(device, self._folder / f"{number}", self._key, half=self._half))
            self._wait_ready()
        except BaseException:
            self._close()
            raise
        self._register()
        for server in self._servers:
            threading.Thread(target=self._watch, args=(server,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    @property
    def pids(self) -> list[int]:
        """The processes of the servers, in the order of the devices."""
        return [server.pid for server in self._servers]

    def _wait_ready(self) -> None:
        for server in self._servers:
            error = server.wait_ready()
            if error:
                raise ValueError(f"no evaluation server can run on {server.device!r}: {error}")

    def _register(self, failure: str = "") -> None:
        sockets = tuple(str(server.socket) for server in self._servers)
        self._registry.write(ServerList(sockets, self._key, failure))

    def _watch(self, server: _ServerProcess) -> None:
        failed_starts = 0
        while True:
            end = server.wait()
            if self._is_closing.is_set():
                return
            _log.warning("the evaluation server on %s ended (%s) and is started again", server.device, end)
            server.start()
            error = server.wait_ready()
            failed_starts = failed_starts + 1 if error else 0
            if failed_starts == _FAILED_STARTS and not self._is_closing.is_set():
                failure = f"the evaluation server on {server.device} ended and can't be started again: {error}"
                _log.error(failure)
                self._register(failure)
                return

    def _close(self) -> None:
        self._is_closing.set()
        for server in self._servers:
            server.close()
        self._registry.close()
        shutil.rmtree(self._folder, ignore_errors=True)


class _ServerProcess:
    """The owner's end of one server."""

    def __init__(self, device: str, socket: Path, key: bytes, *, half: bool) -> None:
        self.device = device
        self.socket = socket
        self._settings = {"device": device, "socket": str(socket), "key": key.hex(), "half": half}
        self._lock = threading.Lock()
        self._is_closed = False
        self.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def start(self) -> None:
        with self._lock:
            if self._is_closed:
                return
            self._process = subprocess.Popen(
                _COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "OMP_NUM_THREADS": "1"},
            )
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):  # wait_ready() reports it
            self._process.stdin.write(json.dumps(self._settings).encode() + b"\n")
            self._process.stdin.flush()

    def wait_ready(self) -> str:
        """Return an empty text when the server is ready, or the reason if it ended before."""
        assert self._process.stdout is not None
        try:
            line = self._process.stdout.readline()
        except ValueError:
            return "it was closed"
        if not line:
            return f"it ended ({self.wait()}) before it was ready"
        return str(json.loads(line).get("error", ""))

    def wait(self) -> str:
        """Wait for the end of the process and describe it."""
        code = self._process.wait()
        self._close_pipes()
        return f"exit code {code}"

    def _close_pipes(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(BrokenPipeError):
                    pipe.close()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        try:
            self._process.wait(_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._close_pipes()
