"""Facts about the processor that settings of new runs depend on."""

from __future__ import annotations

import functools
import os
from pathlib import Path

__all__ = ["count_cores", "has_bfloat16"]

_FLAGS = {"avx512_bf16", "amx_bf16"}


def count_cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@functools.cache
def has_bfloat16() -> bool:
    """Return whether the processor has instructions for numbers of 16 bits; False if the system does not show it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return False
    flags = next((line for line in lines if line.startswith("flags")), "")
    return bool(_FLAGS & set(flags.split()))
