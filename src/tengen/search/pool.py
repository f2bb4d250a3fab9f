"""The loop around the core's pool of roots."""

from __future__ import annotations

import operator
import secrets
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from tengen import _core
from tengen.evaluators import (
    AnyEvaluator,
    CorePool,
    Evaluation,
    Evaluator,
    Leaves,
    NativeEvaluator,
    Rollout,
    find_evaluator,
)
from tengen.games import Game, GameError, IllegalAction, NativeGame, State
from tengen.search.result import SearchResult, read_report
from tengen.search.settings import SearchSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

ActionName: TypeAlias = int | str
_Core: TypeAlias = "tuple[list[int], int, list[tuple[int, list[int], int, bool]], int]"


@dataclass(frozen=True)
class Restriction:
    """Actions that a search leaves out (avoid), or is held to (allow), for one player down to a depth."""

    actions: Sequence[ActionName]
    player: int | None = None
    """By default who is to act at the root."""
    until_depth: int = 1
    """Plies from the root that it covers; 1 is the root only."""


Restrictions: TypeAlias = "Sequence[ActionName] | Sequence[Restriction]"


def default_settings(evaluator: AnyEvaluator, **changes: Any) -> SearchSettings:
    """The settings to search with where none are given, with these changes."""
    is_rollout = isinstance(evaluator, Rollout) or (isinstance(evaluator, str) and evaluator.startswith("rollout"))
    if is_rollout and changes.get("rule", "puct") == "puct":
        # One game played at random says little: a network's c_puct would bury a good move on one bad result.
        changes.setdefault("c_puct", 3.0)
    return SearchSettings().replace(**changes)


