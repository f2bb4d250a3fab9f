"""Othello on a small board, a game written in Python whose learning benchmarks/time_to_strength.py measures."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tengen import Game

SYMMETRIES = 8


class Position(NamedTuple):
    discs: tuple[int, int]
    """The discs of each player as bits, row by row from the top left."""
    mover: int | None
    """The player to move, who has a legal move; None at the end of the game."""


class Othello(Game):
    """Enclose lines of the opponent's discs between two of your own to turn them; the most discs win. A player without
    a legal move is skipped, and the game ends when neither player has one."""

    title = "Othello"
    symmetry_count = SYMMETRIES

    def __init__(self, size: int = 6) -> None:
        if size not in (4, 6, 8):
            raise ValueError(f"size is {size} and must be 4, 6 or 8")
        self.size = size
        self.action_count = size * size
        self.shape = (2, size, size)
        cells = range(size * size)
        self._board = (1 << size * size) - 1
        not_left = sum(1 << cell for cell in cells if cell % size != 0)
        not_right = sum(1 << cell for cell in cells if cell % size != size - 1)
        # Per direction: the shift, to higher bits if positive, and the cells that a step may reach.
        self._steps = [
            (1, not_left),
            (-1, not_right),
            (size, self._board),
            (-size, self._board),
            (size + 1, not_left),
            (-size - 1, not_right),
            (size - 1, not_right),
            (1 - size, not_left),
        ]

    def initial(self, rng: random.Random) -> Position:  # noqa: ARG002
        low, high = self.size // 2 - 1, self.size // 2
        black = 1 << low * self.size + high | 1 << high * self.size + low
        white = 1 << low * self.size + low | 1 << high * self.size + high
        return Position((black, white), 0)

    def actor(self, position: Position) -> int | None:
        return position.mover

    def legal(self, position: Position, player: int) -> list[int]:
        moves = self._moves(position.discs[player], position.discs[1 - player])
        found = []
        while moves:
            lowest = moves & -moves
            found.append(lowest.bit_length() - 1)
            moves ^= lowest
        return found

    def apply(self, position: Position, action: int) -> Position:
        mover = position.mover
        assert mover is not None
        own, other = position.discs[mover], position.discs[1 - mover]
        turned = self._turned(own, other, action)
        own, other = own | turned | 1 << action, other & ~turned
        discs = (own, other) if mover == 0 else (other, own)
        if self._moves(other, own):
            return Position(discs, 1 - mover)
        return Position(discs, mover if self._moves(own, other) else None)

    def payoff(self, position: Position) -> tuple[int, int]:
        black, white = (discs.bit_count() for discs in position.discs)
        lead = (black > white) - (black < white)
        return lead, -lead

    def _moves(self, own: int, other: int) -> int:
        """Return the empty cells from which a line of the other player's discs leads to one of the own discs."""
        empty = self._board & ~(own | other)
        found = 0
        for step, reachable in self._steps:
            inner = other & reachable
            line = inner & _shifted(own, step)
            for _ in range(self.size - 3):
                line |= inner & _shifted(line, step)
            found |= _shifted(line, step) & reachable & empty
        return found

    def _turned(self, own: int, other: int, action: int) -> int:
        turned = 0
        for step, reachable in self._steps:
            line, cell = 0, _shifted(1 << action, step) & reachable
            while cell & other:
                line |= cell
                cell = _shifted(cell, step) & reachable
            if cell & own:
                turned |= line
        return turned

    def encode(self, position: Position, viewer: int) -> NDArray[np.float32]:
        width = (self.action_count + 7) // 8
        rows = [position.discs[player].to_bytes(width, "little") for player in (viewer, 1 - viewer)]
        bits = np.unpackbits(np.frombuffer(b"".join(rows), np.uint8).reshape(2, width), axis=1, bitorder="little")
        return bits[:, : self.action_count].astype(np.float32).reshape(self.shape)

    def transform(self, position: Position, symmetry: int) -> Position:
        black, white = (self._transform_discs(discs, symmetry) for discs in position.discs)
        return Position((black, white), position.mover)

    def _transform_discs(self, discs: int, symmetry: int) -> int:
        return sum(1 << self.transform_action(cell, symmetry) for cell in range(self.action_count) if discs >> cell & 1)

    def transform_action(self, action: int, symmetry: int) -> int:
        row, column = divmod(action, self.size)
        if symmetry & 1:
            column = self.size - 1 - column
        for _ in range(symmetry >> 1):
            row, column = column, self.size - 1 - row
        return self.size * row + column

    def transform_feature(self, feature: int, symmetry: int) -> int:
        plane, cell = divmod(feature, self.action_count)
        return plane * self.action_count + self.transform_action(cell, symmetry)

    def format_action(self, action: int) -> str:
        return "abcdefgh"[action % self.size] + str(1 + action // self.size)

    def draw_text(self, position: Position, viewer: int | None = None, color: bool = False) -> str:  # noqa: ARG002
        signs = ["X" if position.discs[0] >> i & 1 else "O" if position.discs[1] >> i & 1 else "." for i in self._cells]
        rows: list[Sequence[str]] = [signs[i : i + self.size] for i in range(0, self.action_count, self.size)]
        return "\n".join(" ".join(row) for row in rows)

    @property
    def _cells(self) -> range:
        return range(self.action_count)


def _shifted(bits: int, step: int) -> int:
    return bits << step if step > 0 else bits >> -step
