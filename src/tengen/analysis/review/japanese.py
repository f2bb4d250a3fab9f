"""Texts of review pages in Japanese, by the English text. Each game adds its own words for the sides."""

# ruff: noqa: E501 - a text and its translation on a line

from __future__ import annotations

from typing import Final

__all__ = ["JAPANESE"]

_VERDICTS: Final = {
    "excellent": "最善級",
    "good": "良い手",
    "inaccuracy": "疑問手",
    "mistake": "悪手",
    "blunder": "大悪手",
    "unjudged": "評価なし",
    "too few visits to judge": "訪問数不足で評価なし",
}

_VIEWER: Final = {
    "{title}: a review": "{title}：検討",
    "The game": "対局",
    "Move": "手数",
    "move": "指し手",
    "wins": "勝率",
    "score": "評価値",
    "lost": "損失",
    "visits": "訪問数",
    "then": "以下の手順",
    "candidates": "候補手",
    "on them": "表示",
    "win rate": "勝率",
    "rank": "順位",
    "Comment": "コメント",
    "The board and the graphs need JavaScript.": "盤とグラフの表示には JavaScript が必要です。",
    "Dots are mistakes and blunders. Arrow keys, Home and End step through the game too.": "点は悪手と大悪手です。矢印キー、Home、End でも手を進められます。",
    "To the start": "開始局面へ",
    "One move back": "一手戻る",
    "One move on": "一手進む",
    "To the end": "終局へ",
    "◀ mistake": "◀ 悪手",
    "mistake ▶": "悪手 ▶",
    "The mistake before": "前の悪手",
    "The next mistake": "次の悪手",
    "white circle: first choice": "白丸: 最善手",
    "ring: played": "輪: 実際の手",
}

_CARDS: Final = {
    "Summary": "まとめ",
    "moves judged": "評価した手",
    "accuracy": "正確さ",
    "points lost a move": "一手あたりの損失（目）",
    "win rate lost a move": "一手あたりの勝率の損失",
    "the engine's first choice": "エンジンの最善手と一致",
    "{color}'s worst moves": "{color}の悪手",
    "{name}'s worst moves ({color})": "{name}（{color}）の悪手",
    "No move of this player was judged.": "評価した手がありません。",
    "None that lost much.": "大きく損をした手はありません。",
    "lost {percent} win rate": "勝率を {percent} 損",
    "lost {points} points, {percent} win rate": "{points} 目、勝率を {percent} 損",
    "better:": "最善:",
    "To be noted": "注意",
    "How it was reviewed": "検討の方法",
    ", ": "、",
    "{verdict} from {percent:g} % win rate": "勝率 {percent:g} % 以上で{verdict}",
    "{verdict} from {points:g} points or {percent:g} % win rate": "{points:g} 目または勝率 {percent:g} % 以上で{verdict}",
    "Network {net}, {visits:,} visits a position, at least {least:,} for the move that was played.": "ネットワーク {net}、一局面あたり訪問数 {visits:,}、実際に指した手には少なくとも {least:,}。",
    "A move's loss is the difference to the engine's first choice in the same position: {limits}.": "損失は同じ局面でのエンジンの最善手との差です: {limits}。",
    "A move with fewer than {count} visits is not judged.": "訪問数が {count} 未満の手は評価しません。",
    "Accuracy is the mean over the moves, each halved by every {amount} that it lost.": "正確さは全ての手の平均で、一手の値は損失 {amount} ごとに半分になります。",
    "2 points": "2 目",
    "8 % of win rate": "勝率 8 %",
}

_TURN: Final = {
    "Variation: {line}": "変化: {line}",
    "{name} wins": "{name}の勝率",
    "Show the variation of {move}": "{move} の変化を表示",
    "played": "実際の手",
    "lost {amount}": "{amount}の損",
    "{percent} win rate": "勝率 {percent}",
    "This position was not analyzed.": "この局面は解析していません。",
    "Played next:": "次の手:",
    "Last:": "直前の手:",
    "Better:": "最善:",
    "after move {turn}, {move}": "{turn}手目 {move} まで",
    "the start": "開始局面",
    "start": "開始局面",
    "not analyzed": "解析なし",
    "The last move was {move}.": "直前の手は {move}。",
}

_TERMINAL: Final = {
    "no moves judged": "評価した手なし",
    "; ": "；",
    "accuracy {percent}": "正確さ {percent}",
    "{percent} win rate lost a move": "一手あたり勝率 {percent} の損",
    "{points:.2f} points lost a move": "一手あたり {points:.2f} 目の損",
    "{count} of {moves} moves the engine's own": "{moves}手中{count}手がエンジンの最善手と一致",
    "{mistakes} mistakes, {blunders} blunders": "悪手 {mistakes}、大悪手 {blunders}",
    "worst {place} {move}, better {best}": "最大の損は{place}手目 {move}、最善は {best}",
    "{count} moves are not judged: the first choice had fewer than {least} visits there; more --visits help": "{count}手は評価していません。その局面で最善手の訪問数が {least} 未満でした。--visits を増やしてください",
}

JAPANESE: Final = {**_VERDICTS, **_VIEWER, **_CARDS, **_TURN, **_TERMINAL}
