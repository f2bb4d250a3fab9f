"""What a newcomer is told of battles, by language."""

from __future__ import annotations

__all__ = ["GUIDES"]

_ENGLISH = """\
Each side has six Pokémon, drawn at random, and one of them on the field. Both
choose at once: a move of the Pokémon on the field, or a switch to another one.
Once in a battle a Pokémon may Dynamax for three turns: its HP double, and its
moves become Max Moves. Who has no Pokémon left loses.
Of the other team you see what has come to the field; its HP are in percent.
Below it stand moves, items and abilities that it may have, with their shares
among the sets that fit what was seen.

To move, type the name of a move or of a Pokémon, or "dynamax" and the name of
a move; "move 1" to "move 4", "switch 1" to "switch 6" and "dynamax 1" to
"dynamax 4" do too."""

_KOREAN = """\
양쪽 모두 무작위로 뽑은 포켓몬 여섯 마리로 싸우고, 한 마리씩 나와 있습니다.
둘이 동시에 고릅니다: 나와 있는 포켓몬의 기술, 또는 다른 포켓몬으로 교체.
배틀에서 한 번, 포켓몬을 세 턴 동안 다이맥스할 수 있습니다. HP가 두 배가 되고
기술은 다이맥스 기술이 됩니다. 남은 포켓몬이 없는 쪽이 집니다.
상대 팀은 나온 적이 있는 포켓몬만 보이고, HP는 퍼센트로 보입니다. 그 아래는
가지고 있을 수 있는 기술, 도구, 특성이며, 지금까지 본 것과 맞는 세트 가운데
차지하는 비율입니다.

기술이나 포켓몬의 이름(영어)을 입력하세요. 다이맥스는 "다이맥스"와 기술
이름입니다. "기술 1"~"기술 4", "교체 1"~"교체 6", "다이맥스 1"~"다이맥스 4"도
됩니다."""

_JAPANESE = """\
どちらもランダムに選ばれた六匹のポケモンで戦い、一匹ずつ場に出ています。
二人が同時に選びます: 場のポケモンのわざ、または別のポケモンへの交代。
バトル中に一度だけ、三ターンのあいだダイマックスできます。ＨＰが二倍になり、
わざはダイマックスわざになります。ポケモンがいなくなった側の負けです。
相手のチームは場に出たポケモンだけが見え、ＨＰは百分率です。その下は持っている
かもしれないわざ、持ち物、特性で、これまで見たことに合う型のうちの割合です。

わざやポケモンの名前（英語）を入力してください。ダイマックスは「ダイマックス」
とわざの名前です。「わざ 1」～「わざ 4」、「交代 1」～「交代 6」、
「ダイマックス 1」～「ダイマックス 4」でも選べます。"""

GUIDES = {"en": _ENGLISH, "ko": _KOREAN, "ja": _JAPANESE}
