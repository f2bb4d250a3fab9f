"""Packages whose names are imported when they are first used, so that a start costs only what it needs."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["lazy_names"]


def lazy_names(
    package: str, modules: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` of a package (PEP 562).

    `modules` has the names that each module of the package provides; "Name as Other" provides a name under another one.
    The modules themselves are found too. `dir()` lists the names in `__all__`.
    """
    homes: dict[str, tuple[str, str]] = {}
    for module, names in modules.items():
        for text in names:
            name, _, alias = text.partition(" as ")
            homes[alias or name] = (module, name)

    def find(name: str) -> Any:
        if name in homes:
            module, own = homes[name]
            return getattr(import_module(f"{package}.{module}"), own)
        if name in modules:
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    def public_names() -> list[str]:
        return sorted(sys.modules[package].__all__)

    return find, public_names
