"""For a newcomer at the terminal."""

from __future__ import annotations

__all__ = ["GUIDE"]

GUIDE = """\
A card is month and kind: 광 gwang, 열 yeol, 국 gukjin (a yeol), 홍 초 청 띠 ribbons, 피 pi, 쌍 double pi, 보 bonus.
In plain letters: 8g gwang, 8y yeol, 1r ribbon, 5pa 5pb pi, 11d double pi, b3 bonus.
Play a card of your hand: it takes a card of its month from the floor, or lies there.
Then the top card of the stock is turned and does the same.
[ ] is a ppuk: three cards that lie until the fourth takes them all.
With three of a month you may bomb (폭탄 3월, bomb 3) if the fourth lies on the floor, or shake (흔들고 3홍, shake 3r).
Points: 3 gwang 3, 5 yeol 1, 5 ribbons 1, 10 pi 1, each further card 1 more; 2열 4열 8열 (godori) 5; 홍, 청, 초 3 each.
With 7 points you may stop (스톱) and be paid, or go (고) for more: then they may win, and you pay double."""
