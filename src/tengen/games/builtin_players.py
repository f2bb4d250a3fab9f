"""Players that a game brings itself and that rely on a model."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

__all__ = ["ModelBacked"]


@runtime_checkable
class ModelBacked(Protocol):
    """A BuiltinPlayer whose model may have no answer, so that another policy stands in."""

    name: str
    """Name of the player in error messages."""
    model_only: bool
    """Raise an error instead of playing by another policy."""
    fallback_seeds: list[int]
    """Seeds of the decisions that another policy made."""
