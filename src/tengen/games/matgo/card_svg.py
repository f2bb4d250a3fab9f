"""Hwatu cards as SVG shapes. A card is 40 wide and 62 high before it is scaled."""

from __future__ import annotations

from functools import lru_cache
from math import cos, pi, sin

from tengen.games.drawing import Canvas
from tengen.games.matgo.cards import FIRST_BONUS, kind_of, pi_value, ribbon_set
from tengen.games.matgo.lettering import write
from tengen.games.matgo.translation import MatgoTranslation

__all__ = ["HEIGHT", "WIDTH", "draw_back", "draw_card"]

WIDTH = 40
HEIGHT = 62

_FACE = "#fdf8ea"
_RED = "#c8322b"
_BLUE = "#2f4f9e"
_GREEN = "#2f7d4f"
_DARK = "#3c3a42"
_BROWN = "#8a5a2b"
_GOLD = "#e0a93a"
_WHITE = "#ffffff"


def _disc(x: float, y: float, radius: float) -> str:
    r = f"{radius:g}"
    return f"M{x - radius:g},{y:g}a{r},{r} 0 1 0 {2 * radius:g},0a{r},{r} 0 1 0 {-2 * radius:g},0Z"


def _discs(*places: tuple[float, float, float]) -> str:
    return "".join(_disc(*place) for place in places)


def _petals(x: float, y: float, count: int, reach: float, radius: float) -> str:
    turns = [2 * pi * i / count - pi / 2 for i in range(count)]
    return "".join(_disc(round(x + reach * cos(t), 2), round(y + reach * sin(t), 2), radius) for t in turns)


def _fan(x: float, y: float, radius: float) -> str:
    return f"M{x - radius:g},{y:g}A{radius:g},{radius:g} 0 0 1 {x + radius:g},{y:g}Z"


def _leaf(x: float, y: float, size: float) -> str:
    """A maple leaf: five points around its stem."""
    points = []
    for i in range(10):
        reach = size if i % 2 == 0 else size * 0.45
        points.append(f"{x + reach * sin(pi * i / 5):.1f},{y - reach * cos(pi * i / 5):.1f}")
    return f"M{'L'.join(points)}Z"


def _drops(x: float, top: float, count: int) -> str:
    return "".join(_disc(x + (2 if i % 2 else -2), top + 5 * i, 2.6 - 0.15 * i) for i in range(count))


_Shapes = tuple[tuple[str, str], ...]

# What grows in each month: (color, path).
_PLANTS: tuple[_Shapes, ...] = (
    ((_GREEN, _fan(13, 56, 11) + _fan(27, 56, 11) + _fan(20, 47, 12)), (_BROWN, "M18,56h4v4h-4Z")),
    (
        (_BROWN, "M6,58L30,34L32,36L9,60Z"),
        ("#d4475f", _petals(13, 46, 5, 4, 3) + _petals(28, 50, 5, 4, 3)),
        (_GOLD, _discs((13, 46, 1.8), (28, 50, 1.8))),
    ),
    (
        ("#f0a3b5", _petals(12, 50, 5, 4.5, 3.4) + _petals(28, 50, 5, 4.5, 3.4) + _petals(20, 40, 5, 4, 3)),
        (_RED, _discs((12, 50, 1.6), (28, 50, 1.6), (20, 40, 1.5))),
    ),
    (("#4b4266", _drops(11, 34, 5) + _drops(20, 30, 6) + _drops(29, 34, 5)),),
    (
        (_GREEN, "M12,60L10,34L14,60ZM28,60L31,36L25,60ZM19,60L20,40L22,60Z"),
        ("#5b5bb5", _petals(20, 40, 3, 4.5, 3.6) + _petals(11, 46, 3, 3.5, 2.8)),
    ),
    (
        (_GREEN, _discs((10, 55, 4), (30, 55, 4))),
        ("#c43c4a", _petals(20, 49, 6, 6, 4)),
        ("#ef8d94", _disc(20, 49, 4)),
    ),
    (("#b0483f", _drops(11, 36, 5) + _drops(20, 33, 5) + _drops(29, 36, 5)), (_GREEN, "M5,60h30v2h-30Z")),
    ((_DARK, "M1,61V52C10,36 30,36 39,52V61Z"),),
    (
        (_GOLD, _petals(13, 49, 9, 5.5, 2.4) + _petals(28, 45, 9, 5.5, 2.4)),
        (_GREEN, "M12,61h2v-5h-2ZM27,61h2v-9h-2Z"),
        ("#b9791f", _discs((13, 49, 2.2), (28, 45, 2.2))),
    ),
    ((_RED, _leaf(13, 50, 9)), ("#e07b2c", _leaf(28, 45, 9))),
    ((_DARK, _petals(20, 52, 3, 7, 6)), ("#7d5a9e", _drops(20, 28, 4) + _drops(12, 32, 3) + _drops(28, 32, 3))),
    ((_DARK, "M4,28L6,28L12,60L10,60ZM14,28L16,28L22,60L20,60ZM24,28L26,28L32,60L30,60Z"),),
)

