"""What shogi says to people in Korean: its texts, by what they are in English, and its guide."""

# ruff: noqa: E501 - a text and its translation on a line

from __future__ import annotations

from typing import Final

__all__ = ["DECLARATION_KO", "GUIDE_KO", "KOREAN"]

_BOARD: Final = {
    "Shogi": "쇼기",
    "Mate the king; what you take you may drop. Seat 0 is Black (sente). Moves are USI's: 7g7f, 8h2b+, P*5e, win.": "상대 왕을 외통으로 잡으면 이기고, 잡은 말은 다시 놓을 수 있습니다. 먼저 두는 쪽이 선수입니다. 수는 USI로 씁니다: 7g7f, 8h2b+, P*5e, win.",
    "A position of shogi": "쇼기 국면",
    "Black": "선수",
    "White": "후수",
    "{side} in hand": "{side}의 가진 말",
    "nothing": "없음",
    "{side} to move": "{side} 차례",
    "{side} to move, in check": "{side} 차례, 장군",
    "{side} wins: {loser} has no legal move": "{side} 승 ({loser}가 둘 수 있는 수 없음)",
    "{side} wins: mate": "{side} 승 (외통)",
    "draw: the position came for the fourth time": "무승부 (천일수)",
    "{side} wins: {loser} gave perpetual check": "{side} 승 (연속 장군 천일수)",
    "{side} wins by declaration": "{side} 승 (입옥 선언)",
    "{side} wins: its king has reached its goal": "{side} 승 (트라이)",
    "draw: the limit of plies is reached": "무승부 (최대 수)",
    "Problem {number} of {count}: {side} mates in {plies} plies, with check all the way.": "{count}문제 가운데 {number}번: {side}, {plies}수 외통, 수마다 장군.",
    "that gives no check": "장군이 아닙니다",
    "that lets the king get away: {answer}": "왕이 빠져나갑니다: {answer}",
    "whether that still mates is not known": "외통인지 알 수 없습니다",
    "the mate is still there, in {plies} plies": "아직 외통이 있습니다 ({plies}수)",
    "promote": "승격",
    "stay": "승격 안 함",
    "declare a win": "입옥 선언",
    "{side}'s {piece}": "{side} {piece}",
    "pawn": "보병",
    "lance": "향차",
    "knight": "계마",
    "silver": "은장",
    "bishop": "각행",
    "rook": "비차",
    "gold": "금장",
    "king": "왕",
    "promoted pawn": "토금",
    "promoted lance": "성향",
    "promoted knight": "성계",
    "promoted silver": "성은",
    "horse": "용마",
    "dragon": "용왕",
}  # fmt: skip

_REFUSALS: Final = {
    "this is no move, such as ７六歩, 7g7f or P*5e": "그런 수는 없습니다. 7g7f, P*5e, ７六歩처럼 입력하세요",
    "同 before any move": "앞에 둔 수가 없어 ‘同’을 쓸 수 없습니다",
    "no {name} can move to {target}": "{target}(으)로 갈 수 있는 {name}이(가) 없습니다",
    "it may be {moves}: say which": "어느 말인지 알 수 없습니다 ({moves})",
    "of the {name} on {squares} none fits {words}": "‘{words}’에 맞는 {name}이(가) 없습니다 ({squares})",
    "nothing stands on {origin}": "{origin}에 말이 없습니다",
    "the piece on {origin} is the opponent's": "{origin}의 말은 상대의 것입니다",
    "a piece of your own stands on {to}": "{to}에 자기 말이 있습니다",
    "the piece on {origin} cannot go to {to}: it does not move so, or another piece is in its way": "{origin}의 말은 {to}에 갈 수 없습니다. 그렇게 움직이지 않거나 다른 말이 막고 있습니다",
    "the piece on {origin} cannot promote with this move": "{origin}의 말은 이 수로 승격할 수 없습니다",
    "the piece must promote there, for it could not move again": "더 움직일 수 없게 되므로 승격해야 합니다",
    "you have no such piece in hand": "그 말을 가지고 있지 않습니다",
    "{to} is not empty": "{to}에 말이 있습니다",
    "the piece could never move from {to}": "{to}에서는 움직일 수 없는 말입니다",
    "you have an unpromoted pawn on that file already (nifu)": "그 세로줄에 이미 자기 보병이 있습니다 (이보)",
    "a dropped pawn must not give mate (uchifuzume)": "보병을 놓아 외통을 만들 수 없습니다 (우치후즈메)",
    "the king would be in check on {to}": "{to}에서는 왕이 잡힙니다",
    "the king is in check, and the move does not help": "장군을 막지 못하는 수입니다",
    "the piece on {origin} is pinned: without it the king would be in check": "{origin}의 말이 움직이면 왕이 잡힙니다",
    "a win cannot be declared here: {points} points and {pieces} pieces in the camp": "선언할 수 없습니다: {points}점, 적진에 말 {pieces}개",
}  # fmt: skip

KOREAN: Final = {**_BOARD, **_REFUSALS}

GUIDE_KO: Final = """\
상대 왕을 외통으로 잡으면 이깁니다. 대문자는 선수의 말로 위로 나아가고, 소문자는
후수의 말로 아래로 나아갑니다. +는 승격한 말입니다. 칸은 세로줄과 가로줄: 7g.
수는 7g7f, 승격은 8h2b+, 가진 말을 놓는 수는 P*5e라고 입력합니다.
왕 K: 어느 쪽이든 한 칸. 비차 R: 가로세로. 각행 B: 대각선.
금장 G: 대각선 뒤만 빼고 한 칸. 은장 S: 앞과 대각선으로 한 칸. 계마 N: 앞으로
두 칸 옆으로 한 칸, 말을 뛰어넘음. 향차 L: 앞으로 곧게. 보병 P: 앞으로 한 칸.
적진 세 줄에 들어가거나 나오거나 그 안에서 움직인 말은 승격할 수 있습니다. P, L,
N, S는 금장이 되고, R, B는 왕처럼도 움직입니다. 더 움직일 수 없으면 반드시
승격합니다. 잡은 말은 승격이 풀려 내 것이 되고, 두는 대신 빈칸에 놓아도 됩니다.
자기 보병이 있는 세로줄의 보병(이보), 보병을 놓아 만드는 외통, 움직일 수 없는
자리는 안 됩니다. 둘 수 있는 수가 없으면 집니다. 같은 국면이 네 번 나오면
무승부(천일수)이지만, 계속 장군을 부른 쪽은 집니다.
{declaration}"""

DECLARATION_KO: Final = {
    "NoEnteringKing": "",
    "CSARule24": "왕과 다른 말 10개가 적진에 있고 31점(R, B 5점, 나머지 1점) 이상이면 win.",
    "CSARule27": "왕과 다른 말 10개가 적진에 있고 28점(후수 27점; R, B 5점) 이상이면 win.",
    "TryRule": "상대 왕이 처음 있던 칸(5a, 5i)에 왕이 이르면 이깁니다.",
}
