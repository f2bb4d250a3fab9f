"""For a newcomer at the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.games.matgo.japanese import JAPANESE_GUIDE
from tengen.games.matgo.korean import KOREAN_GUIDE

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["guide"]

_GUIDE = """\
A card is month and kind: 8g gwang, 8y yeol (9y is gukjin: yeol or two pi), 1r
ribbon, 5pa 5pb pi, 11d double pi, b3 bonus. Korean names are read too.
Play a card of your hand: it takes a card of its month from the floor, or lies
there. Then the top card of the stock is turned and does the same. If it is of
the month just paired, all three stay, a ppuk [ ], until the fourth takes them.
Of two cards that you could take, choose one: take 3r, or just 3r.
With three of a month you may bomb (bomb 3) if the fourth is on the floor, or
shake (shake 3r) if it is not: both double a win. After a bomb, two turns may
be played without a card: dummy.
Points: 3 gwang 3 (with rain 2), 4 gwang 4, 5 gwang 15; 5 yeol 1, 5 ribbons 1,
10 pi 1, each further one 1; 2y 4y 8y (godori) 5; ribbons 1 2 3, 4 5 7 and
6 9 10, 3 each. With {go_min} points you may stop for {gold_per_point} gold a point, or go:
each go is a point more, from the third on the pay doubles. Who went and then
loses pays double; so does a loser with few pi (pi-bak) or no gwang (gwang-bak).
If both hands run out, who went and scored no more loses; else the higher points
win, and a tie (nagari) doubles the next round."""


_GUIDES = {"en": _GUIDE, "ko": KOREAN_GUIDE, "ja": JAPANESE_GUIDE}


def guide(lang: str, settings: Mapping[str, Any]) -> str:
    return _GUIDES[lang].format(**settings)
