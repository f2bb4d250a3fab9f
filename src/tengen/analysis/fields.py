"""Reading a request's fields, with KataGo's texts where they do not fit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeGuard

from tengen.analysis.query import Problem, Refused

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Fields", "is_integer", "is_number", "truncate"]

_MAX_WARNINGS: Final = 100
"""More would let a short request call for a long answer."""


def is_integer(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[int | float]:
    return is_integer(value) or isinstance(value, float)


def truncate(value: float, bits: int) -> int:
    """As C++ makes an integer of so many bits of a JSON number."""
    whole = math.trunc(value)
    limit: int = 2 ** (bits - 1)
    if isinstance(value, float) and not -limit <= whole < limit:
        return -limit
    return (whole + limit) % (2 * limit) - limit


class Fields:
    """A request's object. What does not fit raises Refused with the problem to answer with."""

    def __init__(self, data: Mapping[str, Any], query_id: str) -> None:
        self.data = data
        self.id = query_id
        self._warnings: list[Problem] = []
        self._left_out = 0

    def __contains__(self, name: str) -> bool:
        return name in self.data

    def __getitem__(self, name: str) -> Any:
        return self.data[name]

    def refuse(self, field: str, text: str) -> NoReturn:
        raise Refused(Problem(text, self.id, field))

    def warn(self, field: str, text: str) -> None:
        if len(self._warnings) < _MAX_WARNINGS:
            self._warnings.append(Problem(text, self.id, field, is_warning=True))
        else:
            self._left_out += 1

    @property
    def warnings(self) -> tuple[Problem, ...]:
        if not self._left_out:
            return tuple(self._warnings)
        text = f"{self._left_out} more warnings are left out"
        return (*self._warnings, Problem(text, self.id, self._warnings[-1].field, is_warning=True))

    def integer(self, name: str, low: int, high: int, text: str) -> int:
        value = self.data.get(name)
        if not is_integer(value) or not low <= value <= high:
            self.refuse(name, text)
        return value

    def number(self, name: str, low: float, high: float, text: str) -> float:
        value = self.data.get(name)
        if not is_number(value) or not low <= value <= high:
            self.refuse(name, text)
        return float(value)

    def flag(self, name: str) -> bool:
        """False when it is absent."""
        value = self.data.get(name, False)
        if not isinstance(value, bool):
            self.refuse(name, "Must be a boolean")
        return value

    def integers(self, name: str, bits: int, text: str) -> list[int | float]:
        """Numbers that are meant as integers, as they were given; of 32 bits, true and false are numbers too."""
        values = self.data[name]
        if not isinstance(values, list):
            self.refuse(name, text)
        for value in values:
            if not is_number(value) and not (bits == 32 and isinstance(value, bool)):
                self.refuse(name, text)
        return [int(value) if isinstance(value, bool) else value for value in values]

    def part(self, data: Mapping[str, Any]) -> Fields:
        """The fields of an object inside this one; its warnings are not kept."""
        return Fields(data, self.id)
