"""What changed from one drawing to the next: lines out and lines in.

`Canvas` writes a shape a line, so few lines change with a move, and a page can leave all other shapes alone. A drawing
of another kind is sent whole.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Patch", "apply", "diff", "split_shapes"]

Patch: TypeAlias = "list[tuple[int, int, list[str]]]"
"""(line, how many go, lines that come in their place), the lines counted from 0 in the drawing before, ascending."""

_SHAPE = re.compile(r"<([a-z][\w-]*)(?: [^<>]*)?(?:/>|>[^<>]*</\1>)", re.IGNORECASE)


def split_shapes(svg: str) -> list[str] | None:
    """The drawing's lines, if each between the first, `<svg …>`, and the last, `</svg>`, is one whole shape. None: it
    is of another kind."""
    lines = svg.rstrip("\n").split("\n")
    is_framed = len(lines) >= 2 and lines[0].startswith("<svg ") and lines[0].endswith(">") and lines[-1] == "</svg>"
    return lines if is_framed and _are_shapes(lines[1:-1]) else None


def diff(before: str, after: str) -> Patch | None:
    """What makes `after` of `before`; None: they are no drawings of shapes, or little of them is the same."""
    old, new = split_shapes(before), split_shapes(after)
    # Another head or foot, such as another size, is another drawing.
    if old is None or new is None or old[0] != new[0] or _foot(before) != _foot(after):
        return None
    patch = [(start, stop - start, new[low:high]) for start, stop, low, high in _changes(old, new)]
    coming = sum(len(line) + 1 for _, _, lines in patch for line in lines)
    return patch if 2 * coming < len(after) else None


def apply(before: str, patch: Sequence[tuple[int, int, Sequence[str]]]) -> str:
    """The drawing after."""
    lines = before.split("\n")
    for start, count, coming in reversed(patch):
        lines[start : start + count] = coming
    return "\n".join(lines)


def _foot(svg: str) -> int:
    return len(svg) - len(svg.rstrip("\n"))


# Nearly all lines of a drawing were in the one before, and were looked at then.
_known_shapes: set[str] = set()
_MOST_KNOWN = 10_000


def _are_shapes(lines: Sequence[str]) -> bool:
    new = set(lines) - _known_shapes
    if not all(_SHAPE.fullmatch(line) for line in new):
        return False
    if len(_known_shapes) > _MOST_KNOWN:
        _known_shapes.clear()
    _known_shapes.update(new)
    return True


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """(start, stop) of what goes and of what comes. What is equal at both ends stays. In between, lines that each
    drawing has once keep their order where that keeps most of them; and between those again what is equal at both
    ends."""
    head = next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    most = min(len(old), len(new)) - head
    ends = zip(reversed(old), reversed(new), strict=False)
    foot = next((i for i, (a, b) in enumerate(ends) if a != b or i == most), most)
    inner = old[head : len(old) - foot], new[head : len(new) - foot]
    at = low = head
    anchors = ((line + head, place + head) for line, place in _anchors(*inner))
    for line, place in [*anchors, (len(old) - foot, len(new) - foot)]:
        start, stop, first, last = at, line, low, place
        while start < stop and first < last and old[start] == new[first]:
            start, first = start + 1, first + 1
        while start < stop and first < last and old[stop - 1] == new[last - 1]:
            stop, last = stop - 1, last - 1
        if start < stop or first < last:
            yield start, stop, first, last
        at, low = line + 1, place + 1


def _anchors(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """The longest rising chain of places of lines that both have once."""
    counts, other_counts = Counter(old), Counter(new)
    places = {line: place for place, line in enumerate(new)}
    pairs = [(i, places[line]) for i, line in enumerate(old) if counts[line] == 1 == other_counts.get(line)]
    ends: list[int] = []
    holders: list[int] = []
    before: list[int] = []
    for index, (_, place) in enumerate(pairs):
        length = bisect_left(ends, place)
        before.append(holders[length - 1] if length else -1)
        ends[length : length + 1] = [place]
        holders[length : length + 1] = [index]
    chain = []
    index = holders[-1] if holders else -1
    while index >= 0:
        chain.append(pairs[index])
        index = before[index]
    return chain[::-1]
