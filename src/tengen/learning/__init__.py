"""Learning: records to samples, samples to a better network. Training needs the extra `train`."""

from typing import TYPE_CHECKING, Any

from tengen.learning.cache import Backend, CacheError, SampleCache, open_cache, shuffled
from tengen.learning.errata import ErrataSettings, Judged, collect_errata, errata_files
from tengen.learning.regression import (
    Errors,
    LinearSettings,
    SparseSample,
    TrainingFailed,
    check_linear_device,
    fit_linear,
    is_held_out,
    measure,
)
from tengen.learning.samples import Samples, SamplesError, load_samples, samples_of, save_samples
from tengen.learning.settings import TrainSettings

if TYPE_CHECKING:
    from tengen.learning.breaker import Breaker, TrainingStopped
    from tengen.learning.training import Trained, train

__all__ = [
    "Backend",
    "Breaker",
    "CacheError",
    "ErrataSettings",
    "Errors",
    "Judged",
    "LinearSettings",
    "SampleCache",
    "Samples",
    "SamplesError",
    "SparseSample",
    "TrainSettings",
    "Trained",
    "TrainingFailed",
    "TrainingStopped",
    "check_linear_device",
    "collect_errata",
    "errata_files",
    "fit_linear",
    "is_held_out",
    "load_samples",
    "measure",
    "open_cache",
    "samples_of",
    "save_samples",
    "shuffled",
    "train",
]

_NEEDS_TORCH = {"Breaker": "breaker", "TrainingStopped": "breaker", "Trained": "training", "train": "training"}


def __getattr__(name: str) -> Any:
    """Samples are for workers too, which do without PyTorch."""
    if name not in _NEEDS_TORCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"tengen.learning.{_NEEDS_TORCH[name]}"), name)
