"""One random game with every answer of its rules written out. A change in rules shows as a difference in this text."""

from __future__ import annotations

import hashlib
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from tengen.games.base import Game
    from tengen.games.state import Played, State

_FACTS = (
    "title",
    "players",
    "action_count",
    "hidden",
    "chance",
    "simultaneous",
    "zero_sum",
    "shape",
    "payoff_scale",
    "aux_count",
    "symmetry_count",
    "has_heuristic",
)
# Facts that the text calls by another name.
_WRITTEN = {"aux_count": "extra_count"}
# A plane with more cells is written as a hash.
_LARGEST_PLANE = 64


def playthrough(game: Game, seed: int = 0, limit: int = 60) -> str:
    """Of a longer game the first `limit` states and the last are written."""
    rng = random.Random(seed)
    lines = [repr(game), *(f"{_WRITTEN.get(fact, fact)}: {getattr(game, fact)}" for fact in _FACTS), f"seed: {seed}"]
    state = game.start(seed)
    number = 0
    while True:
        if number < limit or state.is_over:
            lines += ["", f"# State {number}", *_describe(state)]
        if state.is_over:
            return "\n".join(line.rstrip() for line in lines) + "\n"
        played = _draw(state, rng)
        state = state.play(played)
        number += 1
        if number <= limit:
            lines += ["", f"play({played!r})  # {state.names[-1]}"]


def _draw(state: State, rng: random.Random) -> Played:
    if state.actor == "chance":
        return state.outcome(rng.getrandbits(32))
    if state.actor == "all":
        return tuple(rng.choice(state.legal(player)) for player in range(state.game.players))
    return rng.choice(state.legal())


def _describe(state: State) -> list[str]:
    game = state.game
    lines = [*str(state).splitlines(), f"actor: {state.actor!r}", f"key: {state.key:016x}"]
    if state.actor == "all":
        for player in range(game.players):
            lines += _choices(f"legal({player})", state.legal(player), map(game.name, state.legal(player)))
    elif state.actor is not None:
        name = game.format_outcome if state.actor == "chance" else game.format_action
        lines += _choices("legal()", state.legal(), map(name, state.legal()))
        if game.has_heuristic:
            lines.append(f"heuristic: {_numbers(state.heuristic or ())}")
    else:
        lines += [f"payoffs: {_numbers(state.payoffs)}", f"final_extras: {_numbers(state.final_aux)}"]
    for viewer in range(game.players):
        lines += _view(state, viewer)
    return [*lines, f"svg(): {_hash(state.svg())}"]


def _choices(what: str, actions: list[int], names: Iterable[str]) -> list[str]:
    return [f"{what}: {' '.join(map(str, actions))}", f"  names: {', '.join(names)}"]


def _view(state: State, viewer: int) -> list[str]:
    game = state.game
    lines = [f"view_key({viewer}): {state.view_key(viewer):016x}"]
    if game.hidden:
        dealt = state.redeal(viewer, seed=1)
        lines += [f"text({viewer}):", *(f"  {line}" for line in state.text(viewer).splitlines())]
        lines.append(f"redeal({viewer}, 1).key: {dealt.key:016x}")
    if game.shape[1:] == (1, 1):
        lines.append(f"encode({viewer}): {_numbers(state.encode(viewer).ravel())}")
    elif any(game.shape):
        lines.append(f"encode({viewer}):")
        lines += [f"  {i}: {_plane(plane)}" for i, plane in enumerate(state.encode(viewer))]
    return lines


def _plane(plane: NDArray[np.float32]) -> str:
    if (plane == plane.flat[0]).all():
        return f"all {plane.flat[0]:.6g}"
    if plane.size > _LARGEST_PLANE:
        return f"sum {float(plane.sum()):.6g}, {_hash(plane.tobytes().hex())}"
    return " / ".join(_numbers(row) for row in plane)


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{float(value):.6g}" for value in values)


def _hash(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
