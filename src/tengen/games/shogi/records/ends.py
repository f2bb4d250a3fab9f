"""How games end, as records say it."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["CSA_ENDS", "DRAWS", "ENDS", "FOULS", "KIF_ENDS", "format_result", "parse_result", "winner_of"]

# Kind: (who wins: -1 the side to move loses, 1 it wins, 0 a draw, None nobody; KIF's word; CSA's word).
_KINDS: Final[dict[str, tuple[int | None, str, str]]] = {
    "resign": (-1, "投了", "TORYO"),
    "interrupt": (None, "中断", "CHUDAN"),
    "repetition": (0, "千日手", "SENNICHITE"),
    "impasse": (0, "持将棋", "JISHOGI"),
    "checkmate": (-1, "詰み", "TSUMI"),
    "no_mate": (None, "不詰", "FUZUMI"),
    "time_up": (-1, "切れ負け", "TIME_UP"),
    "illegal_win": (1, "反則勝ち", ""),
    "illegal_loss": (-1, "反則負け", "ILLEGAL_MOVE"),
    "declaration": (1, "入玉勝ち", "KACHI"),
    "default_win": (1, "不戦勝", ""),
    "default_loss": (-1, "不戦敗", ""),
    "max_moves": (0, "最大手数", "MAX_MOVES"),
    "try": (-1, "トライ", ""),
    "draw": (0, "引き分け", "HIKIWAKE"),
    "takeback": (None, "待った", "MATTA"),
    "error": (None, "エラー", "ERROR"),
}
ENDS: Final = tuple(_KINDS)
"""The kinds of an end."""
DRAWS: Final = frozenset(kind for kind, (winner, _, _) in _KINDS.items() if winner == 0)
FOULS: Final = frozenset(["illegal_win", "illegal_loss"])
KIF_ENDS: Final = {name: kind for kind, (_, name, _) in _KINDS.items()} | {
    "入玉宣言": "declaration",
    "入玉": "declaration",
    "入玉宣言勝ち": "declaration",
    "宣言勝ち": "declaration",
    "時間切れ": "time_up",
    "時間切れ負け": "time_up",
    "接続切れ": "time_up",
    "封じ手": "interrupt",
    "切れ負": "time_up",
    "反則勝": "illegal_win",
    "反則負": "illegal_loss",
    "反則": "illegal_loss",
    "詰": "checkmate",
    "引分け": "draw",
    "引分": "draw",
}
"""Kinds by KIF's words."""
CSA_ENDS: Final = {name: kind for kind, (_, _, name) in _KINDS.items() if name}
"""Kinds by CSA's words, without those that name a color."""
_RESULT: Final = re.compile(r"まで、?\s*([0-9０-９]*)手?で?\s*(.*)")
_LOST: Final = re.compile("(?<!勝)負|敗")
_DECIDED: Final = re.compile(f"勝(?!負)|{_LOST.pattern}")
"""Somebody wins or loses; 勝負なし is neither."""
_SIDES: Final = {"先手": 0, "下手": 0, "後手": 1, "上手": 1}


def winner_of(kind: str, side: int) -> int | None:
    """Who wins by an end with `side` to move; None: nobody."""
    sign = _KINDS[kind][0]
    return None if not sign else side if sign > 0 else 1 - side


def kif_word(kind: str) -> str:
    return _KINDS[kind][1]


def csa_word(kind: str, side: int) -> str:
    """Without the percent sign. What CSA has no word for is an interruption, or an illegal action of the loser."""
    if kind == "illegal_win":
        return f"{'-+'[side]}ILLEGAL_ACTION"
    return _KINDS[kind][2] or "CHUDAN"


def parse_csa_word(word: str, side: int) -> str | None:
    """The kind; `side` is to move."""
    if word in ("+ILLEGAL_ACTION", "-ILLEGAL_ACTION"):
        return "illegal_loss" if "+-".index(word[0]) == side else "illegal_win"
    return CSA_ENDS.get(word)


def format_result(kind: str, moves: int, side: int, sides: tuple[str, str]) -> str:
    """The line that ends a game in KI2: まで98手で後手の勝ち. `sides` are the players' names by seat."""
    loser, winner = sides[side], sides[1 - side]
    what = {
        "resign": f"{winner}の勝ち",
        "time_up": f"時間切れにより{winner}の勝ち",
        "illegal_win": f"{loser}の反則勝ち",
        "illegal_loss": f"{loser}の反則負け",
        "declaration": f"{loser}の入玉勝ち",
    }.get(kind, kif_word(kind))
    return f"まで{moves}手で{what}"


def parse_result(text: str, side: int, names: tuple[str, str] = ("", "")) -> str | None:
    """The kind of an end that such a line tells of, with `side` to move; empty where it tells none, None where it is no
    such line. `names` are the players', by seat."""
    found = _RESULT.fullmatch(text.strip())
    if found is None:
        return None
    what = re.sub(r"[\s　。！!]", "", found[2])
    winner = _winner(what, names)
    kind = _kind_in(what)
    if kind in FOULS and winner is not None:
        return "illegal_win" if winner == side else "illegal_loss"
    if winner is not None and (not kind or winner_of(kind, side) != winner):
        # An end of that kind has another winner here, so the winner counts; perpetual check is a foul.
        lost = "illegal_loss" if kind == "repetition" else "resign"
        return lost if winner != side else "illegal_win"
    if not kind and _DECIDED.search(what):
        return "resign"
    return kind or ("" if found[1] or not what else None)


def _kind_in(what: str) -> str:
    return KIF_ENDS.get(max((word for word in KIF_ENDS if word in what), key=len, default=""), "")


def _winner(what: str, names: tuple[str, str]) -> int | None:
    """The seat that such a text names as the winner, or whose opponent as the loser."""
    seats = {**_SIDES, **{name.replace(" ", "").replace("　", ""): seat for seat, name in enumerate(names) if name}}
    who = next((seat for name, seat in seats.items() if name in what), None)
    if who is None or not _DECIDED.search(what):
        return None
    return 1 - who if _LOST.search(what) else who
