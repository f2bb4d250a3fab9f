"""Players that search, play an evaluator's policy, try worlds, or act at random."""

from __future__ import annotations

import fnmatch
import random
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeVar

import numpy as np

from tengen._files import local_name, portable_name
from tengen.arena.deliberation import Thought, Variation, deliberate_flat, deliberate_search
from tengen.arena.evaluate_positions import evaluate_positions, find_policy_evaluator
from tengen.nets.softness import DEFAULT_SOFTNESS
from tengen.search import Pool, Restriction, default_settings
from tengen.search.flat import flat_search, payoffs_from_policy, policy_from_payoffs
from tengen.selfplay import RESIGN, play_games, play_player_games, play_policy_games

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from tengen.evaluators import AnyEvaluator, Evaluator
    from tengen.games import Game, RecordedGame, State
    from tengen.search import SearchSettings
    from tengen.search.flat import FlatSettings
    from tengen.selfplay import GameRecord, SelfPlaySettings

__all__ = [
    "RESIGN",
    "Choice",
    "FlatPlayer",
    "Player",
    "PolicyPlayer",
    "RandomPlayer",
    "SearchPlayer",
]

T = TypeVar("T")

# Bounds the memory of many roots with many visits: a visit takes some 100 to 200 bytes.
_VISITS_AT_ONCE = 2_000_000
_MAX_TEMPERATURE = 1e6
_ANY_DEPTH = 1_000_000


@dataclass(frozen=True)
class Choice:
    """An action, and what its player thought of the position."""

    action: int
    policy: dict[int, float]
    """Share of each action in the player's strategy."""
    values: tuple[float, ...] | None = None
    """Expected payoff of each player, in the game's unit; None if the player estimates none."""
    visits: int = 0
    action_values: dict[int, float] = field(default_factory=dict)
    """Expected payoff of the seat after each action that the player examined."""
    action_visits: dict[int, int] = field(default_factory=dict)


