"""poke-env's players as opponents, each in a process of its own: it brings threads and an exit of its own, and its
thinking must not slow ours."""

from __future__ import annotations

import contextlib
import importlib.util
import select
import subprocess
import sys
import time
from typing import Final

from tengen._install import how_to_install
from tengen.nets.runtimes import MissingPackage
from tengen.protocols.showdown.errors import ShowdownFailure

__all__ = ["KIND", "PLAYERS", "PokeEnvOpponent", "read_opponent"]

KIND: Final = "showdown"
PLAYERS: Final = {
    "SimpleHeuristics": "SimpleHeuristicsPlayer",
    "MaxBasePower": "MaxBasePowerPlayer",
    "Random": "RandomPlayer",
}
_READY_S: Final = 60.0


def read_opponent(spec: str) -> str | None:
    """Which of poke-env's players `showdown:NAME` names; None where it is no such specification."""
    kind, colon, name = spec.partition(":")
    if kind != KIND or not colon:
        return None
    if name not in PLAYERS:
        raise ValueError(f"poke-env has no player {name!r}: there are {', '.join(f'{KIND}:{one}' for one in PLAYERS)}")
    return name


def check_poke_env() -> None:
    if importlib.util.find_spec("poke_env") is None:
        raise MissingPackage(f"poke-env's players need the package poke-env: {how_to_install('showdown')}")


class PokeEnvOpponent:
    """Takes all challenges of one player until it is closed."""

    def __init__(self, player: str, url: str, name: str, challenger: str, at_once: int) -> None:
        check_poke_env()
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "tengen.protocols.showdown.poke_env_player",
                player,
                url,
                name,
                challenger,
                str(at_once),
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        try:
            self._await_ready(player)
        except BaseException:
            self.close()
            raise

    def _await_ready(self, player: str) -> None:
        assert self._process.stdout is not None
        until = time.monotonic() + _READY_S
        while time.monotonic() < until:
            ready, _, _ = select.select([self._process.stdout], [], [], 0.5)
            if ready:
                if self._process.stdout.readline().strip() == b"ready":
                    return
                break
        raise ShowdownFailure(f"poke-env's {player} did not log in; what it said is above")

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def close(self) -> None:
        """May be called twice."""
        for stream in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):
                if stream is not None:
                    stream.close()
        try:
            self._process.wait(2.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
