"""Files in which a program shows positions, what its network sees of them and what it answers."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from tengen.games import State

__all__ = ["GoldenError", "check_labels", "read_positions"]


class GoldenError(ValueError):
    """A file that holds no positions of the kind that was expected."""


def read_positions(path: Path, field: str) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What the file says of itself, and its positions, which must have the field: JSON, compressed or not."""
    try:
        data = path.read_bytes()
        found = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    except (OSError, EOFError, ValueError) as error:
        raise GoldenError(f"{path} can't be read: {error}") from error
    positions = found.get("positions") if isinstance(found, dict) else None
    if not isinstance(positions, list) or not positions or not all(field in each for each in positions):
        raise GoldenError(f"{path} has no positions with {field!r}")
    return dict(found.get("meta", {})), positions


def check_labels(state: State, wanted: Mapping[str, int], order: NDArray[np.int64] | None = None) -> int:
    """How many legal moves are labelled otherwise, or are legal only here or there. `order` tells where the program has
    each label of the game's."""
    ours: dict[str, int] = {}
    for action in state.legal():
        label = state.game.policy_index(state.position, action)
        if label >= 0:
            ours[state.game.name(action)] = label if order is None else int(order[label])
    return len(ours.items() ^ dict(wanted).items())
