"""Networks: our own, in PyTorch (the extra `train`), and other people's; their files, their exports, what runs them.

Each part is imported when it is first asked for, so that playing needs no PyTorch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tengen._lazy import lazy_names
from tengen.nets.onednn import avoid_undescribed_tiles

if TYPE_CHECKING:
    from tengen.nets.architecture import Architecture, HeadSpec, NetSettings
    from tengen.nets.checkpoint import Checkpoint, load_checkpoint, save_checkpoint
    from tengen.nets.export import ExportError, compare, export_onnx
    from tengen.nets.int8 import quantize
    from tengen.nets.network import Network, Outputs, build, count_parameters, with_heads
    from tengen.nets.store import Stored, StoreError, add_network, find_network, list_networks
    from tengen.nets.tensor_files import CheckpointError
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "architecture": ["Architecture", "HeadSpec", "NetSettings"],
            "checkpoint": ["Checkpoint", "load_checkpoint", "save_checkpoint"],
            "export": ["ExportError", "compare", "export_onnx"],
            "int8": ["quantize"],
            "network": ["Network", "Outputs", "build", "count_parameters", "with_heads"],
            "store": ["StoreError", "Stored", "add_network", "find_network", "list_networks"],
            "tensor_files": ["CheckpointError"],
        },
    )

avoid_undescribed_tiles()

__all__ = [
    "Architecture",
    "Checkpoint",
    "CheckpointError",
    "ExportError",
    "HeadSpec",
    "NetSettings",
    "Network",
    "Outputs",
    "StoreError",
    "Stored",
    "add_network",
    "build",
    "compare",
    "count_parameters",
    "export_onnx",
    "find_network",
    "list_networks",
    "load_checkpoint",
    "quantize",
    "save_checkpoint",
    "with_heads",
]
