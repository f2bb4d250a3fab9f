"""Export of our networks to ONNX."""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from tengen.nets.softness import with_softness
from tengen.nets.without_telemetry import import_onnxruntime

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.nets.network import Network

TOLERANCE = 1e-4
_NAMES = ("policy", "value", "extras")


class ExportError(RuntimeError):
    """The outputs of an exported network differ from those of the original."""


class _Head(nn.Module):
    """A network without the auxiliary outputs, which are used in training only."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, features: Tensor) -> tuple[Tensor, ...]:
        out = self.network(features)
        return (out.policy, out.value, out.extras) if self.network.architecture.extras else (out.policy, out.value)


def export_onnx(network: Network) -> bytes:
    """Return the network as an ONNX file.

    Raises ExportError if its outputs on random inputs differ from those of PyTorch by more than TOLERANCE, see
    compare()."""
    a = network.architecture
    was_training = network.training
    network.eval()
    names = _NAMES if a.extras else _NAMES[:2]
    example = torch.zeros((2, a.planes, a.height, a.width))
    buffer = io.BytesIO()
    with warnings.catch_warnings():
        # The exporter that needs no further packages announces that another one is the default.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            _Head(network).eval(),
            (example,),
            buffer,
            input_names=["features"],
            output_names=list(names),
            dynamic_axes={name: {0: "batch"} for name in ("features", *names)},
            opset_version=17,
            dynamo=False,
        )
    data = with_softness(buffer.getvalue(), a.softness)
    worst = compare(network, data)
    network.train(was_training)
    if not worst <= TOLERANCE:
        raise ExportError(f"the ONNX export differs from PyTorch by {worst:.2e}; at most {TOLERANCE:.0e} is allowed")
    return data


def compare(network: Network, onnx: bytes) -> float:
    """Return the largest difference between the outputs of a network and of its export on random inputs, as a share of
    the largest number of its kind if that is above 1."""
    a = network.architecture
    inputs = np.random.default_rng(0).random((16, a.planes, a.height, a.width), np.float32)
    session = import_onnxruntime().InferenceSession(onnx, providers=["CPUExecutionProvider"])
    theirs = session.run(None, {"features": inputs})
    with torch.inference_mode():
        ours = _Head(network).eval()(torch.from_numpy(inputs))
    return max(_difference(mine.numpy(), other) for mine, other in zip(ours, theirs, strict=True))


def _difference(ours: NDArray[np.float32], theirs: NDArray[np.float32]) -> float:
    return float(np.abs(ours - theirs).max() / max(1, np.abs(ours).max()))
