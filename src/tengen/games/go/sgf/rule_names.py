"""Rules and komi as the world's SGF files spell them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tengen.games.errors import GameError
from tengen.games.go.rules import PRESETS, format_rules, is_komi, parse_rules

if TYPE_CHECKING:
    from tengen.games.go.rules import Rules

__all__ = ["format_komi", "format_rules_name", "parse_komi", "parse_rules_name"]

# The first word found decides, so the narrower names come first.
_WORDS: Final = (
    ("button", "aga-button"),
    ("stone scoring", "stone-scoring"),
    ("stone counting", "stone-scoring"),
    ("ancient area", "ancient-area"),
    ("ancient territory", "ancient-territory"),
    ("old chinese", "ancient-area"),
    ("tromp", "tromp-taylor"),
    ("zealand", "nz"),
    ("nz", "nz"),
    ("goe", "goe"),
    ("ing", "ing"),
    ("應氏", "ing"),
    ("应氏", "ing"),
    ("aga", "aga"),
    ("bga", "bga"),
    ("ffg", "french"),
    ("american", "aga"),
    ("british", "bga"),
    ("french", "french"),
    ("korean", "korean"),
    ("korea", "korean"),
    ("kr", "korean"),
    ("한국", "korean"),
    ("韓国", "korean"),
    ("韩国", "korean"),
    ("韓國", "korean"),
    ("japanese", "japanese"),
    ("japan", "japanese"),
    ("jp", "japanese"),
    ("nihon kiin", "japanese"),
    ("일본", "japanese"),
    ("日本", "japanese"),
    ("chinese", "chinese"),
    ("china", "chinese"),
    ("cn", "chinese"),
    ("中国", "chinese"),
    ("中國", "chinese"),
    ("중국", "chinese"),
    ("territory", "japanese"),
    ("area", "chinese"),
)
# SGF itself names these four; the others are known to many programs.
_NAMES: Final = {
    "japanese": "Japanese",
    "chinese": "Chinese",
    "chinese-ogs": "Chinese-OGS",
    "aga": "AGA",
    "nz": "NZ",
    "goe": "GOE",
    "tromp-taylor": "Tromp-Taylor",
    "stone-scoring": "Stone-Scoring",
    "ancient-territory": "Ancient-Territory",
    "aga-button": "AGA-Button",
}


def parse_rules_name(text: str) -> Rules | None:
    """None where the text names no rules that are known."""
    try:
        return parse_rules(text)[0]
    except GameError:
        pass
    plain = " ".join(re.findall(r"\w+", text.lower().replace("_", " ")))
    for word, name in _WORDS:
        found = re.search(rf"\b{word}\b" if word.isascii() else word, plain)
        if found and name == "chinese" and re.search(r"\b(ogs|kgs)\b", plain):
            return PRESETS["chinese-ogs"][0]
        if found:
            return PRESETS[name][0]
    return None


def format_rules_name(rules: Rules) -> str:
    """A name that parse_rules_name reads; a text such as koSIMPLEscoreAREAtaxALLsui0 where the rules have none."""
    return next((name for preset, name in _NAMES.items() if PRESETS[preset][0] == rules), format_rules(rules))


def parse_komi(text: str, is_area: bool) -> float | None:
    """None where the text is no komi.

    Some servers write hundredths (650, 375), and in China komi counts stones of which each is worth two points (3.75).
    """
    found = re.match(r"\s*([+-]?(?:\d{1,6}(?:[.,]\d{0,6})?|[.,]\d{1,6}))(?![A-Za-z0-9.])", text, re.ASCII)
    if found is None:
        return None
    komi = float(found[1].replace(",", "."))
    if 200 <= abs(komi) <= 1000 and (komi / 25).is_integer():
        komi /= 100
    if is_area and not (2 * komi).is_integer() and (4 * komi).is_integer():
        komi *= 2
    return komi if is_komi(komi) else None


def format_komi(komi: float) -> str:
    return f"{komi:g}"
