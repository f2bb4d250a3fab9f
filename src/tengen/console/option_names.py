"""Names of options that mean the same in every command that has them. The first name is the one that help shows."""

from __future__ import annotations

from typing import Final

__all__ = ["ALIASES", "NET_NAMES", "VISITS_NAMES"]

NET_NAMES: Final = ("--net", "--evaluator", "--model")
"""The evaluator of positions: a network or another one."""
VISITS_NAMES: Final = ("--visits", "--mcts-sims")
"""Visits of a search."""
ALIASES: Final = frozenset({*NET_NAMES[1:], *VISITS_NAMES[1:], "--mcts-sims-sp"})
"""Names that are accepted and not shown."""
