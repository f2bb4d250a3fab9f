"""Pieces and squares in the notations of records: USI letters, kanji, CSA's two letters."""

from __future__ import annotations

from typing import Final

__all__ = [
    "CSA_KINDS",
    "CSA_NAMES",
    "FILES",
    "HAND_ORDER",
    "KANJI_KINDS",
    "KANJI_NAMES",
    "RANKS",
    "format_square",
    "kanji_number",
    "parse_kanji_number",
    "parse_square",
]

HAND_ORDER: Final = "RBGSNLP"
"""As SFEN lists what is in hand."""
KANJI_NAMES: Final = {
    "P": "歩",
    "L": "香",
    "N": "桂",
    "S": "銀",
    "G": "金",
    "B": "角",
    "R": "飛",
    "K": "玉",
    "+P": "と",
    "+L": "成香",
    "+N": "成桂",
    "+S": "成銀",
    "+B": "馬",
    "+R": "龍",
}
"""By kind, as moves are written."""
KANJI_KINDS: Final = {name: kind for kind, name in KANJI_NAMES.items()} | {
    "王": "K",
    "竜": "+R",
    "杏": "+L",
    "圭": "+N",
    "全": "+S",
}
"""The reverse, with the other names that are in use."""
CSA_NAMES: Final = {
    "P": "FU",
    "L": "KY",
    "N": "KE",
    "S": "GI",
    "G": "KI",
    "B": "KA",
    "R": "HI",
    "K": "OU",
    "+P": "TO",
    "+L": "NY",
    "+N": "NK",
    "+S": "NG",
    "+B": "UM",
    "+R": "RY",
}
CSA_KINDS: Final = {name: kind for kind, name in CSA_NAMES.items()}
FILES: Final = "１２３４５６７８９"
RANKS: Final = "一二三四五六七八九"
_RANK_LETTERS: Final = "abcdefghi"
_SQUARES: Final = {
    f"{file + 1}{letter}": file * 9 + rank for file in range(9) for rank, letter in enumerate(_RANK_LETTERS)
}


def parse_square(text: str) -> int:
    """The index of a USI square: 0 is 1a, 9 is 2a. Raises ValueError."""
    found = _SQUARES.get(text)
    if found is None:
        raise ValueError(f"{text!r} is no square: expected 1a to 9i")
    return found


def format_square(square: int) -> str:
    return f"{square // 9 + 1}{_RANK_LETTERS[square % 9]}"


def kanji_number(number: int) -> str:
    """1 to 99."""
    tens, ones = divmod(number, 10)
    return ("" if not tens else "十" if tens == 1 else RANKS[tens - 1] + "十") + (RANKS[ones - 1] if ones else "")


def parse_kanji_number(text: str) -> int:
    """The reverse; digits of either width are read too. Raises ValueError."""
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    number = (10 * (RANKS.index(tens) + 1 if tens else 1) if ten else 0) + (RANKS.index(ones) + 1 if ones else 0)
    if len(tens) > 1 or len(ones) > 1 or not number:
        raise ValueError(f"{text!r} is no number")
    return number
