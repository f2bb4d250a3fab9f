"""Go's texts in Korean and Japanese, by what they are in English."""

# ruff: noqa: E501 - a text and its translation on a line

from __future__ import annotations

from types import MappingProxyType

__all__ = ["LANGUAGES"]

_KOREAN = {
    "Go": "바둑",
    "Surround more than the opponent. Seat 0 is Black; points are named A1 (bottom left, no I) to T19, and pass.": "상대보다 집을 더 많이 지으면 이깁니다. 먼저 두는 쪽이 흑입니다. 점은 왼쪽 아래 A1부터 T19까지이고(I는 없음), 패스할 수 있습니다.",
    "A position of Go": "바둑판",
    "black": "흑",
    "white": "백",
    "{color} stone": "{color}돌",
    "pass": "패스",
    "{color} to move": "{color} 차례",
    "{color} passed": "{color} 패스",
    "clean-up {number}": "정리 {number}단계",
    ", ": ", ",
    "draw": "무승부",
    "no result": "무효",
    "{color} wins by {points}": "{color} {points}집 승",
    "captured: {stones}; komi {komi:g}": "잡힌 돌: {stones}; 덤 {komi:g}",
    "captured {stones} · komi {komi:g}": "잡힌 돌 {stones} · 덤 {komi:g}",
    "there is a {color} stone at {point}": "{point}에 {color}돌이 있습니다",
    "a stone at {point} would be without liberties and capture nothing (suicide)": "착수 금지점입니다. 활로가 없고 따낼 돌도 없습니다(자살수)",
    "this ko was taken in the same position before, and in a clean-up nobody takes it twice": "같은 모양에서 이미 따낸 패입니다. 정리 단계에서는 두 번 따낼 수 없습니다",
    "that is a ko: it would take back the stone that has just captured one there, so play elsewhere first": "패입니다. 방금 따낸 돌을 바로 되따낼 수 없으니 다른 곳에 먼저 두어야 합니다",
    "it would bring back a position that was on the board before, with the same player to move (superko)": "같은 쪽이 둘 차례였던 앞의 모양이 되풀이됩니다(동형 반복 금지)",
    "it would bring back a position that was on the board before (superko)": "앞에 나온 모양이 되풀이됩니다(동형 반복 금지)",
    "Could not parse board location: {text}: expected a point such as D4, or pass": "{text}: 그런 점은 없습니다. D4 같은 점이나 패스를 입력하세요",
    "Could not parse board location: {text}: expected a point from A1 to {last}, or pass": "{text}: 판 밖입니다. A1에서 {last}까지의 점이나 패스를 입력하세요",
    "Could not parse board location: {text}: expected two numbers such as (3,15)": "{text}: 그런 점은 없습니다. (3,15)처럼 두 수를 입력하세요",
    "{text!r} is off the board: x is 0 to {right}, y from the top 0 to {bottom}": "{text!r}: 판 밖입니다. x는 0에서 {right}까지, y는 위에서부터 0에서 {bottom}까지입니다",
    # The terminal's, in Go's own words.
    "the first player": "흑",
    "the second player": "백",
    "what you may play now": "지금 둘 수 있는 곳",
    "The game is over, so {text!r} can't be played: {commands}?": "대국이 끝나 {text!r}: 둘 수 없습니다. {commands}?",
    "`moves` lists what is, `help` teaches the rules.": "`moves`는 둘 수 있는 곳을, `help`는 규칙을 보여 줍니다.",
    "Your moves:": "둘 수 있는 곳:",
    "The game is over: there are no moves.": "대국이 끝나 둘 곳이 없습니다.",
    "you played": "둔 수",
}  # fmt: skip

_JAPANESE = {
    "Go": "囲碁",
    "Surround more than the opponent. Seat 0 is Black; points are named A1 (bottom left, no I) to T19, and pass.": "相手より多くの地を囲えば勝ちです。先番が黒です。点は左下の A1 から T19 まで（I はなし）、パスもできます。",
    "A position of Go": "囲碁の局面",
    "black": "黒",
    "white": "白",
    "{color} stone": "{color}石",
    "pass": "パス",
    "{color} to move": "{color}番",
    "{color} passed": "{color}パス",
    "clean-up {number}": "整理{number}回目",
    ", ": "、",
    "draw": "持碁",
    "no result": "無勝負",
    "{color} wins by {points}": "{color}の{points}目勝ち",
    "captured: {stones}; komi {komi:g}": "取られた石: {stones}　コミ {komi:g}",
    "captured {stones} · komi {komi:g}": "取られた石 {stones} · コミ {komi:g}",
    "there is a {color} stone at {point}": "{point}には{color}石があります",
    "a stone at {point} would be without liberties and capture nothing (suicide)": "着手禁止点です。呼吸点がなく、取れる石もありません（自殺手）",
    "this ko was taken in the same position before, and in a clean-up nobody takes it twice": "同じ形で一度取ったコウです。整理の段階では二度取れません",
    "that is a ko: it would take back the stone that has just captured one there, so play elsewhere first": "コウです。取られた石をすぐには取り返せません。先にほかへ打ってください",
    "it would bring back a position that was on the board before, with the same player to move (superko)": "手番も同じ前の局面に戻ります（スーパーコウ）",
    "it would bring back a position that was on the board before (superko)": "前に現れた局面に戻ります（スーパーコウ）",
    "Could not parse board location: {text}: expected a point such as D4, or pass": "{text} という点はありません。D4 のような点かパスを入力してください",
    "Could not parse board location: {text}: expected a point from A1 to {last}, or pass": "{text} は盤の外です。A1 から {last} までの点かパスを入力してください",
    "Could not parse board location: {text}: expected two numbers such as (3,15)": "{text} という点はありません。(3,15) のように二つの数を入力してください",
    "{text!r} is off the board: x is 0 to {right}, y from the top 0 to {bottom}": "{text!r} は盤の外です。x は 0 から {right}、y は上から 0 から {bottom} までです",
    # The terminal's, in Go's own words.
    "the first player": "黒番",
    "the second player": "白番",
    "what you may play now": "今打てる点",
    "The game is over, so {text!r} can't be played: {commands}?": "対局は終わりました。{text!r} には打てません。{commands}?",
    "{text!r} is not possible now: {reason}.": "{text!r} には打てません: {reason}。",
    "{text!r} is not possible now.": "{text!r} には打てません。",
    "`moves` lists what is, `help` teaches the rules.": "`moves` で打てる点、`help` でルールを表示します。",
    "Type a move, or a command: `help` teaches the rules and lists them.": "打つ点かコマンドを入力してください。`help` でルールとコマンドを表示します。",
    "Your moves:": "打てる点:",
    "The game is over: there are no moves.": "対局は終わりました。打てる点はありません。",
    "you played": "打った手",
    "points": "目",
}  # fmt: skip

LANGUAGES = MappingProxyType({"ko": _KOREAN, "ja": _JAPANESE})
