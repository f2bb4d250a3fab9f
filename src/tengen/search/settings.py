"""Every knob of the search."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from tengen import _core


@dataclass(frozen=True)
class SearchSettings:
    """How to search. Values are scaled so that a full win is 1 and a full loss is -1.

    What is out of range, or is left without effect by another setting or by the game, is a ValueError.
    """

    # From core/search/settings.inc: scripts/write_settings.py writes these fields.

    visits: int = 400
    """Visits of the root, the root's own evaluation and the visits of a reused tree included."""
    rule: Literal["puct", "ucb1"] = "puct"
    """How a node picks the next visit: "puct" by priors, "ucb1" by counts alone, which fits rollouts and heuristics."""
    c_puct: float = 1.1
    """Exploration: value + c · prior · √(visits of the node) / (1 + visits of the action)."""
    c_puct_log: float = 0.0
    """Lets c_puct grow: c = c_puct + c_puct_log · ln((visits + c_puct_base) / c_puct_base)."""
    c_puct_base: float = 500.0
    """From how many visits on; see c_puct_log."""
    root_c_puct: float | None = None
    """C_puct at the root, if it is another."""
    root_c_puct_base: float | None = None
    """C_puct_base at the root, if it is another."""
    c_ucb1: float = 1.4
    """Exploration: value + c · √(ln(visits of the node) / visits of the action)."""
    fpu_reduction: float = 0.2
    """First-play urgency: an action not yet visited counts as its node's value less this times √(prior mass
    visited)."""
    root_fpu_reduction: float = 0.1
    """Fpu_reduction at the root."""
    fpu_own_power: float = 0.0
    """Above 0 the node's value in first-play urgency is its own evaluation mixed with the mean of its visits, the
    latter with the share (prior mass visited) to this power."""
    fpu_value: float | None = None
    """First-play urgency as a fixed value instead."""
    leaves_per_root: int = 1
    """Positions of one tree that may wait for the evaluator at once; more fill batches and search a little worse."""
    virtual_loss: float = 1.0
    """How many losses a visit under way counts as."""
    noise_fraction: float = 0.0
    """Share of Dirichlet noise in the root's priors."""
    noise_alpha: float = 10.0
    """Concentration of that noise, shared out over the legal actions."""
    root_policy_temperature: float = 1.0
    """Above 1 flattens the root's priors."""
    forced_playouts: float = 0.0
    """Each tried action of the root gets at least √(this · prior · visits) visits; they are pruned from the policy
    again."""
    wide_root_noise: float = 0.0
    """Flattens the root's priors to the power 1 / (4 · this + 1) and adds this times a half-normal number to the values
    of half of its visited actions, drawn anew at every pick: more actions are tried."""
    gumbel_actions: int = 0
    """Actions that Gumbel's sequential halving considers at the root, for few visits; 0 is off."""
    gumbel_scale: float = 1.0
    """Scale of the Gumbel noise; 0 is deterministic."""
    gumbel_c_visit: float = 50.0
    """Weight of values against priors: (gumbel_c_visit + most visits of an action) · gumbel_c_scale · value, from 0 to
    1."""
    gumbel_c_scale: float = 1.0
    """See gumbel_c_visit."""
    fast_visits: int = 0
    """Playout-cap randomization: visits of a fast search, without noise and forced playouts; 0 is off."""
    full_probability: float = 1.0
    """How often a search is a full one; `result.is_full` tells."""
    widening_factor: float = 0.0
    """Progressive widening: a node tries at most ⌈factor · visits^exponent⌉ actions; 0 is off."""
    widening_exponent: float = 0.5
    """See widening_factor."""
    joint_rule: Literal["auto", "regret", "ucb"] = "auto"
    """Where all act at once: "regret" matching, whose average strategy tends to an equilibrium, or decoupled "ucb";
    "auto": the latter in a game that says so."""
    joint_exploration: float = 0.1
    """Share of blind choices where all act at once; fades with 10 / √visits."""
    joint_min_share: float | None = None
    """Where all act at once, an action is not drawn from the strategy whose share is below this part of the best one's;
    None: what suits the game, mostly 0."""
    world_visits: int = 0
    """Visits that a determinization of a hidden game is used for, in turns with others, before another is drawn; 0: as
    many as suit the game."""
    solve: bool = False
    """Carry proven results up the tree; a proven root ends the search early."""
    solve_plies: int = 1
    """How many plies ahead new positions are searched for a forced result, such as a mate; the cost grows quickly with
    it."""
    cache_entries: int = 0
    """Evaluations remembered over all trees of a pool, by position; 0 is off."""

    def __post_init__(self) -> None:
        self.core().check()

    def replace(self, **changes: Any) -> SearchSettings:
        """Return the settings with some of them changed."""
        known = {field.name for field in dataclasses.fields(self)}
        unknown = sorted(set(changes) - known)
        if unknown:
            raise ValueError(f"no search setting is called {', '.join(unknown)}; there are {', '.join(sorted(known))}")
        return dataclasses.replace(self, **changes)

    @classmethod
    def of(cls, given: SearchSettings | Mapping[str, Any], base: SearchSettings | None = None) -> SearchSettings:
        """Return settings as they are, or those of a dictionary over a base, by default over the defaults."""
        if isinstance(given, cls):
            return given
        if not isinstance(given, Mapping):
            raise TypeError(
                f"{given!r} are no search settings: pass SearchSettings(visits=400, …) or a dictionary of them"
            )
        return (base or cls()).replace(**given)

    @property
    def changed(self) -> list[str]:
        """The names of those that are not as by default."""
        return [f.name for f in dataclasses.fields(self) if getattr(self, f.name) != f.default]

    def core(self) -> _core.SearchSettings:
        return _core.SearchSettings(**vars(self))
