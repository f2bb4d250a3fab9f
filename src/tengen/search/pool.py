"""The loop around the core's pool of roots."""

from __future__ import annotations

import math
import secrets
import time
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from tengen import _core
from tengen.evaluators import (
    FLAT,
    FLAT_VISITS,
    AnyEvaluator,
    CoreEvaluator,
    Evaluation,
    Evaluator,
    Leaves,
    RawEvaluator,
    find_evaluator,
    tuned_settings,
)
from tengen.games import Game, GameError, NativeGame, State
from tengen.search.constraints import read_constraints, read_included
from tengen.search.flat import FlatRoots
from tengen.search.result import SearchResult, read_report
from tengen.search.settings import SearchSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tengen.search.constraints import ActionName, Restrictions

_ROUNDING = 1e-3
"""By how much of the largest payoff a value may miss it: networks calculate with few digits."""
_VISITS_BY_THE_CLOCK = 256
"""Visits of each root between looks at the clock, with an evaluator inside the core."""


def default_settings(evaluator: AnyEvaluator, **changes: Any) -> SearchSettings:
    """The settings to search with where none are given, with these changes."""
    name = str(evaluator) if isinstance(evaluator, CoreEvaluator | str) else ""
    if name == "flat":
        changes.setdefault("visits", FLAT_VISITS)
    if name.startswith("rollout") and changes.get("rule", "puct") == "puct":
        # One random game is weak evidence: with a network's c_puct, one bad result would bury a good move.
        changes.setdefault("c_puct", 3.0)
    if changes.get("rule", "puct") == "puct":
        changes = {**_usable(tuned_settings(evaluator), changes), **changes}
    return SearchSettings().replace(**changes)


