"""What each move is worth to a person who sees only what they see: for hints, and for looking back on a game."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from tengen.cli.wording import win_rate

if TYPE_CHECKING:
    import random

    from tengen.cli.computer import Computer
    from tengen.games import State
    from tengen.search import Move, SearchResult

__all__ = ["Advice", "Adviser", "Searching", "Trying"]

# Where a game has so few moves, and each player a tree of its own, every one of them is looked at.
_FEW = 40
_PLAYED_SHARE = 4
# Fewer, which may be enough to play by, leave the order of close moves to chance.
_LEAST_VISITS = 4000


@dataclass(frozen=True)
class Advice:
    """One move. Values are for who is to move, in the game's unit."""

    action: int
    name: str
    value: float
    error: float | None = None
    """The standard error of its difference to the best move's value; of the best move, of its own."""
    win_rate: float | None = None
    """Where it does not follow from the value."""
    share: float | None = None
    """In what the search stands for."""
    visits: int | None = None
    proven: bool = False
    line: tuple[str, ...] = ()


class Adviser(Protocol):
    @property
    def note(self) -> str:
        """How the values came about, where that is to be known; else empty."""

    def hint(self, state: State, seat: int) -> list[Advice]:
        """The best move first."""

    def judge(self, state: State, seat: int, played: int, seconds: float) -> list[Advice]:
        """The same for a move that was made: it is among them."""


class Searching:
    """By search."""

    note = ""

    def __init__(self, computer: Computer) -> None:
        self._computer = computer

    def hint(self, state: State, seat: int) -> list[Advice]:
        if not state.game.hidden:
            return _read(self._computer.search(state, seat), seat)
        return self._study(state, seat, None)

    def judge(self, state: State, seat: int, played: int, seconds: float) -> list[Advice]:
        return self._study(state, seat, played, seconds)

    def _study(self, state: State, seat: int, played: int | None, seconds: float | None = None) -> list[Advice]:
        """Of a hidden game every move gets visits, so that each has a value to speak of."""
        legal = state.legal(seat)
        visits = max(self._computer.visits, _LEAST_VISITS)
        if not state.game.hidden or len(legal) > _FEW or state.actor == "all":
            include = [] if played is None or state.actor == "all" else [played]
            result = self._computer.study(state, seat, include, visits // _PLAYED_SHARE, visits, seconds)
            return _read(result, seat)
        result = self._computer.study(state, seat, legal, visits // (2 * len(legal)), visits, seconds)
        return sorted(_read(result, seat), key=lambda advice: -advice.value)


class Trying:
    """By playing each move to the end in many worlds, the same for all moves."""

    def __init__(self, worlds: int, rng: random.Random, *, learned: bool = False) -> None:
        self._worlds = worlds
        self._rng = rng
        self._learned = learned
        play = "quick learned" if learned else "simple"
        self.note = (
            f"By {worlds:,} deals that you could be facing, the same for each move, with {play} play from there on."
        )

    def hint(self, state: State, seat: int) -> list[Advice]:
        game = state.game
        trials = game.try_actions(state, seat, self._worlds, self._rng.getrandbits(63), learned=self._learned)
        found = [Advice(t.action, game.name(t.action), t.mean, t.error, t.win_rate) for t in trials]
        return sorted(found, key=lambda advice: -advice.value)

    def judge(self, state: State, seat: int, played: int, seconds: float) -> list[Advice]:  # noqa: ARG002
        return self.hint(state, seat)


def _read(result: SearchResult, seat: int) -> list[Advice]:
    found = [_advice(move, result, seat) for move in result.moves if move.player == seat]
    best = max(found, key=lambda advice: advice.value, default=None)
    return [
        replace(advice, error=math.hypot(advice.error, best.error))
        if best and advice is not best and advice.error is not None and best.error is not None
        else advice
        for advice in found
    ]


def _advice(move: Move, result: SearchResult, seat: int) -> Advice:
    error = None if move.spread is None or move.visits < 1 or move.proven else move.spread / math.sqrt(move.visits)
    return Advice(
        action=move.action,
        name=move.name,
        value=move.value,
        error=error,
        win_rate=win_rate(result.state.game, seat, move.extras),
        share=move.policy,
        visits=move.visits,
        proven=move.proven,
        line=move.pv,
    )
