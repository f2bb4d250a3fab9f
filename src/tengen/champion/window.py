"""The samples that a training of a run sees: those of the newest iterations, in bounded memory."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tengen.champion import reanalysis
from tengen.champion.teacher_games import GAMES, PACKED_SAMPLES, packed_samples
from tengen.learning import PackedSamples, SamplesError, load_packed, load_samples
from tengen.runs import DamagedStep

if TYPE_CHECKING:
    from tengen.champion.settings import LearnSettings
    from tengen.runs import Run, Step

__all__ = ["SAMPLES", "read_window", "samples_file", "wanted_samples"]

SAMPLES = "samples.npz"
"""The samples of a step of earlier versions."""
_MEGABYTE = 1 << 20
_GROWTH, _POWER = 0.4, 0.75
"""How the window grows with all samples of a run, as in KataGo."""


def read_window(run: Run, settings: LearnSettings, iteration: int) -> tuple[list[Step], PackedSamples]:
    """Return the samples of the newest iterations, oldest first, and the steps that they are from.

    Iterations are added from the newest backward, until `window` of them or `window_samples` are there, or the next one
    would exceed `window_mb`. Damaged steps are moved aside and left out.
    """
    first = max(1, iteration - settings.window + 1)
    found = {i: step for i in range(1, iteration + 1) if (step := _games_of(run, settings, i, iteration)) is not None}
    total = sum(int(step.metrics["samples"]) for step in found.values())
    wanted = wanted_samples(settings.window_samples, total)
    steps: list[Step] = []
    parts: list[PackedSamples] = []
    count, size = 0, 0
    for i in sorted(found, reverse=True):
        if i < first or (steps and wanted and count >= wanted):
            break
        packed = _read(run, found[i])
        if packed is None:
            continue
        size += packed.nbytes
        if steps and size > settings.window_mb * _MEGABYTE:
            break
        steps.append(found[i])
        parts.append(packed)
        count += len(packed)
    return steps[::-1], PackedSamples.join(parts[::-1])


def wanted_samples(first: int, total: int) -> float:
    """Return the number of samples in the window of a run with `total` samples: `first` until there are so many, then
    about the total to the power of 0.75. 0: the window has no such bound."""
    if not first or total <= first:
        return float(first)
    return first * (1 + _GROWTH * (math.pow(total / first, _POWER) - 1) / _POWER)


def _games_of(run: Run, settings: LearnSettings, made: int, iteration: int) -> Step | None:
    renewed = run.find(reanalysis.STEP, made + settings.reanalysis_age)
    return reanalysis.find_games(run, settings, made, iteration, GAMES, samples_file(renewed))


def samples_file(step: Step | None) -> str:
    """Return the name of the samples of a step with games."""
    return SAMPLES if step is not None and SAMPLES in step.files else PACKED_SAMPLES


def _read(run: Run, step: Step) -> PackedSamples | None:
    if samples_file(step) not in step.files:
        # The samples are in steps of their own.
        chunks = packed_samples(run)
        return PackedSamples.join(chunks) if chunks else None
    try:
        if SAMPLES in step.files:
            return PackedSamples.of(load_samples(step.file(SAMPLES).read_bytes(), is_own=True))
        return load_packed(step.file(PACKED_SAMPLES))
    except (DamagedStep, SamplesError) as error:
        run.log({"event": "quarantined", "step": step.id, "reason": str(error)})
        run.quarantine(step)
        return None
