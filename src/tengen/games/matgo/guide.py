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
You steal a pi if the turned card takes the card you played (jjok) or the other
of two (ddadak), if you empty the floor (pansseul), take a ppuk or bomb. Four of
a month in hand (president) win {president_points} points at once, or are held.
With three of a month you may bomb (bomb 3) if the fourth is on the floor, else
shake (shake 3r): both double a win. A bomb gives two turns with no card: dummy.
Points: 3 gwang 3 (with rain 2), 4 gwang 4, 5 gwang 15; 5 yeol, 5 ribbons, 10 pi
1, each more 1; 2y 4y 8y (godori) 5; ribbons 1 2 3, 4 5 7 and 6 9 10, 3 each.
With {go_min} points you may stop for {gold_per_point} gold a point, or go: a point more, from the
third go on twice the pay. You lose double after a go, with few pi (pi-bak), no
gwang (gwang-bak), or no yeol against seven (mong-bak). When the hands run out,
a go that scored no more loses, else more points win; nagari doubles the next."""


_GUIDES = {"en": _GUIDE, "ko": KOREAN_GUIDE, "ja": JAPANESE_GUIDE}


def guide(lang: str, settings: Mapping[str, Any]) -> str:
    return _GUIDES[lang].format(**settings)
