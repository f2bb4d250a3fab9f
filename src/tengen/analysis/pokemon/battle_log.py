"""Battles as one side was sent them: where it had to choose, and what it chose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.games.pokemon.facts import find_move
from tengen.games.pokemon.protocol import Message, parse_line, to_id
from tengen.games.pokemon.requests import DYNAMAX, MOVE, active_of, offered, read
from tengen.games.pokemon.tracker import Tracker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["BattleLog", "LoggedChoice", "events_after", "read_battle"]

_OWN = "|tengen|"
"""What `tengen showdown` writes between the lines of the protocol: what it chose, and why."""
_EVENTS = {"faint": "fainted", "-crit": "was hit critically", "-miss": "missed", "cant": "could not move"}


@dataclass(frozen=True)
class LoggedChoice:
    turn: int
    end: int
    """How many lines the side had been sent."""
    action: int


@dataclass(frozen=True)
class BattleLog:
    side: int
    names: tuple[str, str]
    lines: tuple[str, ...]
    """Each request after the lines that led to it."""
    choices: tuple[LoggedChoice, ...]
    """Where there was more than one, and what was chosen shows."""
    winner: str
    """Empty: nobody, or the log ends before."""


def read_battle(text: str) -> BattleLog:
    """Raises a ValueError for what is no log of one side."""
    lines = tuple(_in_order([line for line in text.splitlines() if line.startswith("|")]))
    tracker = Tracker()
    names = ["Side 1", "Side 2"]
    winner = ""
    choices = []
    for number, line in enumerate(lines, 1):
        tracker.feed(line)
        message = parse_line(line)
        if message is None:
            continue
        if message.kind == "player" and message.arg(0) in ("p1", "p2") and message.arg(1):
            names[int(message.arg(0)[1]) - 1] = message.arg(1)
        elif message.kind == "win":
            winner = message.arg(0)
        elif message.kind == "request" and len(offered(tracker)) > 1:
            action = _chosen(tracker, lines[number:])
            if action is not None:
                choices.append(LoggedChoice(tracker.turn, number, action))
    if tracker.side is None:
        raise ValueError(
            "it holds no request, so it is no side's own view of a battle: a log such as `tengen showdown --records` "
            "keeps has them, what spectators see has not"
        )
    return BattleLog(tracker.side, (names[0], names[1]), lines, tuple(choices), winner)


def events_after(log: BattleLog, number: int) -> list[str]:
    """What happened between a choice and the side's next one, in short."""
    begin = log.choices[number].end
    end = log.choices[number + 1].end if number + 1 < len(log.choices) else len(log.lines)
    told = []
    for line in log.lines[begin:end]:
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
        # What a request is about ends with the turn's number, or where the server's next message begins.
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
    """By what a record of ours says, else by what happened next. None where nothing shows, as when the Pokémon fainted
    before it could move."""
    actions = offered(tracker)
    is_max = tracker.own.field.is_dynamaxed
    grows = False
    for line in after:
        if line.startswith(_OWN):
            noted = read(line.removeprefix(_OWN)).get("action")
            if noted in actions:
                return int(noted)
        message = parse_line(line)
        if message is None or message.kind in ("request", "turn", "win", "tie"):
            if message is not None:
                return None
            continue
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
    moves = active_of(tracker.request).get("moves")
    known = [str(one.get("id", "")) for one in moves if isinstance(one, dict)] if isinstance(moves, list) else []
    if is_max:
        # A Max Move has the type of what it was made of, and Max Guard comes of a status move.
        kind = find_move(name).type
        fits = [find_move(one).is_status if name == "maxguard" else find_move(one).type == kind for one in known]
    else:
        fits = [one == name for one in known]
    found = [first + slot for slot, fit in enumerate(fits) if fit and first + slot in actions]
    return found[0] if found else None
