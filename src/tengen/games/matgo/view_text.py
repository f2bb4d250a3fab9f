"""What a seat sees of a round, as a text of lines `name: value` or as a mapping."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from tengen.games.errors import NotationError
from tengen.games.matgo.cards import CODES, cards_in, parse_card

if TYPE_CHECKING:
    from tengen import _core

__all__ = ["FIELDS", "UNKNOWN", "View", "describe", "format_lines", "read_fields"]

View: TypeAlias = str | Mapping[str, Any]
Kind: TypeAlias = Literal["cards", "unknown cards", "months", "number", "flag", "word"]

UNKNOWN: Final = -1
"""A card that was drawn and not seen, in `turned`."""
_ENTRY = 200
"""Characters of a faulty value that an error repeats."""
_FLAGS = {"yes": True, "true": True, "no": False, "false": False}


@dataclass(frozen=True)
class Field:
    kind: Kind
    default: Any = None
    """Where it is not given; None: it follows from the others."""
    low: int = 0
    high: int = 0
    words: tuple[str, ...] = ()


def _each(prefix: str) -> dict[str, Field]:
    """What is to be told of both players."""
    return {
        f"{prefix}captured": Field("cards", ()),
        f"{prefix}shown": Field("cards", ()),
        f"{prefix}played": Field("cards", ()),
        f"{prefix}shaken": Field("months", ()),
        f"{prefix}piles": Field("months", ()),
        f"{prefix}gos": Field("number", 0, high=10),
        f"{prefix}last_go": Field("number", high=100),
        f"{prefix}ppuks": Field("number", 0, high=2),
        f"{prefix}bombs": Field("number", 0, high=3),
        f"{prefix}held": Field("flag", False),
        f"{prefix}gold": Field("number", high=2**60),
    }


FIELDS: Final[Mapping[str, Field]] = {
    "seat": Field("number", 0, high=1),
    "starter": Field("number", high=1),
    "mover": Field("number", high=1),
    "asked": Field("word", "play", words=("play", "president", "go", "gukjin")),
    "hand": Field("cards"),
    "dummies": Field("number", 0, high=9),
    "floor": Field("cards"),
    **_each(""),
    **_each("their_"),
    "their_cards": Field("number", high=10),
    "stock": Field("number", high=23),
    "gukjin": Field("word", "undecided", words=("undecided", "yeol", "pi")),
    "carry": Field("number", 1, low=1, high=2**16),
    "bonus_pile": Field("number", low=1, high=12),
    "turned": Field("unknown cards", ()),
    "their_plays": Field("cards", ()),
}
_NEEDED = ("starter", "hand", "floor")


def read_fields(view: View) -> dict[str, Any]:
    """Every field with its value: cards are ids, months begin with 0."""
    given = _read_lines(view) if isinstance(view, str) else view
    if not isinstance(given, Mapping):
        raise NotationError(f"a view is a text or an object of fields, not {_short(given)}")
    found: dict[str, Any] = {name: field.default for name, field in FIELDS.items()}
    for key, value in given.items():
        name = "_".join(key.replace("_", " ").split()).casefold() if isinstance(key, str) else ""
        if name not in FIELDS:
            raise NotationError(f"a view has no {_short(key)}: there are {', '.join(FIELDS)}")
        found[name] = _read(name, FIELDS[name], value)
    missing = [name for name in _NEEDED if found[name] is None]
    if missing:
        raise NotationError(f"the view does not tell {', '.join(missing)}")
    return found


def format_lines(values: Mapping[str, Any]) -> str:
    """A text that reads as these values; what is as by default is left out."""
    told = {name: value for name, value in values.items() if value is not None and value != FIELDS[name].default}
    return "".join(f"{name.replace('_', ' ')}: {_format(FIELDS[name], value)}\n" for name, value in told.items())


def describe(view: _core.MatgoView, seat: int) -> dict[str, Any]:
    """The fields of a table that a seat looks at."""
    other = 1 - seat
    has_limit = view.funds is not None
    bonus_piles = {month for month in view.bonus_month if month < 12}
    values: dict[str, Any] = {
        "seat": seat,
        "starter": view.starter,
        "mover": None if view.mover == seat else view.mover,
        "hand": tuple(cards_in(view.hands[seat])),
        "dummies": 10 - view.turns[seat] - view.cards[seat],
        "floor": tuple(cards_in(view.floor)),
        "their_cards": view.cards[other],
        "stock": view.stock,
        "gukjin": FIELDS["gukjin"].words[view.gukjin],
        "carry": view.carry,
        "bonus_pile": bonus_piles.pop() + 1 if bonus_piles else None,
    }
    for prefix, who in (("", seat), ("their_", other)):
        values |= {
            f"{prefix}captured": tuple(cards_in(view.captured[who])),
            f"{prefix}shown": tuple(cards_in(view.shown[who])),
            f"{prefix}played": tuple(cards_in(view.played[who])),
            f"{prefix}shaken": tuple(cards_in(view.shaken[who])),
            f"{prefix}piles": tuple(cards_in(view.piles[who])),
            f"{prefix}gos": view.gos[who],
            f"{prefix}last_go": view.last_go_base[who] or None,
            f"{prefix}ppuks": view.ppuks[who],
            f"{prefix}bombs": view.bombs[who],
            f"{prefix}held": bool(view.held[who]),
            f"{prefix}gold": view.gold[who] if has_limit else None,
        }
    return {name: values[name] for name in FIELDS if name in values}


def _read_lines(text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for line in text.replace(";", "\n").splitlines():
        plain = line.partition("#")[0].strip()
        if not plain:
            continue
        name, colon, value = plain.partition(":")
        name = "_".join(name.split()).casefold()
        if not colon:
            raise NotationError(f"{_short(plain)} is no line of a view: it reads such as hand: 1광 3홍 8피a")
        if name in found:
            raise NotationError(f"the view tells {_short(name)} twice")
        found[name] = value.strip()
    return found


def _read(name: str, field: Field, value: Any) -> Any:
    if field.kind in ("cards", "unknown cards"):
        cards = [_card(name, part, field.kind) for part in _parts(name, value)]
        known = [card for card in cards if card != UNKNOWN]
        if len(set(known)) < len(known):
            twice = next(card for card in known if known.count(card) > 1)
            raise NotationError(f"{name} holds {CODES[twice]} twice")
        return tuple(cards)
    if field.kind == "months":
        return tuple(sorted({_number(name, part, 1, 12) - 1 for part in _parts(name, value)}))
    if field.kind == "number":
        return _number(name, value, field.low, field.high)
    if field.kind == "flag":
        flag = value if isinstance(value, bool) else _FLAGS.get(value.casefold()) if isinstance(value, str) else None
        if flag is None:
            raise NotationError(f"{name} is {_short(value)}: expected yes or no")
        return flag
    if not isinstance(value, str) or value.casefold() not in field.words:
        raise NotationError(f"{name} is {_short(value)}: expected {', '.join(field.words)}")
    return value.casefold()


def _parts(name: str, value: Any) -> Sequence[Any]:
    if isinstance(value, str):
        return value.replace(",", " ").split()
    if isinstance(value, int) and not isinstance(value, bool):
        return [value]
    if not isinstance(value, Sequence):
        raise NotationError(f"{name} is {_short(value)}: expected a list")
    return value


def _card(name: str, part: Any, kind: Kind) -> int:
    if kind == "unknown cards" and part == "?":
        return UNKNOWN
    if not isinstance(part, str) and (isinstance(part, bool) or not isinstance(part, int)):
        raise NotationError(f"{name} holds {_short(part)}, which is no card")
    try:
        return parse_card(part)
    except ValueError as error:
        raise NotationError(f"{name}: {_short(str(error))}") from None


def _number(name: str, value: Any, low: int, high: int) -> int:
    text = value.strip() if isinstance(value, str) else value
    if isinstance(text, str) and text.isascii() and text.isdigit() and len(text) <= 20:
        text = int(text)
    if isinstance(text, bool) or not isinstance(text, int) or not low <= text <= high:
        raise NotationError(f"{name} is {_short(value)}: expected a number from {low} to {high}")
    return text


def _format(field: Field, value: Any) -> str:
    if field.kind in ("cards", "unknown cards"):
        return " ".join("?" if card == UNKNOWN else CODES[card] for card in value)
    if field.kind == "months":
        return " ".join(str(month + 1) for month in value)
    return ("yes" if value else "no") if field.kind == "flag" else str(value)


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else repr(value)
    return repr(text if len(text) <= _ENTRY else text[:_ENTRY] + "…") if isinstance(value, str) else text[:_ENTRY]
