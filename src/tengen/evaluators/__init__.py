"""Evaluators: they judge a batch of positions.

Each part is imported when it is first asked for, so that a start costs only what it uses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen._lazy import lazy_names

if TYPE_CHECKING:
    from tengen.evaluators.base import Evaluation, Evaluator, Leaves, RawEvaluator
    from tengen.evaluators.choice import (
        AnyEvaluator,
        Choice,
        choose_evaluator,
        find_evaluator,
        find_named,
        tuned_settings,
    )
    from tengen.evaluators.core import FLAT, FLAT_VISITS, CoreEvaluator
    from tengen.evaluators.device_servers import DeviceServers
    from tengen.evaluators.function import BatchFunction, EvaluateFn, Function
    from tengen.evaluators.network import MissingPackage, NetworkEvaluator
    from tengen.evaluators.onnx import Onnx
    from tengen.evaluators.openvino import OpenVino
    from tengen.evaluators.served import Served, ServerLost
    from tengen.evaluators.torch import Torch, TorchModule
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "base": ["Evaluation", "Evaluator", "Leaves", "RawEvaluator"],
            "choice": ["AnyEvaluator", "Choice", "choose_evaluator", "find_evaluator", "find_named", "tuned_settings"],
            "core": ["FLAT", "FLAT_VISITS", "CoreEvaluator"],
            "device_servers": ["DeviceServers"],
            "function": ["BatchFunction", "EvaluateFn", "Function"],
            "network": ["MissingPackage", "NetworkEvaluator"],
            "onnx": ["Onnx"],
            "openvino": ["OpenVino"],
            "served": ["Served", "ServerLost"],
            "torch": ["Torch", "TorchModule"],
        },
    )

__all__ = [
    "FLAT",
    "FLAT_VISITS",
    "AnyEvaluator",
    "BatchFunction",
    "Choice",
    "CoreEvaluator",
    "DeviceServers",
    "EvaluateFn",
    "Evaluation",
    "Evaluator",
    "Function",
    "Leaves",
    "MissingPackage",
    "NetworkEvaluator",
    "Onnx",
    "OpenVino",
    "RawEvaluator",
    "Served",
    "ServerLost",
    "Torch",
    "TorchModule",
    "choose_evaluator",
    "find_evaluator",
    "find_named",
    "tuned_settings",
]
