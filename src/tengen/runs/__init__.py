"""The run directory: steps that are complete or absent, the champion among them, and all that a resumed run needs."""

from tengen.runs.champion import Promotion
from tengen.runs.disk import atomic_write, replacing, sha256_file
from tengen.runs.draft import Draft
from tengen.runs.errors import DamagedRun, DamagedStep, DiskError, RunBusy, RunError
from tengen.runs.progress import Progress, ProgressFile, read_progress
from tengen.runs.run import Run
from tengen.runs.shards import Shards
from tengen.runs.step import Input, Step, StoredFile
from tengen.runs.toml import format_toml
from tengen.runs.verify import Problem

__all__ = [
    "DamagedRun",
    "DamagedStep",
    "DiskError",
    "Draft",
    "Input",
    "Problem",
    "Progress",
    "ProgressFile",
    "Promotion",
    "Run",
    "RunBusy",
    "RunError",
    "Shards",
    "Step",
    "StoredFile",
    "atomic_write",
    "format_toml",
    "read_progress",
    "replacing",
    "sha256_file",
]
