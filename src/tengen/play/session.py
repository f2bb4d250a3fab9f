"""Sessions of play: moves, resignations, moves taken back, and series of rounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from tengen.games import GameError, SavedError, SavedGame
from tengen.games.saved import format_series
from tengen.play.translation import translate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tengen.games import GameSeries, Played, State

    Snapshot: TypeAlias = tuple[tuple[State, ...], int | None, int | None, Mapping[int, int], GameSeries | None, str]

__all__ = ["Session"]


class Session:
    """State of a game and its history. Seats are the game's; a session does not know the people in them."""

    def __init__(
        self,
        start: Callable[[int], State],
        seed: int,
        *,
        series: GameSeries | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        """`start` makes the first position from a seed, by game.start(seed, **options); with `series`, that deals."""
        self._start = start
        self._series = series
        self._options = dict(options or {})
        self._words = ""
        self.resigned: int | None = None
        """The seat that gave up."""
        self._chosen: dict[int, int] = {}
        begun = start(seed) if series is None else series.deal()
        self.game = begun.game
        self._begin([begun], seed)

    @property
    def state(self) -> State:
        return self._states[-1]

    @property
    def before(self) -> State:
        """State before the last action."""
        return self._states[-2]

    @property
    def states(self) -> Sequence[State]:
        """From the first on."""
        return self._states

    @property
    def is_over(self) -> bool:
        return self.state.is_over or self.resigned is not None

    @property
    def payoffs(self) -> tuple[float, ...]:
        """Payoffs of a finished game. A player who resigns loses in full."""
        if self.resigned is None:
            return self.state.payoffs
        scale = self.game.payoff_scale
        return tuple(-scale if player == self.resigned else scale for player in range(self.game.players))

    @property
    def has_series(self) -> bool:
        return self._series is not None

    def opening_for(self, seat: int, lang: str | None = None) -> Sequence[str]:
        """Return the lines to show before this round, in a language if the game has it."""
        series = self._series_in(lang)
        return () if series is None else series.opening(seat, self._words)

    def closing_for(self, seat: int, lang: str | None = None) -> Sequence[str]:
        """Return the lines to show after this round, in a language if the game has it."""
        series = self._series_in(lang)
        return () if series is None else series.closing(self.state, seat, self._words)

    def _series_in(self, lang: str | None) -> GameSeries | None:
        if self._series is None or lang is None or lang not in self.game.languages:
            return self._series
        return self._series.in_language(lang)

    def change_for(self, seat: int) -> str:
        """Return the effects of the last action beyond its name: a sentence without its full stop, or nothing."""
        return self.game.describe_change(self.before.position, self.state.position, seat)

    @property
    def can_undo(self) -> bool:
        """True unless the deal of a round has been revealed, which happens at its end."""
        return self._series is None or not self.is_over

    @property
    def chosen(self) -> Mapping[int, int]:
        """Choices made so far, by seat, if all players choose at the same time."""
        return self._chosen

    def asks(self, seat: int) -> bool:
        """Return whether the seat is to choose now."""
        actor = self.state.actor
        return not self.is_over and (actor == seat or (actor == "all" and seat not in self._chosen))

    def choose(self, seat: int, action: int) -> bool:
        """Make a seat's choice and return whether that played an action.

        If all players choose at the same time, the last choice does. Raises an IllegalAction and changes nothing if
        the action is not legal.
        """
        state = self.state
        if not self.asks(seat):
            raise GameError("it is not this seat's turn")
        if action not in state.legal(seat):
            raise self.game.illegal(state.position, seat, action)
        if state.actor != "all":
            self._play(action)
            return True
        self._chosen[seat] = action
        if len(self._chosen) < self.game.players:
            return False
        self._play(tuple(self._chosen[player] for player in range(self.game.players)))
        return True

    def apply(self, played: Played) -> str:
        """Play an action of the player to act, or of all players if all act, and return its name."""
        return self._play(played)

    @property
    def can_resign(self) -> bool:
        """True if a player can resign: in zero-sum games of two players whose payoffs are wins and losses."""
        return not self.game.payoff_unit and self.game.players == 2 and self.game.zero_sum

    def give_up(self, seat: int) -> None:
        """Raises a GameError where the game has no such thing."""
        game = self.game
        if game.payoff_unit:
            unit = game.words(game.payoff_unit)
            raise GameError(translate(game, "what a loss costs in {unit} shows only at the end: play on", unit=unit))
        if not self.can_resign:
            raise GameError("only where one of two wins what the other loses can one resign")
        self.resigned = seat

    def cut(self, ply: int) -> None:
        """Back to where so much had been played; nobody has given up."""
        del self._states[ply + 1 :]
        self.resigned = None
        self._chosen.clear()

    def snapshot(self) -> Snapshot:
        """Return the session's state, for restore()."""
        return tuple(self._states), self._seed, self.resigned, dict(self._chosen), self._series, self._words

    def restore(self, snapshot: Snapshot) -> None:
        """Nothing has happened since."""
        states, self._seed, self.resigned, chosen, self._series, self._words = snapshot
        self._states = list(states)
        self._chosen = dict(chosen)

    def next_round(self, words: str = "") -> None:
        """Deal the next round of the series; `words` go into the shuffle."""
        assert self._series is not None
        self._series = self._series.after(self.state) if self.state.is_over else self._series.void()
        self._words = words
        self._begin([self._series.deal(words)])

    def format(self, seat: int | None) -> bytes:
        """Return the content of a file of this game for a person in a seat. Raises a GameError if it can't be saved."""
        if self._series is None:
            return self.game.format_saved(
                SavedGame(tuple(self._states), seat, self.resigned, self._seed, self._options)
            )
        if not self.state.is_over:
            raise SavedError("a round's cards stay hidden until its end: save between rounds")
        return format_series(self.game, seat or 0, self._series.after(self.state).to_plain())

    def _begin(self, states: list[State], seed: int | None = None, resigned: int | None = None) -> None:
        self._states = states
        self._seed = seed
        self.resigned = resigned
        self._chosen.clear()

    def _play(self, played: Played) -> str:
        after = self.state.play(played)
        self._states.append(after)
        self._chosen.clear()
        return after.names[-1]
