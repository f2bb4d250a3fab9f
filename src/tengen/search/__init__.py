"""The one search."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tengen._lazy import lazy_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.evaluators import AnyEvaluator
    from tengen.games import State
    from tengen.search.constraints import ActionName, Restriction, Restrictions
    from tengen.search.pool import Pool, default_settings
    from tengen.search.result import Free, Move, Reply, SearchResult
    from tengen.search.settings import SearchSettings
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "constraints": ["ActionName", "Restriction", "Restrictions"],
            "pool": ["Pool", "default_settings"],
            "result": ["Free", "Move", "Reply", "SearchResult"],
            "settings": ["SearchSettings"],
        },
    )

__all__ = [
    "ActionName",
    "Free",
    "Move",
    "Pool",
    "Reply",
    "Restriction",
    "Restrictions",
    "SearchResult",
    "SearchSettings",
    "default_settings",
    "search",
]


def search(
    state: State,
    *,
    evaluator: AnyEvaluator | None = None,
    visits: int | None = None,
    include: Sequence[ActionName] = (),
    include_visits: int = 1,
    allow: Restrictions | None = None,
    avoid: Restrictions | None = None,
    viewer: int | None = None,
    seed: int | None = None,
    seconds: float | None = None,
    aux: bool = False,
    settings: SearchSettings | Mapping[str, Any] | None = None,
    **changes: Any,
) -> SearchResult:
    """Searches one position.

    `evaluator` is whatever find_evaluator() takes: a name, a network's file, a run's folder, a function. By default it
    is the game's own default, such as flat Monte Carlo; else the champion that ships with the game, at the
    visits it was measured at; else rollouts.

    `visits` and further keywords change single `settings`, which may be a dictionary. Each move of `include` gets at
    least `include_visits` visits, on top of the others and without weight of its own in the verdict. `allow` and
    `avoid` are lists of actions, or of Restrictions. With `seconds` the search ends when the time is up, done or not.
    """
    from tengen.evaluators import choose_evaluator
    from tengen.games import State
    from tengen.games.registry import FIRST_GAME
    from tengen.search.pool import Pool, default_settings
    from tengen.search.settings import SearchSettings

    if not isinstance(state, State):
        raise TypeError(f"search takes a State, such as tengen.game({FIRST_GAME!r}).start(), not {state!r}")
    judge, measured = choose_evaluator(evaluator, state.game)
    if visits is None and settings is None:
        visits = measured
    if visits is not None:
        changes["visits"] = visits
    if settings is None or isinstance(settings, Mapping):
        chosen = default_settings(judge, **{**(settings or {}), **changes})
    else:
        chosen = SearchSettings.of(settings).replace(**changes)
    pool = Pool(state.game, chosen, judge)
    root = pool.add(
        state, viewer=viewer, seed=seed, include=include, include_visits=include_visits, allow=allow, avoid=avoid
    )
    began = time.monotonic()
    pool.run(seconds=seconds)
    return pool.result(root, aux=aux, elapsed_s=time.monotonic() - began)
