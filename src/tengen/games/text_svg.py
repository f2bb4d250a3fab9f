"""Drawing that games share."""

from __future__ import annotations

from html import escape

from tengen.games.drawing import INK, PAPER

__all__ = ["text_svg"]

_LINE_PX = 24
_LETTER_PX = 12


def text_svg(text: str) -> str:
    """A text in fixed-width letters as an SVG document."""
    lines = text.splitlines() or [""]
    width = _LETTER_PX * max(map(len, lines)) + 2 * _LETTER_PX
    height = _LINE_PX * (len(lines) + 1)
    rows = "".join(
        f'<text x="{_LETTER_PX}" y="{_LINE_PX * (i + 1)}" xml:space="preserve">{escape(line)}</text>'
        for i, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        # On a ground of its own, so that it can be read on dark pages too.
        f'font-family="monospace" font-size="20" fill="{INK}"><rect width="{width}" height="{height}" rx="8" '
        f'fill="{PAPER}"/>{rows}</svg>'
    )
