"""Imports of inference libraries that would report usage to their makers, with the reporting switched off.

ONNX Runtime 1.31 writes a device id and an event database into the user's cache folder and sends events over HTTPS.
OpenVINO writes a client id into the home folder and sends an event when it is imported. Import both through this
module only; `tests/test_no_telemetry.py` checks that no other module imports them first.
"""

from __future__ import annotations

import importlib
import os
import sys
from threading import Lock
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

__all__ = ["import_onnxruntime", "import_openvino"]

_OPENVINO_REPORTER = "openvino_telemetry"
_lock = Lock()


def import_onnxruntime() -> Any:
    """Import ONNX Runtime with its telemetry disabled, and return the module."""
    # The variable must be set before the import, and it is inherited by worker processes.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    onnxruntime = importlib.import_module("onnxruntime")
    # The caller may have imported the library earlier, when the variable was not set.
    onnxruntime.disable_telemetry_events()
    return onnxruntime


def import_openvino() -> Any:
    """Import OpenVINO with its telemetry disabled, and return the module.

    Raises ModuleNotFoundError if OpenVINO is not installed.
    """
    with _lock:
        if "openvino" in sys.modules:
            return sys.modules["openvino"]
        # OpenVINO has no setting for it before the import. It falls back to a stub that reports nothing if the package
        # that reports cannot be imported.
        saved: ModuleType | None = sys.modules.get(_OPENVINO_REPORTER)
        sys.modules[_OPENVINO_REPORTER] = None  # type: ignore[assignment]
        try:
            return importlib.import_module("openvino")
        finally:
            if saved is None:
                del sys.modules[_OPENVINO_REPORTER]
            else:
                sys.modules[_OPENVINO_REPORTER] = saved