_BIRD = "M8,24C14,14 24,14 27,19L34,17L28,23C24,30 14,29 8,24Z"
# Who lives there: the animals and things of the gwang and yeol cards.
_FIGURES: dict[int, _Shapes] = {
    0: (
        (_RED, _disc(29, 14, 7)),
        (_WHITE, "M7,34C12,22 22,20 25,26L31,20L27,30C22,38 12,38 7,34Z"),
        (_DARK, _disc(30, 20, 2)),
    ),
    4: (("#a9a13b", _BIRD), (_DARK, _disc(25, 19, 1.2))),
    8: ((_RED, "M3,14H37V30C31,26 27,32 20,28C13,32 9,26 3,30Z"), (_WHITE, "M3,18H37V20H3ZM3,23H37V25H3Z")),
    12: (("#6b6f7d", _BIRD), (_RED, _disc(32, 9, 4))),
    16: ((_BROWN, "M3,26L15,18L25,24L37,16V21L25,29L15,23L3,31Z"),),
    20: (
        (_GOLD, _discs((13, 18, 4), (19, 18, 4), (23, 28, 3.5), (28, 28, 3.5))),
        (_DARK, "M15.5,14h1v9h-1ZM25,24.5h1v8h-1Z"),
    ),
    24: ((_DARK, "M7,27C9,16 27,14 34,22L36,27L30,28V32H26V28H14V32H10V28Z"),),
    28: ((_RED, "M1.5,1.5H38.5V44H1.5Z"), (_WHITE, _disc(20, 22, 12)), (_DARK, "M1,61V52C10,36 30,36 39,52V61Z")),
    29: ((_DARK, "M6,14L12,18L18,14L12,21ZM18,24L24,28L30,24L24,31ZM24,10L29,14L34,10L29,17Z"),),
    32: ((_RED, "M11,18H29L26,30H14Z"), (_GOLD, "M16,21H24V27H16Z")),
    36: ((_BROWN, "M8,20H24L28,12L32,14L28,22V33H25V26H12V33H9Z"), (_DARK, "M29,12L27,6H28L31,12Z")),
    40: (
        (_RED, "M6,22C12,10 22,8 26,14L36,8L30,20C34,24 26,28 20,24C16,30 8,28 6,22Z"),
        (_GOLD, _discs((12, 20, 2), (18, 16, 2))),
    ),
    44: ((_RED, "M8,18C12,8 28,8 32,18Z"), (_DARK, "M19.5,18h1v14h-1Z"), ("#6b6f7d", "M14,24h12l3,12h-18Z")),
    45: (("#7b5a2c", _BIRD), (_RED, _disc(25, 19, 1.6))),
}
_RIBBON = "M12,8L27,5L30,46L15,49Z"
# What is written on the ribbons of hong, for who does not read the letters.
_POEM = "M19,14q4,3 1,6q-3,3 1,6q4,3 1,6q-2,3 1,6"


def draw_card(
    canvas: Canvas, words: MatgoTranslation, card: int, x: float, y: float, scale: float = 1, edge: str = "#7a2a20"
) -> None:
    """The card with its upper left corner at (x, y)."""
    canvas.add_lines(_card_lines(words.lang, card, x, y, scale, edge))


# Most cards lie where they lay in the picture before.
@lru_cache(maxsize=1024)
def _card_lines(lang: str, card: int, x: float, y: float, scale: float, edge: str) -> tuple[str, ...]:
    canvas, words = Canvas(WIDTH, HEIGHT, ""), MatgoTranslation(lang)
    where = f"translate({x:g} {y:g}) scale({scale:g})"
    canvas.add(
        "rect", width=WIDTH, height=HEIGHT, rx=4, fill="#d9c3ec" if card >= FIRST_BONUS else _FACE, stroke=edge,
        stroke_width=1.6 if edge == "#7a2a20" else 3, transform=where,
    )  # fmt: skip

    def mark(text: str, x: float, y: float, size: float, fill: str = _WHITE) -> None:
        write(canvas, x, y, text, size, fill=fill, bold=True, where=where)

    if card >= FIRST_BONUS:
        mark(words("bonus"), 20, 18, 10, "#5a3a78")
        mark(words("pi {count}", count=pi_value(card)), 20, 40, 15, "#5a3a78")
        return tuple(canvas.lines())
    for fill, path in (*_PLANTS[card // 4], *_FIGURES.get(card, ())):
        canvas.add("path", d=path, fill=fill, transform=where)
    kind = kind_of(card)
    if kind == "ribbon":
        trio = ribbon_set(card)
        canvas.add("path", d=_RIBBON, fill=_BLUE if trio == "청" else _RED, transform=where)
        if words.lang == "ko" and trio in "홍청":
            mark(trio, 20.5, 20, 11)
            mark("단", 21.5, 34, 11)
        elif trio == "홍":
            canvas.add("path", d=_POEM, fill="none", stroke=_WHITE, stroke_width=1.6, transform=where)
    elif kind == "gwang":
        canvas.add("path", d=_disc(32, 54, 6.5), fill=_RED, transform=where)
        mark("光", 32, 54, 9)
    elif pi_value(card) == 2:
        canvas.add("path", d=_disc(31, 53, 7), fill="#5a3a78", transform=where)
        mark("쌍" if words.lang == "ko" else "2", 31, 53, 9)
    canvas.add("path", d=_disc(7, 8, 6), fill=_WHITE, fill_opacity=0.85, transform=where)
    mark(str(card // 4 + 1), 7, 8, 9, _DARK)
    return tuple(canvas.lines())


def draw_back(canvas: Canvas, x: float, y: float, scale: float = 1) -> None:
    where = f"translate({x:g} {y:g}) scale({scale:g})"
    canvas.add(
        "rect", width=WIDTH, height=HEIGHT, rx=4, fill="#a8322c", stroke="#7a2a20", stroke_width=1.6, transform=where
    )
    canvas.add("path", d="M6,6H34V56H6Z", fill="none", stroke="#f2d8b8", stroke_opacity=0.6, transform=where)
