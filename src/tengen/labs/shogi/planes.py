"""What prophet and enforcer see and say: a plane for every single piece, many positions at once.

Input [148, 9, 9]: 74 slots, one a piece, in the order of SLOT_KINDS; of each a plane with the square where it stands
and one with the squares where it can go; 1 for the viewer's pieces, -1 for the opponent's. The board is turned so that
the viewer attacks upwards: rows from the top, columns from the left. The prophet's viewer has just moved, the
enforcer's is to move.

A kind and its promoted kind are numbered jointly: the viewer's pieces before the opponent's, of either those on the
board in reading order, then those in hand. A piece in hand stands nowhere and can go where it can be dropped. Whose
turn it is not, can go where it could after a pass.

Output [74, 9, 9]: an entry is a slot and the square that its piece goes to. A move that promotes is in the slot of the
promoted kind. So every legal move has its entry, and an entry is one move at most; of several equal pieces in hand the
first one's entry is the move's, and the others' mean the same.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tengen import _core
from tengen.games.shogi import WIN
from tengen.games.shogi.notation import format_usi

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tengen.games.shogi import Shogi

__all__ = [
    "ENTRIES",
    "PLANES",
    "SLOTS",
    "SLOT_KINDS",
    "LegalEntries",
    "actions_of",
    "encode",
    "entries_of",
    "legal_entries",
    "legal_targets",
    "mirrored",
    "mirrored_actions",
    "pack",
]

SLOT_KINDS = {
    "K": 2, "R": 2, "+R": 2, "B": 2, "+B": 2, "G": 4, "S": 4, "+S": 4,
    "N": 4, "+N": 4, "L": 4, "+L": 4, "P": 18, "+P": 18,
}  # fmt: skip
"""How many slots each kind has, in their order."""
SLOTS = sum(SLOT_KINDS.values())
PLANES = 2 * SLOTS
ENTRIES = SLOTS * 81


class LegalEntries(NamedTuple):
    """All legal moves of a batch, in the order of rows and actions; a drop once for each such piece in hand."""

    rows: NDArray[np.int32]
    actions: NDArray[np.int32]
    entries: NDArray[np.int32]


def pack(game: Shogi, positions: Sequence[Any]) -> NDArray[np.uint8]:
    """[positions, 96]: board, hands and side to move in bytes, which the functions here take. What repetition and the
    limit of plies need is not kept. A ValueError where a position has more pieces of a kind than there are slots."""
    return _core.prophet_pack(game.shogi, list(positions))


def encode(packed: NDArray[np.uint8], *, viewer_to_move: bool) -> NDArray[np.float32]:
    """[positions, 148, 9, 9]: for an enforcer the viewer is to move, for a prophet the viewer has just moved."""
    return _core.prophet_planes(packed, viewer_to_move)


def legal_entries(packed: NDArray[np.uint8]) -> LegalEntries:
    return LegalEntries(*_core.prophet_legal_entries(packed))


def legal_targets(packed: NDArray[np.uint8]) -> NDArray[np.float32]:
    """[positions, 5994]: 1 for every entry of a legal move."""
    legal = legal_entries(packed)
    targets = np.zeros((len(packed), ENTRIES), np.float32)
    targets[legal.rows, legal.entries] = 1
    return targets


def entries_of(packed: NDArray[np.uint8], actions: NDArray[np.int32]) -> NDArray[np.int32]:
    """Where the enforcer writes a legal action, one a position."""
    return _core.prophet_entries(packed, actions)


def actions_of(packed: NDArray[np.uint8], entries: NDArray[np.int32]) -> NDArray[np.int32]:
    """The pair of entries_of(); -1 where an entry is no legal move."""
    return _core.prophet_actions(packed, entries)


def mirrored(packed: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Left and right exchanged: what is legal and who wins stays the same."""
    turned = packed.copy()
    turned[:, :81] = packed[:, :81].reshape(-1, 9, 9)[:, ::-1].reshape(-1, 81)
    return turned


@functools.cache
def mirrored_actions() -> NDArray[np.int32]:
    """[actions]: what each move is when left and right are exchanged."""
    swap = str.maketrans("123456789", "987654321")
    names = [format_usi(action) for action in range(WIN)]
    numbers = {name: action for action, name in enumerate(names)}
    return np.array([numbers[name.translate(swap)] for name in names], np.int32)
