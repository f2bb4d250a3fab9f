"""What records say of a game, by one name in every format."""

from __future__ import annotations

from typing import Final

__all__ = ["CSA_KEYS", "KEYS", "KIF_KEYS", "csa_key", "kif_key"]

# Our name: (KIF's, CSA's). Players are written by side, and 上手 and 下手 in games with a handicap.
_KEYS: Final = {
    "black": ("先手", "N+"),
    "white": ("後手", "N-"),
    "title": ("表題", "$TITLE"),
    "event": ("棋戦", "$EVENT"),
    "site": ("場所", "$SITE"),
    "started": ("開始日時", "$START_TIME"),
    "ended": ("終了日時", "$END_TIME"),
    "time_limit": ("持ち時間", "$TIME_LIMIT"),
    "byoyomi": ("秒読み", "$BYOYOMI"),
    "clock": ("計時", "$TIME"),
    "black_clock": ("先手の計時", "$TIME+"),
    "white_clock": ("後手の計時", "$TIME-"),
    "opening": ("戦型", "$OPENING"),
    "max_moves": ("最大手数", "$MAX_MOVES"),
    "impasse_rule": ("持将棋", "$JISHOGI"),
    "note": ("備考", "$NOTE"),
}
KEYS: Final = tuple(_KEYS)
KIF_KEYS: Final = {kif: name for name, (kif, _) in _KEYS.items()} | {"下手": "black", "上手": "white"}
CSA_KEYS: Final = {csa: name for name, (_, csa) in _KEYS.items()}


def kif_key(name: str, *, is_handicap: bool) -> str:
    if is_handicap and name in ("black", "white"):
        return "下手" if name == "black" else "上手"
    return _KEYS[name][0] if name in _KEYS else name


def csa_key(name: str) -> str:
    return _KEYS[name][1] if name in _KEYS else f"${name}"
