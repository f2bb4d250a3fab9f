"""What rock-paper-scissors says to people: its guide, and its texts in Korean and Japanese, by what they are in
English."""

# ruff: noqa: E501 - a text and its translation on a line

from __future__ import annotations

from types import MappingProxyType

__all__ = ["GUIDES", "LANGUAGES"]

_KOREAN = {
    "Rock, paper, scissors": "가위바위보",
    "Both choose at once. Rock against scissors wins 50, paper against rock 25, scissors against paper 5.": "둘이 동시에 냅니다. 바위로 가위를 이기면 50점, 보로 바위를 이기면 25점, 가위로 보를 이기면 5점입니다.",
    "rock": "바위",
    "paper": "보",
    "scissors": "가위",
    "first": "첫째",
    "second": "둘째",
    "first player": "첫째",
    "second player": "둘째",
    "both choose": "둘 다 낼 차례",
    "a tie": "비김",
    "{player} wins {stake}": "{player} {stake}점 승",
    "{text!r} is not a choice: rock, paper or scissors": "{text!r}: 그런 선택은 없습니다. 가위, 바위, 보 가운데 하나를 입력하세요",
}  # fmt: skip

_JAPANESE = {
    "Rock, paper, scissors": "じゃんけん",
    "Both choose at once. Rock against scissors wins 50, paper against rock 25, scissors against paper 5.": "二人が同時に出します。グーでチョキに勝てば50点、パーでグーに勝てば25点、チョキでパーに勝てば5点です。",
    "rock": "グー",
    "paper": "パー",
    "scissors": "チョキ",
    "first": "一人目",
    "second": "二人目",
    "first player": "一人目",
    "second player": "二人目",
    "both choose": "二人とも出す番",
    "a tie": "あいこ",
    "{player} wins {stake}": "{player}の勝ち、{stake}点",
    "{text!r} is not a choice: rock, paper or scissors": "{text!r} という手はありません。グー、チョキ、パーのどれかを入力してください",
    # The terminal's: nobody moves first.
    "the first player": "一人目",
    "the second player": "二人目",
}  # fmt: skip

LANGUAGES = MappingProxyType({"ko": _KOREAN, "ja": _JAPANESE})

_GUIDE = """\
Both players choose at once, without seeing the other's choice; one round is the
whole game. Rock beats scissors, scissors beat paper, paper beats rock; the same
choice twice is a draw. The stakes are uneven: rock against scissors wins 50,
paper against rock 25, scissors against paper 5.

To move, type rock, paper or scissors, or r, p or s."""

_GUIDE_KO = """\
두 사람이 상대가 무엇을 내는지 모르고 동시에 내며, 한 번으로 끝납니다.
바위는 가위를, 가위는 보를, 보는 바위를 이기고, 같은 것을 내면 비깁니다.
이겼을 때의 점수가 서로 다릅니다. 바위로 가위를 이기면 50점, 보로 바위를 이기면
25점, 가위로 보를 이기면 5점입니다.

가위, 바위, 보 가운데 하나를 입력하세요. r(바위), p(보), s(가위)도 됩니다."""

_GUIDE_JA = """\
二人が相手の手を見ずに同時に出し、一回で終わりです。
グーはチョキに、チョキはパーに、パーはグーに勝ち、同じ手ならあいこです。
勝ったときの点が異なります。グーでチョキに勝てば50点、パーでグーに勝てば25点、
チョキでパーに勝てば5点です。

グー、チョキ、パーのどれかを入力してください。r（グー）、p（パー）、s（チョキ）
でも構いません。"""

GUIDES = MappingProxyType({"en": _GUIDE, "ko": _GUIDE_KO, "ja": _GUIDE_JA})
