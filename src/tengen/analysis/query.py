"""What a request asks for, once it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from tengen.analysis.jsonlines import shorten
from tengen.analysis.params import Params

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from tengen.search import ActionName, Restriction

__all__ = [
    "Action",
    "ActionKind",
    "Inclusion",
    "Move",
    "Position",
    "Problem",
    "Query",
    "Refused",
    "Request",
    "StopRule",
    "illegal_move",
    "include_unanalyzed",
]

ActionKind: TypeAlias = Literal["query_version", "query_models", "clear_cache", "terminate", "terminate_all"]


@dataclass(frozen=True)
class Problem:
    """An error, after which nothing more comes of the request, or a warning."""

    text: str
    id: str | None = None
    field: str | None = None
    is_warning: bool = False

    @property
    def answer(self) -> dict[str, str]:
        """The object to send."""
        field = None if self.field is None else shorten(self.field)
        found = {"warning" if self.is_warning else "error": shorten(self.text), "id": self.id, "field": field}
        return {key: value for key, value in found.items() if value is not None}


class Refused(Exception):  # noqa: N818 - it is an answer, not a fault
    """A request that can't be done; what to answer."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.text)
        self.problem = problem


@dataclass(frozen=True, slots=True)
class Move:
    """A move that was made, or may be: by its action, or by its name where that means something in a position only."""

    player: int | None
    """None: whoever is to move."""
    action: ActionName
    name: str
    """For errors and answers."""


class Position(Protocol):
    """How a game starts and what was played since; each game's adapter has its own kind."""

    @property
    def moves(self) -> Sequence[Any]: ...


@dataclass(frozen=True)
class Inclusion:
    """Moves that one turn's search must visit."""

    player: int | None
    """Who the request says is to move; a check, nothing else. None: whoever is."""
    moves: tuple[Move, ...]
    """Entries of one turn and player together, in their order."""


@dataclass(frozen=True)
class StopRule:
    """When a search may end before its visits are made."""

    confidence: float
    """The probability, by the spread of the evaluations, that no other move is worth more than the best."""
    min_visits: int = 1


@dataclass(frozen=True)
class Query:
    """Turns of a game to analyze."""

    id: str
    position: Position
    turns: tuple[tuple[int, int], ...]
    """(turn, priority), ascending, each turn once; empty when nothing is to be analyzed."""
    params: Params
    """With overrideSettings, maxVisits, rootFpuReductionMax and rootPolicyTemperature applied."""
    pv_length: int
    """Moves of a variation after its first."""
    include_policy: bool = False
    include_pv_visits: bool = False
    outputs: Any = None
    """What else the answers are to hold, of a kind that the game's adapter has."""
    report_every_s: float | None = None
    """None: no reports while searching, or, with first_report_after_s, only that one."""
    first_report_after_s: float | None = None
    allow: tuple[Restriction, ...] = ()
    """At most one a player."""
    avoid: tuple[Restriction, ...] = ()
    """Where several name a move of a player, the last one holds."""
    include: Mapping[int, tuple[Inclusion, ...]] = field(default_factory=dict)
    """By turn, at most one a player; only of turns that are analyzed."""
    include_min_visits: int = 1
    stop_when: StopRule | None = None
    reuse_tree: bool = False

    def included(
        self, turn: int, player: int, player_name: Callable[[int], str], is_legal: Callable[[Move], bool]
    ) -> tuple[tuple[Move, ...], tuple[Problem, ...]]:
        """The moves that the turn's search must visit, and what to warn of, once it is known who is to move."""
        warnings: list[Problem] = []
        kept: dict[ActionName, Move] = {}
        for entry in self.include.get(turn, ()):
            if entry.player is not None and entry.player != player:
                names = player_name(player), player_name(entry.player)
                warnings.append(include_mismatch(self.id, turn, *names))
                continue
            illegal: dict[ActionName, str] = {}
            repeated: dict[ActionName, str] = {}
            for move in entry.moves:
                if move.action in kept or move.action in illegal:
                    repeated[move.action] = move.name
                elif is_legal(move):
                    kept[move.action] = move
                else:
                    illegal[move.action] = move.name
            if illegal or repeated:
                warnings.append(include_skipped(self.id, turn, illegal.values(), repeated.values()))
        return tuple(kept.values()), tuple(warnings)


@dataclass(frozen=True)
class Action:
    """A request that is no analysis."""

    id: str
    kind: ActionKind
    echo: Mapping[str, Any]
    """The request: the answer is it, with what the action adds."""
    terminate_id: str | None = None
    """Of terminate: whose searches end."""
    turns: frozenset[int] | None = None
    """Of terminate and terminate_all: only these turns; None means all."""


@dataclass(frozen=True)
class Request:
    """A line that was read. Warnings are sent first."""

    body: Query | Action | Problem | None
    """None: a blank line, which gets no answer."""
    warnings: tuple[Problem, ...] = ()

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Everything to send at once, in order."""
        return (*self.warnings, self.body) if isinstance(self.body, Problem) else self.warnings


# The texts for what only shows when the game is replayed.


def illegal_move(query_id: str, index: int, name: str) -> Problem:
    return Problem(f"Illegal move {index}: {name}", query_id, "moves")


def include_mismatch(query_id: str, turn: int, expected: str, given: str) -> Problem:
    text = (
        f"Turn {turn} expects player {expected} but includeMoves specified {given}, ignoring includeMoves for this turn"
    )
    return Problem(text, query_id, "includeMoves", is_warning=True)


def include_skipped(query_id: str, turn: int, illegal: Collection[str], repeated: Collection[str]) -> Problem:
    parts = [
        f"{', '.join(names)} ({why})" for names, why in ((illegal, "illegal"), (repeated, "listed before")) if names
    ]
    return Problem(
        f"Turn {turn} skips {' and '.join(parts)} of includeMoves", query_id, "includeMoves", is_warning=True
    )


def include_unanalyzed(query_id: str, turn: int) -> Problem:
    text = f"Turn {turn} is not analyzed, ignoring includeMoves for this turn"
    return Problem(text, query_id, "includeMoves", is_warning=True)
