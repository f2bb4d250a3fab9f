"""How a network's policy is read as payoffs: stored in the network's file, so that it is read as it was taught."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tengen.nets.errors import NetworkError, network_errors

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["DEFAULT_SOFTNESS", "read_softness", "with_softness"]

DEFAULT_SOFTNESS = 0.05
"""Payoffs this far apart, as a share of a full win, make an action e times as likely as another. The default of
networks without metadata."""
_KEY = "tengen.softness"


def with_softness(model: bytes, softness: float) -> bytes:
    """Return an ONNX file with this softness in its metadata."""
    import onnx

    loaded = onnx.load_model_from_string(model)
    onnx.helper.set_model_props(loaded, {_KEY: repr(softness)})
    return bytes(loaded.SerializeToString())


def read_softness(path: Path) -> float:
    """Return the softness in the metadata of an ONNX file."""
    import onnx

    with network_errors(f"{path} is no ONNX file"):
        loaded = onnx.load_model(path, load_external_data=False)
    stored = {entry.key: entry.value for entry in loaded.metadata_props}
    try:
        softness = float(stored.get(_KEY, DEFAULT_SOFTNESS))
    except ValueError:
        softness = math.nan
    if not 0 < softness < math.inf:
        raise NetworkError(f"{path} says that its softness is {stored[_KEY]!r}, which is no number above 0")
    return softness
