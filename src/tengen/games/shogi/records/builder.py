"""Makes the tree of a record while its file is read from top to bottom."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from tengen._time_limit import check_time
from tengen.games.shogi.records.board import Board, MoveError
from tengen.games.shogi.records.ends import FOULS
from tengen.games.shogi.records.errors import ImpossibleMoveError, RecordError
from tengen.games.shogi.records.legality import Judge
from tengen.games.shogi.records.tree import Record

if TYPE_CHECKING:
    from tengen.games.shogi.records.tree import Node

__all__ = ["TreeBuilder"]


class TreeBuilder:
    """Follows one line, and goes back along it where a variation begins."""

    def __init__(self, start: Board, header: dict[str, str], source: str, last_target: str | None = None) -> None:
        """`last_target` is where the move before the start went, if that is known."""
        self.record = Record(start.sfen(), header, source=source)
        self.source = source
        self._first_target = last_target
        self._path = [self.record.root]
        self._boards = [start]
        self._judge = Judge(start)
        self._comments: dict[Node, list[str]] = {}
        self._illegal: tuple[str, int] | None = None
        """An illegal move and its line. Only an end that reports a foul may follow it."""

    @property
    def board(self) -> Board:
        return self._boards[-1]

    @property
    def node(self) -> Node:
        """The last one."""
        return self._path[-1]

    @property
    def ply(self) -> int:
        """Moves so far on this line."""
        return len(self._boards) - 1

    @property
    def last_target(self) -> str | None:
        """Target square of the last move, in USI notation."""
        move = next((node.move for node in reversed(self._path) if node.move is not None), None)
        return self._first_target if move is None else move[2:4]

    def fail(self, reason: str, line: int) -> NoReturn:
        raise RecordError(reason, line, self.source)

    def play(self, move: str, line: int, text: str) -> Node:
        """Adds a move; `text` is how the file writes it."""
        check_time()
        if self.node.end is not None:
            self.fail(f"{text}: the game ended before it", line)
        self._check_legal()
        try:
            after = self.board.after(move)
        except MoveError as error:
            raise ImpossibleMoveError(f"{text}: {error}", line, self.source) from error
        reason = self._judge.why_illegal(self._boards, move)
        if reason:
            self._illegal = f"{text} ({move}) is illegal: {reason}", line
        self._path.append(self.node.add(move=move, line=line))
        self._boards.append(after)
        self._judge.play(move, is_legal=not reason)
        return self.node

    def finish(self, kind: str, line: int) -> Node:
        """Adds the end of the line."""
        if self.node.end is not None:
            self.fail("the game ended before", line)
        if kind in FOULS:
            self._illegal = None
        self._check_legal()
        self._path.append(self.node.add(end=kind, line=line))
        return self.node

    def decide(self, kind: str, line: int) -> None:
        """Set the end of the line, in place of one that was read before."""
        if self.node.end is None:
            self.finish(kind, line)
        else:
            self.node.end = kind

    def name_foul(self, kind: str) -> str:
        """Return the exact kind of a foul. If a file only reports a loss by foul and the last move is illegal, that
        move is the foul and its player has lost."""
        return "illegal_win" if kind == "illegal_loss" and self._illegal is not None else kind

    def back_to(self, ply: int, line: int) -> None:
        """To the position after so many moves of the line, where a variation begins."""
        self._check_legal()
        if not 0 <= ply <= self.ply:
            self.fail(f"a variation of move {ply + 1} after a line of {self.ply} moves", line)
        del self._path[ply + 1 :]
        del self._boards[ply + 1 :]
        self._judge.back_to(ply)

    def comment(self, text: str) -> None:
        """A line of comment on the last move."""
        self._comments.setdefault(self.node, []).append(text)

    def is_legal(self, move: str) -> bool:
        return not self._judge.why_illegal(self._boards, move)

    def close(self) -> Record:
        self._check_legal()
        for node, lines in self._comments.items():
            node.comment = "\n".join(lines)
        return self.record

    def _check_legal(self) -> None:
        if self._illegal is not None:
            self.fail(*self._illegal)
