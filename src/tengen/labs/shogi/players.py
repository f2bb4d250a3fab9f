"""Players made of prophet and enforcer: the pair, and each of the two alone."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.arena import Thought, Variation
from tengen.games.shogi import WIN
from tengen.labs.shogi.lookahead import deepen, look_ahead
from tengen.labs.shogi.models import Enforcer, ModelError, Prophet, open_enforcer, open_prophet
from tengen.labs.shogi.planes import pack
from tengen.labs.shogi.run_models import find_models

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from tengen.games import State
    from tengen.games.shogi import Shogi

__all__ = ["Pair", "PairSettings", "read_player"]

_KINDS = ("pair", "enforcer", "prophet")
_FORMS = (
    "pair:FOLDER or pair:prophet=FILE,enforcer=FILE, enforcer:FILE or prophet:FILE; then perhaps "
    ",depth=3,width=3,temperature=0.5, and pair=b for a pair of a run"
)
_SHORT = {"depth": "prefetch_depth", "width": "prefetch_width"}


@dataclass(frozen=True)
class PairSettings:
    """How a pair chooses."""

    prefetch_depth: int | None = None
    """Plies looked ahead: 1 asks the prophet about the position after the move, 3 about those after a reply and the
    answer to it. 0: the enforcer's best move is played unasked. None: 1 without a clock, and as many as there is time
    for with one."""
    prefetch_width: int = 0
    """How many of the enforcer's best moves are tried in each position; 0: all candidates."""
    temperature: float = 0.0
    """Above 0 the order of candidates is drawn: each before the others with a chance of exp(value / temperature)."""

    def __post_init__(self) -> None:
        if (self.prefetch_depth or 0) < 0 or self.prefetch_width < 0:
            raise ValueError(
                f"prefetch-depth is {self.prefetch_depth} and prefetch-width {self.prefetch_width}: use 0 or more"
            )
        if not 0 <= self.temperature < 1000:
            raise ValueError(f"temperature is {self.temperature} and must be from 0 to 1000")


