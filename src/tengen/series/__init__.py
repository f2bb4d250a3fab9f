"""The run directory: steps that are complete or absent, the champion among them, and all that a resumed run needs."""

from tengen.series.champion import Promotion
from tengen.series.disk import atomic_write, replacing, sha256_file
from tengen.series.draft import Draft
from tengen.series.errors import DamagedRun, DamagedStep, DiskError, RunBusy, SeriesError
from tengen.series.run import Run
from tengen.series.shards import Shards
from tengen.series.step import Input, Step, StoredFile
from tengen.series.toml import format_toml
from tengen.series.verify import Problem

__all__ = [
    "DamagedRun",
    "DamagedStep",
    "DiskError",
    "Draft",
    "Input",
    "Problem",
    "Promotion",
    "Run",
    "RunBusy",
    "SeriesError",
    "Shards",
    "Step",
    "StoredFile",
    "atomic_write",
    "format_toml",
    "replacing",
    "sha256_file",
]
