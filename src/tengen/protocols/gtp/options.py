"""Arguments of analysis commands: a player, an interval, and pairs of keys and values."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Final

from tengen.analysis import Move
from tengen.analysis.go import GoOutputs
from tengen.games import GameError
from tengen.games.go import COLORS
from tengen.games.go.notation import parse_color
from tengen.protocols.gtp.wire import GtpError
from tengen.search import Restriction

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tengen.games.go.notation import Color
    from tengen.protocols.gtp.position import Position

__all__ = ["AnalyzeOptions", "is_color", "parse_options", "parse_player"]

_FLAGS: Final = {
    "rootInfo": "root_info",
    "ownership": "ownership",
    "ownershipStdev": "ownership_stdev",
    "movesOwnership": "moves_ownership",
    "movesOwnershipStdev": "moves_ownership_stdev",
    "pvVisits": "pv_visits",
    "pvEdgeVisits": "pv_edge_visits",
    "noResultValue": "no_result_value",
}
_BY_LOWER: Final = {name.lower(): name for name in _FLAGS}
_KEYS: Final = ("interval", "minmoves", "maxmoves", "avoid", "allow", "include")
_OUTPUTS: Final = frozenset(each.name for each in fields(GoOutputs))
_MAX: Final = 2**50


@dataclass
class AnalyzeOptions:
    player: Color
    interval_s: float | None = None
    """Seconds between reports, or None for no reports during the search."""
    min_moves: int = 0
    max_moves: int = _MAX
    avoid: list[Restriction] = field(default_factory=list)
    allow: list[Restriction] = field(default_factory=list)
    include: list[Move] = field(default_factory=list)
    include_visits: int = 1
    root_info: bool = False
    pv_visits: bool = False
    pv_edge_visits: bool = False
    outputs: GoOutputs = field(default_factory=GoOutputs)


def parse_options(words: list[str], position: Position, *, with_flags: bool) -> AnalyzeOptions:
    """`with_flags` are those that KataGo's commands have and Leela Zero's have not."""
    options = AnalyzeOptions(position.to_play)
    rest = iter(words)
    first = next(rest, None)
    if first is not None and is_color(first):
        options.player = parse_color(first)
        first = next(rest, None)
    if first is not None and first[0].isdigit():
        options.interval_s = _interval(first)
        first = next(rest, None)
    while first is not None:
        _parse_pair(first, rest, options, position, with_flags=with_flags)
        first = next(rest, None)
    if options.avoid and options.allow:
        raise GtpError("allow and avoid don't go together")
    return options


def _parse_pair(
    key: str, rest: Iterator[str], options: AnalyzeOptions, position: Position, *, with_flags: bool
) -> None:
    name = key.lower()
    if name not in _KEYS and not (with_flags and name in _BY_LOWER):
        raise GtpError(f"unknown analysis option {key!r}")
    value = next(rest, None)
    if value is None:
        raise GtpError(f"{key} needs a value")
    if name == "interval":
        options.interval_s = _interval(value)
    elif name == "minmoves":
        options.min_moves = _count(key, value)
    elif name == "maxmoves":
        options.max_moves = _count(key, value)
    elif name in ("avoid", "allow"):
        _restrict(name, parse_player(value), rest, options, position)
    elif name == "include":
        _include(parse_player(value), rest, options, position)
    else:
        if value.lower() not in ("true", "false"):
            raise GtpError(f"{key} is true or false, not {value!r}")
        flag, is_on = _FLAGS[_BY_LOWER[name]], value.lower() == "true"
        if flag in _OUTPUTS:
            options.outputs = replace(options.outputs, **{flag: is_on})
        else:
            setattr(options, flag, is_on)


def _restrict(name: str, player: Color, rest: Iterator[str], options: AnalyzeOptions, position: Position) -> None:
    points, depth = next(rest, None), next(rest, None)
    if points is None or depth is None:
        raise GtpError(f"{name} takes a player, points and a depth, such as {name} B Q16,D4 1")
    chosen = options.avoid if name == "avoid" else options.allow
    seat = COLORS.index(player)
    if name == "allow" and any(restriction.player == seat for restriction in chosen):
        raise GtpError("allow may be given once for each player")
    until = _count(name, depth, minimum=1, maximum=10**9)
    chosen.append(Restriction(tuple(move.action for move in _moves(points, position)), seat, until))


def _include(player: Color, rest: Iterator[str], options: AnalyzeOptions, position: Position) -> None:
    points, visits = next(rest, None), next(rest, None)
    if points is None or visits is None:
        raise GtpError("include takes a player, points and visits, such as include B Q16,D4 10")
    if player != options.player:
        raise GtpError(f"include names {player}, but {options.player} is to move")
    options.include += _moves(points, position)
    options.include_visits = max(options.include_visits, _count("include", visits, minimum=1))


def is_color(word: str) -> bool:
    try:
        parse_color(word)
    except GameError:
        return False
    return True


def parse_player(word: str) -> Color:
    try:
        return parse_color(word)
    except GameError as error:
        raise GtpError(f"invalid color {word!r}: expected black or white") from error


def _moves(word: str, position: Position) -> list[Move]:
    cells = [position.cell(part) for part in word.split(",") if part]
    return [Move(None, cell, position.game.name(cell)) for cell in cells]


def _interval(word: str) -> float:
    try:
        seconds = float(word) / 100
    except ValueError as error:
        raise GtpError(f"invalid interval {word!r}: expected centiseconds") from error
    if not 0 <= seconds <= 1e6:
        raise GtpError(f"invalid interval {word!r}: expected centiseconds")
    return max(seconds, 0.01)


def _count(key: str, word: str, minimum: int = 0, maximum: int = _MAX) -> int:
    number = int(word) if word.isdecimal() and word.isascii() and len(word) < 20 else -1
    if not minimum <= number <= maximum:
        raise GtpError(f"{key} needs a number of at least {minimum}, not {word!r}")
    return number
