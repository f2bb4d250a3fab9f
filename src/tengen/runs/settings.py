"""run.toml: a run's settings, written once."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any

from tengen.runs.disk import atomic_write, checksum
from tengen.runs.errors import DamagedRun, RunError, explained
from tengen.runs.toml import flatten

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

SETTINGS = "run.toml"
_FORMAT = 1
_HEADER = "# A run of Tengen, format {}. Written once: other settings are another run.\n"
_FOOTER = "# seal {}\n"


def write_settings(run: Path, text: str) -> None:
    body = _HEADER.format(_FORMAT) + text
    atomic_write(run / SETTINGS, (body + _FOOTER.format(checksum(body.encode()))).encode())


def has_settings(run: Path) -> bool:
    with explained("read", run / SETTINGS):
        return (run / SETTINGS).exists()


def read_settings(run: Path) -> dict[str, Any]:
    path = run / SETTINGS
    with explained("read", path):
        data = path.read_bytes()
    body = data[: -len(_FOOTER.format(checksum(b"")))]
    if data != body + _FOOTER.format(checksum(body)).encode():
        raise DamagedRun(
            f"{path} is damaged or was edited; a run's settings are written once. Restore it, or begin another run"
        )
    text = body.decode()
    made = re.match(r"# A run of Tengen, format (\d+)\.", text)
    if made is None or int(made[1]) != _FORMAT:
        raise RunError(f"{path} is of another version of Tengen: {text.partition(chr(10))[0]!r}")
    return tomllib.loads(text)


def differences(there: Mapping[str, object], here: Mapping[str, object]) -> list[str]:
    """One text for each setting that is not the same."""
    first, second = flatten(there), flatten(here)
    return [
        f"{key} is {first.get(key, 'not set')} there and {second.get(key, 'not set')} here"
        for key in sorted(first.keys() | second.keys())
        if first.get(key) != second.get(key)
    ]
