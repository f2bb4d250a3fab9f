"""What Kuhn poker says to people: its guide, and its texts in Korean and Japanese, by what they are in English."""

# ruff: noqa: E501 - a text and its translation on a line

from __future__ import annotations

from types import MappingProxyType

__all__ = ["GUIDES", "LANGUAGES"]

_KOREAN = {
    "Kuhn poker": "쿤 포커",
    "Each player has one card of J Q K and has paid 1 chip. A bet is 1 more; the higher card wins a called one.": "J Q K 가운데 한 장씩 받고 칩을 1개씩 냅니다. 베팅은 1개이고, 콜하면 높은 카드가 이깁니다.",
    "A hand of Kuhn poker": "쿤 포커 한 판",
    "pass": "패스",
    "bet": "베팅",
    "check": "체크",
    "fold": "폴드",
    "call": "콜",
    ", ": ", ",
    "first": "첫째",
    "second": "둘째",
    "first card": "첫째 카드",
    "second card": "둘째 카드",
    "a hidden card": "뒤집힌 카드",
    "to act": "차례",
    "{text!r} is not an action of Kuhn poker: pass (or check, fold) or bet (or call)": "{text!r}: 그런 수는 없습니다. 패스(체크, 폴드)나 베팅(콜)을 입력하세요",
    "{text!r} does not fit: there is a bet to answer, so it is fold or call": "{text!r}: 지금은 맞지 않습니다. 상대가 베팅했으니 폴드나 콜입니다",
    "{text!r} does not fit: there is no bet to answer, so it is check or bet": "{text!r}: 지금은 맞지 않습니다. 베팅이 없으니 체크나 베팅입니다",
}  # fmt: skip

_JAPANESE = {
    "Kuhn poker": "クーンポーカー",
    "Each player has one card of J Q K and has paid 1 chip. A bet is 1 more; the higher card wins a called one.": "J Q K から一枚ずつ配られ、チップを1枚ずつ払います。ベットは1枚で、コールされたら高いカードの勝ちです。",
    "A hand of Kuhn poker": "クーンポーカーの一局",
    "pass": "パス",
    "bet": "ベット",
    "check": "チェック",
    "fold": "フォールド",
    "call": "コール",
    ", ": "、",
    "first": "先手",
    "second": "後手",
    "first card": "先手のカード",
    "second card": "後手のカード",
    "a hidden card": "伏せたカード",
    "to act": "番",
    "{text!r} is not an action of Kuhn poker: pass (or check, fold) or bet (or call)": "{text!r} という手はありません。パス（チェック、フォールド）かベット（コール）を入力してください",
    "{text!r} does not fit: there is a bet to answer, so it is fold or call": "{text!r} は今は合いません。相手がベットしたので、フォールドかコールです",
    "{text!r} does not fit: there is no bet to answer, so it is check or bet": "{text!r} は今は合いません。ベットがないので、チェックかベットです",
}  # fmt: skip

LANGUAGES = MappingProxyType({"ko": _KOREAN, "ja": _JAPANESE})

_GUIDE = """\
Three cards, J below Q below K. Each player pays 1 chip and gets one card, which
the other does not see; the third stays hidden.
The first player checks or bets 1 chip more. After a check the second player
checks, and the cards are compared, or bets. Who faces a bet folds and loses the
chip paid, or calls with 1 chip, and the cards are compared.
The higher card takes all chips: you win or lose 1, or 2 after a call.

To move, type pass (also check, fold) or bet (also call)."""

_GUIDE_KO = """\
카드는 세 장이고 J, Q, K 순으로 높아집니다. 칩을 1개씩 내고 한 장씩 받는데,
상대의 카드는 보이지 않습니다. 나머지 한 장도 공개하지 않습니다.
첫째는 체크하거나 칩 1개를 더 베팅합니다. 체크하면 둘째도 체크하여 카드를
비교하거나 베팅합니다. 상대가 베팅하면 폴드하여 낸 칩을 잃거나, 칩 1개로
콜하여 카드를 비교합니다.
높은 카드가 칩을 모두 가집니다. 1개를 따거나 잃고, 콜 다음에는 2개입니다.

패스(체크, 폴드)나 베팅(콜)을 입력하세요."""

_GUIDE_JA = """\
カードは三枚、J、Q、K の順に高くなります。チップを1枚ずつ払って一枚ずつ配られ、
相手のカードは見えません。残りの一枚も伏せたままです。
先手はチェックするか、チップをもう1枚ベットします。チェックなら、後手もチェック
してカードを比べるか、ベットします。ベットされたら、フォールドして払ったチップを
失うか、チップ1枚でコールしてカードを比べます。
高いカードがチップをすべて取ります。勝ち負けは1枚、コールの後は2枚です。

パス（チェック、フォールド）かベット（コール）を入力してください。"""

GUIDES = MappingProxyType({"en": _GUIDE, "ko": _GUIDE_KO, "ja": _GUIDE_JA})
