"""Texts of shogi reviews in Japanese and Korean, by the English text."""

# ruff: noqa: E501 - a text and its translation on a line

from __future__ import annotations

from typing import Final

from tengen.analysis.review.japanese import JAPANESE
from tengen.analysis.review.korean import KOREAN
from tengen.games.shogi.records.ends import ENDS, kif_word
from tengen.games.translation import Translation

__all__ = ["TABLES", "words_in"]

_JAPANESE: Final = {
    **{end.replace("_", " "): kif_word(end) for end in ENDS},
    "Black": "先手",
    "White": "後手",
    "A game of shogi": "将棋の対局",
    "Black's win rate": "先手の勝率",
    "Black's win rate over the game": "対局を通じた先手の勝率",
    "Black's score in centipawns": "先手の評価値（センチポーン）",
    "Black's score over the game": "対局を通じた先手の評価値",
    "Shogi board": "将棋盤",
    "its own start": "指定局面",
    "{count} moves": "全{count}手",
    "a draw": "引き分け",
    "{side} won": "{side}の勝ち",
    "After {turn} of {last} moves, {name} to move": "{last}手中{turn}手目まで、{name}の番",
    "Black wins {percent} · {value} · {visits} visits": "先手の勝率 {percent} · {value} · 訪問数 {visits}",
    "Move {number}, {move}: {verdict}, the engine's first choice.": "{number}手目 {move}: {verdict}、エンジンの最善手。",
    "Move {number}, {move}: {verdict}, lost {percent} win rate.": "{number}手目 {move}: {verdict}、勝率を {percent} 損。",
    "Better was {line}.": "最善は {line}。",
    "{side} mates in {plies} plies": "{side}が{plies}手で詰み",
    "{side} wins {percent} ({score}), {visits} visits.": "{side}の勝率 {percent}（{score}）、訪問数 {visits}。",
    "Best for {side}: {line}.": "{side}の最善: {line}。",
    "declaration of a win": "入玉宣言",
}

_KOREAN: Final = {
    "resign": "투료",
    "interrupt": "중단",
    "repetition": "천일수",
    "impasse": "지장기",
    "checkmate": "외통",
    "no mate": "외통 없음",
    "time up": "시간패",
    "illegal win": "반칙승",
    "illegal loss": "반칙패",
    "declaration": "입옥 선언",
    "default win": "부전승",
    "default loss": "부전패",
    "max moves": "최대 수",
    "try": "트라이",
    "draw": "무승부",
    "takeback": "무르기",
    "error": "오류",
    "Black": "선수",
    "White": "후수",
    "A game of shogi": "쇼기 대국",
    "Black's win rate": "선수의 승률",
    "Black's win rate over the game": "대국 전체의 선수 승률",
    "Black's score in centipawns": "선수의 평가치(센티폰)",
    "Black's score over the game": "대국 전체의 선수 평가치",
    "Shogi board": "쇼기판",
    "its own start": "지정 국면",
    "{count} moves": "총 {count}수",
    "a draw": "무승부",
    "{side} won": "{side} 승",
    "After {turn} of {last} moves, {name} to move": "{last}수 가운데 {turn}수 다음, {name} 차례",
    "Black wins {percent} · {value} · {visits} visits": "선수 승률 {percent} · {value} · 방문 {visits}",
    "Move {number}, {move}: {verdict}, the engine's first choice.": "{number}수 {move}: {verdict}, 엔진의 최선.",
    "Move {number}, {move}: {verdict}, lost {percent} win rate.": "{number}수 {move}: {verdict}, 승률 {percent} 손실.",
    "Better was {line}.": "최선은 {line}.",
    "{side} mates in {plies} plies": "{side}, {plies}수 외통",
    "{side} wins {percent} ({score}), {visits} visits.": "{side} 승률 {percent} ({score}), 방문 {visits}.",
    "Best for {side}: {line}.": "{side}의 최선: {line}.",
    "declaration of a win": "입옥 선언",
}

TABLES: Final = {"ja": {**JAPANESE, **_JAPANESE}, "ko": {**KOREAN, **_KOREAN}}
"""The texts of the page, of the record and of the scripts, by language."""


def words_in(lang: str) -> Translation:
    """Return the translation of a language, English if it has no table."""
    return Translation(lang, TABLES.get(lang))
