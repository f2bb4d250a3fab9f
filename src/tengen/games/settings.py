"""A game's settings are the keyword parameters of its constructor; here they are read and checked."""

from __future__ import annotations

import contextlib
import inspect
import types
import typing
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, Union

from tengen.games.errors import SettingError

if typing.TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Setting", "parse_setting", "resolve_settings", "settings_of"]

_REQUIRED = inspect.Parameter.empty
_WORDS = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


@dataclass(frozen=True)
class Setting:
    name: str
    type: Any
    """As annotated: int, bool, Literal["a", "b"], str | None, …; Any when it is not."""
    default: Any
    """inspect.Parameter.empty when there is none."""

    @property
    def is_required(self) -> bool:
        return self.default is _REQUIRED

    @property
    def choices(self) -> tuple[Any, ...]:
        """The only values that it takes, where they are listed; else empty."""
        found = [part for part in _alternatives(self.type) if typing.get_origin(part) is Literal]
        return tuple(choice for part in found for choice in typing.get_args(part))

    @property
    def is_flag(self) -> bool:
        """Yes or no; where the default is None, or left to the game."""
        return bool in _alternatives(self.type)

    def __str__(self) -> str:
        # None is how a game says that it decides itself.
        is_told = not self.is_required and self.default is not None
        return f"{self.name}: {_type_text(self.type)}" + (f" = {self.default!r}" if is_told else "")


def _type_text(kind: Any) -> str:
    """In words: int, a|b|c, list of int."""
    parts = [part for part in _alternatives(kind) if part is not type(None)]
    if len(parts) > 1:
        return " or ".join(map(_type_text, parts))
    part = parts[0] if parts else kind
    if typing.get_origin(part) is Literal:
        return "|".join(map(str, typing.get_args(part)))
    if _is_sequence(part):
        return f"list of {_type_text(typing.get_args(part)[0])}"
    return part.__name__ if isinstance(part, type) else str(part).replace("typing.", "")


def settings_of(function: Callable[..., Any], *, skip: int = 1) -> dict[str, Setting]:
    """The settings that a constructor or hook takes by keyword, after its first `skip` parameters."""
    own = getattr(function, "__func__", function)
    return dict(_settings_of(own, skip + (own is not function)))


@lru_cache(maxsize=256)
def _settings_of(function: Callable[..., Any], skip: int) -> dict[str, Setting]:
    if function is object.__init__:
        return {}
    hints = _hints(function)
    parameters = list(inspect.signature(function).parameters.values())[skip:]
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    return {p.name: Setting(p.name, hints.get(p.name, Any), p.default) for p in plain}


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    """One by one: a type that is imported for type checkers only must not hide the others."""
    names = getattr(inspect.unwrap(function), "__globals__", {})
    found: dict[str, Any] = {}
    for name, annotation in getattr(function, "__annotations__", {}).items():
        with contextlib.suppress(NameError):
            found |= typing.get_type_hints(types.SimpleNamespace(__annotations__={name: annotation}), names)
    return found


def resolve_settings(owner: str, known: Mapping[str, Setting], given: Mapping[str, Any]) -> dict[str, Any]:
    """All settings with their values, or an error that lists what there is. `owner` begins its text."""
    for name, value in given.items():
        if name not in known:
            raise SettingError(f"{owner} has no setting {name!r}. {_listing(known)}")
        if not _fits(value, known[name].type):
            raise SettingError(f"{owner}: {name}={value!r} does not fit. {_listing(known)}")
    missing = [name for name, setting in known.items() if setting.is_required and name not in given]
    if missing:
        raise SettingError(f"{owner} needs {', '.join(missing)}. {_listing(known)}")
    return {name: given.get(name, setting.default) for name, setting in known.items()}


def _listing(known: Mapping[str, Setting]) -> str:
    return f"It takes: {', '.join(map(str, known.values()))}" if known else "It takes none"


def parse_setting(setting: Setting, text: str) -> Any:
    """A value from the command line or a file."""
    for kind in _alternatives(setting.type):
        try:
            value = _read(text, kind)
        except ValueError:
            continue
        if _fits(value, kind):
            return value
    raise SettingError(f"{text!r} does not fit {setting}")


def _alternatives(kind: Any) -> tuple[Any, ...]:
    if typing.get_origin(kind) in (Union, types.UnionType):
        # Those last that take any text.
        return tuple(sorted(typing.get_args(kind), key=lambda part: (part is str, _is_sequence(part))))
    return (kind,)


def _is_sequence(kind: Any) -> bool:
    return typing.get_origin(kind) is Sequence


def _read(text: str, kind: Any) -> Any:
    if kind is bool:
        if text.casefold() not in _WORDS:
            raise ValueError(text)
        return _WORDS[text.casefold()]
    if kind in (int, float):
        return kind(text)
    if kind is type(None):
        return None if text.casefold() == "none" else text
    if typing.get_origin(kind) is Literal:
        return next((choice for choice in typing.get_args(kind) if str(choice) == text), text)
    if _is_sequence(kind):
        part = Setting("part", typing.get_args(kind)[0], _REQUIRED)
        return tuple(parse_setting(part, word) for word in text.replace(",", " ").split())
    return text


def _fits(value: object, kind: Any) -> bool:
    if typing.get_origin(kind) in (Union, types.UnionType):
        return any(_fits(value, part) for part in typing.get_args(kind))
    if typing.get_origin(kind) is Literal:
        return any(value == choice and type(value) is type(choice) for choice in typing.get_args(kind))
    if isinstance(value, bool):
        return kind in (bool, Any, object)
    if kind is float:
        return isinstance(value, int | float)
    if kind in (int, str, bytes, type(None)):
        return isinstance(value, kind)
    return True  # richer types are the constructor's own affair
