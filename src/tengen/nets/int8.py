"""Quantization of networks to int8, calibrated on positions."""

from __future__ import annotations

import logging
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.nets.without_telemetry import import_onnxruntime

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

_CALIBRATION_BATCH = 64


class _Calibration:
    """An iterator over positions, in the form that ONNX Runtime's quantizer expects."""

    def __init__(self, inputs: Mapping[str, NDArray[np.float32]]) -> None:
        self._batches = _batches(inputs)

    def get_next(self) -> dict[str, Any] | None:
        return next(self._batches, None)


def _batches(inputs: Mapping[str, NDArray[np.float32]]) -> Iterator[dict[str, Any]]:
    rows = min(map(len, inputs.values()))
    if rows == 0:
        raise ValueError("quantization needs positions to calibrate on")
    for i in range(0, rows, _CALIBRATION_BATCH):
        yield {
            name: np.ascontiguousarray(array[i : i + _CALIBRATION_BATCH], np.float32) for name, array in inputs.items()
        }


def quantize(onnx: bytes, features: NDArray[np.float32]) -> bytes:
    """Return an int8 version of one of our ONNX networks, calibrated on positions [n, planes, height, width]."""
    import onnx as onnx_package

    import_onnxruntime()
    from onnxruntime.quantization.shape_inference import quant_pre_process  # type: ignore[import-untyped]

    if len(features) == 0:
        raise ValueError("quantization needs positions to calibrate on")
    with tempfile.TemporaryDirectory() as folder:
        source, ready = (Path(folder) / name for name in ("source.onnx", "ready.onnx"))
        source.write_bytes(onnx)
        quant_pre_process(str(source), str(ready), skip_symbolic_shape=True)
        nodes = onnx_package.load(ready).graph.node
        # Keep the first and the last layers in full precision: they cost little time and lose most accuracy.
        stem = [node.name for node in nodes if node.op_type == "Conv"][:1]
        heads = [node.name for node in nodes if node.op_type in ("Gemm", "MatMul") and "_out" in node.name]
        return _quantize(ready, {"features": features}, nodes_to_exclude=stem + heads)


def _quantize(source: Path, inputs: Mapping[str, NDArray[np.float32]], **choices: Any) -> bytes:
    import_onnxruntime()
    from onnxruntime.quantization import (  # type: ignore[import-untyped]
        CalibrationMethod,
        QuantFormat,
        QuantType,
        quantize_static,
    )

    target = source.with_name("int8.onnx")
    # The quantizer logs the advice to run a preprocessing step that has been run already.
    logging.getLogger().addFilter(_is_no_advice)
    try:
        quantize_static(
            str(source),
            str(target),
            _Calibration(inputs),
            quant_format=QuantFormat.QDQ,
            per_channel=True,
            activation_type=QuantType.QUInt8,
            weight_type=QuantType.QInt8,
            calibrate_method=CalibrationMethod.MinMax,
            **choices,
        )
    finally:
        logging.getLogger().removeFilter(_is_no_advice)
    return target.read_bytes()


def _is_no_advice(record: logging.LogRecord) -> bool:
    return "pre-processing before quantization" not in record.getMessage()
