"""Networks: their shape, their weights on disk, their exports. Needs the extra `train`."""

from tengen.nets.architecture import Architecture
from tengen.nets.checkpoint import Checkpoint, CheckpointError, load_checkpoint, save_checkpoint
from tengen.nets.export import ExportError, compare, export_onnx, quantize
from tengen.nets.network import Network, Outputs, build, count_parameters

__all__ = [
    "Architecture",
    "Checkpoint",
    "CheckpointError",
    "ExportError",
    "Network",
    "Outputs",
    "build",
    "compare",
    "count_parameters",
    "export_onnx",
    "load_checkpoint",
    "quantize",
    "save_checkpoint",
]
