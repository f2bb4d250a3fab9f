"""What conformance asks of drawings that are shown on a page, and of what can be touched there. Each answers what is
wrong, or nothing."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import xml.etree.ElementTree as ET
    from collections.abc import Mapping, Sequence

    from tengen.games.spots import Spot

__all__ = ["drawing_fault", "spots_fault", "touches_fault"]

_ACTIVE = {"script", "style", "foreignobject", "iframe", "object", "embed", "handler", "listener"}
_DECLARATION = re.compile(r"<!(?!--)|<\?(?!xml )", re.IGNORECASE)
_OUTSIDE_URL = re.compile(r"url\(\s*['\"]?(?!#)", re.IGNORECASE)
# Numbers of a drawing are written with six digits.
_ROUNDING = 0.01


def drawing_fault(svg: str, root: ET.Element) -> str:
    """A drawing goes into pages: nothing in it runs, and nothing is fetched."""
    if _DECLARATION.search(svg):
        return "the drawing has a declaration or processing instruction, which a page need not read"
    for element in root.iter():
        tag = element.tag.rpartition("}")[2]
        if tag.lower() in _ACTIVE:
            return f"the drawing has a <{tag}>: use shapes and their attributes"
        for name, value in element.attrib.items():
            plain = name.rpartition("}")[2].lower()
            if plain.startswith("on") or plain == "style":
                return f"the drawing has an attribute {plain!r} in <{tag}>: use SVG's own, such as fill"
            if (plain in ("href", "src") and not value.startswith("#")) or _OUTSIDE_URL.search(value):
                return f"the drawing refers to something outside of it in <{tag}>: {value[:60]!r}"
    return ""


def spots_fault(spots: Sequence[Spot], box: Sequence[str]) -> str:
    """They lie inside of the drawing, whose viewBox is given, and are told apart."""
    ids = [spot.id for spot in spots]
    if len(set(ids)) != len(ids):
        return f"two spots are called {next(name for name in ids if ids.count(name) > 1)!r}"
    for spot in spots:
        if not _is_name(spot.id):
            return f"a spot has the id {spot.id!r}: expected a text on one line, without space around it"
        if not isinstance(spot.label, str) or "\n" in spot.label:
            return f"the label of the spot {spot.id!r} is {spot.label!r}: expected a text on one line"
    if not spots:
        return ""
    if len(box) != 4:
        return "there are spots, but the drawing has no viewBox that they could lie in"
    left, top, width, height = map(float, box)
    for spot in spots:
        half_x, half_y = spot.width / 2, spot.height / 2
        is_inside = (
            all(math.isfinite(value) for value in (spot.x, spot.y, half_x, half_y))
            and half_x > 0 < half_y
            and left - _ROUNDING <= spot.x - half_x
            and spot.x + half_x <= left + width + _ROUNDING
            and top - _ROUNDING <= spot.y - half_y
            and spot.y + half_y <= top + height + _ROUNDING
        )
        if not is_inside:
            return f"the spot {spot.id!r} does not lie inside of the drawing: {spot}, {width:g} by {height:g}"
    return ""


def touches_fault(touches: Mapping[int, Sequence[str]]) -> str:
    """Touching all that an action has leaves it alone: none has what another has, and more."""
    holders: dict[str, set[int]] = {}
    for action, parts in touches.items():
        if isinstance(parts, str) or not parts or not all(map(_is_name, parts)) or len(set(parts)) != len(parts):
            return f"touches({action}) are {parts!r}: expected different texts, one or more, each on one line"
        for part in parts:
            holders.setdefault(part, set()).add(action)
    for action, parts in touches.items():
        both = set.intersection(*sorted((holders[part] for part in parts), key=len)) - {action}
        if both:
            other = min(both)
            return f"touches({other}), {tuple(touches[other])}, have all that touches({action}) have, {tuple(parts)}"
    return ""


def _is_name(text: object) -> bool:
    return isinstance(text, str) and text == text.strip() != "" and "\n" not in text
