"""The board turned and mirrored: symmetry s flips it up and down (s & 1), left and right (s & 2), then swaps its axes
(s & 4, square boards only)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def count_symmetries(width: int, height: int) -> int:
    return 8 if width == height else 4


@lru_cache(maxsize=64)
def sources(width: int, height: int) -> NDArray[np.intp]:
    """[symmetries, points]: which point of the board comes to stand at each point of the turned one."""
    points = np.arange(width * height).reshape(height, width)
    turned = []
    for symmetry in range(count_symmetries(width, height)):
        board = points[::-1] if symmetry & 1 else points
        board = board[:, ::-1] if symmetry & 2 else board
        turned.append((board.T if symmetry & 4 else board).ravel())
    return np.stack(turned)


def check_symmetry(symmetry: int | NDArray[np.intp], rows: int, width: int, height: int) -> NDArray[np.intp]:
    """[rows]."""
    count = count_symmetries(width, height)
    each = np.broadcast_to(np.asarray(symmetry, np.intp), (rows,))
    if ((each < 0) | (each >= count)).any():
        raise ValueError(f"symmetry {symmetry} on a board of {width}x{height}, which has 0 … {count - 1}")
    return each


def turn(boards: NDArray[np.float32], symmetry: NDArray[np.intp]) -> NDArray[np.float32]:
    """Boards [rows, planes, height, width], each by its own symmetry."""
    if not symmetry.any():
        return boards
    rows, planes, height, width = boards.shape
    from_where = sources(width, height)[symmetry][:, None, :]
    return np.take_along_axis(boards.reshape(rows, planes, -1), from_where, axis=2).reshape(boards.shape)


def turn_back(points: NDArray[np.float32], symmetry: NDArray[np.intp], width: int, height: int) -> NDArray[np.float32]:
    """Of numbers [rows, …, points] about turned boards to those about the boards themselves."""
    if not symmetry.any():
        return points
    back = np.argsort(sources(width, height), axis=1)[symmetry]
    return np.take_along_axis(points, back.reshape(len(points), *[1] * (points.ndim - 2), -1), axis=-1)
