"""Files that commands write: never over another one unasked, and whole or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tengen.console.output import UsageError, usage_errors
from tengen.runs import atomic_write

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["ForceOption", "check_target", "read_bytes", "write"]

ForceOption = Annotated[bool, typer.Option("--force", help="Write over files that are there.")]


def check_target(path: Path, *, force: bool) -> None:
    """Before the work: whether its result can be written."""
    if path.is_dir():
        raise UsageError(f"{path} is a folder, not a file")
    if path.exists() and not force:
        raise UsageError(f"{path} is there already; --force writes over it")
    with usage_errors():
        path.parent.mkdir(parents=True, exist_ok=True)


def write(path: Path, data: bytes) -> None:
    atomic_write(path, data)


def read_bytes(path: Path) -> bytes:
    with usage_errors():
        return path.read_bytes()
