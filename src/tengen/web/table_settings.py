"""The settings of a table, which are the first line of its file."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen.web.clocks import ClockSettings

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["TableSettings", "new_key"]

_FORMAT = 2
_READ_FORMATS = (1, _FORMAT)
"""Format 1 has no checksums and keeps changes of keys in lines of their own."""


def new_key() -> str:
    return secrets.token_urlsafe(12)


@dataclass(frozen=True)
class TableSettings:
    id: str
    game: str
    """The name of the game in the catalog."""
    settings: Mapping[str, Any]
    seats: tuple[str | None, ...]
    """The level of the computer in each seat; None for a person."""
    keys: tuple[str, ...]
    """The key of each seat. A key that was revoked is nowhere in the file."""
    watch_key: str
    seed: int
    made: float
    clock: ClockSettings | None = None
    is_series: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game's start."""
    hints_for_guests: bool = False
    """True if guests, who have a link but not the token, get hints."""

    def __post_init__(self) -> None:
        if len(self.keys) != len(self.seats) or not all(isinstance(key, str) for key in (*self.keys, self.watch_key)):
            raise ValueError("a table needs a key for each of its seats and one for those who watch")

    def to_plain(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        plain |= {"settings": dict(self.settings), "options": dict(self.options)}
        plain["clock"] = None if self.clock is None else vars(self.clock)
        return {"tengen_table": _FORMAT} | plain

    @classmethod
    def of_plain(cls, plain: Mapping[str, Any]) -> TableSettings:
        if plain.get("tengen_table") not in _READ_FORMATS:
            raise ValueError(f"a table of format {plain.get('tengen_table')!r:.20}; this program reads {_FORMAT}")
        unknown = plain.keys() - cls.__dataclass_fields__.keys() - {"tengen_table"}
        if unknown:
            raise ValueError(f"a table has no {', '.join(sorted(unknown))[:60]}")
        values = {name: plain[name] for name in cls.__dataclass_fields__ if name in plain}
        values |= {name: tuple(values[name]) for name in ("seats", "keys")}
        clock = values["clock"]
        return cls(**values | {"clock": None if clock is None else ClockSettings.of_plain(clock)})
