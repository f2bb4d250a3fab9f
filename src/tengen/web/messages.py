"""What goes over the socket of a tab: one JSON object a message, one type a kind, told apart by `t`.

What the page sends is read by parse_message(), which raises a MessageError whose text is a sentence for the person.
What the server sends is written by encode_message(); fields that hold None are left out.
"""

from __future__ import annotations

import dataclasses
import json
import types
import typing
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

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
"""Of what a page sends."""
_MOST_ITEMS = 2000
_LONGEST_TEXT = 20_000


class MessageError(ValueError):
    """What a page sent does not read; the text says why."""


# To the server.


@dataclass(frozen=True, slots=True)
class Open:
    """Shows a table, or a node of a study; what was shown before is no longer followed."""

    t: ClassVar[str] = "open"
    table: str | None = None
    key: str | None = None
    """Of a seat, or of a place to watch from."""
    study: str | None = None
    node: int = 0
    ahead: int = 0
    """So many further nodes of the line come with it, at most AHEAD."""
    seat: int | None = None
    """At a study: whose choices, where all choose at once."""
    lang: str = "en"
    """What games that speak it are shown in."""


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
    """At a study where all choose at once: what each seat chooses."""
    warn: bool = False
    """To be told if it is a mistake."""


@dataclass(frozen=True, slots=True)
class Undo:
    t: ClassVar[str] = "undo"
    ply: int


@dataclass(frozen=True, slots=True)
class Resign:
    t: ClassVar[str] = "resign"


@dataclass(frozen=True, slots=True)
class Offer:
    """Answers what another person asked for: to take a move back, or another game."""

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
    """Whose choices, where all choose at once."""


@dataclass(frozen=True, slots=True)
class Edit:
    """Of the open study's tree."""

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
    """Whether anyone looks at the tab: hidden ones get boards, and nothing else."""

    t: ClassVar[str] = "look"
    visible: bool


ServerMessage: TypeAlias = Open | Play | Undo | Resign | Offer | Rematch | Hint | Ask | Edit | Review | Watch | Look


# To the page.


@dataclass(frozen=True, slots=True)
class Clock:
    left_s: float
    """Of the main time, when this was sent."""
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
    """A seat, "chance", "all", or None when it is over."""
    table: str | None = None
    study: str | None = None
    node: int | None = None
    seat: int | None = None
    """Whose eyes; None: what all see. At a study where all choose at once: whose choices."""
    is_turn: bool = False
    """Whoever gets this may play."""
    chosen: int | None = None
    """Where all choose at once: what this seat has chosen already."""
    last: tuple[str, ...] = ()
    """The touches of the last action."""
    last_text: str = ""
    """It in words."""
    by: int | str | None = None
    """Who did it."""
    log: tuple[str, ...] = ()
    """What the last action did, and what is told before and after a round, a sentence each."""
    result: dict[str, Any] | None = None
    """Once it is over: payoffs, how ("resigned", "time" or ""), who (gave up or ran out of time), unit."""
    clocks: tuple[Clock, ...] | None = None
    svg: str | None = None
    """The whole drawing; or `patch`."""
    patch: tuple[Any, ...] | None = None
    """Of the drawing before, as tengen.games.patches.diff() answers it."""
    spots: tuple[tuple[Any, ...], ...] | None = None
    """[id, x, y, width, height, is supply] of each."""
    labels: dict[str, str] | None = None
    """By spot; with `spots` all that are not empty, else those that changed."""
    actions: tuple[tuple[Any, ...], ...] | None = None
    """[action, name, touches] of each that is legal for this seat; with `gone` only those that are new."""
    gone: tuple[int, ...] | None = None
    """Actions of the board before that are not legal any more."""
    can: tuple[str, ...] = ()
    """Which of undo, resign, hint, rematch, save are open to this seat now."""
    is_ahead: bool = False
    """For later, of a study: not to be shown now."""


@dataclass(frozen=True, slots=True)
class Analysis:
    """What the engine says of a node."""

    t: ClassVar[str] = "analysis"
    node: int
    ply: int
    root: dict[str, Any]
    """visits, and what of value, winrate, score there is, for the player to move."""
    seat: int | None = None
    """Where all choose at once: for whom."""
    moves: tuple[dict[str, Any], ...] = ()
    """At most 24, the best first: action, name, touches, visits, value, winrate, score, loss, line, pinned."""
    heat: dict[str, float] | None = None
    """By spot, from -1 (the second player's) to 1."""
    is_done: bool = False
    unit: str = ""
    """What `loss` counts."""


@dataclass(frozen=True, slots=True)
class Hints:
    t: ClassVar[str] = "hints"
    ply: int
    moves: tuple[dict[str, Any], ...]
    """action, name, touches, text."""
    note: str = ""
    warning: str | None = None
    """Instead of a hint that was asked for: what a review says of the move just played."""


@dataclass(frozen=True, slots=True)
class Offered:
    """Another person asks for something, or answers."""

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
    """Who sits at the open table."""

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
    """The kind of message that it answers."""


PageMessage: TypeAlias = Board | Analysis | Hints | Offered | Tree | Table | Run | Match | Problem

_KINDS: dict[str, Any] = {kind.t: kind for kind in typing.get_args(ServerMessage)}


def parse_message(text: str | bytes) -> ServerMessage:
    size = len(text) if isinstance(text, bytes) else len(text.encode(errors="replace"))
    if size > MAX_MESSAGE_BYTES:
        raise MessageError(f"a message has at most {MAX_MESSAGE_BYTES} bytes, this one {size}")
    try:
        found = json.loads(text)
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
        # `actor` is None on purpose when a game is over.
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
