"""From a configuration's parameters to the settings of the one search."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from tengen.analysis.params import Params
from tengen.evaluators import FLAT, CoreEvaluator
from tengen.search import SearchSettings, default_settings

if TYPE_CHECKING:
    from tengen.evaluators import Evaluator
    from tengen.games import Game

__all__ = ["search_settings"]


def search_settings(game: Game, evaluator: Evaluator | CoreEvaluator, params: Params) -> SearchSettings:
    """Settings that this game and evaluator can use."""
    if evaluator == FLAT:
        return _flat_settings(params)
    # Random games and heuristics bring no policy: the exploration that suits them is their own.
    scale = _exploration(evaluator) if isinstance(evaluator, CoreEvaluator) else None
    return _search_settings(params, scale, game.simultaneous)


@lru_cache(maxsize=256)
def _flat_settings(params: Params) -> SearchSettings:
    """Flat Monte Carlo takes visits and nothing else."""
    # Nor do threads change anything, and they follow from the machine.
    named = _search_settings(replace(params, num_search_threads=1), None, False)
    usual = _search_settings(Params(), None, False)
    changed = [name for name in named.changed if name != "visits" and getattr(named, name) != getattr(usual, name)]
    if params.root_policy_temperature_early != params.root_policy_temperature:
        changed.append("root_policy_temperature_early")
    if changed:
        raise ValueError(f"{', '.join(changed)}: no effect in flat Monte Carlo, which grows no tree")
    return SearchSettings(visits=named.visits)


@cache
def _exploration(evaluator: CoreEvaluator) -> float:
    return default_settings(evaluator).c_puct


@lru_cache(maxsize=256)
def _search_settings(params: Params, scale: float | None, is_simultaneous: bool) -> SearchSettings:
    """One for all queries that ask for the same: many may wait. `scale` is of exploration, inside the core only."""
    found: dict[str, Any] = {
        "visits": min(params.max_visits, params.max_playouts),
        "fpu_reduction": params.fpu_reduction_max,
        "root_fpu_reduction": params.root_fpu_reduction_max,
        "fpu_own_power": params.fpu_parent_weight_by_visited_policy_pow
        if params.fpu_parent_weight_by_visited_policy
        else 0.0,
    }
    if scale is not None:
        found["c_puct"] = scale * params.cpuct_exploration
    else:
        # Each search thread evaluates one leaf of the tree.
        found |= {"c_puct": params.cpuct_exploration, "leaves_per_root": params.num_search_threads}
        if params.num_search_threads > 1:
            found["virtual_loss"] = params.num_virtual_losses_per_thread
        if params.cpuct_exploration_log:
            found |= {"c_puct_log": params.cpuct_exploration_log, "c_puct_base": params.cpuct_exploration_base}
    if not is_simultaneous:
        found |= {
            "root_policy_temperature": params.root_policy_temperature,
            "forced_playouts": params.root_desired_per_child_visits_coeff,
            "wide_root_noise": params.wide_root_noise,
        }
        if params.root_noise_enabled and params.root_dirichlet_noise_weight:
            found["noise_fraction"] = params.root_dirichlet_noise_weight
            found["noise_alpha"] = params.root_dirichlet_noise_total_concentration
    return SearchSettings(**found)
