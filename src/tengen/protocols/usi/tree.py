"""The search tree of one game, which advances with the game."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from tengen.evaluators import CoreEvaluator
from tengen.games import GameError
from tengen.search import Pool, default_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen import _core
    from tengen.evaluators import Evaluator
    from tengen.games import State
    from tengen.games.shogi import Shogi
    from tengen.protocols.usi.options import EngineSettings
    from tengen.search import SearchSettings

__all__ = ["Tree", "tree_settings"]

_NO_LIMIT: Final = 2**50
_STEP_S: Final = 0.004
"""Target duration of a step of random games, in seconds: as long as a small batch of a network."""
_STEP_GAIN: Final = 0.2
"""Weight of the last step in the smoothed duration."""
_FIRST_CHUNK: Final = 8
"""Number of visits of the first step."""
_ENTRY_BYTES: Final = 1200
"""Size of a cached evaluation: some hundred moves with their priors."""
_CACHE_SHARE: Final = 0.25
"""Share of the memory for cached evaluations; the tree has the rest."""


class Tree:
    """A search tree; only one thread may use it at a time."""

    def __init__(self, game: Shogi, evaluator: Evaluator | CoreEvaluator, settings: EngineSettings) -> None:
        self.game = game
        self.settings = tree_settings(settings)
        self._is_core = isinstance(evaluator, CoreEvaluator)
        self._max_bytes = int((1 - _CACHE_SHARE) * (settings.hash_mb << 20))
        self._pool = Pool(game, _search_settings(evaluator, settings), evaluator, batch=settings.batch_size)
        self._root: int | None = None
        self._chunk = _FIRST_CHUNK
        self._reused = 0
        self.step_s = 0.0
        """Smoothed duration of a step of this search; on a busy machine single steps are much longer."""

    @property
    def root(self) -> int:
        assert self._root is not None
        return self._root

    def seat(self, state: State, moves: Sequence[str] = (), draw_value: float = 0.0, visits: int | None = None) -> None:
        """Set the root, keeping the part of the tree that is known of the position.

        With `moves`, only these are searched. `draw_value` is the value of a draw to Black. `visits` is the most
        visits to make now.
        """
        valued = self.game.with_draw_value(state, draw_value)
        allow = list(moves) or None
        if not self._follow(state):
            self.forget()
            self._root = self._pool.add(valued, visits=_NO_LIMIT, allow=allow)
        else:
            self._pool.replace_root_state(self.root, valued)
            self._pool.restart(self.root, visits=_NO_LIMIT, allow=allow)
        self._reused, _ = self._pool.progress(self.root)
        if visits is not None:
            # The pool enforces the limit, since one batch may pass many cached positions. A move takes 2 visits.
            self._pool.restart(self.root, visits=max(2, self._reused + visits), allow=allow)
        # The duration of a step depends on the position, and a delayed step is no evidence for the next.
        self._chunk, self.step_s = _FIRST_CHUNK, 0.0

    def set_batch(self, rows: int) -> None:
        """Set the number of positions that a step gives to a network."""
        self._pool.batch = rows

    def forget(self) -> None:
        if self._root is not None:
            self._pool.remove(self._root)
        self._root = None

    def _follow(self, state: State) -> bool:
        if self._root is None:
            return False
        before = self._pool.state(self._root)
        known, wanted = before.history, state.history
        if wanted[: len(known)] != known or before.initial != state.initial:
            return False
        try:
            for played in wanted[len(known) :]:
                self._pool.advance(self._root, played)
        except GameError:  # beyond a repetition, which ends the game here
            return False
        return self._pool.state(self._root).key == state.key

    def step(self, most: int | None = None) -> None:
        """Make a few visits: with random games at most this many, with a network one batch."""
        began = time.monotonic()
        chunk = self._chunk if most is None else max(1, min(self._chunk, most))
        self._pool.step(chunk if self._is_core else None)
        taken = time.monotonic() - began
        self.step_s += _STEP_GAIN * (taken - self.step_s) if self.step_s else taken
        if self._is_core and chunk == self._chunk and taken < _STEP_S / 2:
            self._chunk = min(4096, 2 * self._chunk)
        elif self._is_core and taken > 2 * _STEP_S:
            self._chunk = max(1, self._chunk // 2)

    @property
    def visits(self) -> int:
        """Visits of this search, without those of a reused tree."""
        return self._pool.progress(self.root)[0] - self._reused

    @property
    def is_done(self) -> bool:
        """True if the position is proven or the visits are made."""
        return self._pool.progress(self.root)[1]

    def report(self) -> _core.RootReport:
        return self._pool.report(self.root)

    def fill(self, report: _core.RootReport) -> float:
        """Return the share of its memory that the tree uses."""
        return report.bytes / self._max_bytes

    def choose(self, temperature: float) -> int:
        return self._pool.choose(self.root, temperature=temperature)


def tree_settings(settings: EngineSettings) -> tuple[int, ...]:
    """Return the settings that a tree depends on; with others a new tree is needed."""
    return settings.hash_mb, settings.batch_size, settings.mate_leaf_plies


def _search_settings(evaluator: Evaluator | CoreEvaluator, settings: EngineSettings) -> SearchSettings:
    # Mates are of odd lengths; one ply is looked ahead in any case.
    solving: dict[str, Any] = {"solve": True, "solve_plies": max(1, (settings.mate_leaf_plies - 1) // 2 * 2 + 1)}
    if isinstance(evaluator, CoreEvaluator):
        return default_settings(evaluator, visits=_NO_LIMIT, **solving)
    entries = int(_CACHE_SHARE * (settings.hash_mb << 20)) // _ENTRY_BYTES
    return default_settings(
        evaluator, visits=_NO_LIMIT, leaves_per_root=settings.batch_size, cache_entries=entries, **solving
    )
