"""What a newcomer is told of Pyrga's rules, by language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["guide"]

_ENGLISH = """\
Each player has 5 squares, 5 circles and 5 arrows. The piece just placed says
where the next one may go; the board shows those cells by dots:
  after a square   to the cells above, below, left and right of it
  after a circle   to the same cell
  after an arrow   to any cell that it points to, as far as the edge
A cell holds at most one piece of each kind, whoever placed them. If none of
those cells takes a piece that you still have, or the arrow points off the
board, you may go to any empty cell; with none left, the game is over.
A cell with all three kinds is a tower of the player with more pieces in it.
Who has more towers wins.{house}

To move, type square b2, circle b2 or arrow b2 up (right, down, left), in short
Sb2, Cb2, Ab2^ (> v <); columns a to d from the left, rows 1 to 4 from the top."""

_KOREAN = """\
두 사람이 네모, 동그라미, 화살표를 5개씩 가집니다. 방금 놓은 말이 다음 말을 놓을
곳을 정하고, 그 칸은 판에 점으로 보입니다:
  네모 다음       그 위, 아래, 왼쪽, 오른쪽 칸
  동그라미 다음   같은 칸
  화살표 다음     화살표가 가리키는 쪽의 모든 칸, 판 끝까지
누가 놓았든 한 칸에는 종류마다 하나씩만 놓을 수 있습니다. 그 칸들에 놓을 수 있는
말이 없거나 화살표가 판 밖을 가리키면 아무 빈칸에나 놓습니다. 빈칸도 없으면
끝납니다.
세 종류가 다 모인 칸은 탑이고, 그 안에 말이 더 많은 쪽의 것입니다.
탑이 많은 쪽이 이깁니다.{house}

네모 b2, 동그라미 b2, 화살표 b2 위(오른쪽, 아래, 왼쪽)라고 입력하세요. 짧게는
Sb2, Cb2, Ab2^ (> v <)입니다. 가로는 왼쪽부터 a~d, 세로는 위부터 1~4입니다."""

_JAPANESE = """\
二人とも四角、丸、矢印を5個ずつ持ちます。置いたばかりのコマが次に置ける場所を
決め、そのマスは盤に点で示されます:
  四角の次   その上下左右のマス
  丸の次     同じマス
  矢印の次   矢印の指す方向のマスすべて、盤の端まで
一つのマスには、誰が置いたものでも各種類一つまでです。それらのマスに置けるコマが
ないか、矢印が盤の外を指していれば、空いたマスのどこにでも置けます。空いたマスも
なければ終わりです。
三種類がそろったマスは塔で、その中にコマが多い方のものです。
塔の多い方の勝ちです。{house}

四角 b2、丸 b2、矢印 b2 上（右、下、左）と入力してください。短くは Sb2、Cb2、
Ab2^ (> v <) です。横は左から a～d、縦は上から 1～4 です。"""

_HOUSE_RULES = {
    "en": {
        "arrows_stay_on_board": "An arrow may not point off the board.",
        "second_square_ban": "Who opened with a square may not place a square on the next move.",
        "tie_break": "Equal towers: cells with two pieces decide, then with one, else the second wins.",
    },
    "ko": {
        "arrows_stay_on_board": "화살표는 판 밖을 가리킬 수 없습니다.",
        "second_square_ban": "첫 수에 네모를 놓았으면 다음 수에는 네모를 놓을 수 없습니다.",
        "tie_break": "탑이 같으면 말이 두 개, 다음은 한 개인 칸을 세고, 그래도 같으면 둘째 승입니다.",
    },
    "ja": {
        "arrows_stay_on_board": "矢印は盤の外を向けません。",
        "second_square_ban": "初手に四角を置いたら、次の手に四角は置けません。",
        "tie_break": "塔が同数なら、コマ二つのマス、次に一つのマスで決め、同じなら後手の勝ちです。",
    },
}

_GUIDES = {"en": _ENGLISH, "ko": _KOREAN, "ja": _JAPANESE}


def guide(lang: str, settings: Mapping[str, Any]) -> str:
    house = (f"\n{text}" for name, text in _HOUSE_RULES[lang].items() if settings[name])
    return _GUIDES[lang].format(house="".join(house))