class Player(ABC):
    """Chooses actions. A choice depends on what its seat sees of the state, and on the seed, and on nothing else."""

    policy_targets: ClassVar[Literal["visits", "payoffs"]] = "visits"
    """Source of the policies of consider(): shares of visits, or a softmax of payoffs. Each is learned with its own
    loss."""
    has_short_steps: ClassVar[bool] = False
    """True if every step of deliberate() is short."""
    games_at_once: int | None = None
    """At most so many games of a match go on at the same time; None: as many as come."""
    model_only: bool = False
    """Raise an error if a model has no answer, instead of playing by another policy."""

    def __init__(self, name: str) -> None:
        if not name:
            raise ValueError("a player needs a name")
        self.name = name

    def check(self, game: Game) -> None:
        """Raises a ValueError if this player can't play the game."""

    @abstractmethod
    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:
        """One action for each state, of the seat named with it, or RESIGN. All states are of one game and come together
        so that an evaluator sees full batches."""

    def consider(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[Choice]:
        """Return the actions of choose() with the player's estimates; by default there is nothing but the action."""
        return [Choice(action, {action: 1.0}) for action in self.choose(states, seats, seeds)]

    def deliberate(self, state: State, seat: int, seed: int) -> Iterator[Thought]:
        """Decide in steps: yield better and better thoughts until the decision is made. The caller may stop after any
        of them. By default there is one step, which takes as long as choose()."""
        [choice] = self.consider([state], [seat], [seed])
        value = None if choice.values is None else choice.values[seat] / state.game.payoff_scale
        yield Thought((Variation((choice.action,), value),), 1, max(1, choice.visits))

    def keeps_time(self, game: Game) -> bool:  # noqa: ARG002 - it matters for players of a game's own
        """Return whether every step of deliberate() is short, so that a clock can end the decision."""
        return self.has_short_steps

    def self_play(
        self,
        game: Game,
        settings: SelfPlaySettings,
        seeds: Sequence[int],
        progress: Callable[[int, int], None],
        lines: Sequence[RecordedGame] = (),
    ) -> list[GameRecord]:
        """Play games of this player with itself, one for each seed, with actions drawn from its policies.

        If there are `lines`, each game starts somewhere in one of them. `settings` are for players that search or
        evaluate many positions at the same time; others have no forks.
        """
        if settings.fork_share > 0 and lines:
            raise ValueError(
                f"self-play: fork_share is for searches and policies that play many games together, not for "
                f"{self.name} in {game.id}"
            )
        return play_player_games(game, self, seeds, progress, lines)

    def host_games(
        self,
        game: Game,  # noqa: ARG002 - as the next ones: most players have no table of their own
        other: Player,  # noqa: ARG002
        count: int,  # noqa: ARG002
        progress: Callable[[int], None],  # noqa: ARG002
    ) -> list[float] | None:
        """Play `count` games with the other player at a table of this player's own, such as a server, and return this
        player's payoffs. `progress` is called with the number of finished games. Returns None for players that can
        play anywhere, which most can."""
        return None

    def has_forks(self, game: Game) -> bool:  # noqa: ARG002 - it matters for players of many games
        """Return whether self_play() has forks, whose moves are chosen by evaluating many positions."""
        return False

    @property
    def fallbacks(self) -> Sequence[int]:
        """Seeds of the decisions that another policy made because this player had no answer."""
        return ()

    def close(self) -> None:
        """Stop the processes that the player started. It can be used again and starts them anew."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}>"


class RandomPlayer(Player):
    """Every legal action alike."""

    has_short_steps = True

    def __init__(self, name: str = "random") -> None:
        super().__init__(name)

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:
        return [
            random.Random(seed).choice(state.legal(seat))
            for state, seat, seed in zip(states, seats, seeds, strict=True)
        ]


class SearchPlayer(Player):
    """Searches every position anew, many of them together."""

    has_short_steps = True

    def __init__(
        self,
        name: str,
        evaluator: AnyEvaluator = "rollout",
        settings: SearchSettings | None = None,
        temperature: float = 0.0,
        threads: int = 1,
        seconds: float | None = None,
        avoid: str | None = None,
        beliefs: Mapping[str, str] | None = None,
    ) -> None:
        """At `temperature` 0 the best action is played, otherwise one drawn from the search's policy sharpened by it.
        If all players act at the same time, actions are drawn from the search's mixed strategy: a predictable player
        loses.

        With `seconds` a search ends after that time even if visits are missing; its choice then depends on the machine.
        Actions whose names match the pattern `avoid`, such as "dynamax*", are played only if there is no other.
        `beliefs` are some of the game's. To be sent to another process, the evaluator must be picklable; names and
        paths are.
        """
        super().__init__(name)
        if seconds is not None and not seconds > 0:
            raise ValueError(f"{name}: seconds is {seconds} and must be above 0")
        self.seconds = seconds
        self.evaluator = evaluator
        self.settings = settings or default_settings(evaluator)
        self.temperature = temperature
        self.threads = threads
        self.avoid = avoid
        self.beliefs = dict(beliefs or {})
        self._pool: Pool | None = None
        self._avoided: frozenset[int] = frozenset()
        if self.settings.visits < 2:
            raise ValueError(f"{name}: a search of one visit has no move to choose: use at least 2 visits")
        _check_temperature(name, temperature)

    def check(self, game: Game) -> None:
        self._pool_for(game)

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:
        return self._search(states, seats, seeds, self._action)

    def consider(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[Choice]:
        return self._search(states, seats, seeds, self._choice)

    def deliberate(self, state: State, seat: int, seed: int) -> Iterator[Thought]:
        pool = self._pool_for(state.game)
        restrictions = self._restrictions(state, seat)
        root = pool.add(self._believed(pool, state), viewer=seat, seed=seed, avoid=restrictions)
        try:
            temperature = 1.0 if state.actor == "all" else self.temperature
            yield from deliberate_search(pool, root, seat, temperature, self.seconds)
        finally:
            pool.remove(root)

    def self_play(
        self,
        game: Game,
        settings: SelfPlaySettings,
        seeds: Sequence[int],
        progress: Callable[[int, int], None],
        lines: Sequence[RecordedGame] = (),
    ) -> list[GameRecord]:
        """Play many games in parallel with this player's search, over which the search of `settings` is laid.

        A player with avoided actions or beliefs plays one position after the other, without exploration.
        """
        if self.avoid or self.beliefs:
            return super().self_play(game, settings, seeds, progress, lines)
        return play_games(game, self.evaluator, settings.laid_over(self.settings), seeds, progress, lines)

    def has_forks(self, game: Game) -> bool:
        return not (game.simultaneous or self.avoid or self.beliefs)

    def _search(
        self,
        states: Sequence[State],
        seats: Sequence[int],
        seeds: Sequence[int],
        read: Callable[[Pool, int, State, int], T],
    ) -> list[T]:
        found: list[T] = []
        at_once = max(self.threads, _VISITS_AT_ONCE // self.settings.visits)
        for begin in range(0, len(states), at_once):
            part = slice(begin, begin + at_once)
            pool = self._pool_for(states[begin].game)
            asked = list(zip(states[part], seats[part], seeds[part], strict=True))
            roots = [
                pool.add(self._believed(pool, state), viewer=seat, seed=seed, avoid=self._restrictions(state, seat))
                for state, seat, seed in asked
            ]
            try:
                pool.run(seconds=None if self.seconds is None else self.seconds * len(asked))
                found += [read(pool, root, state, seat) for root, (state, seat, _) in zip(roots, asked, strict=True)]
            finally:
                for root in roots:
                    pool.remove(root)
        return found

    def _action(self, pool: Pool, root: int, state: State, seat: int) -> int:
        return pool.choose(root, player=seat, temperature=1.0 if state.actor == "all" else self.temperature)

    def _choice(self, pool: Pool, root: int, state: State, seat: int) -> Choice:
        report = pool.report(root)
        moves = [move for move in report.moves if move.player == seat]
        return Choice(
            self._action(pool, root, state, seat),
            {move.action: move.policy for move in moves if move.policy > 0},
            tuple(report.values),
            report.visits,
            {move.action: move.values[seat] for move in moves if move.visits > 0},
            {move.action: move.visits for move in moves},
        )

    def _believed(self, pool: Pool, state: State) -> State:
        return state.with_position(state.position, pool.game) if self.beliefs else state

    def _restrictions(self, state: State, seat: int) -> list[Restriction] | None:
        if not self._avoided or self._avoided.issuperset(state.legal(seat)):
            return None
        return [Restriction(sorted(self._avoided), seat, _ANY_DEPTH)]

    def _pool_for(self, game: Game) -> Pool:
        if self._pool is None or self._pool.game != game:
            believed = game.believe(self.beliefs) if self.beliefs else game
            self._pool = Pool(believed, self.settings, self.evaluator, threads=self.threads)
            if self.avoid is not None:
                names = {action: game.name(action) for action in range(game.action_count)}
                self._avoided = frozenset(a for a, name in names.items() if fnmatch.fnmatchcase(name, self.avoid))
                if not self._avoided:
                    raise ValueError(f"no action of {game.id} is called {self.avoid!r}")
        return self._pool

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_pool": None, "evaluator": portable_name(self.evaluator)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"evaluator": local_name(state["evaluator"])})


class PolicyPlayer(Player):
    """Plays an evaluator's policy without a search."""

    has_short_steps = True

    def __init__(self, name: str, evaluator: AnyEvaluator, temperature: float = 0.0) -> None:
        """At `temperature` 0 the likeliest action is played. If all players act at the same time, actions are drawn
        from the policy."""
        super().__init__(name)
        self.temperature = temperature
        self._policy_evaluator = _PolicyEvaluator(evaluator)
        _check_temperature(name, temperature)

    @property
    def evaluator(self) -> AnyEvaluator:
        return self._policy_evaluator.evaluator

    def check(self, game: Game) -> None:
        self._policy_evaluator.of(game)

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:
        return [choice.action for choice in self.consider(states, seats, seeds)]

    def self_play(
        self,
        game: Game,
        settings: SelfPlaySettings,
        seeds: Sequence[int],
        progress: Callable[[int, int], None],
        lines: Sequence[RecordedGame] = (),
    ) -> list[GameRecord]:
        """Play many games in parallel, with the temperatures and random moves of `settings`."""
        if game.chance or game.simultaneous:
            return super().self_play(game, settings, seeds, progress, lines)
        return play_policy_games(game, self, settings, seeds, progress, lines)

    def has_forks(self, game: Game) -> bool:
        return not (game.chance or game.simultaneous)

    def consider(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[Choice]:
        if not states:
            return []
        game = states[0].game
        policies, values = evaluate_positions(game, self._policy_evaluator.of(game), states, seats, seeds)
        choices = []
        for state, policy, worth, seed in zip(states, policies, values, seeds, strict=True):
            temperature = 1.0 if state.actor == "all" else self.temperature
            if temperature == 0:
                action = int(policy.argmax())
            else:
                weights = (policy / policy.max()) ** (1 / temperature)
                action = int(np.random.default_rng(seed).choice(len(policy), p=weights / weights.sum()))
            shares = {int(i): float(policy[i]) for i in np.flatnonzero(policy)}
            choices.append(Choice(action, shares, tuple(map(float, worth)), 1))
        return choices


class FlatPlayer(Player):
    """Flat Monte Carlo, known as perfect-information Monte Carlo: plays the action whose playouts in the same redealt
    worlds paid most.

    With a `prior`, an evaluator's policy is read as payoffs, which are added to what the playouts paid.
    """

    policy_targets = "payoffs"
    has_short_steps = True

    def __init__(self, name: str, settings: FlatSettings, prior: AnyEvaluator | None = None) -> None:
        super().__init__(name)
        self.settings = settings
        self._prior = None if prior is None else _PolicyEvaluator(prior)

    def check(self, game: Game) -> None:
        self.settings.check(game)
        if self._prior is not None:
            self._prior.of(game)

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:
        chosen = []
        for state, seat, seed, bonus in zip(states, seats, seeds, self._bonuses(states, seats, seeds), strict=True):
            legal = state.legal(seat if state.actor == "all" else None)
            chosen.append(legal[0] if len(legal) == 1 else self._consider(state, seat, seed, bonus).action)
        return chosen

    def consider(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[Choice]:
        bonuses = self._bonuses(states, seats, seeds)
        return [self._consider(*asked) for asked in zip(states, seats, seeds, bonuses, strict=True)]

    def deliberate(self, state: State, seat: int, seed: int) -> Iterator[Thought]:
        [bonus] = self._bonuses([state], [seat], [seed])
        added = [float(bonus[action]) for action in state.legal(seat if state.actor == "all" else None)]
        return deliberate_flat(state, seat, self.settings, seed, added)

    def _consider(self, state: State, seat: int, seed: int, bonus: NDArray[np.float64]) -> Choice:
        game = state.game
        added = [float(bonus[action]) for action in state.legal(seat if state.actor == "all" else None)]
        moves = flat_search(state, seat, self.settings, seed, added)
        paid = [move.mean - self.settings.penalty_weight * move.penalty for move in moves]
        chosen = moves[int(np.argmax([mean + more for mean, more in zip(paid, added, strict=True)]))]
        best = max(paid)
        # The other payoff is known only in zero-sum games of two players.
        others = -best if game.zero_sum and game.players == 2 else 0.0
        values = tuple(best if player == seat else others for player in range(game.players))
        shares = policy_from_payoffs(paid, game.payoff_scale, self._softness(game))
        policy = {move.action: share for move, share in zip(moves, shares, strict=True)}
        return Choice(chosen.action, policy, values, self.settings.worlds * len(moves))

    def _bonuses(
        self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]
    ) -> Sequence[NDArray[np.float64]]:
        """For each state a number by action, in the game's unit."""
        if not states:
            return []
        game = states[0].game
        if self._prior is None:
            return [np.zeros(game.action_count)] * len(states)
        policies, _ = evaluate_positions(game, self._prior.of(game), states, seats, seeds)
        return [payoffs_from_policy(policy, game.payoff_scale, self._softness(game)) for policy in policies]

    def _softness(self, game: Game) -> float:
        """Return the softness of the policies that the network was trained on."""
        return DEFAULT_SOFTNESS if self._prior is None else self._prior.of(game).softness


class _PolicyEvaluator:
    """An evaluator with a policy of its own, opened once for a game and anew in another process."""

    def __init__(self, evaluator: AnyEvaluator) -> None:
        self.evaluator = evaluator
        self._found: tuple[Game, Evaluator] | None = None

    def of(self, game: Game) -> Evaluator:
        if self._found is None or self._found[0] != game:
            self._found = (game, find_policy_evaluator(self.evaluator, game))
        return self._found[1]

    def __getstate__(self) -> dict[str, Any]:
        return {"_found": None, "evaluator": portable_name(self.evaluator)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state | {"evaluator": local_name(state["evaluator"])})


def _check_temperature(name: str, temperature: float) -> None:
    if not (isinstance(temperature, int | float) and 0 <= temperature <= _MAX_TEMPERATURE):
        raise ValueError(f"{name}: temperature is {temperature} and must be from 0 to {_MAX_TEMPERATURE:g}")