class Pair:
    """A player that tries the enforcer's candidates in order until the prophet approves of one. If it approves of none,
    the move with the highest value is played. Without a prophet the first candidate is played; without an enforcer, the
    move with the prophet's highest value.

    A win by declaration is declared, and a mate in one is played: records end when somebody resigns, so neither network
    has seen one.
    """

    def __init__(
        self, game: Shogi, prophet: Prophet | None, enforcer: Enforcer | None, settings: PairSettings | None = None
    ) -> None:
        if prophet is None and enforcer is None:
            raise ValueError("a pair needs a prophet or an enforcer")
        self.game = game
        self.prophet = prophet
        self.enforcer = enforcer
        self.settings = settings or PairSettings()

    def __call__(self, state: State, seat: int, seed: int) -> int:
        return self.choose([state], [seat], [seed])[0]

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:  # noqa: ARG002
        """Return one action for each state; together, so that the networks see full batches."""
        chosen = [self._winning_action(state.position) for state in states]
        asked = [i for i, action in enumerate(chosen) if action is None]
        positions = [states[i].position for i in asked]
        for i, action in zip(asked, self._decide(positions, [seeds[i] for i in asked]), strict=True):
            chosen[i] = action
        return [action for action in chosen if action is not None]

    def deliberate(self, state: State, seat: int, seed: int) -> Iterator[Thought]:  # noqa: ARG002
        """Look one ply ahead, then two, … up to the depth of the settings; a thought follows every network call."""
        position = state.position
        won = self._winning_action(position)
        if won is not None:
            yield Thought((Variation((won,), 1.0, is_proven=True),), 1, 1)
            return
        if self.enforcer is None:
            assert self.prophet is not None
            order = self.game.shogi.legal(position, self.game.shogi.side(position))
            yield from deepen(self.game, self.prophet, None, position, order, depth=1, width=0, best=True)
            return
        [found] = self.enforcer.candidates(pack(self.game, [position]))
        order = self._order(found.actions, found.values, seed)
        yield Thought((Variation((order[0],)),), 0, 1)
        depth = self.settings.prefetch_depth
        if self.prophet is not None and depth != 0:
            width = self.settings.prefetch_width
            yield from deepen(self.game, self.prophet, self.enforcer, position, order, depth=depth, width=width)

    def _winning_action(self, position: Any) -> int | None:
        """Return an action that wins the game immediately; None if there is none."""
        core = self.game.shogi
        if core.can_declare(position):
            return WIN
        side = core.side(position)
        for action in core.legal(position, side):
            after = core.apply(position, action)
            if self.game.actor(after) is None and core.payoff(after)[side] > 0:
                return action
        return None

    def _decide(self, positions: list[Any], seeds: list[int]) -> list[int]:
        if not positions:
            return []
        if self.enforcer is None:
            assert self.prophet is not None
            return self._best_judged(positions, self.prophet)
        found = self.enforcer.candidates(pack(self.game, positions))
        orders = [self._order(each.actions, each.values, seed) for each, seed in zip(found, seeds, strict=True)]
        if self.prophet is None or self.settings.prefetch_depth == 0:
            return [int(order[0]) for order in orders]
        return look_ahead(
            self.game,
            self.prophet,
            self.enforcer,
            positions,
            orders,
            depth=1 if self.settings.prefetch_depth is None else self.settings.prefetch_depth,
            width=self.settings.prefetch_width,
        )

    def _order(self, actions: NDArray[np.int32], values: NDArray[np.float32], seed: int) -> list[int]:
        if self.settings.temperature == 0:
            return [int(action) for action in actions]
        rng = random.Random(seed)
        # Sorting by value plus Gumbel noise draws from the softmax without replacement.
        noise = np.array([-np.log(-np.log(rng.uniform(1e-12, 1 - 1e-12))) for _ in actions])
        order = np.argsort(-(values / self.settings.temperature + noise), kind="stable")
        return [int(action) for action in actions[order]]

    def _best_judged(self, positions: list[Any], prophet: Prophet) -> list[int]:
        core = self.game.shogi
        legal = [core.legal(position, core.side(position)) for position in positions]
        return look_ahead(self.game, prophet, None, positions, legal, depth=1, width=0, best=True)


def read_player(game: Shogi, text: str) -> Pair | None:
    """Return the player of a specification, as `tengen arena` takes them; None for players of other kinds."""
    kind, colon, rest = text.partition(":")
    if not colon or kind not in _KINDS:
        return None
    words = [part.partition("=") for part in rest.split(",")]
    plain = [name for name, equals, _ in words if not equals]
    named = {name.replace("-", "_"): value for name, equals, value in words if equals}
    files: dict[str, str] = {name: named.pop(name) for name in ("prophet", "enforcer") if name in named}
    try:
        if len(plain) == 1 and plain[0] and not files:
            files = find_models(plain[0], named.pop("pair", None)) if kind == "pair" else {kind: plain[0]}
        if set(files) != ({"prophet", "enforcer"} if kind == "pair" else {kind}) or not all(files.values()):
            raise ModelError(f"expected {_FORMS}")
        settings = _read_settings(named)
        prophet = open_prophet(files["prophet"]) if "prophet" in files else None
        enforcer = open_enforcer(files["enforcer"]) if "enforcer" in files else None
        return Pair(game, prophet, enforcer, settings)
    except ValueError as error:
        raise ModelError(f"{text!r} names no player: {error}") from error


def _read_settings(named: dict[str, str]) -> PairSettings:
    known = {"prefetch_depth": int, "prefetch_width": int, "temperature": float}
    for short, name in _SHORT.items():
        if short in named and name in named:
            raise ModelError(f"{short} and {name.replace('_', '-')} are two names of one setting: give one of them")
    named = {_SHORT.get(name, name): value for name, value in named.items()}
    unknown = sorted(set(named) - set(known))
    if unknown:
        raise ModelError(f"{', '.join(unknown)} is no setting; expected {_FORMS}")
    return PairSettings(**{name: known[name](value) for name, value in named.items()})
