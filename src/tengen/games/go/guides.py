"""What a newcomer is told of Go's rules, by language."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.games.go.rules import Ko, Scoring

__all__ = ["GUIDES", "Guide"]


@dataclass(frozen=True, slots=True)
class Guide:
    """A frame, and what goes into it by the rules that are played."""

    frame: str
    suicide: Mapping[bool, str]
    ko: Mapping[Ko, str]
    scoring: Mapping[Scoring, str]
    dead: Mapping[bool, str]
    """By whether dead stones may be left on the board."""


_ENGLISH = Guide(
    frame="""\
Black and White take turns to put a stone on a free point; stones never move.
Stones of one color that touch along the lines are a chain; the free points next
to it are its liberties. A chain whose last liberty is taken by the opponent is
captured and comes off the board.
{suicide}
{ko}
Instead of a move you may pass. Two passes in a row end the game.
{scoring}
White gets {komi:g} points for moving second. Who has more wins.

To move, type a point such as D4, or pass: columns are A to {column} from the left,
without I, rows 1 to {height} from the bottom.""",
    suicide={
        True: "A stone may take its own chain's last liberty, which then comes off; not alone.",
        False: "A stone may not take its own chain's last liberty, unless it captures.",
    },
    ko={
        "simple": "Ko: a stone that just captured one stone may not be recaptured at once by one.",
        "positional": "Ko: no move may bring back a position that was on the board before.",
        "situational": "Ko: no move may bring back a position with the same player to move.",
        "spight": "Ko: no move may bring back a position since a pass.",
    },
    scoring={
        "area": """\
Count your stones on the board and the free points that only they surround.
{dead}""",
        "territory": """\
Before that come two clean-ups: capture what is dead, then pass again. Count the
free points that only your stones surround, and the stones you captured.""",
    },
    dead={
        True: "Stones that can't live in the other's territory count as captured.",
        False: "Dead stones must be captured first: what is on the board at the end, counts.",
    },
)

_KOREAN = Guide(
    frame="""\
흑과 백이 번갈아 빈 점에 돌을 하나씩 놓습니다. 놓은 돌은 움직이지 않습니다.
줄을 따라 이어진 같은 색 돌은 한 덩어리이고, 그 옆의 빈 점이 활로입니다. 마지막
활로를 상대가 막으면 그 덩어리는 잡혀서 판에서 들어냅니다.
{suicide}
{ko}
두는 대신 패스할 수 있습니다. 두 번 이어서 패스하면 대국이 끝납니다.
{scoring}
백은 나중에 두는 대신 덤 {komi:g}집을 받습니다. 많은 쪽이 이깁니다.

D4 같은 점이나 패스를 입력하세요. 가로는 왼쪽부터 A~{column}(I는 없음), 세로는
아래부터 1~{height}입니다.""",
    suicide={
        True: "자기 활로를 스스로 모두 막으면 그 덩어리를 들어냅니다. 한 점만은 안 됩니다.",
        False: "상대 돌을 따내지 못하면서 자기 활로를 모두 막는 곳에는 둘 수 없습니다.",
    },
    ko={
        "simple": "패: 한 점을 따낸 돌 하나를 바로 되따낼 수 없습니다.",
        "positional": "패: 앞에 나온 모양을 되풀이하는 수는 둘 수 없습니다.",
        "situational": "패: 같은 쪽이 둘 차례였던 모양을 되풀이하는 수는 둘 수 없습니다.",
        "spight": "패: 마지막 패스 뒤에 나온 모양을 되풀이하는 수는 둘 수 없습니다.",
    },
    scoring={
        "area": """\
판 위의 자기 돌과 자기 돌만으로 둘러싼 빈 점을 셉니다.
{dead}""",
        "territory": """\
그 전에 정리 단계가 두 번 있습니다. 죽은 돌을 따낸 다음 다시 패스합니다. 자기
돌만으로 둘러싼 빈 점과 따낸 돌을 셉니다.""",
    },
    dead={
        True: "상대 집 안에서 살 수 없는 돌은 잡힌 것으로 칩니다.",
        False: "죽은 돌은 미리 따내야 합니다. 끝났을 때 판에 있는 대로 셉니다.",
    },
)

_JAPANESE = Guide(
    frame="""\
黒と白が交互に、空いた点に石を一つずつ置きます。置いた石は動きません。
線でつながった同じ色の石は一つの連で、その隣の空点が呼吸点です。最後の呼吸点を
相手にふさがれた連は取られ、盤から取り除かれます。
{suicide}
{ko}
打つ代わりにパスができます。パスが二回続くと終局です。
{scoring}
白は後手の分、コミ {komi:g} 目をもらいます。多い方の勝ちです。

D4 のような点かパスを入力してください。横は左から A～{column}（I はなし）、縦は
下から 1～{height} です。""",
    suicide={
        True: "自分の連の最後の呼吸点をふさぐと、その連が取り除かれます。一子だけは不可。",
        False: "相手の石を取れないのに自分の呼吸点がなくなる点には打てません。",
    },
    ko={
        "simple": "コウ: 一子を取った石を、すぐに一子で取り返すことはできません。",
        "positional": "コウ: 前に現れた局面に戻る手は打てません。",
        "situational": "コウ: 手番も同じ前の局面に戻る手は打てません。",
        "spight": "コウ: 最後のパスより後に現れた局面に戻る手は打てません。",
    },
    scoring={
        "area": """\
盤上の自分の石と、自分の石だけで囲んだ空点を数えます。
{dead}""",
        "territory": """\
その前に整理の段階が二回あります。死んだ石を取って、もう一度パスします。自分の
石だけで囲んだ空点と、取った石を数えます。""",
    },
    dead={
        True: "相手の地の中で生きられない石は、取られたものと数えます。",
        False: "死んだ石は先に取っておきます。終局時に盤にあるとおりに数えます。",
    },
)

GUIDES = {"en": _ENGLISH, "ko": _KOREAN, "ja": _JAPANESE}
