"""A series of rounds: gold, who begins, the carry after a nagari, bankruptcy."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, TypeGuard

from tengen.games.errors import GameError, SettingError
from tengen.games.matgo.cards import month_of, parse_card
from tengen.games.settings import resolve_settings, settings_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games.matgo import Matgo
    from tengen.games.state import State

__all__ = ["GoldSeries", "GoldSeriesSettings"]

_NOBODY = 2
_MAX_CARRY = 2**16
_NIGHT = {*range(18, 24), *range(6)}


@dataclass(frozen=True)
class GoldSeriesSettings:
    start_gold: int = 1_000_000
    """Of each player."""
    first_turn: Literal["highest", "night_day"] = "highest"
    """Who begins the first round, by the month of the first card dealt: the higher one, or by night the lower one."""
    carry_cap: int | None = None
    """The largest carry; None: 65,536, where the rules end."""
    bankrupt_reset: Literal["both", "bankrupt"] = "both"
    """Who gets the start gold again once somebody has none: both players, or only the one who is bankrupt."""

    def __post_init__(self) -> None:
        if self.start_gold < 1:
            raise SettingError(f"start_gold is {self.start_gold} and must be at least 1")
        if self.carry_cap is not None and self.carry_cap < 1:
            raise SettingError(f"carry_cap is {self.carry_cap} and must be at least 1, or None")
        for name, value, choices in (
            ("first_turn", self.first_turn, ("highest", "night_day")),
            ("bankrupt_reset", self.bankrupt_reset, ("both", "bankrupt")),
        ):
            if value not in choices:
                raise SettingError(f"{name} is {value!r}, not {' or '.join(choices)}")

    @classmethod
    def of_preset(cls, preset: str) -> GoldSeriesSettings:
        """What goes with a preset of the rules."""
        if preset == "kflower":
            return cls(start_gold=100_000, first_turn="night_day")
        return cls()


@dataclass(frozen=True)
class GoldSeries:
    """Where a series stands between two rounds; a value, as a state is: after() answers the next one.

    series = GoldSeries(tengen.game("matgo"))
    state = series.start(seed=1)
    …
    series = series.after(state)
    """

    game: Matgo
    settings: GoldSeriesSettings = field(default_factory=GoldSeriesSettings)
    gold: tuple[int, int] | None = None
    """Of each seat; None: the start gold."""
    carry: int = 1
    """What the next round's points are multiplied by."""
    starter: int | None = None
    """Who begins the next round; None: the cards decide."""
    rounds: int = 0
    """Played so far."""
    bankruptcies: tuple[int, int] = (0, 0)
    """How often each seat has run out of gold."""

    @property
    def purse(self) -> tuple[int, int]:
        return self.gold or (self.settings.start_gold, self.settings.start_gold)

    def start(
        self, seed: int | None = None, *, deck: Sequence[int | str] | None = None, hour: int | None = None
    ) -> State:
        """Deals the next round. `hour` is for the first turn by night and day; by default it is now."""
        rng = random.Random(seed)
        if deck is None:
            cards = list(range(self.game.deck_size))
            rng.shuffle(cards)
        else:
            cards = [parse_card(card) for card in deck]
        starter = self.first(cards, rng, hour) if self.starter is None else self.starter
        return self.game.start(deck=cards, starter=starter, carry=self.carry, gold=self.purse)

    def first(self, deck: Sequence[int], rng: random.Random, hour: int | None = None) -> int:
        """Who begins the first round: by the first card with a month of each hand; equal months toss a coin."""
        months = [next((month_of(card) for card in deck[i : i + 10] if month_of(card)), 0) for i in (0, 10)]
        if months[0] == months[1]:
            return rng.randrange(2)
        hour = time.localtime().tm_hour if hour is None else hour
        lower_begins = self.settings.first_turn == "night_day" and hour in _NIGHT
        return int((months[1] > months[0]) != lower_begins)

    def after(self, state: State) -> GoldSeries:
        """The series once a round that it dealt is over."""
        view = self.game.view(state)
        if not state.is_over:
            raise GameError("the round is not over: the session goes on after it")
        funds = None if view.funds is None else (view.funds[0], view.funds[1])
        if funds != self.purse or view.carry != self.carry:
            raise GameError(
                f"this round began with gold {funds} and carry {view.carry}; "
                f"the session stands at {self.purse} and {self.carry}"
            )
        gold = (view.gold[0], view.gold[1])
        broke = [seat for seat in (0, 1) if gold[seat] == 0]
        counts = (self.bankruptcies[0] + (0 in broke), self.bankruptcies[1] + (1 in broke))
        is_nagari = view.winner == _NOBODY
        return replace(
            self,
            gold=self._refill(gold, broke),
            carry=min(2 * self.carry, self.settings.carry_cap or _MAX_CARRY, _MAX_CARRY) if is_nagari else 1,
            starter=view.starter if is_nagari else view.winner,
            rounds=self.rounds + 1,
            bankruptcies=counts,
        )

    def to_plain(self) -> dict[str, Any]:
        """For JSON."""
        fields = ("carry", "starter", "rounds", "bankruptcies")
        return {"settings": asdict(self.settings), "gold": self.purse} | {name: getattr(self, name) for name in fields}

    @classmethod
    def of_plain(cls, game: Matgo, plain: object) -> GoldSeries:
        """From what to_plain() answered; a GameError that says what does not fit."""
        if not isinstance(plain, Mapping) or not isinstance(plain.get("settings"), Mapping):
            raise GameError(f"its session is {plain!r:.60}, not an object with settings")
        settings = resolve_settings("a session of matgo", settings_of(GoldSeriesSettings.__init__), plain["settings"])
        gold, counts = (_pair(plain, name) for name in ("gold", "bankruptcies"))
        carry, rounds, starter = (plain.get(name) for name in ("carry", "rounds", "starter"))
        if not _is_count(carry) or not 1 <= carry <= _MAX_CARRY or not _is_count(rounds) or 0 in gold:
            raise GameError(f"its carry {carry!r:.60}, rounds {rounds!r:.60} or gold {gold} does not fit")
        if starter not in (None, 0, 1):
            raise GameError(f"its starter is {starter!r:.60}: expected 0, 1 or null")
        return cls(game, GoldSeriesSettings(**settings), gold, carry, starter, rounds, counts)

    def _refill(self, gold: tuple[int, int], broke: list[int]) -> tuple[int, int]:
        fresh = self.settings.start_gold
        if not broke:
            return gold
        if self.settings.bankrupt_reset == "both":
            return fresh, fresh
        return fresh if 0 in broke else gold[0], fresh if 1 in broke else gold[1]


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _pair(plain: Mapping[str, Any], name: str) -> tuple[int, int]:
    value = plain.get(name)
    if not isinstance(value, list | tuple) or len(value) != 2 or not all(map(_is_count, value)):
        raise GameError(f"its {name} is {value!r:.60}, not two amounts")
    return value[0], value[1]
