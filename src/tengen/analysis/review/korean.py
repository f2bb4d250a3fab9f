"""Texts of review pages in Korean, by the English text. Each game adds its own words for the sides."""

# ruff: noqa: E501 - a text and its translation on a line

from __future__ import annotations

from typing import Final

__all__ = ["KOREAN"]

_VERDICTS: Final = {
    "excellent": "최선급",
    "good": "좋은 수",
    "inaccuracy": "의문수",
    "mistake": "실수",
    "blunder": "큰 실수",
    "unjudged": "평가 없음",
    "too few visits to judge": "방문 수가 적어 평가 없음",
}

_VIEWER: Final = {
    "{title}: a review": "{title}: 복기",
    "The game": "대국",
    "Move": "수",
    "move": "수",
    "wins": "승률",
    "score": "평가치",
    "lost": "손실",
    "visits": "방문",
    "then": "다음 수순",
    "candidates": "후보수",
    "on them": "표시",
    "win rate": "승률",
    "rank": "순위",
    "Comment": "설명",
    "The board and the graphs need JavaScript.": "판과 그래프를 보려면 JavaScript가 필요합니다.",
    "Dots are mistakes and blunders. Arrow keys, Home and End step through the game too.": "점은 실수와 큰 실수입니다. 화살표 키, Home, End로도 수를 넘길 수 있습니다.",
    "To the start": "처음으로",
    "One move back": "한 수 뒤로",
    "One move on": "한 수 앞으로",
    "To the end": "끝으로",
    "◀ mistake": "◀ 실수",
    "mistake ▶": "실수 ▶",
    "The mistake before": "앞의 실수",
    "The next mistake": "다음 실수",
    "white circle: first choice": "흰 원: 최선의 수",
    "ring: played": "고리: 실제로 둔 수",
}

_CARDS: Final = {
    "Summary": "요약",
    "moves judged": "평가한 수",
    "accuracy": "정확도",
    "points lost a move": "한 수당 손실(집)",
    "win rate lost a move": "한 수당 승률 손실",
    "the engine's first choice": "엔진의 최선과 일치",
    "{color}'s worst moves": "{color}의 실수",
    "{name}'s worst moves ({color})": "{name}({color})의 실수",
    "No move of this player was judged.": "평가한 수가 없습니다.",
    "None that lost much.": "크게 손해 본 수가 없습니다.",
    "lost {percent} win rate": "승률 {percent} 손실",
    "lost {points} points, {percent} win rate": "{points}집, 승률 {percent} 손실",
    "better:": "최선:",
    "To be noted": "알림",
    "How it was reviewed": "복기 방법",
    ", ": ", ",
    "{verdict} from {percent:g} % win rate": "승률 {percent:g} % 이상이면 {verdict}",
    "{verdict} from {points:g} points or {percent:g} % win rate": "{points:g}집 또는 승률 {percent:g} % 이상이면 {verdict}",
    "Network {net}, {visits:,} visits a position, at least {least:,} for the move that was played.": "신경망 {net}, 국면마다 방문 {visits:,}, 실제로 둔 수는 적어도 {least:,}.",
    "A move's loss is the difference to the engine's first choice in the same position: {limits}.": "손실은 같은 국면에서 엔진의 최선과의 차이입니다: {limits}.",
    "A move with fewer than {count} visits is not judged.": "방문이 {count}보다 적은 수는 평가하지 않습니다.",
    "Accuracy is the mean over the moves, each halved by every {amount} that it lost.": "정확도는 모든 수의 평균이며, 한 수의 값은 손실 {amount}마다 반으로 줄어듭니다.",
    "2 points": "2집",
    "8 % of win rate": "승률 8 %",
}

_TURN: Final = {
    "Variation: {line}": "변화: {line}",
    "{name} wins": "{name} 승률",
    "Show the variation of {move}": "{move}의 변화 보기",
    "played": "실제로 둔 수",
    "lost {amount}": "{amount} 손실",
    "{percent} win rate": "승률 {percent}",
    "This position was not analyzed.": "이 국면은 분석하지 않았습니다.",
    "Played next:": "다음 수:",
    "Last:": "바로 앞 수:",
    "Better:": "최선:",
    "after move {turn}, {move}": "{turn}수 {move} 다음",
    "the start": "처음 국면",
    "start": "처음",
    "not analyzed": "분석 없음",
    "The last move was {move}.": "마지막 수는 {move}.",
}

_TERMINAL: Final = {
    "no moves judged": "평가한 수 없음",
    "; ": "; ",
    "accuracy {percent}": "정확도 {percent}",
    "{percent} win rate lost a move": "한 수당 승률 {percent} 손실",
    "{points:.2f} points lost a move": "한 수당 {points:.2f}집 손실",
    "{count} of {moves} moves the engine's own": "{moves}수 가운데 {count}수가 엔진의 최선과 일치",
    "{mistakes} mistakes, {blunders} blunders": "실수 {mistakes}, 큰 실수 {blunders}",
    "worst {place} {move}, better {best}": "가장 큰 손실은 {place}수 {move}, 최선은 {best}",
    "{count} moves are not judged: the first choice had fewer than {least} visits there; more --visits help": "{count}수는 평가하지 않았습니다. 그 국면에서 최선의 방문이 {least}보다 적었습니다. --visits를 늘려 주십시오",
}

KOREAN: Final = {**_VERDICTS, **_VIEWER, **_CARDS, **_TURN, **_TERMINAL}
