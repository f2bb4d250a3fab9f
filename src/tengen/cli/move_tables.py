"""Moves as tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["group_moves", "moves_table", "named_moves_table"]


def group_moves(names: Sequence[str]) -> list[tuple[str, str]]:
    """Many names on few lines: by first word, then those with the same endings together.

    `arrow a1 up`, `arrow a1 down`, `arrow b1 up`, `arrow b1 down` become ("arrow", "a1 b1 · up down").
    """
    groups: dict[str, dict[str, list[str]]] = {}
    for name in names:
        head, _, rest = name.partition(" ")
        head, rest = (head, rest) if rest else ("", head)
        middle, _, ending = rest.partition(" ")
        groups.setdefault(head, {}).setdefault(middle, []).append(ending)
    lines = []
    for head, middles in groups.items():
        by_endings: dict[tuple[str, ...], list[str]] = {}
        for middle, endings in middles.items():
            by_endings.setdefault(tuple(endings), []).append(middle)
        for shared, together in by_endings.items():
            ending = f" · {' '.join(shared)}" if any(shared) else ""
            lines.append((head, " ".join(together) + ending))
    return lines


def named_moves_table(plain: Sequence[str], names: Sequence[str]) -> Table:
    """Where moves have a name in the position beside their own."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for short, name in zip(plain, names, strict=True):
        table.add_row(Text(f"  {short}"), Text(name))
    return table


def moves_table(names: Sequence[str]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    last = None
    for head, line in group_moves(names):
        table.add_row(Text(f"  {head}" if head != last else ""), Text(line))
        last = head
    return table
