"""One JSON value a line: reading what anyone may send, and writing numbers as KataGo does."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from functools import cache
from typing import Any, Final, NoReturn

__all__ = [
    "MAX_DEPTH",
    "MAX_LINE_BYTES",
    "JsonError",
    "camel_case",
    "decode_line",
    "format_json",
    "parse_json",
    "quote_line",
    "round_dynamic",
    "shorten",
]

MAX_LINE_BYTES: Final = 4 * 2**20
"""A longer request is refused unread."""
MAX_DEPTH: Final = 100
"""Of lists and objects inside each other."""
_LONGEST_TEXT: Final = 10_000
_WHITESPACE: Final = " \t\r\n\v\f"
# Takes a string whole, even an unfinished one, and never looks at a character twice.
_BRACKETS: Final = re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]|[\]}]', re.DOTALL)


class JsonError(ValueError):
    """A line that is no JSON, or more of it than is read."""


def decode_line(line: bytes | str) -> str:
    """The text of a line without the whitespace around it and without a byte order mark; "" for a blank line."""
    size = len(line)
    if size > MAX_LINE_BYTES:
        raise JsonError(f"line of {size} bytes is too long: at most {MAX_LINE_BYTES} are read")
    try:
        text = line.decode() if isinstance(line, bytes) else line.encode().decode()
    except UnicodeDecodeError as error:
        raise JsonError(f"ill-formed UTF-8 byte at column {error.start + 1}") from None
    except UnicodeEncodeError as error:
        raise JsonError(f"half of a surrogate pair at column {error.start + 1}") from None
    return text.strip(_WHITESPACE).removeprefix("\ufeff").strip(_WHITESPACE)


def quote_line(line: bytes | str) -> str:
    """The line for an answer that quotes it, whatever is wrong with it."""
    head = line[:MAX_LINE_BYTES]
    text = head.decode(errors="replace") if isinstance(head, bytes) else head.encode(errors="replace").decode()
    return text.strip(_WHITESPACE)


def parse_json(text: str) -> Any:
    """The value. Of keys that are given twice the last one holds; integers beyond 64 bits are read as floats."""
    if text.count("[") + text.count("{") > MAX_DEPTH:
        _check_depth(text)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise JsonError(f"parse error at line {error.lineno}, column {error.colno}: {error.msg}") from None
    if "\\u" in text:
        try:
            format_json(value).encode()
        except UnicodeEncodeError:
            raise JsonError("parse error: a surrogate must be followed by its other half") from None
    return value


def format_json(value: Any) -> str:
    """Compact, with sorted keys. What is no number becomes null."""
    try:
        return _ENCODER.encode(value)
    except ValueError:
        return _ENCODER.encode(_finite(value))


@cache
def camel_case(name: str) -> str:
    """How the protocol spells a name of Python's."""
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


def round_dynamic(x: float, precision: int = 8) -> float:
    """To `precision` digits after the first one."""
    if abs(x) <= 1e-60 or not math.isfinite(x):
        return x
    digits = precision - math.floor(math.log10(abs(x)))
    return _round(x) if digits <= 0 else _round(x * 10.0**digits) / 10.0**digits


def shorten(text: str, longest: int = _LONGEST_TEXT) -> str:
    """For answers that quote what was sent: a long text loses its middle."""
    left_out = len(text) - longest
    if left_out <= 0:
        return text
    half = longest // 2
    return f"{text[:half]} … {left_out} characters … {text[-half:]}"


def _round(x: float) -> float:
    """Halves go away from zero."""
    whole = math.floor(abs(x))
    return math.copysign(whole + (abs(x) - whole >= 0.5), x)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _check_depth(text: str) -> None:
    depth = 0
    for found in _BRACKETS.finditer(text):
        bracket = found[0]
        if bracket in "[{":
            depth += 1
            if depth > MAX_DEPTH:
                raise JsonError(f"lists and objects are nested deeper than {MAX_DEPTH} at column {found.start() + 1}")
        elif bracket in "]}":
            depth -= 1


def _integer(text: str) -> int | float:
    number = int(text) if len(text) <= 20 else None
    if number is not None and -(2**63) <= number < 2**64:
        return number
    return _real(text)


def _real(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        raise JsonError(f"number overflow parsing '{shorten(text)}'")
    return number


def _constant(word: str) -> NoReturn:
    raise JsonError(f"parse error: {word} is no JSON value")


_DECODER: Final = json.JSONDecoder(parse_int=_integer, parse_float=_real, parse_constant=_constant)
_ENCODER: Final = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
