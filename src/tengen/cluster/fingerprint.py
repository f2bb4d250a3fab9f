"""What must be equal on all machines for their games to be: versions, code, instruction sets, a network's rounding."""

from __future__ import annotations

import functools
import hashlib
import platform
import random
import sys
from importlib import metadata
from typing import TYPE_CHECKING, Any

import numpy as np

import tengen
from tengen import _core
from tengen.cluster.journal import package_hash
from tengen.games.registry import FIRST_GAME

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["differences", "fingerprint"]

_POSITIONS = 64
_SEED = 1


@functools.cache
def fingerprint() -> dict[str, str]:
    """Of this machine, by what is compared. Takes a moment once."""
    return {
        "Tengen": tengen.__version__,
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "ONNX Runtime": metadata.version("onnxruntime"),
        "code": package_hash()[:16],
        "instruction sets": ", ".join(_core.instruction_sets()),
        "system": f"{sys.platform} {platform.machine()}",
        "a network's answers": _answers(),
    }


def differences(own: dict[str, str], other: dict[str, str]) -> list[str]:
    """What another machine has instead of ours, in words."""
    names = [name for name in {**own, **other} if own.get(name) != other.get(name)]
    return [f"{name}: {other.get(name, 'none')} instead of {own.get(name, 'none')}" for name in names]


def _answers() -> str:
    """A hash of what a network in the box says of fixed positions, in the core and by ONNX Runtime."""
    from tengen.evaluators.onnx import Onnx
    from tengen.nets.runtimes import OnnxRuntime
    from tengen.nets.shipped import find_shipped

    game = tengen.game(FIRST_GAME)
    shipped = find_shipped(game)
    if shipped is None:
        return "none"
    features = _features(game)
    evaluator = Onnx(shipped.network)
    runtime = OnnxRuntime(shipped.network, str(shipped.network))
    total = hashlib.sha256(np.ascontiguousarray(features).tobytes())
    outputs = sorted(runtime.outputs)
    for answer in (evaluator.answer(features), runtime.run({next(iter(runtime.inputs)): features}, outputs)):
        for name in sorted(answer):
            total.update(np.ascontiguousarray(answer[name]).tobytes())
    return total.hexdigest()[:16]


def _features(game: Any) -> NDArray[np.float32]:
    rng = random.Random(_SEED)
    found: list[NDArray[np.float32]] = []
    state = game.start(_SEED)
    while len(found) < _POSITIONS:
        if state.is_over:
            state = game.start(rng.getrandbits(32))
        found.append(state.encode(state.actor))
        state = state.play(rng.choice(state.legal()))
    return np.stack(found).astype(np.float32)
