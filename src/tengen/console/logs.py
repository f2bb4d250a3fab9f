"""Logging of long-running commands."""

from __future__ import annotations

import logging
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tengen._text import PrintableFormatter
from tengen.console.output import usage_errors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["logged"]


@contextmanager
def logged(file: Path | None, level: int = logging.INFO) -> Iterator[None]:
    """Log messages of Tengen's modules to stderr, from this level on, and all of them to the file, if there is one."""
    error_handler = logging.StreamHandler(sys.stderr)
    error_handler.setLevel(level)
    handlers: list[logging.Handler] = [error_handler]
    with usage_errors("--log: "):
        if file is not None:
            handlers.append(logging.FileHandler(file, encoding="utf-8"))
    ours = logging.getLogger("tengen")
    ours.setLevel(logging.INFO)
    for handler in handlers:
        handler.setFormatter(PrintableFormatter("%(asctime)s %(message)s"))
        ours.addHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            ours.removeHandler(handler)
            handler.close()
