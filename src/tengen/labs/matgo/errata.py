"""Errata: the decisions that models judge worst, kept to learn from more often."""

from __future__ import annotations

import json
import math
from array import array
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from tengen.runs import atomic_write, replacing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

__all__ = ["ErrataSettings", "Judged", "collect_errata", "errata_files"]

T = TypeVar("T")
KINDS = ("policy", "value")


class Judged(NamedTuple):
    """How far models were from a sample; None where a model has nothing to say of it."""

    policy_loss: float | None
    """-ln of the probability of what was chosen."""
    value_error: float | None
    """The size of the value's error, in its own unit."""


@dataclass(frozen=True)
class ErrataSettings:
    policy_loss_quantile: float = 0.95
    """Losses from this quantile on are errata."""
    value_error_min: float = 10_000.0
    """Errors below this never are."""
    value_error_quantile: float | None = None
    """Where given, errors below this quantile are none either."""
    policy_repeat: int = 3
    """How often a line comes in the oversampled file."""
    value_repeat: int = 2

    def __post_init__(self) -> None:
        for name in ("policy_loss_quantile", "value_error_quantile"):
            value = getattr(self, name)
            if value is not None and not 0 <= value <= 1:
                raise ValueError(f"errata: {name} is {value} and must be from 0 to 1")
        if not 0 <= self.value_error_min < math.inf:
            raise ValueError(f"errata: value_error_min is {self.value_error_min} and must be at least 0")
        for name in ("policy_repeat", "value_repeat"):
            if getattr(self, name) < 1:
                raise ValueError(f"errata: {name} is {getattr(self, name)} and must be at least 1")


def errata_files(prefix: Path) -> dict[str, Path]:
    """What collect_errata() writes: errata and oversampled errata of both kinds, and a summary."""
    names = [f"{kind}{suffix}" for kind in KINDS for suffix in ("", "-oversampled")]
    files = {name: prefix.with_name(f"{prefix.name}.{name}.jsonl") for name in names}
    return files | {"summary": prefix.with_name(f"{prefix.name}.summary.json")}


def collect_errata(
    records: Callable[[], Iterable[tuple[T, Sequence[Judged]]]],
    cut: Callable[[T, list[int]], Any],
    settings: ErrataSettings,
    prefix: Path,
    facts: dict[str, Any] | None = None,
) -> dict[str, Any]:
    """Writes the files of errata_files(), each whole or not at all, and answers the summary.

    `records()` passes through the records, each with its samples judged; it is called twice, because thresholds come
    first. `cut(record, indices)` is the record with those samples alone, as a line of JSON.
    """
    losses, errors = array("d"), array("d")
    count = 0
    for _, judged in records():
        count += 1
        losses.extend(sample.policy_loss for sample in judged if sample.policy_loss is not None)
        errors.extend(sample.value_error for sample in judged if sample.value_error is not None)
    thresholds = _thresholds(losses, errors, settings)
    files = errata_files(prefix)
    repeats = {"policy": settings.policy_repeat, "value": settings.value_repeat}
    found = {kind: {"samples": 0, "lines": 0, "lines_oversampled": 0} for kind in KINDS}
    with ExitStack() as stack:
        outputs = {
            name: stack.enter_context(stack.enter_context(replacing(path)).open("wb"))
            for name, path in files.items()
            if name != "summary"
        }
        for record, judged in records():
            for kind in KINDS:
                hits = _hits(judged, kind, thresholds[kind])
                if not hits:
                    continue
                line = json.dumps(cut(record, hits), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
                outputs[kind].write(line)
                outputs[f"{kind}-oversampled"].write(line * repeats[kind])
                found[kind]["samples"] += len(hits)
                found[kind]["lines"] += 1
                found[kind]["lines_oversampled"] += repeats[kind]
    summary = {
        **(facts or {}),
        "settings": asdict(settings),
        "records": count,
        "policy": {"judged": len(losses), "mean_loss": _mean(losses), "threshold": thresholds["policy"]}
        | found["policy"],
        "value": {"judged": len(errors), "mean_error": _mean(errors), "threshold": thresholds["value"]}
        | found["value"],
        "files": {name: path.name for name, path in files.items() if name != "summary"},
    }
    atomic_write(files["summary"], json.dumps(summary, ensure_ascii=False, indent=1).encode() + b"\n")
    return summary


def _hits(judged: Sequence[Judged], kind: str, threshold: float | None) -> list[int]:
    sizes = [sample.policy_loss if kind == "policy" else sample.value_error for sample in judged]
    if threshold is None:
        return []
    return [index for index, size in enumerate(sizes) if size is not None and size >= threshold]


def _thresholds(losses: array[float], errors: array[float], settings: ErrataSettings) -> dict[str, float | None]:
    """None where there is nothing to judge by."""
    policy = float(np.quantile(losses, settings.policy_loss_quantile)) if losses else None
    value: float | None = settings.value_error_min if errors else None
    if errors and settings.value_error_quantile is not None:
        value = max(settings.value_error_min, float(np.quantile(errors, settings.value_error_quantile)))
    return {"policy": policy, "value": value}


def _mean(values: array[float]) -> float | None:
    return float(np.mean(values)) if values else None
