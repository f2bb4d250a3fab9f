"""Learning: records to samples, samples to a better network. Training needs the extra `train`."""

from typing import TYPE_CHECKING, Any

from tengen.learning.packed import PackedSamples, load_packed, pack, save_packed
from tengen.learning.samples import Samples, SamplesError, load_samples, samples_of, save_samples
from tengen.learning.settings import TrainSettings

if TYPE_CHECKING:
    from tengen.learning.breaker import Breaker, TrainingStopped
    from tengen.learning.training import Trained, train

__all__ = [
    "Breaker",
    "PackedSamples",
    "Samples",
    "SamplesError",
    "TrainSettings",
    "Trained",
    "TrainingStopped",
    "load_packed",
    "load_samples",
    "pack",
    "samples_of",
    "save_packed",
    "save_samples",
    "train",
]

_NEEDS_TORCH = {"Breaker": "breaker", "TrainingStopped": "breaker", "Trained": "training", "train": "training"}


def __getattr__(name: str) -> Any:
    """Samples are for workers too, which do without PyTorch."""
    if name not in _NEEDS_TORCH:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"tengen.learning.{_NEEDS_TORCH[name]}"), name)
