"""Run by scripts/sanitized-python: every game through the conformance suite, and hostile calls at the border."""

from __future__ import annotations

import contextlib
import random
import sys
from typing import Any

import tengen
from tengen import _core
from tengen.games import NativeGame, names
from tengen.games.conformance import check


def hostile(game: NativeGame, rng: random.Random, calls: int) -> int:
    """Calls with arguments that do not fit; refusals are errors of Python, never of the process."""
    numbers = [-(2**63), -(2**31), -3, -2, -1, 0, 1, 2, 5, game.action_count, 2**31 - 1, 2**31, 2**64]
    core = game.core
    state = core.start(0)
    refused = 0
    methods = [getattr(core, name) for name in dir(core) if not name.startswith("_") and callable(getattr(core, name))]
    for _ in range(calls):
        method = rng.choice(methods)
        if method.__name__ in ("perft", "playouts", "audit"):
            continue  # they would count for years
        rest = [
            rng.choice([rng.choice(numbers), [rng.choice(numbers) for _ in range(3)], None, state]) for _ in range(2)
        ]
        arguments = [state, *rest][: rng.randrange(4)]
        try:
            answer = method(*arguments)
        except (ValueError, IndexError, TypeError, OverflowError):
            refused += 1
            continue
        if type(answer) is type(state):
            state = answer
    return refused


# Of games whose default is large or long: a size at which every state can be looked at.
SMALL: dict[str, dict[str, Any]] = {"go": {"size": 6}, "pokemon": {"max_turns": 20}, "shogi": {"max_plies": 60}}


def main() -> int:
    where = _core.__file__ or ""
    if "sanitize" not in where:
        print(f"not the sanitized module: {where}", file=sys.stderr)
        return 2
    rng = random.Random(1)
    for name in names():
        game = tengen.game(name, **SMALL.get(name, {}))
        assert isinstance(game, NativeGame)
        print(check(game, games=2))
        print(f"  {hostile(game, rng, 20_000)} of 20000 hostile calls refused")
        for damaged in (b"", b"x" * 16, bytes(64)):
            state = type(game.core.start(0))
            with contextlib.suppress(ValueError):
                state.__new__(state).__setstate__(damaged)
    return 0


if __name__ == "__main__":
    sys.exit(main())
