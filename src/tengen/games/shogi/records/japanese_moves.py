"""Moves as Japanese players write them, with the words that tell pieces of one kind apart (KI2)."""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from tengen.games.shogi.records.board import direction
from tengen.games.shogi.records.pieces import FILES, KANJI_KINDS, KANJI_NAMES, RANKS, format_square, parse_square

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.games.shogi.records.board import Board

__all__ = ["MoveTextError", "format_target", "japanese_move", "parse_japanese", "parse_target"]

_DIGITS: Final = {digit: str(i) for digits in (FILES, "123456789") for i, digit in enumerate(digits, start=1)}
_RANK_LETTERS: Final = {
    digit: letter for digits in (RANKS, FILES, "123456789") for digit, letter in zip(digits, "abcdefghi", strict=True)
}
MOVE: Final = re.compile(
    r"(?:([１-９1-9])([一二三四五六七八九１-９1-9])(?:[ 　]*同)?|同)[ 　]*"
    r"(成[銀桂香]|[歩香桂銀金角飛玉王と杏圭全馬龍竜])([左右直行入上寄引]*)(不成|成|生)?(打)?"
)
_SPOKEN: Final = re.compile(
    r"[▲△☗☖▼▽+-]?(?:([1-9])([一二三四五六七八九1-9])(?: *同)?|同) *(成[銀桂香]|[歩香桂銀金角飛玉王と杏圭全馬龍竜])"
    r"([左右直行入上寄引]*)(不成|成らず|成|生)?(打)?(?:\(([0-9]{2})\))?"
)
"""After NFKC, as people type it: with a mark of the side, with the square it comes from."""
_WAYS: Final = {"上": 1, "行": 1, "入": 1, "寄": 0, "引": -1}
_STRAIGHT: Final = "直"
_SIDEWAYS_ONLY: Final = ("+B", "+R")
"""There are two of them at most, so they are left and right, never straight."""


class MoveTextError(ValueError):
    """A text that is no move here. `text`, with `values` in its braces, says why; translators have it as it is."""

    def __init__(self, text: str, **values: str) -> None:
        super().__init__(text.format(**values))
        self.text = text
        self.values = values


def format_target(square: str) -> str:
    """7f is ７六."""
    return FILES[int(square[0]) - 1] + RANKS["abcdefghi".index(square[1])]


def parse_target(file: str, rank: str) -> str:
    """The reverse, from digits of either width and from kanji."""
    return _DIGITS[file] + _RANK_LETTERS[rank]


def japanese_move(board: Board, move: str, last_target: str | None = None) -> str:
    """A move in the position before it: ７六歩, 同　銀成, ５八金左. Ways of pieces alone tell which need a word."""
    target = move[2:4]
    place = "同　" if target == last_target else format_target(target)
    if move[1] == "*":
        word = "打" if board.movers(move[0], parse_square(target)) else ""
        return f"{place}{KANJI_NAMES[move[0]]}{word}"
    origin = parse_square(move[:2])
    kind = board.kind_on(origin)
    ending = "成" if move.endswith("+") else "不成" if _may_promote(board, kind, origin, parse_square(target)) else ""
    return f"{place}{KANJI_NAMES[kind]}{_distinction(board, kind, origin, parse_square(target))}{ending}"


