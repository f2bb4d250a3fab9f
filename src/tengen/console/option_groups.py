"""Options that several commands share, declared once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import TypeVar, get_type_hints

__all__ = ["with_option_groups"]

R = TypeVar("R")


def with_option_groups(command: Callable[..., R]) -> Callable[..., R]:
    """A parameter that is a dataclass becomes an option a field: typer knows single options only."""
    groups: dict[str, tuple[type, list[str]]] = {}
    options: dict[str, inspect.Parameter] = {}
    for name, parameter in inspect.signature(command, eval_str=True).parameters.items():
        kind = parameter.annotation
        if isinstance(kind, type) and is_dataclass(kind):
            fields = get_type_hints(kind, include_extras=True)
            defaults = inspect.signature(kind).parameters
            groups[name] = (kind, list(fields))
            options |= {field: defaults[field].replace(annotation=hint) for field, hint in fields.items()}
        else:
            options[name] = parameter

    @functools.wraps(command)
    def run(**given: object) -> R:
        for name, (kind, fields) in groups.items():
            given[name] = kind(**{field: given.pop(field) for field in fields})
        return command(**given)

    parameters = [option.replace(kind=inspect.Parameter.KEYWORD_ONLY) for option in options.values()]
    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return run
