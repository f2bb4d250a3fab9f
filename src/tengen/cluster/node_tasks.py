"""What runs on the nodes of a cluster."""

from __future__ import annotations

import functools
import signal
import time
import traceback
from typing import TYPE_CHECKING, Any

from tengen.cluster.file_cache import FileCache, cache_folder
from tengen.cluster.fingerprint import fingerprint
from tengen.cluster.packing import unpack_task
from tengen.cluster.values import encode

if TYPE_CHECKING:
    from tengen._files import File

__all__ = ["describe_node", "run_task"]


def run_task(data: bytes, files: dict[str, list[Any]]) -> tuple[str, bytes, float]:
    """("lines", the value) or ("error", the traceback), and the seconds that it took. The files are Ray's references by
    digest, each in a list so that Ray does not fetch what this machine has already."""
    began = time.monotonic()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Ray would make it a SystemExit in the midst of the task, which would be taken for the task's own failure.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    try:
        function, args = unpack_task(data, functools.partial(_find_file, files))
        return "lines", encode(function(*args)), time.monotonic() - began
    except BaseException:  # noqa: BLE001 - also a SystemExit is the task's, not the worker's
        return "error", traceback.format_exc().encode(), time.monotonic() - began


def describe_node() -> dict[str, str]:
    return fingerprint()


def _find_file(files: dict[str, list[Any]], name: str, digest: str) -> File:
    return _cache().find(name, digest, functools.partial(_fetch, files[digest][0]))


def _fetch(reference: Any) -> dict[str, bytes]:
    import ray

    found: dict[str, bytes] = ray.get(reference)
    return found


@functools.cache
def _cache() -> FileCache:
    return FileCache(cache_folder())
