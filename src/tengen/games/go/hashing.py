"""The 128-bit hashes of positions that KataGo reports, so that programs can tell positions apart by them.

Its tables come from random numbers that are fixed for all time by their seeds: a PCG and an xorshift generator added
up, both seeded from SHA-256 of a text.
"""

from __future__ import annotations

import hashlib
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["format_hash", "position_hash", "symmetric_hash"]

_WORD = 2**64 - 1
_SIDE = 19


def _seeds(text: str) -> Iterator[int]:
    digest = int.from_bytes(hashlib.md5(text.encode(), usedforsecurity=False).digest()[:4], "little")
    counter = 0
    while True:
        block = hashlib.sha256(f"{counter}|{digest}|{text}".encode()).digest()
        counter += 37
        for start in range(0, 32, 8):
            word = int.from_bytes(block[start : start + 8], "big")
            if word:
                yield word


def _words(text: str) -> Iterator[int]:
    """32 bits at a time."""
    seeds = _seeds(text)
    shift = [next(seeds) for _ in range(16)]
    linear = next(seeds)
    place = 0
    while True:
        linear = (linear * 6364136223846793005 + 1442695040888963407) & _WORD
        mixed = (((linear >> 18) ^ linear) >> 27) & 0xFFFFFFFF
        turn = linear >> 59
        first = ((mixed >> turn) | (mixed << (32 - turn))) & 0xFFFFFFFF
        old = shift[place]
        place = (place + 1) % 16
        new = shift[place]
        new ^= (new << 31) & _WORD
        new ^= new >> 11
        shift[place] = new ^ old ^ (old >> 30)
        second = ((shift[place] * 1181783497276652981) & _WORD) >> 32
        yield (first + second) & 0xFFFFFFFF


def _hashes(text: str) -> Callable[[], int]:
    """128 bits at a time, the first 64 in front."""
    words = _words(text)

    def long() -> int:
        low = next(words)
        return low | next(words) << 32

    def both() -> int:
        front = long()
        return front << 64 | long()

    return both


@cache
def _tables() -> tuple[list[int], list[list[int]], list[int], list[int], list[int]]:
    """By player (black 1, white 2), by place and color, by place of a ko, by width and by height."""
    draw = _hashes("Board::initHash()")
    players = [draw() for _ in range(4)]
    for _ in range(3):
        draw()  # of clean-up phases
    stones, kos = [], []
    for _ in range((_SIDE + 1) * (_SIDE + 2) + 1):
        row = [0, 0, 0]
        for color in (1, 2):
            row[color] = draw()
            draw()  # of marks that stones carry there
        stones.append(row)
        kos.append(draw())
    draw = _hashes("Board::initHash() for ZOBRIST_SIZE hashes")
    sizes = [(draw(), draw()) for _ in range(_SIDE + 1)]
    return players, stones, kos, [x for x, _ in sizes], [y for _, y in sizes]


def position_hash(width: int, height: int, colors: Sequence[int], player: int, ko: int | None) -> int:
    """Of stones (by cell from the top left: 0 empty, 1 black, 2 white), who is to move (1 or 2) and a ko's cell."""
    players, stones, kos, widths, heights = _tables()
    result = widths[width] ^ heights[height] ^ players[player]
    for cell, color in enumerate(colors):
        if color:
            result ^= stones[_place(cell, width)][color]
    if ko is not None:
        result ^= kos[_place(ko, width)]
    return result


def symmetric_hash(width: int, height: int, colors: Sequence[int], player: int, ko: int | None) -> int:
    """The same number for all positions that turn into each other."""
    found = []
    for symmetry in range(8):
        to, wide, high = _turn(width, height, symmetry)
        transformed = [0] * len(colors)
        for cell, color in enumerate(colors):
            transformed[to[cell]] = color
        found.append(position_hash(wide, high, transformed, player, None if ko is None else to[ko]))
    return min(found, key=format_hash)


@cache
def _turn(width: int, height: int, symmetry: int) -> tuple[list[int], int, int]:
    """Where cells go, and the board's sides afterwards: bits flip rows, columns, then swap them."""
    wide, high = (height, width) if symmetry & 4 else (width, height)
    to = []
    for cell in range(width * height):
        y, x = divmod(cell, width)
        if symmetry & 1:
            y = height - 1 - y
        if symmetry & 2:
            x = width - 1 - x
        if symmetry & 4:
            x, y = y, x
        to.append(y * wide + x)
    return to, wide, high


def _place(cell: int, width: int) -> int:
    y, x = divmod(cell, width)
    return (y + 1) * (width + 1) + x + 1


def format_hash(value: int) -> str:
    """The low half comes first, as KataGo prints it."""
    return f"{value & _WORD:016X}{value >> 64:016X}"
