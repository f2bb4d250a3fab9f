"""What the engine answers: typed, and as the protocol's JSON."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from tengen.analysis.jsonlines import round_dynamic, round_ownership

if TYPE_CHECKING:
    from collections.abc import Hashable

__all__ = ["Answer", "Json", "MoveInfo", "RootInfo"]

Json: TypeAlias = "dict[str, Any]"
T = TypeVar("T")


@cache
def _camel(name: str) -> str:
    return re.sub(r"_(\w)", lambda found: found[1].upper(), name)


@cache
def _names(kind: Hashable) -> list[tuple[str, str]]:
    """Of the fields: in Python and in JSON."""
    return [(field.name, _camel(field.name)) for field in fields(kind)]  # type: ignore[arg-type]


def _to_json(part: Any) -> Json:
    """Fields that are None have no key."""
    kind: Any = type(part)
    return {key: _rounded(name, value) for name, key in _names(kind) if (value := getattr(part, name)) is not None}


def _of_json(kind: type[T], found: Json, **parts: Any) -> T:
    """The reverse; `parts` are fields that are read already."""
    known = {_camel(field.name): field.name for field in fields(kind)}  # type: ignore[arg-type]
    plain = {known[key]: tuple(v) if isinstance(v, list) else v for key, v in found.items() if key in known}
    return kind(**plain | parts)


def _rounded(name: str, value: Any) -> Any:
    """Numbers as the protocol writes them."""
    if name in ("ownership", "ownership_stdev"):
        return round_ownership(value)
    if isinstance(value, tuple):
        return [_rounded(name, part) for part in value]
    return round_dynamic(value) if isinstance(value, float) else value


@dataclass(frozen=True, kw_only=True)
class MoveInfo:
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
    """What the search maximizes: in Go win rate and score together, elsewhere the game's payoff."""
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
    score_lead: float | None = None
    score_mean: float | None = None
    score_selfplay: float | None = None
    score_stdev: float | None = None
    no_result_value: float | None = None
    ownership: tuple[float, ...] | None = None
    ownership_stdev: tuple[float, ...] | None = None

    def to_json(self) -> Json:
        return _to_json(self)


@dataclass(frozen=True, kw_only=True)
class RootInfo:
    """The position itself."""

    current_player: str
    visits: int
    weight: float
    utility: float
    winrate: float | None = None
    values: tuple[float, ...] | None = None
    raw_winrate: float | None = None
    raw_values: tuple[float, ...] | None = None
    score_lead: float | None = None
    score_selfplay: float | None = None
    score_stdev: float | None = None
    raw_lead: float | None = None
    raw_score_selfplay: float | None = None
    raw_score_selfplay_stdev: float | None = None
    raw_no_result_prob: float | None = None
    raw_st_wr_error: float | None = None
    raw_st_score_error: float | None = None
    raw_var_time_left: float | None = None
    this_hash: str | None = None
    sym_hash: str | None = None

    def to_json(self) -> Json:
        return _to_json(self)


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The analysis of one turn."""

    id: str
    turn_number: int
    is_during_search: bool
    move_infos: tuple[MoveInfo, ...] = ()
    root_info: RootInfo | None = None
    """None: it was ended before anything was searched."""
    policy: tuple[float, ...] | None = None
    """The network's, by action; -1 where a move is illegal."""
    ownership: tuple[float, ...] | None = None
    ownership_stdev: tuple[float, ...] | None = None
    scoring: Json | None = None
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

    @staticmethod
    def of_json(found: Json) -> Answer:
        """What to_json made, with its numbers as they were rounded."""
        root = found.get("rootInfo")
        return _of_json(
            Answer,
            found,
            move_infos=tuple(_of_json(MoveInfo, info) for info in found.get("moveInfos", ())),
            root_info=None if root is None else _of_json(RootInfo, root),
        )

    def to_json(self) -> Json:
        answer: Json = {"id": self.id, "turnNumber": self.turn_number, "isDuringSearch": self.is_during_search}
        if self.root_info is None:
            return answer | {"noResults": True} | ({"error": self.error} if self.error else {})
        answer["moveInfos"] = [info.to_json() for info in self.move_infos]
        answer["rootInfo"] = self.root_info.to_json()
        for name in ("policy", "ownership", "ownership_stdev", "scoring"):
            value = getattr(self, name)
            if value is not None:
                answer[_camel(name)] = _rounded(name, value)
        return answer
