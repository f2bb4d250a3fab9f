"""Players of any kind as engines: their steps run in a thread, so that an answer can be given while a step runs."""

from __future__ import annotations

import logging
import queue
import threading
from collections.abc import Generator
from typing import TYPE_CHECKING

from tengen.arena import is_program

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tengen.arena import Player, Thought
    from tengen.games import Game, State

__all__ = ["Deliberation", "Deliberator", "refuse_program", "time_warning"]

_log = logging.getLogger(__name__)


class Deliberation:
    """One decision of a player. Its properties may be read from any thread."""

    def __init__(self, state: State, seat: int, seed: int, is_enough: Callable[[Thought], bool] | None = None) -> None:
        """The decision ends with the first thought that `is_enough` accepts, if it is given."""
        self._is_enough = is_enough
        self.state = state
        self.seat = seat
        self.seed = seed
        self._changed = threading.Condition()
        self._thought: Thought | None = None
        self._count = 0
        self._error: Exception | None = None
        self._is_done = False
        self._is_cancelled = False

    @property
    def thought(self) -> Thought | None:
        """The best so far; None before the first step has ended."""
        return self._thought

    @property
    def count(self) -> int:
        """Number of thoughts so far."""
        return self._count

    @property
    def is_done(self) -> bool:
        """True if no further thought will come."""
        return self._is_done

    @property
    def error(self) -> Exception | None:
        """The exception that ended the decision, if one did."""
        return self._error

    def cancel(self) -> None:
        """Request the end of the decision after the current step. Does not block."""
        with self._changed:
            self._is_cancelled = True
            self._changed.notify_all()

    def wait(self, seconds: float, seen: int) -> None:
        """Block until there are more thoughts than `seen`, the decision is made, or the time is up."""
        with self._changed:
            self._changed.wait_for(lambda: self._is_done or self._count > seen, max(0.0, seconds))

    def run(self, player: Player) -> None:
        """Let the player decide. Called by the thread of a Deliberator."""
        steps: Iterator[Thought] = iter(())
        try:
            if not self._is_cancelled:
                steps = player.deliberate(self.state, self.seat, self.seed)
            for thought in steps:
                with self._changed:
                    self._thought = thought
                    self._count += 1
                    self._changed.notify_all()
                if self._is_cancelled or (self._is_enough is not None and self._is_enough(thought)):
                    break
        except Exception as error:  # noqa: BLE001 - the outermost loop of a thread; the caller plays another move
            _log.exception("%s failed to decide", player.name)
            self._error = error
        finally:
            # The player's own thread releases what the steps hold, such as the root of a search.
            if isinstance(steps, Generator):
                steps.close()
            with self._changed:
                self._is_done = True
                self._changed.notify_all()


class Deliberator:
    """A player with a thread of its own. Decisions run one after the other: players are not thread-safe."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self._queue: queue.SimpleQueue[Deliberation | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None
        self._current: Deliberation | None = None

    def start(
        self, state: State, seat: int, seed: int, is_enough: Callable[[Thought], bool] | None = None
    ) -> Deliberation:
        """Begin a decision and cancel the one before. A step of that one which still runs delays this one."""
        self.cancel()
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="player", daemon=True)
            self._thread.start()
        self._current = Deliberation(state, seat, seed, is_enough)
        self._queue.put(self._current)
        return self._current

    def cancel(self) -> None:
        if self._current is not None:
            self._current.cancel()
            self._current = None

    def close(self) -> None:
        """Cancel what runs and end the player's own processes. Does not wait for a step that still runs."""
        self.cancel()
        if self._thread is not None:
            self._queue.put(None)
            self._thread = None
        self.player.close()

    def _work(self) -> None:
        while (deliberation := self._queue.get()) is not None:
            deliberation.run(self.player)


def refuse_program(spec: str) -> None:
    """Raise a ValueError for another program, which keeps its own time and is to be started by the caller instead."""
    if is_program(spec):
        raise ValueError(f"{spec!r} is another program, which plays by its own clock: start that program instead")


def time_warning(player: Player, game: Game) -> str | None:
    """Return a warning if the player cannot be interrupted, None if it can."""
    if player.keeps_time(game):
        return None
    return (
        f"{player.name} decides in one step that cannot be interrupted: if it has not decided in time, "
        "the first legal move is played"
    )