class Pool:
    """Many positions searched together, so that the evaluator sees full batches.

    A root is added, runs until its visits are made, answers, and may move on along the game keeping its tree.
    """

    def __init__(
        self,
        game: Game,
        settings: SearchSettings | None = None,
        evaluator: AnyEvaluator = "rollout",
        *,
        threads: int = 1,
        batch: int = 256,
    ) -> None:
        self.game = game
        self.settings = settings or default_settings(evaluator)
        self.evaluator = find_evaluator(evaluator, game)
        if batch < 1:
            raise ValueError(f"batch is {batch} and must be at least 1")
        self.batch = batch
        self._check_settings(self.settings)
        self._core = _core_pool(game, self.settings, threads)
        self._viewers: dict[int, int | None] = {}
        self._states: dict[int, State] = {}
        self._warnings: dict[int, tuple[str, ...]] = {}

    def add(
        self,
        state: State,
        *,
        viewer: int | None = None,
        seed: int | None = None,
        include: Sequence[ActionName] = (),
        include_visits: int = 1,
        allow: Restrictions | None = None,
        avoid: Restrictions | None = None,
        visits: int | None = None,
        settings: SearchSettings | None = None,
        extras: int | None = None,
    ) -> int:
        """A new root; answers its number. `visits` stands in for those of the settings.

        `settings` are this root's own; the cache stays the pool's. Its tree keeps the first `extras` of the game's
        extra numbers, by default all.
        """
        self._check_state(state)
        if settings is not None:
            self._check_settings(settings)
        if viewer is not None and not 0 <= viewer < self.game.players:
            raise GameError(f"no viewer {viewer} in {self.game.id}: players are 0 … {self.game.players - 1}")
        known_to = self.game.known_to(state.position)
        if known_to is not None and (state.actor if viewer is None else viewer) != known_to:
            raise GameError(f"the position is stated as player {known_to} sees it: nobody else can search it")
        include_ids, warnings = self._included(state, viewer, include)
        asked = self._constraints(state, include_ids, include_visits, allow, avoid, visits)
        seed = secrets.randbits(63) if seed is None else seed % 2**63
        root = self._core.add(
            state.position,
            -1 if viewer is None else viewer,
            seed,
            *asked,
            None if settings is None else settings.core(),
            self.game.extra_count if extras is None else extras,
        )
        self._states[root] = state
        self._viewers[root] = viewer
        self._warnings[root] = warnings
        return root

    def restart(
        self,
        root: int,
        *,
        include: Sequence[ActionName] = (),
        include_visits: int = 1,
        allow: Restrictions | None = None,
        avoid: Restrictions | None = None,
        visits: int | None = None,
    ) -> None:
        """Another search of the same root with other constraints; what was learned stays where it can."""
        state = self.state(root)
        include_ids, warnings = self._included(state, self._viewers[root], include)
        self._core.restart(root, *self._constraints(state, include_ids, include_visits, allow, avoid, visits))
        self._warnings[root] = warnings

    def advance(self, root: int, action: ActionName | Sequence[ActionName], state: State | None = None) -> State:
        """Moves a root along an action (an outcome, a joint action), keeping the tree below it.

        `state` is the position after it where the caller knows more than the root did, as in a game with hidden cards.
        """
        after = self.state(root).play(action)
        if state is not None:
            self._check_state(state)
        played = after.history[-1]
        self._core.advance(
            root, [played] if isinstance(played, int) else list(played), None if state is None else state.position
        )
        self._states[root] = state or after
        self._warnings[root] = ()
        return self._states[root]

    def restate(self, root: int, state: State) -> None:
        """Gives a root another state whose game goes on alike: one that differs in what evaluators are told only."""
        self._check_state(state)
        self._core.restate(root, state.position)
        self._states[root] = state

    def progress(self, root: int) -> tuple[int, bool]:
        """The visits of a root, and whether it is done."""
        return self._core.progress(root)

    def remove(self, root: int) -> None:
        self._core.remove(root)
        del self._states[root], self._viewers[root], self._warnings[root]

    def state(self, root: int) -> State:
        if root not in self._states:
            raise IndexError(f"no root {root} in this pool")
        return self._states[root]

    @property
    def is_done(self) -> bool:
        return self._core.is_done()

    def collect(self, most: int | None = None) -> Leaves:
        """Walks the trees until positions want an evaluation. An empty batch does not mean that all is done."""
        return Leaves(self.game, self._core, self._core.collect(most or self.batch))

    def supply(self, evaluation: Evaluation) -> None:
        """The answers to the last batch."""
        self._core.supply(evaluation.logits, evaluation.values, evaluation.extras)

    def abandon(self) -> None:
        """Takes the last batch back."""
        self._core.abandon()

    def step(self, visits: int | None = None) -> bool:
        """A little work: one batch; with an evaluator inside the core, so many visits for each root (by default some
        thousand). Answers whether all roots are done."""
        if isinstance(self.evaluator, NativeEvaluator):
            return self.evaluator.run(self._core, visits or (4096 if isinstance(self.game, NativeGame) else 64))
        leaves = self.collect()
        if len(leaves):
            try:
                self.supply(self._evaluate(self.evaluator, leaves))
            except BaseException:
                self.abandon()
                raise
        return self.is_done

    def run(self, *, seconds: float | None = None) -> bool:
        """Searches until every root is done or the time is up; answers whether all are done."""
        if seconds is not None and not seconds > 0:
            raise ValueError(f"seconds is {seconds} and must be above 0")
        deadline = None if seconds is None else time.monotonic() + seconds
        while not self.step():
            if deadline is not None and time.monotonic() >= deadline:
                return False
        return True

    def result(
        self,
        root: int,
        *,
        extras: bool = False,
        spread: bool = False,
        deviations: bool = False,
        elapsed_s: float = 0.0,
    ) -> SearchResult:
        """What is known so far. The averages of the game's `extras`, their `deviations` and the `spread` of each move's
        values cost a walk through the tree."""
        state = self.state(root)
        if (extras or deviations) and not self.game.extra_count:
            raise ValueError(f"{self.game.id} declares no extra numbers")
        actor = state.actor
        player = actor if isinstance(actor, int) else self._viewers[root]
        return read_report(
            state, player, self._core.report(root, spread, extras, deviations), self._warnings[root], elapsed_s
        )

    def report(self, root: int) -> _core.RootReport:
        """The core's own report: cheaper than result() where many roots are read."""
        report: _core.RootReport = self._core.report(root, False, False, False)
        return report

    def choose(self, root: int, *, temperature: float = 0.0, player: int | None = None) -> int:
        """The action to play, drawn from the policy sharpened by the temperature; at 0 the best one."""
        actor = self.state(root).actor
        if player is None:
            player = actor if isinstance(actor, int) else self._viewers[root]
        if player is None:
            raise ValueError("all players act here: name the player")
        return self._core.choose(root, player, temperature)

    @property
    def cache_hits(self) -> int:
        return self._core.cache_hits

    def _evaluate(self, evaluator: Evaluator, leaves: Leaves) -> Evaluation:
        answer = evaluator.evaluate(leaves)
        if not isinstance(answer, Evaluation):
            raise TypeError(f"an evaluator answered {type(answer).__name__} where an Evaluation is due")
        return answer

    def _check_settings(self, settings: SearchSettings) -> None:
        if isinstance(self.evaluator, NativeEvaluator):
            for name, default in (("cache_entries", 0), ("leaves_per_root", 1)):
                if getattr(settings, name) != default:
                    raise ValueError(f"search settings: {name} has no effect with an evaluator inside the core")

    def _check_state(self, state: State) -> None:
        if not isinstance(state, State):
            raise TypeError(f"{state!r} is no State")
        if state.game != self.game:
            raise ValueError(f"the state is one of {state.game!r}, the search is for {self.game!r}")

    def _included(
        self, state: State, viewer: int | None, include: Sequence[ActionName]
    ) -> tuple[list[int], tuple[str, ...]]:
        """Legal ids without duplicates. What is illegal is skipped and named; what is no action is an error."""
        if isinstance(include, str):
            raise TypeError("include takes a list")
        player = state.actor if isinstance(state.actor, int) else viewer
        if not include or not isinstance(player, int):
            return [self._action(state, name) for name in include], ()
        legal = set(state.legal(player))
        kept: list[int] = []
        skipped: list[str] = []
        for name in include:
            try:
                action = self._action(state, name)
            except IllegalAction:
                skipped.append(str(name))
                continue
            if action in legal and action not in kept:
                kept.append(action)
            else:
                skipped.append(self.game.name(action))
        return kept, (f"include: skipped as illegal or named twice: {', '.join(skipped)}",) if skipped else ()

    def _action(self, state: State, name: ActionName) -> int:
        if isinstance(name, str):
            return self.game.parse(name, state)
        name = operator.index(name)
        if not 0 <= name < self.game.action_count:
            raise GameError(f"no action {name} in {self.game.id}: there are 0 … {self.game.action_count - 1}")
        return name

    def _constraints(
        self,
        state: State,
        include: list[int],
        include_visits: int,
        allow: Restrictions | None,
        avoid: Restrictions | None,
        visits: int | None,
    ) -> _Core:
        if visits is not None and not 1 <= visits <= 2**50:
            raise ValueError(f"visits is {visits} and must be from 1 to 2^50")
        if allow is not None and avoid is not None:
            raise ValueError("allow and avoid can't be used together")
        rules: list[tuple[int, list[int], int, bool]] = []
        for given, is_allow in ((allow, True), (avoid, False)):
            for restriction in _as_restrictions(given):
                player = restriction.player if restriction.player is not None else state.actor
                if player is None or isinstance(player, str):
                    raise ValueError("all players act here: a Restriction must name its player")
                actions = [self._restricted(state, name) for name in restriction.actions]
                rules.append((player, actions, restriction.until_depth, is_allow))
        allowed = [player for player, _, _, is_allow in rules if is_allow]
        if len(allowed) != len(set(allowed)):
            raise ValueError("allow: at most one Restriction for each player")
        return include, include_visits, rules, visits or 0

    def _restricted(self, state: State, name: ActionName) -> int:
        """Restrictions may name what is not legal now: it may become so further down."""
        try:
            return self._action(state, name)
        except IllegalAction:
            known = [a for a in range(self.game.action_count) if self.game.name(a) == name]
            if not known:
                raise
            return known[0]


def _as_restrictions(given: Restrictions | None) -> list[Restriction]:
    if given is None:
        return []
    if isinstance(given, str):
        raise TypeError("allow and avoid take a list")
    plain = [item for item in given if not isinstance(item, Restriction)]
    return [
        *(item for item in given if isinstance(item, Restriction)),
        *([Restriction(plain)] if plain or not given else []),
    ]


def _core_pool(game: Game, settings: SearchSettings, threads: int) -> CorePool:
    pool: Any
    if isinstance(game, NativeGame):
        pool = getattr(_core, f"{type(game.core).__name__}Pool")(game.core, settings.core(), threads)
    else:
        pool = _core.PythonPool(game, settings.core(), threads)
    return pool  # type: ignore[no-any-return]
