"""Decisions in steps: a player reports what it has found so far, so that a clock can end the decision at any time."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from tengen.evaluators import CoreEvaluator
from tengen.search.flat import flat_search

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tengen.games import State
    from tengen.search import Pool
    from tengen.search.flat import FlatSettings

__all__ = ["DeliberatingPlayer", "Thought", "Variation", "deliberate_flat", "deliberate_search"]

_STEP_S = 0.004
"""Duration of one step of a search by playouts, in seconds."""
_REPORT_S = 0.02
"""Least time between two reports of a search, in seconds: a report costs as much as some visits."""
_FIRST_VISITS, _MOST_VISITS = 8, 4096


@dataclass(frozen=True)
class Variation:
    """A move with the line of play that the player expects after it."""

    actions: tuple[int, ...]
    """The line from the position on. The first action is the move."""
    value: float | None = None
    """Expected payoff of the deciding seat in full wins, from -1 to 1; None if the player has no opinion."""
    is_proven: bool = False
    """True if the value is the outcome of the game whatever the opponent plays."""


@dataclass(frozen=True)
class Thought:
    """The findings of a player in one position so far."""

    lines: tuple[Variation, ...]
    """At least one line, best first: the first action of the first line is the player's choice."""
    depth: int = 0
    """Plies that the player has looked ahead."""
    nodes: int = 0
    """Positions, visits or playouts that were evaluated."""

    @property
    def action(self) -> int:
        return self.lines[0].actions[0]


@runtime_checkable
class DeliberatingPlayer(Protocol):
    """A player of a game's own that decides in short steps."""

    def deliberate(self, state: State, seat: int, seed: int) -> Iterator[Thought]: ...


def deliberate_search(
    pool: Pool, root: int, seat: int, temperature: float, seconds: float | None = None
) -> Iterator[Thought]:
    """Run the search of one root in short steps until its visits are made, the position is proven, or the player's own
    limit of time is reached."""
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    is_core = isinstance(pool.evaluator, CoreEvaluator)
    visits, reported = _FIRST_VISITS, 0.0
    is_done = False
    while not is_done:
        began = time.monotonic()
        is_done = pool.step(visits if is_core else None)
        now = time.monotonic()
        # A batch of a network may have evaluated the root alone: the first thought comes in any case.
        is_done = is_done or (now >= deadline and reported > 0)
        if is_core:
            visits = _next_visits(visits, now - began)
        if not is_done and now < deadline and now - reported < _REPORT_S:
            continue
        thought = _search_thought(pool, root, seat, temperature)
        if thought is not None:
            reported = now
            yield thought


def _next_visits(visits: int, seconds: float) -> int:
    if seconds < _STEP_S / 2:
        return min(_MOST_VISITS, 2 * visits)
    return max(1, visits // 2) if seconds > 2 * _STEP_S else visits


def _search_thought(pool: Pool, root: int, seat: int, temperature: float) -> Thought | None:
    report = pool.report(root)
    moves = [move for move in report.moves if move.player == seat and move.line]
    if not moves:
        return None
    chosen = pool.choose(root, player=seat, temperature=temperature)
    moves.sort(key=lambda move: move.action != chosen)
    if moves[0].action != chosen:
        return None
    scale = pool.game.payoff_scale
    lines = tuple(
        Variation(tuple(move.line), min(1.0, max(-1.0, move.values[seat] / scale)), bool(move.proven))
        for move in moves
        if move.visits > 0 or move.action == chosen
    )
    return Thought(lines, len(lines[0].actions), report.visits)


def deliberate_flat(
    state: State, seat: int, settings: FlatSettings, seed: int, bonus: Sequence[float]
) -> Iterator[Thought]:
    """Compare the actions by flat Monte Carlo in 1, 2, 4, … worlds, up to the number in the settings."""
    worlds, nodes = 1, 0
    scale = state.game.payoff_scale
    while True:
        worlds = min(worlds, settings.worlds)
        moves = flat_search(state, seat, replace(settings, worlds=worlds), seed, bonus)
        nodes += worlds * len(moves)
        paid = [move.mean - settings.penalty_weight * move.penalty for move in moves]
        order = sorted(range(len(moves)), key=lambda i: -paid[i] - bonus[i])
        lines = tuple(Variation((moves[i].action,), min(1.0, max(-1.0, paid[i] / scale))) for i in order)
        yield Thought(lines, 1, nodes)
        if worlds == settings.worlds:
            return
        worlds *= 2
