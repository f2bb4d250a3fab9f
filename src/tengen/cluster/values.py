"""Values as gzipped lines: what crosses from other machines and what a journal keeps. Reading them builds plain values,
arrays and Tengen's own records, and runs nothing."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import importlib
import json
from types import NoneType
from typing import Any

import numpy as np

from tengen import _decompress

__all__ = ["ValuesError", "decode", "encode"]

_FORMAT = "tengen values 1"
_PLAIN = {NoneType, bool, int, float, str}
_PACKAGE = "tengen"
_ALWAYS = 256 << 20
"""Bytes of text that are decompressed in any case."""
_known: dict[type, tuple[str, ...] | None] = {}


class ValuesError(ValueError):
    """A value that has no such form, or bytes that are none."""


def encode(value: object) -> bytes:
    """Equal values give equal bytes. A list is a line an element."""
    writer = _Writer()
    is_list = type(value) is list
    lines = [writer.write(item) for item in value] if isinstance(value, list) and is_list else [writer.write(value)]
    head = {"format": _FORMAT, "is_list": is_list, "classes": [_name(cls) for cls in writer.classes]}
    text = "\n".join(json.dumps(line, separators=(",", ":")) for line in [head, *lines])
    return gzip.compress(text.encode(), 6, mtime=0)


def decode(data: bytes) -> Any:
    try:
        head, *lines = map(json.loads, _gunzip(data).decode().split("\n"))
        reader = _Reader(_find_classes(head))
        values = [reader.read(line) for line in lines]
        return values if head["is_list"] else values[0]
    except ValuesError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, RecursionError) as error:
        raise ValuesError(f"these bytes are no values: {type(error).__name__}: {error}") from error


def _gunzip(data: bytes) -> bytes:
    """Return the text of values. Arrays in it may hold mostly zeros, so that the bound is wide."""
    return _decompress.gunzip(data, max(_ALWAYS, _decompress.ARRAY_RATIO * len(data)))


class _Writer:
    def __init__(self) -> None:
        self.classes: dict[type, int] = {}

    def write(self, value: Any) -> Any:
        kind = type(value)
        if kind in _PLAIN:
            return value
        if kind is list or kind is tuple:
            return ["l" if kind is list else "t", *self._all(value)]
        if kind is dict:
            return ["d", self._all(value), self._all(value.values())]
        if kind is bytes:
            return ["b", base64.b64encode(value).decode()]
        if kind is range:
            return ["r", value.start, value.stop, value.step]
        if isinstance(value, np.ndarray | np.generic) and not value.dtype.hasobject and kind is not np.recarray:
            array = np.asarray(value)
            return [
                "a" if isinstance(value, np.ndarray) else "s",
                array.dtype.str,
                list(array.shape),
                base64.b64encode(array.tobytes()).decode(),
            ]
        fields = _fields(kind)
        if fields is None:
            raise ValuesError(f"a {kind.__module__}.{kind.__qualname__} cannot be written as lines")
        number = self.classes.setdefault(kind, len(self.classes))
        return ["c", number, *self._all([getattr(value, name) for name in fields])]

    def _all(self, values: Any) -> list[Any]:
        return list(values) if set(map(type, values)) <= _PLAIN else [self.write(value) for value in values]


class _Reader:
    def __init__(self, classes: list[type]) -> None:
        self._classes = classes

    def read(self, line: Any) -> Any:
        if type(line) is not list:
            if isinstance(line, dict):
                raise ValuesError("these bytes are no values: there is an object among the lines")
            return line
        kind, *rest = line
        if kind == "l":
            return self._all(rest)
        if kind == "t":
            return tuple(self._all(rest))
        if kind == "d":
            return dict(zip(self._all(rest[0]), self._all(rest[1]), strict=True))
        if kind == "b":
            return base64.b64decode(rest[0], validate=True)
        if kind == "r":
            return range(*rest)
        if kind in ("a", "s"):
            array = np.frombuffer(base64.b64decode(rest[2], validate=True), np.dtype(rest[0])).reshape(rest[1])
            return array.copy() if kind == "a" else array[()]
        if kind == "c":
            return _build(self._classes[rest[0]], self._all(rest[1:]))
        raise ValuesError(f"these bytes are no values: there is no kind {kind!r}")

    def _all(self, lines: list[Any]) -> list[Any]:
        return [line if type(line) in _PLAIN else self.read(line) for line in lines]


def _fields(cls: type) -> tuple[str, ...] | None:
    """Return the field names of a data class or named tuple of this package, and None for other classes."""
    if cls not in _known:
        _known[cls] = _find_fields(cls)
    return _known[cls]


def _find_fields(cls: type) -> tuple[str, ...] | None:
    if cls.__module__.partition(".")[0] != _PACKAGE or "<locals>" in cls.__qualname__:
        return None
    if dataclasses.is_dataclass(cls):
        return tuple(field.name for field in dataclasses.fields(cls))
    return getattr(cls, "_fields", None) if issubclass(cls, tuple) else None


def _name(cls: type) -> str:
    return f"{cls.__module__}:{cls.__qualname__}"


def _find_classes(head: Any) -> list[type]:
    if head["format"] != _FORMAT:
        raise ValuesError(f"these are no {_FORMAT}")
    return [_find_class(name) for name in head["classes"]]


def _find_class(name: str) -> type:
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(module) if module.partition(".")[0] == _PACKAGE else None
    for part in path.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type) or _fields(found) is None:
        raise ValuesError(f"these bytes are no values: {name!r} is no record of Tengen's")
    return found


def _build(cls: type, values: list[Any]) -> Any:
    fields = _fields(cls)
    assert fields is not None
    if issubclass(cls, tuple):
        return cls.__new__(cls, *values)
    made = object.__new__(cls)
    for name, value in zip(fields, values, strict=True):
        object.__setattr__(made, name, value)
    return made
