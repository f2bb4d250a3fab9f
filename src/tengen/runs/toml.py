"""Settings as TOML. The standard library reads it but does not write it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tengen.runs.errors import RunError

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def format_toml(settings: Mapping[str, object]) -> str:
    """tomllib reads the same back. TOML has no None: such a setting becomes a comment and is absent when read."""
    return "\n".join(_table(settings, ())).strip("\n") + "\n"


def flatten(settings: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    """Every setting by its dotted key, with its value as TOML has it. What is None is left out."""
    flat: dict[str, str] = {}
    for key, value in settings.items():
        dotted = prefix + _key(key, ())
        if isinstance(value, Mapping) and value:
            flat |= flatten(value, f"{dotted}.")
        elif value is not None:
            flat[dotted] = _value(value, (dotted,))
    return flat


def _table(table: Mapping[str, object], path: tuple[str, ...]) -> list[str]:
    lines, below = [], []
    for key, value in table.items():
        name, here = _key(key, path), (*path, key)
        if isinstance(value, Mapping):
            below += ["", f"[{'.'.join(_key(part, path) for part in here)}]", *_table(value, here)]
        elif value is None:
            lines.append(f"# {name} is not set")
        else:
            lines.append(f"{name} = {_value(value, here)}")
    return lines + below


def _key(key: object, path: tuple[str, ...]) -> str:
    if not isinstance(key, str):
        raise RunError(f"settings: {'.'.join((*path, repr(key)))} is no text and cannot name a setting")
    return key if _BARE_KEY.fullmatch(key) else _text(key, (*path, key))


def _value(value: object, path: tuple[str, ...]) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value, path)
    if isinstance(value, int):
        return int.__repr__(value)
    if isinstance(value, float):
        return float.__repr__(value)
    if isinstance(value, Mapping):
        inside = (f"{_key(key, path)} = {_value(part, path)}" for key, part in value.items() if part is not None)
        return "{" + ", ".join(inside) + "}"
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray | memoryview):
        return "[" + ", ".join(_value(part, path) for part in value) + "]"
    raise RunError(
        f"settings: {'.'.join(path)} is {value!r}, and a setting is a text, a number, true or false, "
        "a list of these or a table of them"
    )


def _text(text: str, path: tuple[str, ...]) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise RunError(f"settings: {'.'.join(path)!r} holds a character that no file can hold") from None
    return '"' + "".join(_escape(letter) for letter in text) + '"'


def _escape(letter: str) -> str:
    if letter in _ESCAPES:
        return _ESCAPES[letter]
    return f"\\u{ord(letter):04x}" if ord(letter) < 32 or ord(letter) == 127 else letter
