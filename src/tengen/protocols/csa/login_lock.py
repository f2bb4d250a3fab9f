"""Never two programs under one name: a server that sees a name twice throws one of them out, also within a game."""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.protocols.csa.errors import CsaFailure, NameTaken
from tengen.runs import RunBusy
from tengen.runs.lock import locked

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["lock_login", "state_folder"]


def state_folder() -> Path:
    """tengen/csa in XDG_STATE_HOME, by default ~/.local/state."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "tengen" / "csa"


@contextmanager
def lock_login(host: str, port: int, name: str) -> Iterator[None]:
    """Holds a name on a server, or raises NameTaken. However the holder ends, the name is free again."""
    # Servers tell names apart by case, some file systems do not: then one of two plays later, which harms nobody.
    folder = state_folder() / re.sub(r"[^A-Za-z0-9_.-]", "_", f"{host.lower().rstrip('.')}_{port}_{name}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CsaFailure(f"the name can't be locked: {folder}: {error.strerror}") from error
    try:
        with locked(folder):
            yield
    except RunBusy as error:
        raise NameTaken(f"another program plays as {name} on {host}:{port}: {error}") from error
