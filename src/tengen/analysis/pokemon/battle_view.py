"""Battles as one side was sent them: where it had to choose, and what it chose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen._time_limit import check_time
from tengen.games.pokemon import Pokemon
from tengen.games.pokemon.facts import find_move
from tengen.games.pokemon.protocol import OWN_KIND, Message, parse_line, to_id
from tengen.games.pokemon.requests import DYNAMAX, MOVE, move_name, offered, read, side_of
from tengen.games.pokemon.tracked_state import state_of
from tengen.games.pokemon.tracker import Tracker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["MAX_LINES", "BattleView", "LoggedChoice", "events_after", "find_choices", "read_view"]

MAX_LINES = 50_000
"""Longest log that is read. A battle of a thousand turns has some twenty thousand lines."""

_OWN = f"|{OWN_KIND}|"
_EVENTS = {"faint": "fainted", "-crit": "was hit critically", "-miss": "missed", "cant": "could not move"}


@dataclass(frozen=True)
class LoggedChoice:
    turn: int
    end: int
    """How many lines the side had been sent."""
    action: int


@dataclass(frozen=True)
class BattleView:
    """A battle as one side was sent it."""

    side: int
    lines: tuple[str, ...]
    """Each request after the lines that led to it."""
    choices: tuple[LoggedChoice, ...]
    """Decisions with more than one option whose outcome shows in the log."""


def read_view(lines: Sequence[str]) -> BattleView:
    """Return the view of a log. Raise ValueError if no request names its side."""
    ordered = tuple(_in_order(lines))
    side = next((side for side in map(_side_of, ordered) if side is not None), None)
    if side is None:
        raise ValueError("none of its requests tells whose they are")
    return BattleView(side, ordered, find_choices(ordered))


def find_choices(lines: Sequence[str]) -> tuple[LoggedChoice, ...]:
    """Those that the rules allow too: a spoiled log may hold others."""
    tracker, game = Tracker(), Pokemon()
    choices = []
    for number, line in enumerate(lines, 1):
        check_time()
        tracker.feed(line)
        if not line.startswith("|request|") or tracker.side is None or len(offered(tracker)) < 2:
            continue
        action = _chosen(tracker, lines[number:])
        legal = () if action is None else _legal(game, tracker)
        if action is not None and action in legal and len(legal) > 1:
            choices.append(LoggedChoice(tracker.turn, number, action))
    return tuple(choices)


def _side_of(line: str) -> int | None:
    return side_of(line.removeprefix("|request|")) if line.startswith("|request|") else None


def _legal(game: Pokemon, tracker: Tracker) -> Sequence[int]:
    try:
        return state_of(game, tracker, 0).legal(tracker.side)
    except ValueError:
        return ()


def events_after(view: BattleView, number: int) -> list[str]:
    """Return short texts of the events between a choice and the side's next one."""
    begin = view.choices[number].end
    end = view.choices[number + 1].end if number + 1 < len(view.choices) else len(view.lines)
    told = []
    for line in view.lines[begin:end]:
        message = parse_line(line)
        name = "" if message is None or message.ident is None else message.ident.name
        if message is None or not name:
            continue
        if message.kind == "move" and "from" not in message.tags:
            told.append(f"{name} used {message.arg(1)}")
        elif message.kind in ("switch", "drag"):
            told.append(f"{name} came in")
        elif message.kind in _EVENTS:
            told.append(f"{name} {_EVENTS[message.kind]}")
    return told


def _in_order(lines: Sequence[str]) -> Iterator[str]:
    """A server sends a request before the lines that led to it; a log that was kept otherwise stays as it is."""
    requests = [number for number, line in enumerate(lines) if line.startswith("|request|") and read(line[9:])]
    first = next((number for number, line in enumerate(lines) if line.startswith("|switch|")), len(lines))
    if not requests or requests[0] > first:
        yield from lines
        return
    held, blocks = "", 0
    for number, line in enumerate(lines):
        is_request = number in requests
        blocks += line.startswith("|t:|")
        # The lines that led to a request end with the turn's number, or with the server's next message.
        if held and (is_request or line.startswith(_OWN) or (blocks > 1 and "forceSwitch" in held)):
            yield held
            held = ""
        if is_request:
            held, blocks = line, 0
            continue
        yield line
        if held and line.startswith("|turn|"):
            yield held
            held = ""
    if held:
        yield held


def _chosen(tracker: Tracker, after: Sequence[str]) -> int | None:
    """Return the action that was chosen, by a line of our own records or by the events that follow.

    Return None if nothing shows it, for example because the Pokémon fainted before it could move.
    """
    actions = offered(tracker)
    is_max = tracker.own.field.is_dynamaxed
    grows = False
    for line in after:
        if line.startswith(_OWN):
            noted = read(line.removeprefix(_OWN)).get("action")
            if noted in actions:
                return int(noted)
        message = parse_line(line)
        if message is None:
            continue
        if message.kind in ("turn", "win", "tie") or (
            message.kind == "request" and not read(message.arg(0)).get("wait")
        ):
            return None
        ident = message.ident
        if ident is None or ident.side != tracker.side or "from" in message.tags:
            continue
        if message.kind == "-start" and to_id(message.arg(1)) == "dynamax":
            grows = True
        elif message.kind == "switch":
            return _switch(tracker, message, actions)
        elif message.kind in ("move", "cant"):
            name = to_id(message.arg(2 if message.kind == "cant" else 1))
            return _move(tracker, name, actions, grows=grows, is_max=is_max or grows)
    return None


def _switch(tracker: Tracker, message: Message, actions: Sequence[int]) -> int | None:
    ident = message.ident
    slots = [slot for slot, name in enumerate(tracker.own.team) if ident is not None and name == ident.name]
    return slots[0] if slots and slots[0] in actions else None


def _move(tracker: Tracker, name: str, actions: Sequence[int], *, grows: bool, is_max: bool) -> int | None:
    first = DYNAMAX if grows else MOVE
    known = [move_name(tracker, slot) for slot in range(DYNAMAX - MOVE)]
    if is_max:
        # A Max Move has the type of what it was made of, and Max Guard comes of a status move.
        kind = find_move(name).type
        fits = [find_move(one).is_status if name == "maxguard" else find_move(one).type == kind for one in known]
    else:
        fits = [one == name for one in known]
    found = [first + slot for slot, fit in enumerate(fits) if fit and first + slot in actions]
    return found[0] if found else None
