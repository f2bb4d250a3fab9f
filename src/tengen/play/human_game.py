"""A person's games against the computer."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tengen.arena import RESIGN
from tengen.games.saved import parse_series
from tengen.play.advice import SearchAdviser
from tengen.play.opponents import SearchOpponent
from tengen.play.session import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tengen.games import GameSeries, Played, State
    from tengen.play.advice import Advice, Adviser
    from tengen.play.opponents import Choice, Opponent

__all__ = ["Decision", "HumanGame"]


@dataclass(frozen=True)
class Decision:
    """What the person did where there was a choice."""

    number: int
    """Of the person's moves, from 1."""
    state: State
    action: int


class HumanGame(Session):
    """One person at a table of computers: whose turn it is, what was played, how it can be taken back."""

    def __init__(
        self,
        start: Callable[[int], State],
        opponent: Opponent,
        seat: int | Literal["random"] | None,
        seed: int | None = None,
        *,
        adviser: Adviser | None = None,
        series: GameSeries | None = None,
        options: Mapping[str, Any] | None = None,
        saved: bytes | None = None,
    ) -> None:
        """`start` makes the first position from a seed, by game.start(seed, **options); with `series`, that deals.
        Without an adviser, an opponent who searches advises. With `saved`, what save() answered, that game goes on;
        who names no seat has the one that the file tells, else the first."""
        if adviser is None:
            assert isinstance(opponent, SearchOpponent)
            adviser = SearchAdviser(opponent)
        self._wanted_seat = seat
        self._rng = random.Random(seed)
        self._secret_rng = random.SystemRandom() if seed is None else self._rng
        self._opponent = opponent
        self._adviser = adviser
        self.results: list[float] = []
        """What the person got in each finished game."""
        super().__init__(start, self._rng.getrandbits(63) if seed is None else seed, series=series, options=options)
        self.seat = self._draw_seat()
        if saved is None:
            self._note_result()
        else:
            self.load(saved, is_seated=seat is not None)

    @property
    def is_persons_turn(self) -> bool:
        return not self.is_over and self._asks_person(self.state)

    @property
    def opening(self) -> Sequence[str]:
        """What is to be told before this round."""
        return self.opening_for(self.seat)

    @property
    def closing(self) -> Sequence[str]:
        """What is to be told after it."""
        return self.closing_for(self.seat)

    @property
    def last_change(self) -> str:
        """What the last action did, where its name does not say: a sentence without its stop, or nothing."""
        return self.change_for(self.seat)

    @property
    def decisions(self) -> list[Decision]:
        """Of the person, in this game, where there was a choice."""
        found = []
        number = 0
        for state, after in zip(self._states, self._states[1:], strict=False):
            if self._asks_person(state):
                number += 1
                played = after.history[-1]
                action = played[self.seat] if isinstance(played, tuple) else played
                if len(state.legal(self.seat)) > 1:
                    found.append(Decision(number, state, action))
        return found

    def new(self, words: str = "") -> None:
        """Another game. `words` go into the shuffle of a series."""
        self._opponent.forget()
        if self._series is None:
            self.seat = self._draw_seat()
            seed = self._rng.getrandbits(63)
            self._begin([self._start(seed)], seed)
        else:
            self.next_round(words)
        self._note_result()

    def resign(self) -> None:
        """The person gives up. Raises a GameError where the game has no such thing."""
        self.give_up(self.seat)
        self._note_result()

    def save(self) -> bytes:
        """What a file of this game holds. Raises a GameError where it can't be saved."""
        return self.format(self.seat)

    def load(self, data: bytes, *, is_seated: bool = False) -> None:
        """Goes on with a saved game; unless the person `is_seated`, in the seat that the file tells.

        Raises a GameError, and changes nothing, where the file does not fit.
        """
        if self._series is None:
            saved = self.game.parse_saved(data)
            seat = saved.seat
        else:
            plain, seat = parse_series(self.game, data)
            series = self.game.resume_series(self._secret_rng, plain)
        self._opponent.forget()
        if seat is not None and not is_seated:
            self.seat = seat
        if self._series is None:
            self._options = dict(saved.options)
            self._begin(list(saved.states), saved.seed, saved.resigned)
        else:
            self._series, self._words = series, ""
            self._begin([series.deal()])
        self._note_result()

    def undo(self) -> bool:
        """Back to the person's last decision; False when there is none."""
        if self.resigned is not None:
            is_persons = self.resigned == self.seat
            self.resigned = None
            self.results.pop()
            if is_persons:
                return True
        for index in range(len(self._states) - 2, -1, -1):
            if self._asks_person(self._states[index]):
                if self.state.is_over:
                    self.results.pop()
                self.cut(index)
                self._opponent.forget()
                return True
        return False

    def roll(self) -> str:
        """Chance acts; answers what came."""
        return self._play(self.state.outcome(self._rng.getrandbits(63)))

    def let_computer_play(self) -> tuple[int, Choice]:
        """The player who moved, or gave up, and the choice."""
        player = self.state.actor
        assert isinstance(player, int)
        choice = self._opponent.choose(self.state, player)
        if choice.action == RESIGN:
            self.resigned = player
            self._note_result()
        else:
            self._play(choice.action)
        return player, choice

    def play(self, action: int) -> dict[int, Choice]:
        """The person's action; answers what the others chose at the same time."""
        state = self.state
        if state.actor != "all":
            self._play(action)
            return {}
        others = {p: self._opponent.choose(state, p) for p in range(self.game.players) if p != self.seat}
        self._play(tuple(action if p == self.seat else others[p].action for p in range(self.game.players)))
        return others

    @property
    def note(self) -> str:
        """How hints come about."""
        return self._adviser.note(self.game.lang)

    def hint(self) -> list[Advice]:
        return self._adviser.hint(self.state, self.seat)

    def judge(self, decision: Decision, seconds: float) -> list[Advice]:
        return self._adviser.judge(decision.state, self.seat, decision.action, seconds)

    def _note_result(self) -> None:
        if self.is_over:
            self.results.append(self.payoffs[self.seat])

    def _play(self, played: Played) -> str:
        name = super()._play(played)
        self._opponent.follow(played)
        self._note_result()
        return name

    def _asks_person(self, state: State) -> bool:
        return state.actor in (self.seat, "all")

    def _draw_seat(self) -> int:
        return self._rng.randrange(self.game.players) if self._wanted_seat == "random" else self._wanted_seat or 0
