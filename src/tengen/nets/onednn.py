"""oneDNN, the library by which PyTorch and OpenVINO compute on a processor."""

from __future__ import annotations

import os

from tengen import _core

__all__ = ["avoid_undescribed_tiles"]


def avoid_undescribed_tiles() -> None:
    """To be called before it first computes.

    Some virtual machines pass on that a processor has matrix tiles (AMX), but not their size: with int8 or bfloat16 it
    would set up tiles of no size, and the process would end by an illegal instruction."""
    if _core.has_undescribed_tiles():
        os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")
