"""A hash of plain values that is the same in every process, unlike Python's own."""

from __future__ import annotations

import dataclasses
import enum
import hashlib

import numpy as np

from tengen.games.errors import GameError


def stable_hash(value: object) -> int:
    """64 bits of a value made of numbers, texts, tuples, sets, dictionaries, arrays, enums and dataclasses."""
    return int.from_bytes(hashlib.blake2b(_canonical(value).encode(), digest_size=8).digest(), "little")


def _canonical(value: object) -> str:
    # Exact types first: they are the most common, and repr() is safe for them.
    if value is None or type(value) in (int, str, bool, float, bytes):
        return repr(value)
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, tuple | list):
        return f"({','.join(map(_canonical, value))})"
    if isinstance(value, set | frozenset):
        return f"{{{','.join(sorted(map(_canonical, value)))}}}"
    if isinstance(value, dict):
        return f"{{{','.join(sorted(f'{_canonical(k)}:{_canonical(v)}' for k, v in value.items()))}}}"
    if isinstance(value, np.ndarray):
        return f"array({value.dtype},{value.shape},{value.tobytes().hex()})"
    if isinstance(value, np.generic):
        return repr(value.item())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = [_canonical(getattr(value, field.name)) for field in dataclasses.fields(value)]
        return f"{type(value).__name__}({','.join(fields)})"
    raise GameError(f"a {type(value).__name__} has no stable hash: write key(position), or use tuples of plain values")
