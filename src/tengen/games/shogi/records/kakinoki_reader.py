"""Reads KIF and KI2, the formats of Kakinoki's program: they differ in how moves are written, and in nothing else."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NoReturn

from tengen.games.shogi.records.board import Board
from tengen.games.shogi.records.bod import BoardReader
from tengen.games.shogi.records.builder import TreeBuilder
from tengen.games.shogi.records.encoding import numbered_lines
from tengen.games.shogi.records.ends import KIF_ENDS, parse_result
from tengen.games.shogi.records.errors import NO_GAME, RecordError
from tengen.games.shogi.records.handicaps import EVEN, HANDICAPS, OTHER, find_handicap
from tengen.games.shogi.records.headers import KIF_KEYS
from tengen.games.shogi.records.japanese_moves import MOVE, parse_japanese, parse_target
from tengen.games.shogi.records.pieces import KANJI_KINDS, format_square, parse_square

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.games.shogi.records.tree import Record

__all__ = ["parse_kif"]

_NUMBERED: Final = re.compile(r"[\s　]*([0-9０-９]+)[\s　]+[▲▼☗△▽☖]?(\S.*)")
_ORIGIN: Final = re.compile(r"[\s　]*[(（]([0-9０-９])([0-9０-９])[)）]")
_TIME: Final = re.compile(r"[\s　]*[(（]\s*([\d:.]+)\s*(?:/\s*([\d:.]*)\s*)?[)）]")
_REST: Final = re.compile(r"[\s　]*\+?[\s　]*")
_VARIATION: Final = re.compile(r"変化[：:]\s*([0-9０-９]+)手.*")
_HEADER: Final = re.compile(r"(?![0-9０-９]+[：:])([^：:\s][^：:]*)[：:](.*)")
_TABLE_HEAD: Final = re.compile(r"手数-+.*|.*指手-+.*")
_MARKS: Final = {"▲": 0, "▼": 0, "☗": 0, "△": 1, "▽": 1, "☖": 1}
_MARKED: Final = re.compile(r"([▲▼☗△▽☖])([^▲▼☗△▽☖]*)")


def parse_kif(text: str, source: str = "") -> Record:
    """A record in KIF or KI2. Raises RecordError, which names the line."""
    reader = _Reader(source)
    for number, line in numbered_lines(text):
        reader.read(line, number)
    return reader.close()


class _Reader:
    def __init__(self, source: str) -> None:
        self.source = source
        self.header: dict[str, str] = {}
        self.handicap: str | None = None
        self.handicap_text = ("", 0)
        """As the file has it, and the line."""
        self.drawing = BoardReader(source)
        self.is_teaching = False
        """The players are called 上手 and 下手: there is a handicap, and White begins."""
        self.has_game = False
        """A board, a move, an end or a header that belongs to shogi was read: any text may have lines with colons."""
        self.first_comments: list[str] = []
        self.first_bookmark = ""
        self.tree: TreeBuilder | None = None
        self.offset: int | None = None
        """Difference between the file's move numbers and the reader's."""

    def read(self, text: str, line: int) -> None:
        plain = text.strip().strip("　")
        special = self._by_first_letter.get(plain[:1])
        if not plain or plain[0] == "#":
            return
        if special is not None:
            special(self, text.lstrip(), line)
        elif found := _VARIATION.fullmatch(plain):
            self._begin_variation(int(found[1]), line)
        elif plain.startswith("まで") and self._read_result(plain, line):
            return
        elif _TABLE_HEAD.fullmatch(plain):
            self._begin(line)
        elif self.drawing.take_line(plain, line):
            self._refuse_late(line, "a board")
        elif found := _NUMBERED.fullmatch(text):
            self._read_numbered(int(found[1]), found[2], line)
        elif found := _HEADER.fullmatch(plain):
            self._read_header(found[1].strip().strip("　"), found[2].strip().strip("　"), line)
        else:
            self.fail(f"{plain[:40]!r} is neither a move nor a comment nor a header", line)

    def close(self) -> Record:
        if not self.has_game and self.tree is None and not self.drawing.is_drawn:
            raise RecordError(NO_GAME, None, self.source)
        return self._begin(1).close()

    def fail(self, reason: str, line: int) -> NoReturn:
        raise RecordError(reason, line, self.source)

    # Lines with a special first letter.

    def _read_comment(self, text: str, line: int) -> None:  # noqa: ARG002
        if self.tree is None:
            self.first_comments.append(text[1:])
        else:
            self.tree.comment(text[1:])

    def _read_bookmark(self, text: str, line: int) -> None:  # noqa: ARG002
        if self.tree is None:
            self.first_bookmark = text[1:].strip()
        else:
            self.tree.node.bookmark = text[1:].strip()

    def _read_marked(self, text: str, line: int) -> None:
        tree = self._begin(line)
        for mark, move in _MARKED.findall(text):
            written = move.strip().strip("　")
            side = tree.board.side
            if _MARKS[mark] != side:
                self.fail(f"{mark}{written} is {'先手後手'[2 * _MARKS[mark] :][:2]}'s, who is not to move", line)
            if written in KIF_ENDS:
                tree.finish(KIF_ENDS[written], line)
            else:
                tree.play(self._parse(written, f"{mark}{written}", line), line, f"{mark}{written}")

    _by_first_letter: Final[dict[str, Callable[[_Reader, str, int], None]]] = {
        "*": _read_comment,
        "&": _read_bookmark,
        **dict.fromkeys(_MARKS, _read_marked),
    }

    # The head.

    def _read_header(self, key: str, value: str, line: int) -> None:
        self.has_game = self.has_game or key in KIF_KEYS or key == "手合割"
        if key in ("上手", "下手", "上手の持駒", "下手の持駒"):
            self.is_teaching = True
        if self.drawing.take_header(key, value, line):
            self._refuse_late(line, "what is in hand")
        elif key == "手合割":
            self._refuse_late(line, "the handicap")
            self.handicap, self.handicap_text = find_handicap(value), (value, line)
        elif value:
            self.header[KIF_KEYS.get(key, key)] = value

    def _refuse_late(self, line: int, what: str) -> None:
        if self.tree is not None and (self.tree.record.root.children or what != "a board"):
            self.fail(f"{what} after moves have begun", line)

    def _begin(self, line: int) -> TreeBuilder:
        """Start the tree: the next lines are moves."""
        if self.tree is None:
            self.tree = TreeBuilder(self._start(line), self.header, self.source, self.drawing.last_target)
            for comment in self.first_comments:
                self.tree.comment(comment)
            self.tree.node.bookmark = self.first_bookmark
        return self.tree

    def _start(self, line: int) -> Board:
        if self.drawing.is_drawn:
            given = self.handicap not in (None, EVEN, OTHER) or self.is_teaching
            return self.drawing.board(side=int(given))
        text, at = self.handicap_text
        if text and self.handicap is None:
            # A drawn board needs no handicap: programs write all sorts of names in addition to it.
            self.fail(f"{text!r} is no handicap: expected {', '.join(HANDICAPS)} or {OTHER}", at)
        if self.handicap == OTHER:
            self.fail("the start is of another kind, but no board is drawn", line)
        return Board.of_sfen(HANDICAPS[self.handicap or EVEN])

    # Moves.

    def _begin_variation(self, number: int, line: int) -> None:
        # Some programs write such a line among the headers, where it means nothing.
        if self.tree is not None:
            self.tree.back_to(number - 1 - (self.offset or 0), line)

    def _read_result(self, text: str, line: int) -> bool:
        tree = self._begin(line)
        names = self.header.get("black", ""), self.header.get("white", "")
        kind = parse_result(text, tree.board.side, names)
        if kind is None:
            return False
        if kind and tree.node.end is None:
            tree.finish(kind, line)
        return True

    def _read_numbered(self, number: int, text: str, line: int) -> None:
        tree = self._begin(line)
        if self.offset is None:
            self.offset = number - 1
        if number != tree.ply + 1 + self.offset:
            self.fail(f"move {number} where {tree.ply + 1 + self.offset} is expected", line)
        found = MOVE.match(text)
        if found is not None:
            origin = _ORIGIN.match(text, found.end())
            at = found.end() if origin is None else origin.end()
            node = tree.play(self._move(found, origin, text[:at], line), line, text[:at])
        else:
            word = max((word for word in KIF_ENDS if text.startswith(word)), key=len, default="")
            if not word:
                self.fail(f"{text[:40]!r} is neither a move nor the end of a game", line)
            node, at = tree.finish(tree.name_foul(KIF_ENDS[word]), line), len(word)
        time = _TIME.match(text, at)
        if time is not None:
            node.time_s = self._seconds(time[1], line)
            at = time.end()
        if not _REST.fullmatch(text, at):
            self.fail(f"{text[at:].strip()!r} after the move {text[:at].strip()} is not understood", line)

    def _move(self, found: re.Match[str], origin: re.Match[str] | None, text: str, line: int) -> str:
        assert self.tree is not None
        file, rank, name, _, ending, drop = found.groups()
        if origin is None or (drop and origin[1] == origin[2] == "0"):
            return self._parse(found[0], text, line)
        target = parse_target(file, rank) if file else self.tree.last_target
        if target is None:
            self.fail(f"{text}: 同 before any move", line)
        if drop or int(origin[1]) == 0 or int(origin[2]) == 0:
            self.fail(f"{text}: a piece that moves comes from a square 11 to 99", line)
        square = format_square((int(origin[1]) - 1) * 9 + int(origin[2]) - 1)
        if self.tree.board.kind_on(parse_square(square)) != KANJI_KINDS[name]:
            self.fail(f"{text}: no {name} stands on {square}", line)
        return f"{square}{target}{'+' if ending == '成' else ''}"

    def _parse(self, written: str, text: str, line: int) -> str:
        """A move that does not say where the piece comes from."""
        tree = self.tree
        assert tree is not None
        try:
            return parse_japanese(written, tree.board, tree.last_target, tree.is_legal)
        except ValueError as error:
            self.fail(f"{text}: {error}", line)

    def _seconds(self, text: str, line: int) -> float:
        total = 0.0
        try:
            for part in text.split(":"):
                total = 60 * total + float(part)
        except ValueError:
            self.fail(f"{text!r} is no time: expected such as 0:16", line)
        return int(total) if total == int(total) else total
