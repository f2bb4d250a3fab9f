"""Shogi's board for a terminal: in kanji for readers of Japanese, else in letters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.games.drawing import paint_faint, paint_seat
from tengen.games.shogi.pieces import BLACK, EMPTY, HAND_KINDS, KINDS, WHITE, color_of, kind_of, piece_of_letter

if TYPE_CHECKING:
    from tengen.games.shogi.sfen import Layout
    from tengen.games.translation import Translation

__all__ = ["BOARD_KANJI", "NUMERALS", "RANKS", "Drawing", "draw_text"]

BOARD_KANJI = ("歩", "香", "桂", "銀", "角", "飛", "金", "玉", "と", "杏", "圭", "全", "馬", "龍")
"""One letter a kind, by number."""
NUMERALS = ("", "", "二", "三", "四", "五", "六", "七", "八", "九", "十", *("十" + n for n in "一二三四五六七八"))
RANKS = "一二三四五六七八九"
_LAST = "\x1b[7m"
_OFF = "\x1b[0m"
_HAND_ORDER = tuple(KINDS.index(letter) for letter in "RBGSNLP")


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a drawing shows."""

    layout: Layout
    status: str
    """How the game stands, in the reader's language."""
    last: int | None = None
    """Where the last move went."""

    def piece(self, file: int, rank: int) -> int:
        """Both from 0."""
        return self.layout.board[file * 9 + rank]

    def hand(self, color: int) -> list[tuple[int, int]]:
        """Kinds and how many, the most valuable first."""
        counts = self.layout.hands[color * HAND_KINDS : (color + 1) * HAND_KINDS]
        return [(kind, counts[kind]) for kind in _HAND_ORDER if counts[kind]]


def draw_text(board: Drawing, words: Translation, color: bool = False) -> str:
    return (_kanji if words.lang == "ja" else _letters)(board, words, color)


def _kanji(board: Drawing, words: Translation, color: bool) -> str:
    """As the records of Japanese programs draw it, with the status below."""
    lines = [_kanji_hand(board, WHITE, words), "  ９ ８ ７ ６ ５ ４ ３ ２ １", "+" + "-" * 27 + "+"]
    for rank in range(9):
        cells = "".join(_kanji_cell(board, file, rank, color) for file in range(8, -1, -1))
        lines.append(f"|{cells}|{RANKS[rank]}")
    return "\n".join([*lines, "+" + "-" * 27 + "+", _kanji_hand(board, BLACK, words), board.status])


def _kanji_cell(board: Drawing, file: int, rank: int, color: bool) -> str:
    piece = board.piece(file, rank)
    if piece == EMPTY:
        return " " + paint_faint("・", color)
    mark = "v" if color_of(piece) == WHITE else " "
    text = mark + BOARD_KANJI[kind_of(piece)]
    if color and file * 9 + rank == board.last:
        return f"{mark}{_LAST}{text[1]}{_OFF}"
    return paint_seat(text, color_of(piece), color)


def _kanji_hand(board: Drawing, color: int, words: Translation) -> str:
    held = "　".join(BOARD_KANJI[kind] + _numeral(count) for kind, count in board.hand(color))
    return f"{words('{side} in hand', side=words(('Black', 'White')[color]))}：{held or words('nothing')}"


def _numeral(count: int) -> str:
    return NUMERALS[count] if count < len(NUMERALS) else str(count)


def _letters(board: Drawing, words: Translation, color: bool) -> str:
    """Capitals are Black's; + is promoted; the last move's target is between brackets."""
    edge = "   " + "".join(f"{file:>4}" for file in range(9, 0, -1))
    lines = [_letter_hand(board, WHITE, words, color), edge]
    for rank in range(9):
        text = ""
        for file in range(8, -1, -1):
            piece = board.piece(file, rank)
            is_last = file * 9 + rank == board.last and piece != EMPTY
            name = "." if piece == EMPTY else piece_of_letter(piece)
            shown = paint_faint(name, color) if piece == EMPTY else paint_seat(name, color_of(piece), color)
            before = "(" if is_last else " "
            text += " " * (2 - len(name)) + before + shown + (")" if is_last else " ")
        lines.append(f"    {text}  {'abcdefghi'[rank]}")
    return "\n".join([*lines, _letter_hand(board, BLACK, words, color), board.status])


def _letter_hand(board: Drawing, color: int, words: Translation, paint: bool) -> str:
    name = ("Black", "White")[color]
    held = [
        paint_seat(KINDS[kind] if color == BLACK else KINDS[kind].lower(), color, paint)
        + (f" x{count}" if count > 1 else "")
        for kind, count in board.hand(color)
    ]
    return f"   {words('{side} in hand', side=words(name))}: {', '.join(held) or words('nothing')}"
