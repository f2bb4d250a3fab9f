"""The hwatu cards: 4 · (month - 1) + k for months 1 to 12, then the bonus cards 48, 49 and 50."""

from __future__ import annotations

import unicodedata
from typing import Literal, TypeAlias

from tengen.games.action_names import name_of
from tengen.games.errors import NotationError

__all__ = [
    "CODES",
    "FIRST_BONUS",
    "GUKJIN",
    "PLAIN_CODES",
    "Kind",
    "cards_in",
    "kind_of",
    "month_of",
    "parse_card",
    "pi_value",
    "plain_text",
    "ribbon_set",
]

Kind: TypeAlias = Literal["gwang", "yeol", "ribbon", "pi"]

FIRST_BONUS = 48
GUKJIN = 32

_GWANG = {0, 8, 28, 40, 44}
_YEOL = {4, 12, 16, 20, 24, 29, 32, 36, 45}
_RIBBONS = {1: "홍", 5: "홍", 9: "홍", 13: "초", 17: "초", 25: "초", 21: "청", 33: "청", 37: "청", 46: "띠"}
_PI_VALUES = {41: 2, 47: 2, 48: 2, 49: 3, 50: 2}
_BONUS_CODES = (("보2", "b2"), ("보3", "b3"), ("보2b", "b2b"))


def kind_of(card: int) -> Kind:
    if card in _GWANG:
        return "gwang"
    if card in _YEOL:
        return "yeol"
    return "ribbon" if card in _RIBBONS else "pi"


def month_of(card: int) -> int:
    """1 to 12; 0 for bonus cards."""
    return 0 if card >= FIRST_BONUS else card // 4 + 1


def pi_value(card: int) -> int:
    """0 for cards of another kind, gukjin too."""
    return _PI_VALUES.get(card, 1) if kind_of(card) == "pi" else 0


def ribbon_set(card: int) -> str:
    """홍, 초, 청, or 띠 for the ribbon that belongs to no set."""
    return _RIBBONS[card]


def cards_in(mask: int) -> list[int]:
    """The cards of a set as the core has it, one bit a card."""
    return [card for card in range(mask.bit_length()) if mask >> card & 1]


def _code(card: int) -> tuple[str, str]:
    """The Korean code and the plain one; the month's two plain pi are told apart by a letter."""
    if card >= FIRST_BONUS:
        return _BONUS_CODES[card - FIRST_BONUS]
    month = card // 4 + 1
    kind = kind_of(card)
    if kind == "gwang":
        return f"{month}광", f"{month}g"
    if kind == "yeol":
        return f"{month}{'국' if card == GUKJIN else '열'}", f"{month}y"
    if kind == "ribbon":
        return f"{month}{_RIBBONS[card]}", f"{month}r"
    if pi_value(card) == 2:
        return f"{month}쌍", f"{month}d"
    letter = "ab"[card % 4 - 2]
    return f"{month}피{letter}", f"{month}p{letter}"


CODES = tuple(_code(card)[0] for card in range(51))
"""Such as 8광, 9국, 1홍, 11쌍, 5피a, 보3."""
PLAIN_CODES = tuple(_code(card)[1] for card in range(51))
"""Such as 8g, 9y, 1r, 11d, 5pa, b3."""


def plain_text(text: str) -> str:
    """Without what does not matter in a name: case, spaces, underscores, how a keyboard composes Hangul."""
    return "".join(unicodedata.normalize("NFC", text).casefold().replace("_", " ").split())


_BY_CODE = {plain_text(code): card for codes in (CODES, PLAIN_CODES) for card, code in enumerate(codes)}


def parse_card(text: str | int) -> int:
    """A card from either code or from its id."""
    if isinstance(text, bool) or not isinstance(text, str | int):
        raise NotationError(f"{text!r:.100} is no card: expected a name or an id")
    if not isinstance(text, str):
        name_of(CODES, text)
        return text
    plain = plain_text(text)
    if plain in _BY_CODE:
        return _BY_CODE[plain]
    if plain.isascii() and plain.isdigit() and int(plain) < len(CODES):
        return int(plain)
    raise NotationError(
        f"{text!r} is no card: expected such as 8광, 9국, 5피a, 보3, or 8g, 9y, 5pa, b3, or an id 0 to 50"
    )
