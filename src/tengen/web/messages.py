"""The messages on the socket of a tab. Each is a JSON object whose kind is in `t`, and each kind has a type here.

parse_message() reads messages of the page and raises a MessageError with a text for the person. encode_message() writes
messages of the server and omits fields that are None.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

from tengen.analysis.jsonlines import parse_json

__all__ = [
    "MAX_MESSAGE_BYTES",
    "Analysis",
    "Ask",
    "Board",
    "Clock",
    "Edit",
    "Hint",
    "Hints",
    "Look",
    "Match",
    "MessageError",
    "Offer",
    "Offered",
    "Open",
    "PageMessage",
    "Play",
    "Problem",
    "Rematch",
    "Resign",
    "Review",
    "Run",
    "ServerMessage",
    "Table",
    "Tree",
    "Undo",
    "Watch",
    "encode_message",
    "parse_message",
]

MAX_MESSAGE_BYTES = 1 << 16
"""Most bytes of a message of the page."""
_MOST_ITEMS = 2000
_LONGEST_TEXT = 20_000


class MessageError(ValueError):
    """An invalid message of a page."""


# To the server.


@dataclass(frozen=True, slots=True)
class Open:
    """Shows a table, or a node of a study; what was shown before is no longer followed."""

    t: ClassVar[str] = "open"
    table: str | None = None
    key: str | None = None
    """The key of a seat, or of a place for spectators."""
    study: str | None = None
    node: int = 0
    ahead: int = 0
    """So many further nodes of the line come with it, at most AHEAD."""
    seat: int | None = None
    """The seat whose choices a study shows if all players choose at the same time."""
    lang: str = "en"
    """The language of the game, if the game has it."""


@dataclass(frozen=True, slots=True)
class Play:
    """At the table or study that is open. A late click, one for another ply, changes nothing."""

    t: ClassVar[str] = "play"
    ply: int
    """At a study: the node."""
    action: int | None = None
    text: str | None = None
    """A typed move, instead of the action."""
    joint: tuple[int, ...] = ()
    """The choice of each seat in a study if all players choose at the same time."""
    warn: bool = False
    """Request a warning if the move is a mistake."""


@dataclass(frozen=True, slots=True)
class Undo:
    t: ClassVar[str] = "undo"
    ply: int


@dataclass(frozen=True, slots=True)
class Resign:
    t: ClassVar[str] = "resign"


@dataclass(frozen=True, slots=True)
class Offer:
    """A response to the request of another person to take a move back, or to play again."""

    t: ClassVar[str] = "offer"
    accept: bool


@dataclass(frozen=True, slots=True)
class Rematch:
    t: ClassVar[str] = "rematch"


@dataclass(frozen=True, slots=True)
class Hint:
    t: ClassVar[str] = "hint"
    ply: int


@dataclass(frozen=True, slots=True)
class Ask:
    """Analysis of a node of the open study. Without visits: no more."""

    t: ClassVar[str] = "ask"
    node: int = 0
    visits: int | None = None
    pins: tuple[int, ...] = ()
    """Actions that are sure of visits."""
    pin_visits: int = 50
    allow: tuple[int, ...] = ()
    """Actions, and no others, until `depth`."""
    avoid: tuple[int, ...] = ()
    depth: int = 1
    seat: int | None = None
    """The seat whose choices are analyzed if all players choose at the same time."""


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of the open study's tree."""

    t: ClassVar[str] = "edit"
    node: int
    what: str
    """promote, delete or comment."""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Review:
    """Fills the whole game of the open study with so many visits a position. Without visits: no more."""

    t: ClassVar[str] = "review"
    visits: int | None = None


@dataclass(frozen=True, slots=True)
class Watch:
    """A run or a match below the roots, by its id in the library; both None: nothing more of them."""

    t: ClassVar[str] = "watch"
    run: str | None = None
    match: str | None = None


@dataclass(frozen=True, slots=True)
class Look:
    """The visibility of the tab. A hidden tab is sent boards only."""

    t: ClassVar[str] = "look"
    visible: bool


ServerMessage: TypeAlias = Open | Play | Undo | Resign | Offer | Rematch | Hint | Ask | Edit | Review | Watch | Look


