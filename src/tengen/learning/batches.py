"""Batches of samples: which samples come next, and which symmetry each of them gets."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from tengen.learning.columns import SURPRISE, columns_of, move_cells

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.games import Game
    from tengen.learning.packed import PackedSamples
    from tengen.learning.samples import Samples
    from tengen.learning.settings import TrainSettings

__all__ = ["AnySamples", "RowOrder", "Sampler", "Symmetries"]

AnySamples: TypeAlias = "Samples | PackedSamples"

_LEAST_ERROR = 0.2
"""Weight of a position whose value was right, in prioritized sampling; other positions have their error in addition."""


class RowOrder:
    """An endless random order of rows: passes over all of them, one after the other.

    In every pass, each row is drawn as often as its weight on average: a row with the weight 1.3 comes once or, with a
    probability of 0.3, twice. Without weights each comes once.
    """

    def __init__(self, count: int, rng: np.random.Generator, weights: NDArray[np.float64] | None = None) -> None:
        self._rng = rng
        self._count = count
        self._weights = weights
        self.rest = np.empty(0, np.int64)
        """The rows of this pass that are still to come."""

    def draw(self, size: int) -> NDArray[np.int64]:
        """Return the rows of the next batch."""
        while len(self.rest) < size:
            self.rest = np.concatenate([self.rest, self._pass()])
        rows, self.rest = self.rest[:size], self.rest[size:]
        return rows

    def _pass(self) -> NDArray[np.int64]:
        if self._weights is None:
            return self._rng.permutation(self._count)
        times = np.floor(self._weights + self._rng.random(self._count)).astype(np.int64)
        return self._rng.permutation(np.repeat(np.arange(self._count), times))


class Sampler(RowOrder):
    """The order in which samples are trained on."""

    def __init__(self, samples: AnySamples, settings: TrainSettings, rng: np.random.Generator) -> None:
        super().__init__(len(samples), rng, _weights(samples, settings))


def _weights(samples: AnySamples, settings: TrainSettings) -> NDArray[np.float64] | None:
    """Return how often each sample comes in a pass, 1 on average; None if all come once."""
    if settings.sampling == "uniform" and settings.policy_surprise == settings.value_error == 0:
        return None
    errors = np.abs(samples.column("result").clip(-1, 1) - samples.column("search_value").clip(-1, 1))
    if settings.sampling == "prioritized":
        return _relative(_LEAST_ERROR + errors)
    rest = 1 - settings.policy_surprise - settings.value_error
    surprises = _relative(samples.column(SURPRISE))
    return rest + settings.policy_surprise * surprises + settings.value_error * _relative(errors)


def _relative(numbers: NDArray[np.float32]) -> NDArray[np.float64]:
    """Return numbers as shares of their mean; 1 for those that are unknown."""
    known = np.isfinite(numbers)
    mean = float(numbers[known].mean(dtype=np.float64)) if known.any() else 0.0
    return np.where(known, numbers / mean, 1.0) if mean > 0 else np.ones(len(numbers))


class Symmetries:
    """The symmetries of a game, as they act on the arrays of samples."""

    def __init__(self, game: Game) -> None:
        actions, features = game.sample_maps
        self._count = len(actions)
        cells = game.shape[1] * game.shape[2]
        self._sources = {
            "features": _inverse(features),
            "labels": _inverse(actions),
            "cells": _inverse(move_cells(features, cells)) if cells else None,
        }
        self._kinds = {"features": ("features", 0)}
        self._kinds |= {column.name: (column.symmetry, column.first) for column in columns_of(game)}

    def apply_random(
        self, arrays: dict[str, NDArray[np.float32]], rng: np.random.Generator
    ) -> dict[str, NDArray[np.float32]]:
        """Apply a random symmetry to each row of the arrays."""
        if self._count < 2:
            return arrays
        picks = rng.integers(self._count, size=len(arrays["features"]))
        rows = {int(pick): np.flatnonzero(picks == pick) for pick in np.unique(picks)}
        return {name: self._moved(array, *self._kinds.get(name, ("none", 0)), rows) for name, array in arrays.items()}

    def _moved(
        self, array: NDArray[np.float32], kind: str, first: int, rows: dict[int, NDArray[np.int64]]
    ) -> NDArray[np.float32]:
        sources = self._sources.get(kind)
        if sources is None or array.shape[1] == 0:
            return array
        if first:
            return np.concatenate([array[:, :first], self._moved(array[:, first:], kind, 0, rows)], axis=1)
        # Several numbers for each cell are several planes.
        flat = array.reshape(len(array), -1, sources.shape[1])
        moved = np.empty_like(flat)
        for pick, some in rows.items():
            moved[some] = flat[some][:, :, sources[pick]]
        return moved.reshape(array.shape)


def _inverse(maps: NDArray[np.integer]) -> NDArray[np.int64]:
    """[symmetries, places]: from where a symmetry brings what it moves to a place."""
    return np.argsort(maps, axis=1)
