"""The starts of games by the names that records give them."""

from __future__ import annotations

from typing import Final

from tengen.games.shogi.records.board import START_SFEN

__all__ = ["EVEN", "HANDICAPS", "OTHER", "handicap_name"]

EVEN: Final = "平手"
OTHER: Final = "その他"
"""A start that is drawn."""
_REST: Final = "ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"

# What White, the stronger player, plays without. White moves first.
HANDICAPS: Final = {EVEN: START_SFEN} | {
    name: f"{rows}/{_REST}"
    for name, rows in {
        "香落ち": "lnsgkgsn1/1r5b1",
        "右香落ち": "1nsgkgsnl/1r5b1",
        "角落ち": "lnsgkgsnl/1r7",
        "飛車落ち": "lnsgkgsnl/7b1",
        "飛香落ち": "lnsgkgsn1/7b1",
        "二枚落ち": "lnsgkgsnl/9",
        "三枚落ち": "lnsgkgsn1/9",
        "四枚落ち": "1nsgkgsn1/9",
        "五枚落ち": "2sgkgsn1/9",
        "左五枚落ち": "1nsgkgs2/9",
        "六枚落ち": "2sgkgs2/9",
        "左七枚落ち": "2sgkg3/9",
        "右七枚落ち": "3gkgs2/9",
        "八枚落ち": "3gkg3/9",
        "十枚落ち": "4k4/9",
    }.items()
}
"""SFEN by name."""
_NAMES: Final = {sfen: name for name, sfen in HANDICAPS.items()}


def handicap_name(sfen: str) -> str | None:
    """The name of a start; None where it has none."""
    return _NAMES.get(sfen)
