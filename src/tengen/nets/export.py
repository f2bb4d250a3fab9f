"""Networks for ONNX Runtime and OpenVINO."""

from __future__ import annotations

import io
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.nets.network import Network

TOLERANCE = 1e-4
_NAMES = ("policy", "value", "extras")


class ExportError(RuntimeError):
    """An exported network does not answer as the original does."""


class _Head(nn.Module):
    """The outputs that play needs; auxiliary ones stay behind."""

    def __init__(self, network: Network) -> None:
        super().__init__()
        self.network = network

    def forward(self, features: Tensor) -> tuple[Tensor, ...]:
        out = self.network(features)
        return (out.policy, out.value, out.extras) if self.network.architecture.extras else (out.policy, out.value)


def export_onnx(network: Network) -> bytes:
    """An ONNX file of the network, held to its PyTorch original to within TOLERANCE on random inputs."""
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
            buffer,  # type: ignore[arg-type]
            input_names=["features"],
            output_names=list(names),
            dynamic_axes={name: {0: "batch"} for name in ("features", *names)},
            opset_version=17,
            dynamo=False,
        )
    data = buffer.getvalue()
    worst = compare(network, data)
    network.train(was_training)
    if not worst <= TOLERANCE:
        raise ExportError(f"the ONNX export differs from PyTorch by {worst:.2e}; at most {TOLERANCE:.0e} is allowed")
    return data


def compare(network: Network, onnx: bytes) -> float:
    """The largest difference between a network and its export over random inputs."""
    import onnxruntime  # type: ignore[import-untyped]

    a = network.architecture
    inputs = np.random.default_rng(0).random((16, a.planes, a.height, a.width), np.float32)
    session = onnxruntime.InferenceSession(onnx, providers=["CPUExecutionProvider"])
    theirs = session.run(None, {"features": inputs})
    with torch.inference_mode():
        ours = _Head(network).eval()(torch.from_numpy(inputs))
    return max(float(np.abs(mine.numpy() - other).max()) for mine, other in zip(ours, theirs, strict=True))


class _Calibration:
    """Hands the quantizer positions to measure activations on."""

    def __init__(self, features: NDArray[np.float32], batch: int = 64) -> None:
        self._batches = iter([features[i : i + batch] for i in range(0, len(features), batch)])

    def get_next(self) -> dict[str, Any] | None:
        batch = next(self._batches, None)
        return None if batch is None else {"features": batch}


def quantize(onnx: bytes, features: NDArray[np.float32]) -> bytes:
    """An int8 version of an ONNX network, calibrated on positions [n, planes, height, width]."""
    import onnx as onnx_package
    from onnxruntime.quantization import (  # type: ignore[import-untyped]
        CalibrationMethod,
        QuantFormat,
        QuantType,
        quantize_static,
    )
    from onnxruntime.quantization.shape_inference import quant_pre_process  # type: ignore[import-untyped]

    if len(features) == 0:
        raise ValueError("quantization needs positions to calibrate on")
    with tempfile.TemporaryDirectory() as folder:
        source, ready, target = (Path(folder) / name for name in ("source.onnx", "ready.onnx", "int8.onnx"))
        source.write_bytes(onnx)
        quant_pre_process(str(source), str(ready), skip_symbolic_shape=True)
        nodes = onnx_package.load(ready).graph.node
        # The first and the last layers cost little and lose most: they stay in full precision.
        stem = [node.name for node in nodes if node.op_type == "Conv"][:1]
        heads = [node.name for node in nodes if node.op_type in ("Gemm", "MatMul") and "_out" in node.name]
        quantize_static(
            str(ready),
            str(target),
            _Calibration(np.ascontiguousarray(features, np.float32)),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            calibrate_method=CalibrationMethod.MinMax,
            nodes_to_exclude=stem + heads,
        )
        return target.read_bytes()
