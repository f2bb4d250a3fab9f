"""Game_Summary: what a server says of a game before it begins."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tengen.games.shogi.records import RecordError, parse_csa
from tengen.protocols.csa.errors import SummaryError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games.shogi.records import Board

__all__ = ["GameSummary", "TimeControl", "parse_game_summary"]

_log = logging.getLogger(__name__)

BEGIN: Final = "BEGIN Game_Summary"
END: Final = "END Game_Summary"
MAX_SUMMARY_LINES: Final = 5000
"""A server that never comes to the end is not listened to for ever."""
_UNIT: Final = re.compile(r"(\d*)\s*(msec|sec|min)", re.ASCII)
_UNIT_MS: Final = {"msec": 1, "sec": 1000, "min": 60_000}
_DECLARATIONS: Final = {"Jishogi 1.1": "CSARule27"}
_MAX_UNITS: Final = 10**9


@dataclass(frozen=True)
class TimeControl:
    """Of one side; times are counted in units."""

    unit_ms: int = 1000
    total: int = 0
    byoyomi: int = 0
    increment: int = 0
    """Added before every move, the first one included."""
    delay: int = 0
    """Not counted of every move."""
    least: int = 0
    """Counted of a move at least."""
    is_rounded_up: bool = False
    """A unit that has begun counts in full."""

    @property
    def has_clock(self) -> bool:
        return bool(self.total or self.byoyomi or self.increment)


@dataclass(frozen=True)
class GameSummary:
    game_id: str
    names: dict[str, str]
    """By color, + and -."""
    color: str
    """Ours."""
    times: dict[str, TimeControl]
    """By color."""
    board: Board = field(compare=False)
    """Before `moves`."""
    moves: tuple[tuple[str, int | None], ...]
    """In USI, already played, with their times: the game goes on after them."""
    max_moves: int = 0
    """The ply at which the game is drawn; 0: none."""
    declaration: str = "NoEnteringKing"
    """The rule for declarations by its name in USI."""
    other: dict[str, str] = field(default_factory=dict)
    """What else was said, by key."""

    @property
    def opponent(self) -> str:
        return self.names["-" if self.color == "+" else "+"]


def parse_game_summary(lines: Sequence[str]) -> GameSummary:
    """From `BEGIN Game_Summary` to `END Game_Summary`, with or without these two. Raises SummaryError."""
    head, times, position = _sections(lines)
    color = head.pop("Your_Turn", "")
    if color not in ("+", "-"):
        raise SummaryError(f"Your_Turn is {color!r} instead of + or -")
    if not head.get("Game_ID"):
        raise SummaryError("there is no Game_ID")
    form = head.get("Format", "Shogi 1.0")
    if form != "Shogi 1.0":
        raise SummaryError(f"Format {form!r} is not known: expected Shogi 1.0")
    board, moves = _position(position)
    to_move = head.pop("To_Move", "")
    first, moving = "+-"[board.side], "+-"[(board.side + len(moves)) % 2]
    if to_move not in ("", first, moving):
        raise SummaryError(f"To_Move is {to_move!r}, but in the position it is the turn of {moving}")
    common = times.get("", {})
    return GameSummary(
        game_id=head.pop("Game_ID"),
        names={"+": head.pop("Name+", ""), "-": head.pop("Name-", "")},
        color=color,
        times={side: _time_control({**common, **times.get(side, {})}) for side in ("+", "-")},
        board=board,
        moves=tuple(moves),
        max_moves=_number(head.pop("Max_Moves", "0"), "Max_Moves"),
        declaration=_declaration(head.get("Declaration", "")),
        other=head,
    )


def _sections(lines: Sequence[str]) -> tuple[dict[str, str], dict[str, dict[str, str]], list[str]]:
    """Keys of the head, those of the times by side ("" for both), lines of the position."""
    head: dict[str, str] = {}
    times: dict[str, dict[str, str]] = {}
    position: list[str] = []
    section = ""
    for line in lines:
        text = line.strip()
        if text in (BEGIN, END, ""):
            continue
        if text.startswith("BEGIN "):
            section = text[6:]
        elif text.startswith("END "):
            section = ""
        elif section == "Position":
            position.append(line)
        else:
            key, colon, value = text.partition(":")
            if not colon:
                _log.warning("the Game_Summary holds %r, which is no key with a value", text)
            elif section.startswith("Time"):
                times.setdefault(section[4:].strip(), {})[key.strip()] = value.strip()
            elif not section:
                head[key.strip()] = value.strip()
    return head, times, position


def _position(lines: Sequence[str]) -> tuple[Board, list[tuple[str, int | None]]]:
    """A CSA record of its own: the start, and moves that were played."""
    if not any(line.startswith("P") for line in lines):
        raise SummaryError("there is no position: expected P1 to P9, or PI")
    try:
        record = parse_csa("\n".join(lines))[0]
    except RecordError as error:
        raise SummaryError(f"the position can't be read: {error}") from error
    line = record.root.main_line()
    if any(node.move is None for node in line):
        raise SummaryError("the position is that of a game that has ended")
    return record.board, [(node.move or "", None if node.time_s is None else int(node.time_s)) for node in line]


def _time_control(keys: dict[str, str]) -> TimeControl:
    unit = _UNIT.fullmatch(keys.get("Time_Unit", "1sec"))
    if unit is None:
        raise SummaryError(f"Time_Unit {keys['Time_Unit']!r} is not known: expected 1sec, 1min or 1msec")
    return TimeControl(
        unit_ms=max(1, int(unit[1] or 1)) * _UNIT_MS[unit[2]],
        total=_number(keys.get("Total_Time", "0"), "Total_Time"),
        byoyomi=_number(keys.get("Byoyomi", "0"), "Byoyomi"),
        increment=_number(keys.get("Increment", "0"), "Increment"),
        delay=_number(keys.get("Delay", "0"), "Delay"),
        least=_number(keys.get("Least_Time_Per_Move", "0"), "Least_Time_Per_Move"),
        is_rounded_up=keys.get("Time_Roundup", "NO").upper() == "YES",
    )


def _number(text: str, key: str) -> int:
    if re.fullmatch(r"\d{1,9}", text, re.ASCII) is None:
        raise SummaryError(f"{key} is {text!r} instead of a number from 0 to {_MAX_UNITS - 1}")
    return int(text)


def _declaration(text: str) -> str:
    rule = _DECLARATIONS.get(text)
    if rule is None and text:
        _log.warning("the rule for declarations, %r, is not known: nothing will be declared", text)
    return rule or "NoEnteringKing"
