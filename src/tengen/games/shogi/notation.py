"""Moves as texts: USI, by which actions are named, and Japanese."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from tengen import _core
from tengen.games.action_names import name_of
from tengen.games.shogi.pieces import BLACK, HAND_KINDS, KINDS, LETTERS, square_name

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = [
    "KANJI",
    "WIN",
    "Move",
    "MoveText",
    "action_of_usi",
    "format_move_text",
    "format_usi",
    "matching_moves",
    "move_of",
    "parse_move_text",
    "square_text",
]

KANJI = ("歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "成香", "成桂", "成銀", "馬", "龍")
"""Names of kinds in moves, by number."""
_KIND_OF_KANJI = {name: kind for kind, name in enumerate(KANJI)} | {"王": 7, "竜": 13, "杏": 9, "圭": 10, "全": 11}
_RANKS = "一二三四五六七八九"
_FILES = "１２３４５６７８９"


@dataclass(frozen=True, slots=True)
class Move:
    """A move of a piece, or, with `dropped`, a drop."""

    to: int
    origin: int | None = None
    dropped: int | None = None
    promotes: bool = False


WIN = len(_core.Shogi.moves())
"""The action that declares a win."""


@cache
def _moves() -> tuple[Move, ...]:
    return tuple(
        Move(to, dropped=origin - 81) if origin >= 81 else Move(to, origin, promotes=promotes)
        for origin, to, promotes in _core.Shogi.moves()
    )


@cache
def _names() -> tuple[str, ...]:
    return (*map(_format, _moves()), "win")


@cache
def _actions() -> dict[str, int]:
    return {name: action for action, name in enumerate(_names())}


def _format(move: Move) -> str:
    if move.dropped is not None:
        return f"{LETTERS[move.dropped]}*{square_name(move.to)}"
    assert move.origin is not None
    return square_name(move.origin) + square_name(move.to) + "+" * move.promotes


def format_usi(action: int) -> str:
    return name_of(_names(), action)


def action_of_usi(text: str) -> int | None:
    """None: it is no move that any piece can make."""
    return _actions().get(text)


def move_of(action: int) -> Move:
    """Of any action but WIN."""
    return _moves()[action]


# Japanese: square, piece, how it came, promotion.


@dataclass(frozen=True, slots=True)
class MoveText:
    """A move as Japanese texts write it: as much of it as they tell."""

    to: int | None
    """None: 同, where the last move went."""
    kind: int
    """Before the move."""
    relative: frozenset[str] = frozenset()
    """Of 右 左 直 上 寄 引."""
    is_drop: bool = False
    promotes: bool | None = None
    """None: the text does not tell."""
    origin: int | None = None


_TEXT = re.compile(
    r"(?P<side>[▲△☗☖▼▽+-])?"
    r"(?:(?P<file>[1-9])(?P<rank>[1-9一二三四五六七八九])|(?P<same>同))\s*"
    r"(?P<kind>成香|成桂|成銀|歩|香|桂|銀|金|角|飛|玉|王|と|杏|圭|全|馬|龍|竜)"
    r"(?P<relative>[右左直上寄引行入]*)(?P<drop>打)?(?P<promotion>不成|成らず|成)?"
    r"(?:\((?P<origin>[0-9]{2})\))?"
)


def parse_move_text(text: str) -> MoveText | None:
    """Of ７六歩, 7六歩, 76歩, 同　銀, 5五角打, 3三桂不成, 5八金右, also with the square of departure as (77).

    None: it is no such text.
    """
    plain = unicodedata.normalize("NFKC", text).strip()
    match = _TEXT.fullmatch(plain)
    if match is None:
        return None
    to = None
    if match["file"]:
        rank = match["rank"]
        to = (int(match["file"]) - 1) * 9 + (int(rank) - 1 if rank.isdecimal() else _RANKS.index(rank))
    origin = match["origin"]
    has_origin = origin is not None and "0" not in origin
    return MoveText(
        to,
        _KIND_OF_KANJI[match["kind"]],
        frozenset(match["relative"].translate(str.maketrans("行入", "上上"))),
        match["drop"] is not None or origin == "00",
        {None: None, "成": True}.get(match["promotion"], False),
        (int(origin[0]) - 1) * 9 + int(origin[1]) - 1 if has_origin and origin is not None else None,
    )


def matching_moves(
    text: MoveText, board: Sequence[int], side: int, last: int | None, legal: Sequence[int]
) -> list[int]:
    """The legal actions that a text may mean; `last` is where the last move went."""
    to = last if text.to is None else text.to
    same_kind = []
    drops = []
    for action in legal:
        if action == WIN:
            continue
        move = move_of(action)
        if move.to != to:
            continue
        if move.dropped is not None:
            if move.dropped == text.kind:
                drops.append(action)
        elif (board[move.origin or 0] & 15) - 1 == text.kind:
            same_kind.append(action)
    if text.is_drop:
        return drops
    if not same_kind and not text.relative and text.promotes is None and text.origin is None:
        return drops
    found = [a for a in same_kind if text.origin is None or move_of(a).origin == text.origin]
    if text.relative:
        origins = {move_of(a).origin for a in found}
        wanted = {
            o for o in origins if o is not None and text.relative <= _relatives(o, to or 0, side, text.kind, origins)
        }
        found = [a for a in found if move_of(a).origin in wanted]
    return _by_promotion(found, text.promotes)


def _by_promotion(found: list[int], promotes: bool | None) -> list[int]:
    if promotes is None:
        # A text without 成 where there is a choice means the plain move.
        plain = [a for a in found if not move_of(a).promotes]
        return plain or found
    return [a for a in found if move_of(a).promotes == promotes]


def _relatives(origin: int, to: int, side: int, kind: int, origins: set[int | None]) -> set[str]:
    """All words that are true of a departure, among the departures of pieces of that kind."""
    file, rank = _seen(origin, side)
    to_file, to_rank = _seen(to, side)
    words = {"上" if rank > to_rank else "引" if rank < to_rank else "寄"}
    if kind in (KINDS.index("+B"), KINDS.index("+R")):
        # Horses and dragons: 右 and 左 compare the two with each other.
        others = [_seen(o, side)[0] for o in origins if o is not None and o != origin]
        words |= {"右"} if any(file < other for other in others) else set()
        words |= {"左"} if any(file > other for other in others) else set()
        return words
    if file < to_file:
        words.add("右")
    elif file > to_file:
        words.add("左")
    elif rank == to_rank + 1:
        words.add("直")
    return words


def _seen(square: int, side: int) -> tuple[int, int]:
    """File from the right and rank from the top, as the mover sees the board."""
    return divmod(square if side == BLACK else 80 - square, 9)


def square_text(square: int) -> str:
    """７六."""
    file, rank = divmod(square, 9)
    return _FILES[file] + _RANKS[rank]


def format_move_text(action: int, board: Sequence[int], side: int, last: int | None, legal: Sequence[int]) -> str:
    """The shortest Japanese text that means this action only, without the mark of the side: ７六歩, 同銀不成."""
    move = move_of(action)
    where = "同" if move.to == last else square_text(move.to)
    if move.dropped is not None:
        rivals = matching_moves(MoveText(move.to, move.dropped, promotes=None), board, side, last, legal)
        return f"{where}{KANJI[move.dropped]}{'' if rivals == [action] else '打'}"
    assert move.origin is not None
    kind = (board[move.origin] & 15) - 1
    same = [
        a
        for a in legal
        if a != WIN and (m := move_of(a)).to == move.to and m.origin is not None and (board[m.origin] & 15) - 1 == kind
    ]
    origins = {move_of(a).origin for a in same}
    relative = _shortest_relative(move.origin, move.to, side, kind, origins)
    can_promote = kind < HAND_KINDS - 1 and _touches_zone(move, side)
    promotion = "成" if move.promotes else "不成" if can_promote else ""
    return f"{where}{KANJI[kind]}{relative}{promotion}"


def _touches_zone(move: Move, side: int) -> bool:
    squares = (move.to, move.origin or 0)
    return any(_seen(square, side)[1] < 3 for square in squares)


def _shortest_relative(origin: int, to: int, side: int, kind: int, origins: set[int | None]) -> str:
    """直 before others, then how it moves, then from which side, then both."""
    if len(origins) < 2:
        return ""
    own = _relatives(origin, to, side, kind, origins)
    others = [_relatives(o, to, side, kind, origins) for o in origins if o is not None and o != origin]
    sideways = [word for word in "左右" if word in own]
    motion = next(word for word in "上寄引" if word in own)
    tries = (["直"] if "直" in own else []) + [motion] + sideways + [word + motion for word in sideways]
    for words in tries:
        if not any(set(words) <= other for other in others):
            return words
    return tries[-1]
