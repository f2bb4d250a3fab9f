"""Keys of a configuration, and the parsing of their values."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "ConfigError",
    "Effect",
    "Key",
    "Kind",
    "flag",
    "integer",
    "keys_of",
    "of_kind",
    "read_value",
    "real",
    "text",
]

Kind: TypeAlias = Literal[
    "bool", "int", "int64", "double", "float", "enabled", "text", "player", "perspective", "profile"
]
Effect: TypeAlias = Literal["used", "play", "ignored", "idle"]
"""used: the key changes results. play: it changes moves that are played over GTP. ignored: it changes results of
KataGo, not of Tengen. idle: it changes no results of either."""

_WHITESPACE: Final = " \t\r\n\v\f"
_INTEGER: Final = re.compile(r"[+-]?[0-9]{1,30}")
# Possessive quantifiers refuse a long text as fast as a short one.
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?")
_YES: Final = ("1", "t", "true", "enabled", "y", "yes")
_NO: Final = ("0", "f", "false", "disabled", "n", "no")
_RANK: Final = r"(?:[1-9]d|1?[1-9]k|[12]0k)"
_PROFILE: Final = re.compile(rf"(?:rank|preaz)_{_RANK}(?:_{_RANK})?|proyear_[0-9]{{4}}")


class ConfigError(ValueError):
    """A configuration that does not read. The text is KataGo's where it has one."""


@dataclass(frozen=True)
class Key:
    kind: Kind
    default: Any
    doc: str
    effect: Effect = "ignored"
    low: float = -math.inf
    high: float = math.inf
    is_changeable: bool = True
    """A query may override it."""
    needs: tuple[str, bool] | None = None
    """(field, value): the key is read only where that field has that value."""
    is_human: bool = False
    """Needs a network that imitates people: it is refused."""
    name: str = ""

    @property
    def range(self) -> str:
        return "" if math.isinf(self.low) else f"{_shown(self.kind, self.low)} to {_shown(self.kind, self.high)}"


# A dataclass that is a table of keys, in the order in which they are read: keys that something reads are its fields,
# with a type; the others are known, checked and documented, and stand there without one.


def text(default: str, doc: str, effect: Effect = "ignored") -> Any:
    return of_kind("text", default, doc, effect)


def flag(default: bool, doc: str, effect: Effect = "ignored", **more: Any) -> Any:
    return of_kind("bool", default, doc, effect, **more)


def integer(default: int | None, low: int, high: int, doc: str, effect: Effect = "ignored", **more: Any) -> Any:
    return of_kind("int" if high < 2**31 else "int64", default, doc, effect, low=low, high=high, **more)


def real(default: float, low: float, high: float, doc: str, effect: Effect = "ignored", **more: Any) -> Any:
    return of_kind("double", default, doc, effect, low=low, high=high, **more)


def of_kind(
    kind: Kind, default: Any, doc: str, effect: Effect = "ignored", *, is_read: bool | None = None, **more: Any
) -> Any:
    """A field for a key that is read: by default one that is used."""
    key = Key(kind, default, doc, effect, **more)
    is_field = effect == "used" if is_read is None else is_read
    return field(default=default, metadata={"key": key}) if is_field else key


@cache
def keys_of(table: type) -> dict[str, Key]:
    """The keys of a table by their names in Python, in the order in which they are read."""
    found: dict[str, Any] = {**vars(table), **{part.name: part.metadata["key"] for part in fields(table)}}
    return {name: replace(key, name=_key_name(name)) for name, key in found.items() if isinstance(key, Key)}


def _key_name(field_name: str) -> str:
    first, *rest = field_name.split("_")
    is_odd = field_name == "min_visit_prop_for_lcb"
    capitals = {"sl": "SL", "pv": "PV", "nn": "NN", "gtp": "GTP"} | ({"lcb": "LCB"} if is_odd else {})
    return first + "".join(capitals.get(word, word.capitalize()) for word in rest)


def read_value(key: Key, given: str, source: str) -> Any:
    """The value of a key's given; `source` is the configuration's name for errors."""
    readers: dict[Kind, Callable[[], Any]] = {
        "bool": lambda: _read_bool(key, given, source),
        "int": lambda: _read_integer(key, given, source, 31),
        "int64": lambda: _read_integer(key, given, source, 63),
        "double": lambda: _read_number(key, given, source),
        "float": lambda: _read_number(key, given, source),
        "enabled": lambda: _read_enabled(key, given, source),
        "text": lambda: given,
        "player": lambda: _read_player(key, given),
        "perspective": lambda: _read_perspective(key, given),
        "profile": lambda: _read_profile(given),
    }
    return readers[key.kind]()


def _shown(kind: Kind, number: float) -> str:
    return f"{number:g}" if kind in ("double", "float") else str(int(number))


def _unreadable(key: Key, given: str, wanted: str, source: str) -> ConfigError:
    return ConfigError(f"Could not parse '{given}' as {wanted} for key '{key.name}' in config file {source}")


def _check_range(key: Key, number: float, source: str) -> None:
    if not key.low <= number <= key.high:
        raise ConfigError(f"Key '{key.name}' must be in the range {key.range} in config file {source}")


def _read_bool(key: Key, given: str, source: str) -> bool:
    word = given.strip(_WHITESPACE).lower()
    if word not in ("true", "false"):
        raise _unreadable(key, given, "bool", source)
    return word == "true"


def _read_enabled(key: Key, given: str, source: str) -> bool | None:
    word = given.lower().strip(_WHITESPACE)
    if word == "auto":
        return None
    if word not in _YES and word not in _NO:
        raise _unreadable(key, word, "bool or auto", source)
    return word in _YES


def _read_integer(key: Key, given: str, source: str, bits: int) -> int:
    plain = given.strip(_WHITESPACE)
    number = int(plain) if _INTEGER.fullmatch(plain) else None
    if number is None or not -(2**bits) <= number < 2**bits:
        raise _unreadable(key, given, "int" if bits == 31 else "int64_t", source)
    _check_range(key, number, source)
    return number


def _read_number(key: Key, given: str, source: str) -> float:
    plain = given.strip(_WHITESPACE)
    number = float(plain) if _NUMBER.fullmatch(plain) else math.inf
    if math.isinf(number):
        raise _unreadable(key, given, key.kind, source)
    _check_range(key, number, source)
    return number


def _read_player(key: Key, given: str) -> int:
    word = given.lower()
    if word not in ("b", "black", "w", "white"):
        raise ConfigError(f"Could not parse player in field {key.name}, should be BLACK or WHITE")
    return 0 if word[0] == "b" else 1


def _read_perspective(key: Key, given: str) -> int | None:
    word = given.lower()
    if word == "sidetomove":
        return None
    if word not in ("b", "black", "w", "white"):
        raise ConfigError(f"Could not parse config value for {key.name}: {given}")
    return 0 if word[0] == "b" else 1


def _read_profile(given: str) -> str:
    if given in ("", "_", '""'):
        return ""
    if not _PROFILE.fullmatch(given) or (given.startswith("proyear_") and not 1800 <= int(given[8:]) <= 2023):
        raise ConfigError(f"Unknown human SL network profile: {given}")
    return given
