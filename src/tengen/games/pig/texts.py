"""What Pig says to people: its guide, and its texts in Korean and Japanese, by what they are in English."""

# ruff: noqa: E501 - a text and its translation on a line

from __future__ import annotations

from types import MappingProxyType

__all__ = ["GUIDES", "LANGUAGES"]

_KOREAN = {
    "Pig": "피그",
    "Roll a die as often as you dare; a one loses the turn's total, holding banks it; who banks the target wins.": "주사위를 굴리고 싶은 만큼 굴립니다. 1이 나오면 이번 차례의 점수를 잃고, 멈추면 점수를 챙깁니다. 목표 점수를 먼저 챙기면 이깁니다.",
    "A game of Pig": "피그 한 판",
    "Pig to {target}": "피그 {target}점",
    "hold": "멈추기",
    "roll": "굴리기",
    "first": "첫째",
    "second": "둘째",
    "First player": "첫째",
    "Second player": "둘째",
    "wins": "승",
    "rolling": "굴리는 중",
    "to roll": "굴릴 차례",
    "to hold or roll": "멈추거나 굴릴 차례",
    "banked {points}": "챙긴 점수 {points}",
    "this turn {total}": "이번 차례 {total}",
    "this turn": "이번 차례",
    "the die": "주사위",
    "there is nothing to hold yet, since a turn begins with a roll": "아직 챙길 점수가 없습니다. 차례는 굴리기로 시작합니다",
    "{text!r} is not an action of Pig: hold or roll": "{text!r}: 그런 수는 없습니다. 굴리기나 멈추기를 입력하세요",
    "{text!r} is no face of the die, which is rolling now: 1 to 6": "{text!r}: 주사위 눈이 아닙니다. 지금은 주사위가 구르는 중이니 1~6입니다",
    "{text!r} is not a face of the die: 1 to 6": "{text!r}: 주사위 눈이 아닙니다. 1~6입니다",
}  # fmt: skip

_JAPANESE = {
    "Pig": "ピッグ",
    "Roll a die as often as you dare; a one loses the turn's total, holding banks it; who banks the target wins.": "サイコロを好きなだけ振ります。1が出るとその番の点を失い、止めれば点が自分のものになります。先に目標の点をためた方の勝ちです。",
    "A game of Pig": "ピッグの対戦",
    "Pig to {target}": "ピッグ {target}点",
    "hold": "止める",
    "roll": "振る",
    "first": "先手",
    "second": "後手",
    "First player": "先手",
    "Second player": "後手",
    "wins": "勝ち",
    "rolling": "振っています",
    "to roll": "振る番",
    "to hold or roll": "止めるか振る番",
    "banked {points}": "ためた点 {points}",
    "this turn {total}": "この番 {total}",
    "this turn": "この番",
    "the die": "サイコロ",
    "there is nothing to hold yet, since a turn begins with a roll": "まだためる点がありません。番は振ることから始まります",
    "{text!r} is not an action of Pig: hold or roll": "{text!r} という手はありません。「振る」か「止める」を入力してください",
    "{text!r} is no face of the die, which is rolling now: 1 to 6": "{text!r} はサイコロの目ではありません。今はサイコロを振っているので 1～6 です",
    "{text!r} is not a face of the die: 1 to 6": "{text!r} はサイコロの目ではありません。1～6 です",
}  # fmt: skip

LANGUAGES = MappingProxyType({"ko": _KOREAN, "ja": _JAPANESE})

_GUIDE = """\
In your turn you roll a die as often as you dare. A 2 to 6 adds to the turn's
total; a 1 loses the total and ends the turn. Hold banks the total and ends the
turn. Who first banks {target} points wins.
A turn begins with a roll: there is nothing to hold yet.
On the board, ▒ is the total at risk and █ what is banked.

To move, type roll or hold, or r or h."""

_GUIDE_KO = """\
자기 차례에 주사위를 굴리고 싶은 만큼 굴립니다. 2~6이 나오면 이번 차례의 점수에
더하고, 1이 나오면 그 점수를 모두 잃고 차례가 끝납니다. 멈추면 점수를 챙기고
차례가 끝납니다. 먼저 {target}점을 챙기면 이깁니다.
차례는 굴리기로 시작합니다. 아직 챙길 점수가 없기 때문입니다.
판에서 ▒는 잃을 수 있는 점수, █는 챙긴 점수입니다.

굴리기나 멈추기를 입력하세요. r, h라고 써도 됩니다."""

_GUIDE_JA = """\
自分の番にサイコロを好きなだけ振ります。2～6が出るとその番の点に加わり、1が出る
とその番の点をすべて失って番が終わります。止めると点が自分のものになり、番が
終わります。先に{target}点をためた方の勝ちです。
番は振ることから始まります。まだためる点がないからです。
盤の ▒ は失うかもしれない点、█ はためた点です。

「振る」か「止める」を入力してください。r、h でも構いません。"""

GUIDES = MappingProxyType({"en": _GUIDE, "ko": _GUIDE_KO, "ja": _GUIDE_JA})
