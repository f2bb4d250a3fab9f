"""What the engine answers: typed, and as the protocol's JSON."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias, TypeVar

from tengen.analysis.jsonlines import camel_case, round_dynamic

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Hashable

__all__ = ["Answer", "Json", "MoveInfo", "RootInfo"]

Json: TypeAlias = "dict[str, Any]"
T = TypeVar("T")


@cache
def _fields(kind: Hashable) -> list[tuple[str, str, Callable[[Any], Any]]]:
    """Of the fields: their names in Python and in JSON, and how their values are written."""
    return [
        (field.name, camel_case(field.name), field.metadata.get("write", _rounded))
        for field in fields(kind)  # type: ignore[arg-type]
    ]


def _to_json(part: Any, without: Container[str] = ()) -> Json:
    """Fields that are None have no key."""
    kind: Any = type(part)
    found = ((key, write, getattr(part, name)) for name, key, write in _fields(kind) if name not in without)
    return {key: write(value) for key, write, value in found if value is not None}


def _of_json(kind: type[T], found: Json, **parts: Any) -> T:
    """The reverse; `parts` are fields that are read already."""
    known = {camel_case(field.name): field.name for field in fields(kind)}  # type: ignore[arg-type]
    plain = {known[key]: tuple(v) if isinstance(v, list) else v for key, v in found.items() if key in known}
    return kind(**plain | parts)


def _rounded(value: Any) -> Any:
    """Numbers as the protocol writes them."""
    if isinstance(value, tuple):
        return [_rounded(part) for part in value]
    return round_dynamic(value) if isinstance(value, float) else value


class _Info:
    """What moves and positions have in common."""

    @property
    def lead(self) -> float | None:
        """In points, in games with a score."""
        return None

    @property
    def is_proven(self) -> bool:
        """Its win rate is no estimate."""
        return False

    def to_json(self) -> Json:
        return _to_json(self)


@dataclass(frozen=True, kw_only=True)
class MoveInfo(_Info):
    """One move at the root. Win rates, utilities and scores are from the side that the query asks for."""

    move: str
    player: int | None = None
    """Whose move it is, where all act at once."""
    order: int
    visits: int
    edge_visits: int
    weight: float
    edge_weight: float
    utility: float
    """What the search maximizes: the game's payoff, in games with a score perhaps win rate and score together."""
    utility_lcb: float
    """Its lower confidence bound for who moves."""
    utility_error: float | None = None
    """Its standard error, in games with a unit of their own."""
    winrate: float | None = None
    """In games that are won or lost."""
    lcb: float | None = None
    values: tuple[float, ...] | None = None
    """What each player gets, where a game has its own unit or more players."""
    prior: float
    play_selection_value: float
    """What moves are ordered by."""
    pv: tuple[str, ...]
    pv_visits: tuple[int, ...] | None = None
    pv_edge_visits: tuple[int, ...] | None = None
    is_included: bool | None = None
    """True where includeMoves guaranteed its analysis."""
    is_symmetry_of: str | None = None

    @property
    def title(self) -> str:
        """What people call it there."""
        return self.move


@dataclass(frozen=True, kw_only=True)
class RootInfo(_Info):
    """The position itself."""

    current_player: str
    visits: int
    weight: float
    utility: float
    winrate: float | None = None
    values: tuple[float, ...] | None = None
    raw_winrate: float | None = None
    raw_values: tuple[float, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The analysis of one turn. A game with more to tell has kinds of its own."""

    move_type: ClassVar[type[MoveInfo]] = MoveInfo
    root_type: ClassVar[type[RootInfo]] = RootInfo

    id: str
    turn_number: int
    is_during_search: bool
    move_infos: tuple[MoveInfo, ...] = ()
    root_info: RootInfo | None = None
    """None: it was ended before anything was searched."""
    policy: tuple[float, ...] | None = None
    """The network's, by action; -1 where a move is illegal."""
    warnings: tuple[str, ...] = ()
    error: str | None = None
    """Why there are no results, where something failed."""

    @property
    def best(self) -> MoveInfo | None:
        return self.move_infos[0] if self.move_infos else None

    def __getitem__(self, move: str) -> MoveInfo:
        """The move of this name."""
        for info in self.move_infos:
            if info.move.casefold() == move.casefold():
                return info
        raise KeyError(f"{move} was not analyzed")

    @classmethod
    def of_json(cls, found: Json) -> Self:
        """What to_json made, with its numbers as they were rounded."""
        root = found.get("rootInfo")
        return _of_json(
            cls,
            found,
            move_infos=tuple(_of_json(cls.move_type, info) for info in found.get("moveInfos", ())),
            root_info=None if root is None else _of_json(cls.root_type, root),
        )

    def to_json(self) -> Json:
        if self.root_info is None:
            return _to_json(self, {"move_infos", "warnings"}) | {"noResults": True}
        answer = _to_json(self, {"move_infos", "root_info", "warnings", "error"})
        answer["moveInfos"] = [info.to_json() for info in self.move_infos]
        answer["rootInfo"] = self.root_info.to_json()
        return answer
