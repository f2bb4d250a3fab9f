"""What Connect Four says to people: its guide, and its texts in Korean and Japanese, by what they are in English."""

# ruff: noqa: E501 - a text and its translation on a line

from __future__ import annotations

from types import MappingProxyType

__all__ = ["GUIDES", "LANGUAGES"]

_KOREAN = {
    "Connect Four": "커넥트 포",
    "Drop stones into columns; four in a row win. Columns are a to g from the left; 1 to 7 are read too.": "세로줄에 돌을 떨어뜨려 넷을 나란히 이으면 이깁니다. 세로줄은 왼쪽부터 a~g이고 1~7이라고 써도 됩니다.",
    "A position of Connect Four": "커넥트 포 판",
    "first": "첫째",
    "second": "둘째",
    "{player} to move": "{player} 차례",
    "{player} wins": "{player} 승",
    "draw": "무승부",
    ", ": ", ",
    "column {column} is full": "{column}줄이 가득 찼습니다",
    "{text!r} is not a column of Connect Four: a to g, or 1 to 7, from the left": "{text!r}: 그런 줄은 없습니다. 왼쪽부터 a~g 또는 1~7입니다",
}  # fmt: skip

_JAPANESE = {
    "Connect Four": "コネクトフォー",
    "Drop stones into columns; four in a row win. Columns are a to g from the left; 1 to 7 are read too.": "縦の列に石を落とし、四つ並べれば勝ちです。列は左から a～g、1～7 でも入力できます。",
    "A position of Connect Four": "コネクトフォーの局面",
    "first": "先手",
    "second": "後手",
    "{player} to move": "{player}の番",
    "{player} wins": "{player}の勝ち",
    "draw": "引き分け",
    ", ": "、",
    "column {column} is full": "{column}の列は一杯です",
    "{text!r} is not a column of Connect Four: a to g, or 1 to 7, from the left": "{text!r} という列はありません。左から a～g、または 1～7 です",
}  # fmt: skip

LANGUAGES = MappingProxyType({"ko": _KOREAN, "ja": _JAPANESE})

_GUIDE = """\
Players take turns to drop a stone into one of the seven columns; it falls to
the lowest free place. Who first has four in a row wins: side by side, one above
the other, or diagonally. A column that holds six stones is full; a full board
without four in a row is a draw.

To move, type the column: a to g, or 1 to 7, from the left."""

_GUIDE_KO = """\
번갈아 일곱 세로줄 가운데 하나에 돌을 떨어뜨립니다. 돌은 맨 아래 빈자리까지
내려갑니다. 먼저 넷을 나란히 이으면 이깁니다: 가로, 세로, 대각선 어느 쪽이든
됩니다. 돌이 여섯 개면 그 줄은 가득 찬 것입니다. 판이 가득 찼는데 넷을 이은 쪽이
없으면 무승부입니다.

둘 줄을 입력하세요: 왼쪽부터 a~g 또는 1~7입니다."""

_GUIDE_JA = """\
交互に、七つの縦の列のどれかに石を落とします。石は一番下の空いた場所まで
落ちます。先に四つ並べた方の勝ちです。横、縦、斜めのどれでも構いません。
石が六つ入った列は一杯です。盤が一杯になっても四つ並ばなければ引き分けです。

落とす列を入力してください: 左から a～g、または 1～7 です。"""

GUIDES = MappingProxyType({"en": _GUIDE, "ko": _GUIDE_KO, "ja": _GUIDE_JA})
