"""Texts of Matgo's pictures that any machine can show: Korean letters are drawn as outlines, without a font."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.games.drawing import INK
from tengen.games.matgo.glyphs import GLYPHS, UNITS

if TYPE_CHECKING:
    from tengen.games.drawing import Canvas

__all__ = ["write"]

# From a line's middle down to the baseline, as Canvas.text() has it.
_DROP = 0.35


def write(
    canvas: Canvas,
    x: float,
    y: float,
    text: str,
    size: float,
    *,
    fill: str = INK,
    bold: bool = False,
    start: bool = False,
    where: str = "",
) -> None:
    """The text with its middle at (x, y), or with `start` its left end. `where` moves and scales it afterwards."""
    if text.isascii() or not GLYPHS.keys() >= set(text):
        more = {"font_weight": "bold"} if bold else {}
        more |= {"transform": where} if where else {}
        canvas.text(x, y, text, size, fill=fill, text_anchor="start" if start else "middle", **more)
        return
    scale = size / UNITS
    widths = [GLYPHS[letter][0] for letter in text]
    left = x if start else x - scale * sum(widths) / 2
    place = f"translate({left:.2f} {y + _DROP * size:.2f}) scale({scale:.5g} {-scale:.5g})"
    path = "".join(f"M{sum(widths[:i])} 0{GLYPHS[letter][1]}" for i, letter in enumerate(text))
    canvas.add("path", d=path, fill=fill, transform=f"{where} {place}".strip(), **{"aria-label": text})
