"""Positions with the exact value of every move: what strength is measured against in time_to_strength.py.

The positions of a game are drawn from random games with a fixed seed. They are solved once and kept in the user's cache
folder. Those of Connect Four are solved by connect_four_solver.cpp, which is compiled with the C++ compiler; endings of
other games by the alpha-beta search below.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tengen.games import Game, State

SOLVER = Path(__file__).with_name("connect_four_solver.cpp")
SEED = 2026
NODES = 300_000
"""Positions that take a larger alpha-beta search are left out."""


@dataclass(frozen=True)
class Solved:
    """A position with the result of every move for the player who makes it."""

    state: State
    values: dict[int, int]
    """By move: 1 for a win, 0 for a draw, -1 for a loss."""

    @property
    def best(self) -> int:
        return max(self.values.values())

    @property
    def has_mistakes(self) -> bool:
        return min(self.values.values()) < self.best

    def keeps(self, action: int) -> bool:
        """Return True if a move keeps the best result."""
        return self.values[action] == self.best


def find_positions(game: Game, count: int, plies: tuple[int, int]) -> list[Solved]:
    """Return random positions between two numbers of plies, so many that `count` of them have mistakes."""
    file = positions_file(game, count, plies)
    if not file.exists():
        with _connect_four_solver() if game.id == "connect_four" else nullcontext(_solve_ending) as solve:
            lines = [json.dumps(line) for line in _draw(game, count, plies, solve)]
        temporary = file.with_suffix(".new")
        temporary.write_text("".join(f"{line}\n" for line in lines))
        temporary.replace(file)
    return [_read(game, json.loads(line)) for line in file.read_text().splitlines()]


def positions_file(game: Game, count: int, plies: tuple[int, int]) -> Path:
    """Return the file of solved positions; each line has the moves to a position and its moves with their values."""
    settings = "".join(f"-{name}-{value}" for name, value in game.settings.items() if value)
    return cache_folder() / f"{game.id}{settings}-{count}-{plies[0]}-{plies[1]}.jsonl"


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    folder = Path(base) / "tengen-benchmarks"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _read(game: Game, line: dict[str, Any]) -> Solved:
    state = game.start(0)
    for action in line["moves"]:
        state = state.play(action)
    return Solved(state, {int(action): value for action, value in line["values"].items()})


def _draw(
    game: Game, count: int, plies: tuple[int, int], solve: Callable[[State], dict[int, int] | None]
) -> Iterator[dict[str, Any]]:
    rng = random.Random(SEED)
    seen: set[int] = set()
    mistakes = 0
    while mistakes < count:
        state = game.start(0)
        wanted = rng.randint(*plies)
        while len(state.history) < wanted and not state.is_over:
            state = state.play(rng.choice(state.legal()))
        if state.is_over or state.key in seen:
            continue
        seen.add(state.key)
        values = solve(state)
        if values is None:
            continue
        yield {"moves": list(state.history), "values": values}
        if len(set(values.values())) > 1:
            mistakes += 1
            if mistakes % 100 == 0:
                print(f"{mistakes} of {count} positions solved", file=sys.stderr, flush=True)


@contextmanager
def _connect_four_solver() -> Iterator[Callable[[State], dict[int, int] | None]]:
    program = cache_folder() / f"connect_four_solver-{SOLVER.stat().st_mtime_ns}"
    if not program.exists():
        command = [os.environ.get("CXX", "c++"), "-O3", "-std=c++20", "-o", str(program), str(SOLVER)]
        subprocess.run(command, check=True)
    with subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def solve(state: State) -> dict[int, int]:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("".join(map(str, state.history)) + "\n")
            process.stdin.flush()
            values = process.stdout.readline().split()
            return {column: int(value) for column, value in enumerate(values) if value != "x"}

        yield solve


class _TooLargeError(Exception):
    """An ending has more nodes than may be searched."""


def _solve_ending(state: State) -> dict[int, int] | None:
    """Return the value of every move, or None if the ending is too large to solve."""
    search = _AlphaBeta(NODES)
    try:
        return {action: search.value_after(state, action, -1, 1) for action in state.legal()}
    except _TooLargeError:
        return None


class _AlphaBeta:
    """Exact search of a zero-sum game of two players without chance, for wins, draws and losses."""

    def __init__(self, nodes: int) -> None:
        self._nodes = nodes
        self._known: dict[int, tuple[int, int]] = {}

    def value_after(self, state: State, action: int, low: int, high: int) -> int:
        """Return the value of a move for the player who makes it."""
        after = state.play(action)
        if after.is_over:
            payoff = after.payoffs[state.actor]
            return (payoff > 0) - (payoff < 0)
        if after.actor == state.actor:
            return self._value(after, low, high)
        return -self._value(after, -high, -low)

    def _value(self, state: State, low: int, high: int) -> int:
        known_low, known_high = self._known.get(state.key, (-1, 1))
        low, high = max(low, known_low), min(high, known_high)
        if low >= high:
            return low
        self._nodes -= 1
        if self._nodes < 0:
            raise _TooLargeError
        best, least = -1, low
        for action in state.legal():
            best = max(best, self.value_after(state, action, least, high))
            least = max(least, best)
            if best >= high:
                break
        self._known[state.key] = (best if best > low else known_low, best if best < high else known_high)
        return best
