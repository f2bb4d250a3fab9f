"""The starts of games by the names that Japanese records give them."""

from __future__ import annotations

import re
from typing import Final

from tengen.games.shogi.records.pieces import kanji_number
from tengen.games.shogi.sfen import HANDICAPS as BY_ENGLISH_NAME

__all__ = ["EVEN", "HANDICAPS", "OTHER", "find_handicap", "handicap_name"]

EVEN: Final = "平手"
OTHER: Final = "その他"
"""A start that is drawn."""
HANDICAPS: Final = {
    name: BY_ENGLISH_NAME[english]
    for name, english in {
        EVEN: "even",
        "香落ち": "lance",
        "右香落ち": "right-lance",
        "角落ち": "bishop",
        "飛車落ち": "rook",
        "飛香落ち": "rook-lance",
        "二枚落ち": "two-piece",
        "三枚落ち": "three-piece",
        "四枚落ち": "four-piece",
        "五枚落ち": "five-piece",
        "左五枚落ち": "left-five-piece",
        "六枚落ち": "six-piece",
        "左七枚落ち": "left-seven-piece",
        "右七枚落ち": "right-seven-piece",
        "八枚落ち": "eight-piece",
        "十枚落ち": "ten-piece",
    }.items()
}
"""SFEN by name."""
_OTHER_NAMES: Final = {"飛落ち": "飛車落ち", "左香落ち": "香落ち", "詰将棋": OTHER, "詰め将棋": OTHER}
_PIECES: Final = re.compile(r"([左右]?)([0-9０-９]{1,2})枚(落ち)")
_NAMES: Final = {sfen: name for name, sfen in HANDICAPS.items()}


def handicap_name(sfen: str) -> str | None:
    """The name of a start; None where it has none."""
    return _NAMES.get(sfen)


def find_handicap(text: str) -> str | None:
    """The name that a header means: one of HANDICAPS, or OTHER; None: there is no such handicap."""
    name = re.split("[(（]", text)[0].strip().strip("　")
    name = f"{name}ち" if name.endswith("落") else name
    name = _PIECES.sub(lambda found: f"{found[1]}{kanji_number(int(found[2]))}枚{found[3]}", name)
    name = _OTHER_NAMES.get(name, name)
    return name if name in HANDICAPS or name == OTHER else None
