"""Mate problems: every move must be a check, and the mate solver defends."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tengen.games.errors import GameError
from tengen.games.problems import Judgement
from tengen.games.shogi.mate import MateSolver
from tengen.games.shogi.sfen import PieceCountWarning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games.shogi import Shogi
    from tengen.games.state import State

__all__ = ["BUILT_IN", "MateProblems", "open_problems"]

BUILT_IN: Final = "mate"
"""The name of those that come with the game."""
_BUILT_IN_FILE: Final = Path(__file__).parent / "problems.sfen"
_NODES: Final = 300_000
"""To solve a problem."""
_ANSWER_NODES: Final = 20_000
"""Nodes for finding whether a reply is mated; many replies are examined while a person waits."""
_MEGABYTES: Final = 4
_EXACT: Final = 3
"""Up to so many plies the solver finds the shortest mate first."""


class MateProblems:
    """Positions with a mate for who is to move."""

    def __init__(self, game: Shogi, sfens: Sequence[str], where: str) -> None:
        """`where` is what errors call them. A position without a proven mate is refused when it comes up."""
        self._game = game
        self._sfens = sfens
        self._where = where
        self._solver = MateSolver(_MEGABYTES)
        self._known: dict[int, tuple[bool | None, tuple[int, ...]]] = {}

    def __len__(self) -> int:
        return len(self._sfens)

    def start(self, number: int) -> State:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PieceCountWarning)
            state = self._game.start(sfen=self._sfens[number])
        if state.is_over or not self.solution(state):
            raise GameError(f"{self._where}, problem {number + 1}: no mate is proven in {self._sfens[number]}")
        return state

    def task(self, number: int) -> str:
        state = self.start(number)
        side = self._game.words(("Black", "White")[self._game.side(state)])
        text = "Problem {number} of {count}: {side} mates in {plies} plies, with check all the way."
        return self._game.words(text, number=number + 1, count=len(self), side=side, plies=len(self.solution(state)))

    def solution(self, state: State) -> tuple[int, ...]:
        return self._mate(state, _NODES)[1]

    def judge(self, before: State, action: int) -> Judgement:
        words = self._game.words
        after = before.play(action)
        if self._game.end(after) == "no moves":
            return Judgement(True, "")
        if not self._game.is_check(after):
            return Judgement(False, words("that gives no check"))
        longest: int | None = 0
        for answer in filter(lambda each: _is_move(after, each), after.legal()):
            is_mate, line = self._mate(after.play(answer), _ANSWER_NODES)
            if is_mate is False:
                shown = self._game.describe_action(after.position, self._game.side(after), answer)
                return Judgement(False, words("that lets the king get away: {answer}", answer=shown))
            longest = None if longest is None or is_mate is None else max(longest, len(line))
        if longest is None:
            return Judgement(None, words("whether that still mates is not known"))
        return Judgement(True, words("the mate is still there, in {plies} plies", plies=1 + longest))

    def defend(self, state: State) -> int:
        """Return a reply that escapes, otherwise one that is not known to be mated, otherwise the longest one."""

        def hardness(answer: int) -> tuple[int, int]:
            is_mate, line = self._mate(state.play(answer), _ANSWER_NODES)
            return {False: 2, None: 1, True: 0}[is_mate], len(line)

        return max((answer for answer in state.legal() if _is_move(state, answer)), key=hardness)

    def _mate(self, state: State, nodes: int) -> tuple[bool | None, tuple[int, ...]]:
        """Return whether the side to move mates, and the line."""
        if state.is_over:
            return False, ()
        key = state.key
        if key not in self._known or (self._known[key][0] is None and nodes > _ANSWER_NODES):
            answer = self._solver.solve(state, nodes)
            self._known[key] = answer.is_mate, self._shortest(state, answer.line, nodes)
        return self._known[key]

    def _shortest(self, state: State, line: tuple[int, ...], nodes: int) -> tuple[int, ...]:
        """A mate of as few plies as can be proven, with the longest defence; `line` is one of some length."""
        game = self._game
        for plies in range(_EXACT + 2, len(line), 2):
            bounded = type(game)(declaration=game.declaration, max_plies=game.ply(state) + plies)
            found = self._solver.solve(bounded.start(sfen=game.sfen(state)), nodes)
            if found.is_mate:
                return found.line
        return line


def open_problems(game: Shogi, which: str) -> MateProblems:
    """Those in the box, or of a file: a position a line, as SFEN; what follows # is left out. A record of a game is the
    problem that it begins with."""
    path = _BUILT_IN_FILE if which == BUILT_IN else Path(which).expanduser()
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or error
        raise GameError(f"problems are {BUILT_IN!r} or a file, and {which} can't be read: {reason}") from error
    return MateProblems(game, _positions(data, path), str(path))


def _positions(data: bytes, path: Path) -> list[str]:
    if path.suffix.lower() in (".kif", ".kifu", ".ki2", ".ki2u", ".csa", ".bod"):
        from tengen.games.shogi.records import parse_records

        return [record.start for record in parse_records(data)]
    try:
        lines = [line.partition("#")[0].strip() for line in data.decode("utf-8-sig").splitlines()]
    except UnicodeDecodeError as error:
        raise GameError(f"{path} is no text of positions: {error}") from error
    found = [line.removeprefix("position ").removeprefix("sfen ") for line in lines if line]
    if not found:
        raise GameError(f"{path} holds no position: expected SFEN, one a line")
    return found


def _is_move(state: State, action: int) -> bool:
    return state.game.name(action) != "win"
