"""Every knob of the search."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Literal

from tengen import _core

_DEFAULT = _core.SearchSettings()


@dataclass(frozen=True)
class SearchSettings:
    """How to search. Values are scaled so that a full win is 1 and a full loss is -1.

    What is out of range, or is left without effect by another setting or by the game, is a ValueError.
    """

    visits: int = _DEFAULT.visits
    """Visits of the root before it is done, those of a reused tree and the root's own evaluation included."""
    rule: Literal["puct", "ucb1"] = "puct"
    """How a node picks the next visit: by priors (puct), or by counts alone (ucb1: rollouts and heuristics)."""

    c_puct: float = _DEFAULT.c_puct
    """Exploration: value + c · prior · √(visits of the node) / (1 + visits of the action)."""
    c_puct_log: float = _DEFAULT.c_puct_log
    """Dynamic exploration: c = c_puct + c_puct_log · ln((visits + c_puct_base) / c_puct_base)."""
    c_puct_base: float = _DEFAULT.c_puct_base
    c_ucb1: float = _DEFAULT.c_ucb1
    """Exploration: value + c · √(ln(visits of the node) / visits of the action)."""
    fpu_reduction: float = _DEFAULT.fpu_reduction
    """First-play urgency: an unvisited action counts as its node's value less this times √(prior mass visited)."""
    root_fpu_reduction: float = _DEFAULT.root_fpu_reduction
    """The same at the root."""
    fpu_own_power: float = _DEFAULT.fpu_own_power
    """Above 0: the node's value in that is its own evaluation mixed with the mean of its visits, the latter with the
    share (prior mass visited) to this power."""
    fpu_value: float | None = None
    """First-play urgency as a fixed value."""

    leaves_per_root: int = _DEFAULT.leaves_per_root
    """Positions of one tree that may wait for the evaluator at once. More fill batches and search a little worse."""
    virtual_loss: float = _DEFAULT.virtual_loss
    """How many losses a visit under way counts as."""

    noise_fraction: float = _DEFAULT.noise_fraction
    """Share of Dirichlet noise in the root's priors."""
    noise_alpha: float = _DEFAULT.noise_alpha
    """The noise's concentration, shared out over the legal actions."""
    root_policy_temperature: float = _DEFAULT.root_policy_temperature
    """Above 1 flattens the root's priors."""
    forced_playouts: float = _DEFAULT.forced_playouts
    """Every tried action of the root gets at least √(this · prior · visits) visits, pruned from the policy again."""

    wide_root_noise: float = _DEFAULT.wide_root_noise
    """Tries more actions at the root: flattens its priors to the power 1 / (4 · this + 1), and at every pick raises the
    value of every other visited action, drawn anew, by this times a half-normal number."""

    gumbel_actions: int = _DEFAULT.gumbel_actions
    """Actions that Gumbel's sequential halving considers at the root; 0 is off. For few visits."""
    gumbel_scale: float = _DEFAULT.gumbel_scale
    """Of the Gumbel noise; 0 is deterministic."""
    gumbel_c_visit: float = _DEFAULT.gumbel_c_visit
    gumbel_c_scale: float = _DEFAULT.gumbel_c_scale

    fast_visits: int = _DEFAULT.fast_visits
    """Playout-cap randomization: the visits of a fast search, without noise and forced playouts; 0 is off."""
    full_probability: float = _DEFAULT.full_probability
    """How often a search is a full one."""

    widening_factor: float = _DEFAULT.widening_factor
    """Progressive widening: a node tries at most ⌈factor · visits^exponent⌉ actions; 0 is off."""
    widening_exponent: float = _DEFAULT.widening_exponent

    joint_rule: Literal["regret", "ucb"] = "regret"
    """Where all act at once: regret matching, whose average strategy tends to an equilibrium, or decoupled UCB."""
    joint_exploration: float = _DEFAULT.joint_exploration
    """Share of blind choices there; it fades with 10 / √visits."""

    solve: bool = _DEFAULT.solve
    """Carry proven results up the tree, looking one move ahead for a win; a proven root ends the search early."""
    cache_entries: int = _DEFAULT.cache_entries
    """Evaluations remembered over all trees of a pool, by position; 0 is off."""

    def __post_init__(self) -> None:
        self.core().check()

    def replace(self, **changes: Any) -> SearchSettings:
        """The same but for these."""
        known = {field.name for field in dataclasses.fields(self)}
        unknown = sorted(set(changes) - known)
        if unknown:
            raise ValueError(f"no search setting is called {', '.join(unknown)}; there are {', '.join(sorted(known))}")
        return dataclasses.replace(self, **changes)

    @property
    def changed(self) -> list[str]:
        """The names of those that are not as by default."""
        return [f.name for f in dataclasses.fields(self) if getattr(self, f.name) != f.default]

    def core(self) -> _core.SearchSettings:
        settings = _core.SearchSettings()
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.name == "fpu_value" and value is None:
                value = math.nan
            try:
                setattr(settings, field.name, value)
            except TypeError:
                raise ValueError(
                    f"search settings: {field.name} is {value!r} and must be of the kind {field.type}"
                ) from None
        return settings
