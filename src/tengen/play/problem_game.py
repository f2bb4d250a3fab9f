"""A person solves problems: the game's own solver defends and judges each move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen.play.advice import Advice, describe_line
from tengen.play.human_game import HumanGame
from tengen.play.opponents import Choice
from tengen.play.translation import translate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games import Played, State
    from tengen.games.problems import Problems
    from tengen.play.advice import Adviser

__all__ = ["ProblemGame"]


class ProblemGame(HumanGame):
    """A series of problems; `new` shows the next one."""

    def __init__(self, problems: Problems, adviser: Adviser, seed: int | None = None) -> None:
        """`adviser` advises where the way to the goal is lost."""
        self._problems = problems
        self._number = 0
        super().__init__(
            lambda _: problems.start(self._number),
            _Defender(problems),
            None,
            seed,
            adviser=_Solver(problems, adviser),
        )

    def new(self, words: str = "") -> None:
        self._number = (self._number + 1) % len(self._problems)
        super().new(words)

    @property
    def opening(self) -> Sequence[str]:
        return (self._problems.task(self._number),)

    @property
    def closing(self) -> Sequence[str]:
        if self.resigned is not None or self.payoffs[self.seat] <= 0:
            return (translate(self.game, "Not solved: `undo` takes a move back, `new` brings the next problem."),)
        return (translate(self.game, "Solved. `new` brings the next problem."),)

    @property
    def last_change(self) -> str:
        if self.before.actor != self.seat:
            return super().last_change
        played = self.state.history[-1]
        assert isinstance(played, int)
        if not self._problems.solution(self.before):
            return super().last_change
        judged = self._problems.judge(self.before, played)
        text = judged.text[:1].upper() + judged.text[1:]
        return text if judged.keeps else f"{text}; {translate(self.game, '`undo` takes it back')}"

    def _draw_seat(self) -> int:
        actor = self._problems.start(self._number).actor
        assert isinstance(actor, int)
        return actor


class _Defender:
    def __init__(self, problems: Problems) -> None:
        self._problems = problems

    def choose(self, state: State, player: int) -> Choice:  # noqa: ARG002 - one side defends
        return Choice(self._problems.defend(state), None)

    def follow(self, played: Played) -> None: ...

    def forget(self) -> None: ...


class _Solver:
    """The solution while there is one."""

    def __init__(self, problems: Problems, adviser: Adviser) -> None:
        self._problems = problems
        self._adviser = adviser

    def note(self, lang: str) -> str:
        return self._adviser.note(lang)

    def hint(self, state: State, seat: int) -> list[Advice]:
        line = self._problems.solution(state)
        return [_won(state, line)] if line else self._adviser.hint(state, seat)

    def judge(self, state: State, seat: int, played: int, seconds: float) -> list[Advice]:
        line = self._problems.solution(state)
        if not line:
            return self._adviser.judge(state, seat, played, seconds)
        best = _won(state, line)
        if played == best.action:
            return [best]
        keeps = self._problems.judge(state, played).keeps
        value = {True: 1.0, None: 0.5, False: 0.0}[keeps]
        names = describe_line(state, (played,))
        return [best, Advice(played, names[0], value, win_rate=0.5 * (1 + value), proven=keeps is True, line=names)]


def _won(state: State, line: Sequence[int]) -> Advice:
    names = describe_line(state, line)
    return Advice(line[0], names[0], 1.0, win_rate=1.0, proven=True, line=names)