def parse_japanese(text: str, board: Board, last_target: str | None, is_legal: Callable[[str], bool]) -> str:
    """The USI move that a text means. Where it leaves several, `is_legal` decides; one that pieces can make by their
    ways may still be illegal. Raises MoveTextError."""
    found = _SPOKEN.fullmatch(unicodedata.normalize("NFKC", text).strip())
    if found is None:
        raise MoveTextError("this is no move, such as ７六歩, 7g7f or P*5e")
    file, rank, name, words, ending, drop, origin = found.groups()
    target = parse_target(file, rank) if file else last_target
    if target is None:
        raise MoveTextError("同 before any move")
    kind, to = KANJI_KINDS[name], parse_square(target)
    movers = board.movers(kind, to) if board.owner_of(to) != board.side else []
    dropped = f"{kind}*{target}"
    may_drop = not (ending or words or kind[0] == "+" or kind == "K")
    if drop or origin == "00" or not movers:
        if not may_drop or not (drop or origin == "00" or board.hands[board.side].get(kind)):
            raise MoveTextError("no {name} can move to {target}", name=name, target=format_target(target))
        return dropped
    left = _select(movers, to, board.side, words, kind in _SIDEWAYS_ONLY)
    if origin is not None:
        left = [square for square in left if _digits(square) == origin]
    moves = [f"{format_square(square)}{target}{'+' if ending == '成' else ''}" for square in left]
    if len(moves) == 1 and (ending or words or is_legal(moves[0])):
        return moves[0]
    # Some programs leave out what the rules tell: words for pieces of which one may move, 打 where none may, 成 where a
    # piece must promote.
    wanted = [moves, [] if ending else [f"{move}+" for move in moves], [dropped] if may_drop else []]
    legal = next((some for some in ([move for move in each if is_legal(move)] for each in wanted) if some), moves)
    if len(legal) > 1:
        raise MoveTextError("it may be {moves}: say which", moves=" or ".join(legal))
    if not legal:
        squares = ", ".join(format_square(square) for square in movers)
        raise MoveTextError("of the {name} on {squares} none fits {words}", name=name, squares=squares, words=words)
    return legal[0]


def _select(movers: list[int], target: int, side: int, words: str, is_sideways: bool) -> list[int]:
    """Those that the words describe."""
    left = [
        origin for origin in movers if all(_WAYS[word] == _way(origin, target, side) for word in words if word in _WAYS)
    ]
    if _STRAIGHT in words and not is_sideways:
        left = [origin for origin in left if direction(origin, target, side) == (0, 1)]
    elif _STRAIGHT in words:
        left = [origin for origin in left if direction(origin, target, side)[0] == 0]
    for word, sign in (("右", 1), ("左", -1)):
        if word in words:
            # Among themselves, as they are written; where that leaves several, seen from the square they go to.
            best = max((sign * _rightness(origin, side) for origin in left), default=0)
            first = [origin for origin in left if sign * _rightness(origin, side) == best]
            seen = [origin for origin in left if sign * direction(origin, target, side)[0] > 0]
            left = seen if len(first) > 1 and len(seen) == 1 else first
    return left


def _distinction(board: Board, kind: str, origin: int, target: int) -> str:
    """What tells a piece from others that move there too."""
    side = board.side
    others = [square for square in board.movers(kind, target) if square != origin]
    if not others:
        return ""
    way = _way(origin, target, side)
    word = {1: "上", 0: "寄", -1: "引"}[way]
    alike = [square for square in others if _way(square, target, side) == way]
    if not alike:
        return word
    if kind not in _SIDEWAYS_ONLY and direction(origin, target, side) == (0, 1):
        return _STRAIGHT
    own = _rightness(origin, side)
    for group, more in ((others, ""), (alike, word)):
        if all(_rightness(square, side) < own for square in group):
            return f"右{more}"
        if all(_rightness(square, side) > own for square in group):
            return f"左{more}"
    return word


def _digits(square: int) -> str:
    return f"{square // 9 + 1}{square % 9 + 1}"


def _way(origin: int, target: int, side: int) -> int:
    """1 forward, 0 sideways, -1 back."""
    forward = direction(origin, target, side)[1]
    return (forward > 0) - (forward < 0)


def _rightness(square: int, side: int) -> int:
    """Greater is further to the right, as who moves sees it."""
    return -(square // 9) if side == 0 else square // 9


def _may_promote(board: Board, kind: str, origin: int, target: int) -> bool:
    if kind in ("G", "K") or kind[0] == "+":
        return False
    ranks = [square % 9 if board.side == 0 else 8 - square % 9 for square in (origin, target)]
    return min(ranks) < 3
