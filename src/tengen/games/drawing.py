"""What the games' drawings share: an SVG writer, the seats' colors, and colors and columns for terminals."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "CELL",
    "EDGE",
    "FAINT",
    "HIGHLIGHT",
    "INK",
    "PAPER",
    "SEAT_COLORS",
    "SEAT_NAMES",
    "SEAT_TINTS",
    "Canvas",
    "count_columns",
    "fixed_colors",
    "pad",
    "page_color",
    "paint_faint",
    "paint_seat",
]


def page_color(name: str, color: str) -> str:
    """A color that a page may set by its CSS variable --tengen-<name>, as dark pages do; else it is as given."""
    return f"var(--tengen-{name},{color})"


SEAT_NAMES = ("first", "second")
SEAT_COLORS = (page_color("seat-0", "#2468a8"), page_color("seat-1", "#cf5a24"))
SEAT_TINTS = (page_color("tint-0", "#cfe1f3"), page_color("tint-1", "#f9dccb"))
PAPER = page_color("paper", "#f6f3ec")
CELL = page_color("cell", "#ffffff")
EDGE = page_color("edge", "#cfc8b8")
INK = page_color("ink", "#33302a")
FAINT = page_color("faint", "#8d8677")
HIGHLIGHT = page_color("highlight", "#e0a800")

_PAGE_COLOR = re.compile(r"var\(--tengen-[\w-]+,([^()]*)\)")

_ANSI_SEATS = ("\x1b[1;34m", "\x1b[1;33m")
_ANSI_FAINT = "\x1b[2m"
_ANSI_OFF = "\x1b[0m"


def paint_seat(text: str, seat: int, color: bool) -> str:
    """The text in a seat's terminal color, or as it is when colors are off."""
    return f"{_ANSI_SEATS[seat]}{text}{_ANSI_OFF}" if color and text else text


def paint_faint(text: str, color: bool) -> str:
    return f"{_ANSI_FAINT}{text}{_ANSI_OFF}" if color and text else text


def count_columns(text: str) -> int:
    """Of a terminal: Korean and Japanese letters are two wide."""
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def pad(text: str, columns: int) -> str:
    return text + " " * (columns - count_columns(text))


def fixed_colors(svg: str) -> str:
    """The drawing with its own colors, for programs that know no CSS variables."""
    return _PAGE_COLOR.sub(r"\1", svg) if "var(--tengen-" in svg else svg


class Canvas:
    """Collects shapes into one self-contained SVG, a shape a line. Attributes are SVG's own, with underscores for
    hyphens."""

    def __init__(self, width: float, height: float, title: str, background: str = PAPER) -> None:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" role="img" font-family="Helvetica, Arial, sans-serif" fill="{INK}">'
        )
        self._parts = [head, f"<title>{_text(title)}</title>"]
        self.add("rect", width=width, height=height, rx=12, fill=background)

    def add(self, tag: str, content: str | None = None, /, **attributes: str | float) -> None:
        written = "".join([f' {name.replace("_", "-")}="{_value(value)}"' for name, value in attributes.items()])
        self._parts.append(f"<{tag}{written}/>" if content is None else f"<{tag}{written}>{_text(content)}</{tag}>")

    def add_lines(self, lines: Iterable[str]) -> None:
        """Shapes that another canvas has written."""
        self._parts.extend(lines)

    def lines(self) -> list[str]:
        """The shapes so far, without title and background."""
        return self._parts[3:]

    def rect(self, x: float, y: float, width: float, height: float, **attributes: str | float) -> None:
        self.add("rect", x=x, y=y, width=width, height=height, **attributes)

    def circle(self, x: float, y: float, radius: float, **attributes: str | float) -> None:
        self.add("circle", cx=x, cy=y, r=radius, **attributes)

    def text(self, x: float, y: float, content: str, size: float = 16, **attributes: str | float) -> None:
        """The text with its middle at (x, y), unless text_anchor says otherwise."""
        # A shift by em instead of dominant-baseline, which several renderers ignore.
        style: dict[str, str | float] = {"text_anchor": "middle", "dy": "0.35em"}
        self.add("text", content, x=x, y=y, font_size=size, **(style | attributes))

    def svg(self) -> str:
        return "\n".join([*self._parts, "</svg>\n"])


# Outlines, colors and labels are written again in every picture.
@lru_cache(maxsize=2048)
def _text(text: str) -> str:
    """On one line, whatever it holds."""
    return escape(text).replace("\n", "&#10;").replace("\r", "&#13;")


def _value(value: str | float) -> str:
    return _text(value) if isinstance(value, str) else f"{value:g}"
