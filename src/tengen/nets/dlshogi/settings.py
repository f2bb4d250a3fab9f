"""Settings of the engine that a network was tuned for: a file NETWORK.onnx.ini beside it, with lines Name=value."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SUFFIX", "EngineSettings", "SettingsError", "parse_settings", "read_settings"]

SUFFIX: Final = ".ini"
_log = logging.getLogger(__name__)


class SettingsError(ValueError):
    """A line that does not read."""


@dataclass(frozen=True)
class EngineSettings:
    """Those that count here. Exploration and reductions are for win rates from 0 to 1, as dlshogi has them."""

    softmax_temperature: float = 1.74
    c_init: float | None = None
    c_base: float | None = None
    c_init_root: float | None = None
    c_base_root: float | None = None
    c_fpu_reduction: float | None = None
    c_fpu_reduction_root: float | None = None
    eval_coef: float = 756.0
    """Centipawns of a score: -eval_coef · ln(1 / win rate - 1)."""
    ignored: Mapping[str, str] = field(default_factory=dict)
    """What the file says beside them."""

    def search_settings(self) -> dict[str, Any]:
        """For a search in which values go from -1 to 1, twice as far."""
        found: dict[str, Any] = {}
        if self.c_init is not None:
            found["c_puct"] = 2 * self.c_init
        if self.c_init_root is not None:
            found["root_c_puct"] = 2 * self.c_init_root
        if self.c_base is not None or self.c_base_root is not None:
            found |= {"c_puct_log": 2.0, "c_puct_base": _C_BASE if self.c_base is None else self.c_base}
        if self.c_base_root is not None:
            found["root_c_puct_base"] = self.c_base_root
        if self.c_fpu_reduction is not None:
            found["fpu_reduction"] = 2 * self.c_fpu_reduction
        if self.c_fpu_reduction_root is not None:
            found["root_fpu_reduction"] = 2 * self.c_fpu_reduction_root
        return found


_UNITS: Final = {
    "Softmax_Temperature": ("softmax_temperature", 0.01),
    "C_init": ("c_init", 0.01),
    "C_base": ("c_base", 1.0),
    "C_init_root": ("c_init_root", 0.01),
    "C_base_root": ("c_base_root", 1.0),
    "C_fpu_reduction": ("c_fpu_reduction", 0.01),
    "C_fpu_reduction_root": ("c_fpu_reduction_root", 0.01),
    "Eval_Coef": ("eval_coef", 1.0),
}
"""Names in files, ours, and what 1 in a file is worth."""
_POSITIVE: Final = ("Softmax_Temperature", "C_base", "C_base_root", "Eval_Coef")
_C_BASE: Final = 28288.0
"""dlshogi's own, where a file names the root's alone."""


def parse_settings(text: str, where: str) -> EngineSettings:
    """`where` is what errors call the text. Lines that begin with # or ; are remarks."""
    found: dict[str, float] = {}
    ignored: dict[str, str] = {}
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), 1):
        plain = line.strip()
        if not plain or plain[0] in "#;[":
            continue
        name, equals, value = (part.strip() for part in plain.partition("="))
        if not equals or not name:
            raise SettingsError(f"{where}, line {number}: {plain!r} is not Name=value")
        if name not in _UNITS:
            ignored[name] = value
            continue
        field_name, unit = _UNITS[name]
        try:
            found[field_name] = int(value) * unit
        except ValueError:
            raise SettingsError(f"{where}, line {number}: {name} is {value!r} and must be a whole number") from None
        if found[field_name] < 0 or (found[field_name] == 0 and name in _POSITIVE):
            raise SettingsError(f"{where}, line {number}: {name} is {value} and must be above 0")
    return EngineSettings(**found, ignored=ignored)


def read_settings(network: Path) -> EngineSettings:
    """Of the file beside a network, if there is one."""
    path = Path(f"{network}{SUFFIX}")
    if not path.is_file():
        return EngineSettings()
    settings = parse_settings(path.read_text(encoding="utf-8", errors="replace"), str(path))
    for name, value in settings.ignored.items():
        _log.info("%s: %s=%s has no meaning here", path, name, value)
    return settings
