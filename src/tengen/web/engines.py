"""Analysis engines: one a game, made when it is needed, few at a time."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from tengen.analysis import Config, Engine

if TYPE_CHECKING:
    from tengen.games import Game

__all__ = ["MAX_ENGINES", "Engines"]

MAX_ENGINES = 3
IDLE_S = 600.0


class Engines:
    """From any thread."""

    def __init__(self, *, is_repeatable: bool = False) -> None:
        """`is_repeatable`: equal questions have equal answers."""
        how = {"reportAnalysisWinratesAs": "SIDETOMOVE", "forDeterministicTesting": str(is_repeatable).lower()}
        self._config = Config().override(how)
        self._lock = threading.Lock()
        self._engines: dict[Game, tuple[Engine, float]] = {}
        self._timer: threading.Timer | None = None

    def open(self, game: Game) -> Engine:
        """Takes as long as a network takes to load. Raises a ValueError or an OSError that says why there is none."""
        with self._lock:
            now = time.monotonic()
            if game not in self._engines:
                while len(self._engines) >= MAX_ENGINES:
                    oldest = min(self._engines, key=lambda key: self._engines[key][1])
                    self._engines.pop(oldest)[0].close()
                self._engines[game] = Engine(game, config=self._config, threads=1), now
            engine = self._engines[game][0]
            self._engines[game] = engine, now
            if self._timer is None:
                self._look_again()
            return engine

    def touch(self, game: Game) -> None:
        """Its engine is at work still, on what it was opened for."""
        with self._lock:
            if game in self._engines:
                self._engines[game] = self._engines[game][0], time.monotonic()

    def close_idle(self) -> None:
        """Those that nobody has opened or touched for ten minutes."""
        with self._lock:
            now = time.monotonic()
            for known in [key for key, (_, used) in self._engines.items() if now - used >= IDLE_S]:
                self._engines.pop(known)[0].close()
            self._timer = None
            if self._engines:
                self._look_again()

    def _look_again(self) -> None:
        self._timer = threading.Timer(IDLE_S / 4, self.close_idle)
        self._timer.daemon = True
        self._timer.start()

    def close(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            for engine, _ in self._engines.values():
                engine.close()
            self._engines.clear()
