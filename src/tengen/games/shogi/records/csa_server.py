"""The verdicts that shogi-server, the program behind floodgate, writes into its records as comments."""

from __future__ import annotations

import re
from typing import Final

from tengen.games.shogi.records.ends import winner_of

__all__ = ["parse_end_time", "parse_illegal_move", "parse_summary"]

_SUMMARY: Final = re.compile(r"'summary:([^:]*):(.*)\s(win|lose|draw):(.*)\s(win|lose|draw)\s*")
_ILLEGAL: Final = re.compile(r"'ILLEGAL_MOVE\((.*)\)\s*")
_END_TIME: Final = re.compile(r"'\$END_TIME:(.+)")
_KINDS: Final = {
    "toryo": "resign",
    "abnormal": "resign",
    "time_up": "time_up",
    "kachi": "declaration",
    "jishogi": "declaration",
    "try": "try",
    "tsumi": "checkmate",
}
"""Ends with a winner by the server's words, in which blanks are read as underscores."""
_FOULS: Final = frozenset(
    ["illegal_move", "illegal_kachi", "illegal_action", "uchifuzume", "oute_kaihimore", "oute_sennichite", "outori"]
)
_DRAWS: Final = {"sennichite": "repetition", "max_moves": "max_moves", "jishogi": "impasse"}


def parse_summary(comment: str, side: int) -> str | None:
    """Return the kind of end in a line such as `'summary:time up:alice lose:bob win`, with `side` to move.

    The line is the server's verdict and decides who won, whatever the lines before it say: a wrong declaration is
    logged as `%KACHI`, too. Returns None if the comment is not a summary.
    """
    found = _SUMMARY.fullmatch(comment)
    if found is None:
        return None
    word = found[1].strip().lower().replace(" ", "_")
    results = found[3], found[5]
    if results.count("win") != 1 or "draw" in results:
        return _DRAWS.get(word, "draw" if results == ("draw", "draw") else "interrupt")
    winner = results.index("win")
    kind = _KINDS.get(word, "resign")
    if word not in _FOULS and winner_of(kind, side) == winner:
        return kind
    # The remaining ends have only the winner in common: the opponent fouled, or left out of turn.
    return "illegal_win" if winner == side else "illegal_loss" if word in _FOULS else "resign"


def parse_illegal_move(comment: str) -> str | None:
    """Return the move in a line such as `'ILLEGAL_MOVE(+7775FU)`, or None if the comment is another one."""
    found = _ILLEGAL.fullmatch(comment)
    return None if found is None else found[1]


def parse_end_time(comment: str) -> str | None:
    """Return the time in a line such as `'$END_TIME:2026/11/17 10:00:00`, or None if the comment is another one."""
    found = _END_TIME.fullmatch(comment.rstrip())
    return None if found is None else found[1].strip()