# To the page.


@dataclass(frozen=True, slots=True)
class Clock:
    left_s: float
    """The main time that was left when the message was sent, in seconds."""
    is_running: bool = False
    increment_s: float = 0.0
    byoyomi_s: float = 0.0
    periods: int = 0


@dataclass(frozen=True, slots=True)
class Board:
    """A position as one place sees it. None of drawing, spots, labels, actions: as in the board sent before on this
    socket."""

    t: ClassVar[str] = "board"
    ply: int
    """At a study: how many moves led here."""
    actor: int | str | None
    """A seat, "chance", "all", or None after the end of the game."""
    table: str | None = None
    study: str | None = None
    node: int | None = None
    seat: int | None = None
    """The seat that sees the position, None for spectators. In a study, the seat whose choices are shown if all players
    choose at the same time."""
    is_turn: bool = False
    """True if the receiver may play now."""
    chosen: int | None = None
    """The choice that this seat has already made if all players choose at the same time."""
    last: tuple[str, ...] = ()
    """The touches of the last action."""
    last_text: str = ""
    """The last action in words."""
    by: int | str | None = None
    """The actor of the last action."""
    log: tuple[str, ...] = ()
    """Sentences about the last action, and about a round before its start and after its end."""
    result: dict[str, Any] | None = None
    """After the end: payoffs, how ("resigned", "time" or ""), who (resigned or ran out of time), unit."""
    clocks: tuple[Clock, ...] | None = None
    svg: str | None = None
    """The whole drawing; or `patch`."""
    patch: tuple[Any, ...] | None = None
    """The changes of the previous drawing, in the form of tengen.games.patches.diff()."""
    spots: tuple[tuple[Any, ...], ...] | None = None
    """[id, x, y, width, height, is supply] of each."""
    labels: dict[str, str] | None = None
    """By spot; with `spots` all that are not empty, else those that changed."""
    actions: tuple[tuple[Any, ...], ...] | None = None
    """[action, name, touches] of each that is legal for this seat; with `gone` only those that are new."""
    gone: tuple[int, ...] | None = None
    """Actions of the board before that are not legal any more."""
    can: tuple[str, ...] = ()
    """The commands that this seat may use now: undo, resign, hint, rematch, save."""
    is_ahead: bool = False
    """For later, of a study: not to be shown now."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """The engine's analysis of a node."""

    t: ClassVar[str] = "analysis"
    node: int
    ply: int
    root: dict[str, Any]
    """visits, and what of value, winrate, score there is, for the player to move."""
    seat: int | None = None
    """The analyzed seat if all players choose at the same time."""
    moves: tuple[dict[str, Any], ...] = ()
    """At most 24, the best first: action, name, touches, visits, value, winrate, score, loss, verdict, line,
    pinned."""
    heat: dict[str, float] | None = None
    """By spot, from -1 (the second player's) to 1."""
    is_done: bool = False
    unit: str = ""
    """The unit of `loss`."""


@dataclass(frozen=True, slots=True)
class Hints:
    t: ClassVar[str] = "hints"
    ply: int
    moves: tuple[dict[str, Any], ...]
    """action, name, touches, text."""
    note: str = ""
    warning: str | None = None
    """The cost of the last move, if the message is a warning and not a requested hint."""


@dataclass(frozen=True, slots=True)
class Offered:
    """A request of another person, or the refusal of one."""

    t: ClassVar[str] = "offered"
    what: str
    """undo or rematch; or "no undo", "no rematch": the other one has refused."""
    seat: int


@dataclass(frozen=True, slots=True)
class Tree:
    """The variations of the open study: all of them, or those that changed since the last tree."""

    t: ClassVar[str] = "tree"
    study: str
    nodes: tuple[dict[str, Any], ...]
    """id, parent, name, ply, comment; children in order, the main line first. What a review found: `winrate` and
    `score` or `value`, `loss` and `verdict`."""
    gone: tuple[int, ...] | None = None
    """Nodes that were deleted since the last tree; None: `nodes` are all that there are."""
    node: int = 0
    """The one that is shown."""
    title: str = ""
    players: int = 2


