"""Files of positions with the inputs and outputs of another program's network."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tengen._decompress import gunzip, is_gzip

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
    """Return the metadata and the positions of a JSON file, compressed or not. Every position must have the field."""
    try:
        data = path.read_bytes()
        found = json.loads(gunzip(data) if is_gzip(data) else data)
    except (OSError, ValueError, RecursionError) as error:
        raise GoldenError(f"{path} can't be read: {error}") from error
    positions = found.get("positions") if isinstance(found, dict) else None
    if not isinstance(positions, list) or not positions or not all(field in each for each in positions):
        raise GoldenError(f"{path} has no positions with {field!r}")
    return dict(found.get("meta", {})), positions


def check_labels(state: State, wanted: Mapping[str, int], order: NDArray[np.int64] | None = None) -> int:
    """Return the number of legal moves with another label, or that only one side calls legal. `order` maps the game's
    labels to those of the program."""
    ours: dict[str, int] = {}
    for action in state.legal():
        label = state.game.policy_index(state.position, action)
        if label >= 0:
            ours[state.game.name(action)] = label if order is None else int(order[label])
    return len(ours.items() ^ dict(wanted).items())