def _usable(tuned: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of a network's own settings that have an effect together with the chosen ones."""
    is_gumbel = changes.get("gumbel_actions", 0) > 0 and not changes.get("fast_visits")
    has_value = changes.get("fpu_value") is not None
    return {
        name: value
        for name, value in tuned.items()
        if not (is_gumbel and name.startswith("root_")) and not (has_value and name.endswith("fpu_reduction"))
    }


class Pool:
    """Many positions searched together, so that the evaluator sees full batches.

    A root is added, runs until its visits are made, has a result, and may then follow the game and keep its tree.
    """

    def __init__(
        self,
        game: Game,
        settings: SearchSettings | Mapping[str, Any] | None = None,
        evaluator: AnyEvaluator = "rollout",
        *,
        threads: int = 1,
        batch: int = 256,
    ) -> None:
        self.game = game
        self.settings = SearchSettings.of(settings or {}, default_settings(evaluator))
        self.evaluator = find_evaluator(evaluator, game)
        if batch < 1:
            raise ValueError(f"batch is {batch} and must be at least 1")
        self.batch = batch
        self._check_settings(self.settings)
        self._core = _core_pool(game, self.settings, threads, is_flat=self.evaluator == FLAT)
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
        must_choose: bool = True,
        settings: SearchSettings | None = None,
        aux: int | None = None,
    ) -> int:
        """Add a root and return its number. `viewer` is the player who asks if all act; in a hidden game it is the
        first player by default. `visits` replaces those of the settings. Without a seed every search differs, except
        flat Monte Carlo, whose deals depend on what the player sees: equal questions get equal results.

        It is an error if `allow` or `avoid` leave the player to act without a choice, unless `must_choose` is false:
        visits then end at the root.

        `settings` are this root's own; the cache stays the pool's. Its tree keeps the first `aux` of the game's
        auxiliary values, by default all.
        """
        self._check_state(state)
        if settings is not None:
            self._check_settings(settings)
        if viewer is not None and not 0 <= viewer < self.game.players:
            raise GameError(f"no viewer {viewer} in {self.game.id}: players are 0 … {self.game.players - 1}")
        known_to = self.game.known_to(state.position)
        if viewer is None and self.game.hidden and state.actor == "all":
            viewer = known_to or 0  # what is hidden is hidden from somebody
        if known_to is not None and (state.actor if viewer is None else viewer) != known_to:
            raise GameError(f"the position is stated as player {known_to} sees it: nobody else can search it")
        include_ids, warnings = read_included(state, viewer, include)
        asked = read_constraints(state, include_ids, include_visits, allow, avoid, visits, must_choose=must_choose)
        if seed is None:
            player = state.actor if viewer is None else viewer
            seed = secrets.randbits(63)
            if self.evaluator == FLAT and isinstance(player, int):
                seed = state.view_key(player)
        seed %= 2**63
        root = self._core.add(
            state.position,
            -1 if viewer is None else viewer,
            seed,
            *asked,
            None if settings is None else settings.core(),
            self.game.aux_count if aux is None else aux,
            _rules(state),
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
        must_choose: bool = True,
    ) -> None:
        """Another search of the same root with other constraints; what was learned stays where it can."""
        state = self.state(root)
        include_ids, warnings = read_included(state, self._viewers[root], include)
        asked = read_constraints(state, include_ids, include_visits, allow, avoid, visits, must_choose=must_choose)
        self._core.restart(root, *asked)
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

    def replace_root_state(self, root: int, state: State) -> None:
        """Give a root another state that continues alike, and differs only in what evaluators see."""
        self._check_state(state)
        self._core.replace_root_state(root, state.position, _rules(state))
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

    def collect(self, max_rows: int | None = None) -> Leaves:
        """Walks the trees until positions want an evaluation. An empty batch does not mean that all is done."""
        return Leaves(self.game, self._core, self._core.collect(max_rows or self.batch), self._states)

    def supply(self, evaluation: Evaluation) -> None:
        """Supply the evaluation of the last batch."""
        self._check_values(evaluation.values)
        self._core.supply(evaluation.logits, evaluation.values, evaluation.aux)

    def abandon(self) -> None:
        """Takes the last batch back."""
        self._core.abandon()

    def step(self, visits: int | None = None) -> bool:
        """Do a little work: one batch; with an evaluator inside the core, so many visits for each root (by default some
        thousand). Return whether all roots are done."""
        evaluator = self.evaluator
        if isinstance(evaluator, CoreEvaluator):
            visits = visits or (4096 if isinstance(self.game, NativeGame) else 64)
            return self._core.run(evaluator.core_name, evaluator.rollouts, visits)
        leaves = self.collect()
        if len(leaves):
            self.evaluate(leaves)
        return self.is_done

    def evaluate(self, leaves: Leaves | None, raw_of: Sequence[State] = ()) -> tuple[Evaluation | None, list[Any]]:
        """Evaluate the last batch, None if there is none, and supply the evaluation. If that fails, the batch is taken
        back.

        A RawEvaluator also returns the raw outputs of the positions `raw_of`, from the same batch.
        """
        try:
            answer, raws = self._ask(leaves, raw_of)
            if answer is not None:
                self.supply(answer)
        except BaseException:
            self.abandon()
            raise
        return answer, raws

    def _ask(self, leaves: Leaves | None, raw_of: Sequence[State]) -> tuple[Evaluation | None, list[Any]]:
        evaluator = self.evaluator
        answer: Evaluation | None
        raws: list[Any] = []
        if isinstance(evaluator, RawEvaluator):
            answer, raws = evaluator.evaluate_raw(leaves, raw_of)
        elif isinstance(evaluator, Evaluator) and leaves is not None and not raw_of:
            answer = evaluator.evaluate(leaves)
        else:
            raise TypeError(f"{evaluator} has no raw outputs, and an evaluator inside the core takes no batches")
        if leaves is not None and not isinstance(answer, Evaluation):
            raise TypeError(f"an evaluator answered {type(answer).__name__} where an Evaluation is due")
        return answer, raws

    def run(self, *, seconds: float | None = None) -> bool:
        """Search until every root is done or the time is up; return whether all are done."""
        if seconds is not None and not seconds > 0:
            raise ValueError(f"seconds is {seconds} and must be above 0")
        deadline = None if seconds is None else time.monotonic() + seconds
        is_quick = deadline is not None and isinstance(self.game, NativeGame)
        visits = _VISITS_BY_THE_CLOCK if is_quick else None
        while not self.step(visits):
            if deadline is not None and time.monotonic() >= deadline:
                return False
        return True

    def result(
        self,
        root: int,
        *,
        aux: bool = False,
        spread: bool = False,
        deviations: bool = False,
        elapsed_s: float = 0.0,
    ) -> SearchResult:
        """Return the result so far. The averages of the game's `aux`, their `deviations` and the `spread` of each
        move's values cost a walk through the tree."""
        state = self.state(root)
        if (aux or deviations) and not self.game.aux_count:
            raise ValueError(f"{self.game.id} declares no auxiliary values")
        actor = state.actor
        player = actor if isinstance(actor, int) else self._viewers[root]
        report = self._core.report(root, spread, aux, deviations)
        return read_report(state, player, report, self._warnings[root], elapsed_s, is_flat=self.evaluator == FLAT)

    def report(self, root: int) -> _core.RootReport:
        """The core's own report: cheaper than result() where many roots are read."""
        return self._core.report(root, False, False, False)

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

    def _check_values(self, values: NDArray[np.float32]) -> None:
        """Check the range of values; the core checks the rest of an evaluation."""
        if not isinstance(values, np.ndarray) or not values.size:
            return
        evaluator, game = self.evaluator, self.game
        limit = evaluator.max_value(game) if isinstance(evaluator, Evaluator) else game.max_payoff
        distances = np.abs(values)
        if not limit * (1 + _ROUNDING) < distances.max() < math.inf:
            return
        row, player = np.unravel_index(distances.argmax(), values.shape)
        raise ValueError(
            f"the evaluator answered the value {values[row, player]:g} for player {player} in row {row}; values of "
            f"{game.id} are from {-limit:g} to {limit:g}. The position is\n{State(game, self._core.states()[row])}"
        )

    def _check_settings(self, settings: SearchSettings) -> None:
        if isinstance(self.evaluator, CoreEvaluator):
            for name, default in (("cache_entries", 0), ("leaves_per_root", 1)):
                if getattr(settings, name) != default:
                    raise ValueError(f"search settings: {name} has no effect with an evaluator inside the core")
        if self.evaluator == FLAT:
            changed = [name for name in settings.changed if name != "visits"]
            if changed:
                names = ", ".join(changed)
                raise ValueError(
                    f"search settings: {names}: no effect in flat Monte Carlo, which grows no tree; name an evaluator"
                )

    def _check_state(self, state: State) -> None:
        if not isinstance(state, State):
            raise TypeError(f"{state!r} is no State")
        if state.game != self.game:
            raise ValueError(f"the state is one of {state.game!r}, the search is for {self.game!r}")


def _rules(state: State) -> _core.Rules | None:
    """Return the rules of a root, whose context may be its own."""
    return state.game.core if isinstance(state.game, NativeGame) else None


def _core_pool(game: Game, settings: SearchSettings, threads: int, *, is_flat: bool) -> _core.Pool:
    if is_flat:
        return cast("_core.Pool", FlatRoots(game, settings.visits))
    rules = game.core if isinstance(game, NativeGame) else _core.PythonRules(game)
    return _core.Pool(rules, settings.core(), threads)