@dataclass(frozen=True, slots=True)
class Table:
    """The open table and the people at it."""

    t: ClassVar[str] = "table"
    table: str
    game: str
    title: str
    seats: tuple[dict[str, Any], ...]
    """level (of a computer; null: a person) and here."""
    watchers: int = 0
    is_owner: bool = False
    is_series: bool = False
    """Its games are rounds that hang together: a rematch is the next of them, at this table."""
    next: str | None = None
    """The table of the rematch."""
    next_key: str | None = None


@dataclass(frozen=True, slots=True)
class Run:
    """A run that is watched."""

    t: ClassVar[str] = "run"
    run: str
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Match:
    """A match that is watched."""

    t: ClassVar[str] = "match"
    match: str
    facts: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Problem:
    t: ClassVar[str] = "problem"
    text: str
    about: str = ""
    """The kind of the message that caused the problem."""


PageMessage: TypeAlias = Board | Analysis | Hints | Offered | Tree | Table | Run | Match | Problem

_KINDS: dict[str, Any] = {kind.t: kind for kind in typing.get_args(ServerMessage)}


def parse_message(text: str | bytes) -> ServerMessage:
    size = len(text) if isinstance(text, bytes) else len(text.encode(errors="replace"))
    if size > MAX_MESSAGE_BYTES:
        raise MessageError(f"a message has at most {MAX_MESSAGE_BYTES} bytes, this one {size}")
    try:
        found = parse_json(text.decode() if isinstance(text, bytes) else text)
    except (ValueError, RecursionError) as error:
        raise MessageError("a message must be a JSON object, which this is not") from error
    if not isinstance(found, dict):
        raise MessageError("a message must be a JSON object, which this is not")
    kind = _KINDS.get(found["t"]) if isinstance(found.get("t"), str) else None
    if kind is None:
        raise MessageError(f"no message is of the kind {found.get('t')!r:.40}: there are {', '.join(_KINDS)}")
    known = typing.get_type_hints(kind)
    fields = {part.name: part for part in dataclasses.fields(kind)}
    values = {}
    for name, value in found.items():
        if name == "t":
            continue
        if name not in fields:
            raise MessageError(f"{kind.t} has no field {name!r:.40}: it has {', '.join(fields) or 'none'}")
        values[name] = _read(f"{kind.t}.{name}", value, known[name])
    missing = [name for name, part in fields.items() if name not in values and not _has_default(part)]
    if missing:
        raise MessageError(f"{kind.t} lacks {', '.join(missing)}")
    message: ServerMessage = kind(**values)
    return message


def encode_message(message: PageMessage) -> str:
    return json.dumps({"t": message.t, **_plain(message)}, ensure_ascii=False, separators=(",", ":"))


def _plain(value: Any) -> dict[str, Any]:
    found = {}
    for part in dataclasses.fields(value):
        content = getattr(value, part.name)
        # For `actor`, None means that the game has ended.
        if content is None and part.name != "actor":
            continue
        if isinstance(content, tuple) and content and dataclasses.is_dataclass(content[0]):
            content = [_plain(item) for item in content]
        found[part.name] = content
    return found


def _has_default(part: dataclasses.Field[Any]) -> bool:
    return part.default is not dataclasses.MISSING or part.default_factory is not dataclasses.MISSING


def _read(where: str, value: Any, wanted: Any) -> Any:
    if isinstance(wanted, types.UnionType):
        if value is None:
            return None
        wanted = next(kind for kind in typing.get_args(wanted) if kind is not type(None))
    if typing.get_origin(wanted) is tuple:
        item = typing.get_args(wanted)[0]
        if not isinstance(value, list) or len(value) > _MOST_ITEMS:
            raise MessageError(f"{where} must be a list of at most {_MOST_ITEMS} items")
        return tuple(_read(f"{where}[{index}]", part, item) for index, part in enumerate(value))
    is_right = isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
    if not is_right or (wanted is int and abs(value) >= 1 << 53) or (wanted is str and len(value) > _LONGEST_TEXT):
        names = {int: "a whole number", bool: "true or false", str: f"a text of at most {_LONGEST_TEXT} letters"}
        raise MessageError(f"{where} must be {names[wanted]}")
    return value
