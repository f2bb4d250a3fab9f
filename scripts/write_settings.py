"""Writes what follows from core/search/settings.inc, by way of the compiled core: the fields of
tengen.search.SearchSettings and the table of settings in docs/search.md.

    python scripts/write_settings.py
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

from tengen import _core

ROOT = Path(__file__).parent.parent
DEFAULTS = _core.SearchSettings()
NAMES = [name for name, value in vars(_core.SearchSettings).items() if isinstance(value, property)]


def fields() -> str:
    lines = []
    for name in NAMES:
        default, choices = getattr(DEFAULTS, name), _core.SearchSettings.choices(name)
        kind = "float | None" if default is None else type(default).__name__
        if choices:
            kind = f"Literal[{', '.join(quoted(choice) for choice in choices)}]"
        lines.append(f"    {name}: {kind} = {quoted(default)}\n")
        text = documentation(name)
        lines.append(textwrap.indent(textwrap.fill(f'"""{text[0].upper()}{text[1:]}."""', 116), "    ") + "\n")
    return "".join(lines)


def table() -> str:
    rows = (f"| `{name}` | {quoted(getattr(DEFAULTS, name))} | {documentation(name)} |\n" for name in NAMES)
    return "".join(["| setting | default | |\n|---|---|---|\n", *rows])


def documentation(name: str) -> str:
    return str(getattr(_core.SearchSettings, name).__doc__)


def quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


# The file, what is written, and what is replaced by it.
WRITTEN = (
    ("src/tengen/search/settings.py", fields, r"(?<=writes these fields\.\n\n)(?:    .*\n)+(?=\n    def )"),
    ("docs/search.md", table, r"\| setting \| default \| \|\n(?:\|.*\n)+"),
)


def outdated() -> dict[Path, str]:
    """Files that do not say what follows, and their text as it should be."""
    found = {}
    for name, write, place in WRITTEN:
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        fresh, count = re.subn(place, write().replace("\\", r"\\"), text)
        if count != 1:
            raise ValueError(f"{name} has {count} places for what is written, and must have one")
        if fresh != text:
            found[path] = fresh
    return found


if __name__ == "__main__":
    for path, text in outdated().items():
        path.write_text(text, encoding="utf-8")
