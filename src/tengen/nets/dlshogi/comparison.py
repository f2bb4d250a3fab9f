"""What networks in dlshogi's format see, held against what dlshogi's own code makes of the same positions."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen import _core
from tengen.games.shogi import Shogi, start_from_usi
from tengen.nets.dlshogi.files import BOARD_PLANES, find_ports
from tengen.nets.golden import check_labels, read_positions
from tengen.nets.importers import Comparison, Difference

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["compare"]


def compare(path: Path | None, reference: Path) -> Comparison:
    """Inputs and labels; files of dlshogi's have no answers. With a network, the form of its hands alone."""
    _, positions = read_positions(reference, "features1_b64")
    forms = {"features2": False, "features2_entering": True}
    if path is not None:
        entering = find_ports(path).entering
        forms = {name: each for name, each in forms.items() if each == entering}
    found = {name: Difference(name) for name in ("input1", *forms, "labels of moves")}
    game = Shogi()
    for position in positions:
        state, name = start_from_usi(game, position["sfen"]), str(position["id"])
        for field, entering in forms.items():
            board, hands = _core.dlshogi_inputs_of_states([state.position], entering)
            found["input1"] = found["input1"].seen(_difference(board[0].reshape(-1, 81), _board(position)), name)
            wanted = np.array([[float(each)] * 81 for each in position[field]], np.float32)
            found[field] = found[field].seen(_difference(hands[0].reshape(-1, 81), wanted), name)
        wrong = check_labels(state, position["labels"])
        found["labels of moves"] = found["labels of moves"].seen(wrong, name)
    return Comparison(len(positions), 0, tuple(found.values()), ())


def _board(position: Mapping[str, Any]) -> NDArray[np.float32]:
    packed = np.frombuffer(base64.b64decode(position["features1_b64"]), np.uint8)
    bits = np.unpackbits(packed, bitorder="little")[: BOARD_PLANES * 81]
    return bits.reshape(BOARD_PLANES, 81).astype(np.float32)


def _difference(ours: NDArray[np.float32], theirs: NDArray[np.float32]) -> float:
    return float(np.abs(ours - theirs).max()) if ours.shape == theirs.shape else float("inf")
