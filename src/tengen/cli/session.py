"""A person's games against the computer, without the terminal."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.cli.computer import Choice, Computer
    from tengen.games import Played, State
    from tengen.search import SearchResult

__all__ = ["Session"]


class Session:
    """One person at a table of computers: whose turn it is, what was played, how it can be taken back."""

    def __init__(
        self,
        start: Callable[[int], State],
        computer: Computer,
        seat: int | Literal["random"],
        seed: int | None = None,
    ) -> None:
        """`start` makes the first position from a seed."""
        self._start = start
        self._wanted_seat = seat
        self._rng = random.Random(seed)
        self._computer = computer
        first = self._rng.getrandbits(63) if seed is None else seed
        self._states = [start(first)]
        self.game = self.state.game
        self.seat = self._draw_seat()
        self.results: list[float] = []
        """What the person got in each finished game."""

    @property
    def state(self) -> State:
        return self._states[-1]

    @property
    def is_persons_turn(self) -> bool:
        return self._asks_person(self.state)

    def new(self) -> None:
        self._states = [self._start(self._rng.getrandbits(63))]
        self._computer.forget()
        self.seat = self._draw_seat()

    def undo(self) -> bool:
        """Back to the person's last decision; False when there is none."""
        for index in range(len(self._states) - 2, -1, -1):
            if self._asks_person(self._states[index]):
                if self.state.is_over:
                    self.results.pop()
                del self._states[index + 1 :]
                self._computer.forget()
                return True
        return False

    def roll(self) -> str:
        """Chance acts; answers what came."""
        return self._play(self.state.outcome(self._rng.getrandbits(63)))

    def let_computer_play(self) -> tuple[int, Choice]:
        """The player who moved and the choice."""
        player = self.state.actor
        assert isinstance(player, int)
        choice = self._computer.choose(self.state, player)
        self._play(choice.action)
        return player, choice

    def play(self, action: int) -> dict[int, Choice]:
        """The person's action; answers what the others chose at the same time."""
        state = self.state
        if state.actor != "all":
            self._play(action)
            return {}
        others = {p: self._computer.choose(state, p) for p in range(self.game.players) if p != self.seat}
        self._play(tuple(action if p == self.seat else others[p].action for p in range(self.game.players)))
        return others

    def hint(self) -> SearchResult:
        return self._computer.search(self.state, self.seat)

    def _play(self, played: Played) -> str:
        after = self.state.play(played)
        self._computer.follow(played)
        self._states.append(after)
        if after.is_over:
            self.results.append(after.payoffs[self.seat])
        return after.names[-1]

    def _asks_person(self, state: State) -> bool:
        return state.actor in (self.seat, "all")

    def _draw_seat(self) -> int:
        return self._rng.randrange(self.game.players) if self._wanted_seat == "random" else self._wanted_seat
