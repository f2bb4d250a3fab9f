"""The memory that this process may use: the machine's, or less in a container."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["memory_limit"]

_PROC = Path("/proc")
_CGROUPS = Path("/sys/fs/cgroup")


def memory_limit(proc: Path = _PROC, cgroups: Path = _CGROUPS) -> int | None:
    """Return the bytes that this process may use, or None if the system does not report them.

    That is the smallest of the machine's memory and the limits of the control groups, of version 1 or 2, that the
    process is in. Containers set such limits.
    """
    limits = list(_cgroup_limits(proc, cgroups))
    with suppress(AttributeError, ValueError, OSError):  # sysconf() is missing or has no such name
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return min((limit for limit in limits if limit > 0), default=None)


def _cgroup_limits(proc: Path, cgroups: Path) -> Iterator[int]:
    try:
        lines = (proc / "self" / "cgroup").read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):  # not Linux, or not readable
        return
    for line in lines:
        # Version 2 has one line, 0::PATH. Version 1 has one line per controller, NUMBER:NAMES:PATH.
        number, _, rest = line.partition(":")
        names, _, path = rest.partition(":")
        if number == "0" and not names:
            yield from _limits_along(cgroups, path, "memory.max")
        elif "memory" in names.split(","):
            yield from _limits_along(cgroups / "memory", path, "memory.limit_in_bytes")


def _limits_along(mount: Path, path: str, name: str) -> Iterator[int]:
    """Yield the limits of a group and of those above it.

    In a container the path may be the host's, of which only the last part is mounted, as the root.
    """
    group = Path(path.lstrip("/"))
    if ".." in group.parts:  # a group outside of the namespace
        group = Path()
    for each in (group, *group.parents):
        # Version 2 writes "max" if there is no limit, version 1 a number that exceeds any machine's memory.
        with suppress(OSError, ValueError):
            yield int((mount / each / name).read_text(encoding="ascii"))
