"""What can go wrong with a run directory."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["DISK_TROUBLE", "DamagedRun", "DamagedStep", "DiskError", "RunBusy", "RunError", "explained"]


class RunError(ValueError):
    """Something about a run directory does not fit. The text names the path."""


class DamagedRun(RunError):  # noqa: N818 - says what the run is
    """A run's own file (its settings, its champion) is not what was written."""


class DamagedStep(RunError):  # noqa: N818
    """A step is not what was written. `Run.quarantine(error.step)` takes it out of the way."""

    def __init__(self, step: Path, file: str, reason: str) -> None:
        super().__init__(f"{step / file} {reason}")
        self.step = step
        self.file = file
        self.reason = reason


class RunBusy(RunError):  # noqa: N818
    """Another process writes to the run."""


class DiskError(RunError, OSError):
    """The disk refused. `errno` is set; complete steps are never affected."""

    def __init__(self, action: str, path: Path, error: OSError) -> None:
        reason, advice = _ADVICE.get(error.errno or 0, (error.strerror or str(error), ""))
        super().__init__(f"cannot {action} {path}: {reason}." + (f" {advice}." if advice else ""))
        self.errno = error.errno
        self.path = path


_FULL = "Free some space and run the same command again; what was complete is safe"
_REFUSED = "Change its permissions, or use another folder"
_ADVICE = {
    errno.ENOSPC: ("the disk is full", _FULL),
    errno.EDQUOT: ("your share of the disk is used up", _FULL),
    errno.EROFS: ("the disk is read-only", "Make it writable, or use another folder"),
    errno.EACCES: ("permission denied", _REFUSED),
    errno.EPERM: ("permission denied", _REFUSED),
    errno.EIO: ("the disk reports an error", "Copy the run to another disk and go on there"),
    errno.ENOTDIR: ("a part of this path is a file", "Use another folder"),
    errno.ENAMETOOLONG: ("the name is too long", "Use a shorter one"),
    errno.EMFILE: ("too many files are open", "Raise the limit with `ulimit -n`"),
}
DISK_TROUBLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO})
"""What the disk does to any code that writes, whatever it writes."""


@contextmanager
def explained(action: str, path: Path) -> Iterator[None]:
    """Turns an OSError of the block into a DiskError: "cannot <action> <path>: …"."""
    try:
        yield
    except DiskError:
        raise
    except OSError as error:
        raise DiskError(action, path, error) from error
