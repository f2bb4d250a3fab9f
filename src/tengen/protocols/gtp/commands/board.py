"""Commands about the program and the game: sizes, moves, handicaps, records."""

from __future__ import annotations

import math
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from tengen.games.go.sgf import SgfError, load_sgf
from tengen.protocols.gtp.commands.table import COMMANDS, command, words_of
from tengen.protocols.gtp.handicap import fixed_handicap, free_handicap
from tengen.protocols.gtp.wire import Command, GtpError
from tengen.runs import atomic_write

if TYPE_CHECKING:
    from tengen.protocols.gtp.session import GtpSession

__all__: list[str] = []

_GOGUI = (
    "string/Final Score/final_score",
    "plist/Dead Stones/final_status_list dead",
    "string/Rules/kata-get-rules",
    "string/Network/kata-raw-nn 0",
    "none/Clear Cache/clear_cache",
)


@command("protocol_version")
def _protocol_version(_session: GtpSession, _given: Command) -> str:
    return "2"


@command("name")
def _name(session: GtpSession, _given: Command) -> str:
    return session.name


@command("version")
def _version(session: GtpSession, _given: Command) -> str:
    return session.version


@command("list_commands")
def _list_commands(_session: GtpSession, _given: Command) -> str:
    return "\n".join(COMMANDS)


@command("known_command")
def _known_command(_session: GtpSession, given: Command) -> str:
    return "true" if given.rest in COMMANDS else "false"


@command("gogui-analyze_commands")
def _gogui(_session: GtpSession, _given: Command) -> str:
    return "\n".join(_GOGUI)


@command("quit")
def _quit(session: GtpSession, _given: Command) -> str:
    session.is_over = True
    return ""


@command("boardsize", "rectangular_boardsize")
def _boardsize(session: GtpSession, given: Command) -> str:
    words = words_of(given, 1, 2, "SIZE, WIDTH:HEIGHT or WIDTH HEIGHT")
    if len(words) == 1 and words[0].count(":") == 1:
        words = words[0].split(":")
    sizes = [int(word) if word.isdecimal() and word.isascii() and len(word) < 9 else 0 for word in words]
    session.position.resize(sizes[0], sizes[-1])
    session.start_game()
    return ""


@command("query_boardsize")
def _query_boardsize(session: GtpSession, _given: Command) -> str:
    width, height = session.position.width, session.position.height
    return f"{width}" if width == height else f"{width} {height}"


@command("clear_board")
def _clear_board(session: GtpSession, _given: Command) -> str:
    session.position.clear()
    session.start_game()
    return ""


@command("komi")
def _komi(session: GtpSession, given: Command) -> str:
    [word] = words_of(given, 1, usage="POINTS")
    try:
        komi = float(word)
    except ValueError as error:
        raise GtpError(f"komi {word!r} is no number") from error
    forced = session.settings.ignore_gtp_and_force_komi
    if not math.isfinite(komi):
        raise GtpError(f"komi {word!r} is no number")
    session.position.set_rules(session.position.rules, komi if forced is None else forced)
    return ""


@command("get_komi")
def _get_komi(session: GtpSession, _given: Command) -> str:
    return f"{session.position.komi:g}"


@command("play")
def _play(session: GtpSession, given: Command) -> str:
    color, vertex = words_of(given, 2, usage="COLOR VERTEX")
    session.position.play(color, vertex)
    return ""


@command("undo")
def _undo(session: GtpSession, _given: Command) -> str:
    session.position.undo()
    return ""


@command("showboard")
def _showboard(session: GtpSession, _given: Command) -> str:
    return "\n" + session.position.draw()


@command("set_position")
def _set_position(session: GtpSession, given: Command) -> str:
    words = given.words
    if len(words) % 2:
        raise GtpError("syntax error: expected pairs of COLOR and VERTEX")
    session.position.set_up(list(zip(words[::2], words[1::2], strict=True)), "black")
    session.start_game()
    return ""


# Handicaps.


@command("fixed_handicap")
def _fixed_handicap(session: GtpSession, given: Command) -> str:
    position = session.position
    return _place(session, fixed_handicap(position.width, position.height, _number(given)))


@command("place_free_handicap")
def _place_free_handicap(session: GtpSession, given: Command) -> str:
    """An engine may place fewer stones than it is asked to."""
    number = _number(given)
    session.position.check_empty()
    return _place(session, free_handicap(session, number))


@command("set_free_handicap")
def _set_free_handicap(session: GtpSession, given: Command) -> str:
    vertices = given.words
    if len(vertices) < 2:
        raise GtpError("bad vertex list: expected at least two")
    session.position.place_handicap(vertices)
    session.start_game()
    return ""


def _number(given: Command) -> int:
    [word] = words_of(given, 1, usage="NUMBER")
    number = int(word) if word.isdecimal() and word.isascii() and len(word) < 9 else 0
    if number < 2:
        raise GtpError("invalid number of stones: expected at least 2")
    return number


def _place(session: GtpSession, vertices: list[str]) -> str:
    session.position.place_handicap(vertices)
    session.start_game()
    return " ".join(vertices)


# Records.


@command("loadsgf")
def _loadsgf(session: GtpSession, given: Command) -> str:
    """A file, quoted where its name has blanks, and perhaps a move: the position is the one before it."""
    path, number = _file_and_number(given.rest)
    try:
        session.position = session.position.loaded(load_sgf(path), number)
    except SgfError as error:
        raise GtpError(f"cannot load file: {error}") from error
    session.start_game()
    return ""


def _file_and_number(rest: str) -> tuple[str, int | None]:
    if rest[:1] in ("'", '"'):
        try:
            words = shlex.split(rest)
        except ValueError as error:
            raise GtpError(f"cannot load file: {error}") from error
    else:
        head, _, tail = rest.rpartition(" ")
        words = [head.strip(), tail] if head and tail.isdecimal() else [rest]
    if not words or not words[0] or len(words) > 2:
        raise GtpError("syntax error: expected loadsgf FILE [MOVE]")
    if len(words) == 1:
        return words[0], None
    word = words[1]
    if not (word.isdecimal() and word.isascii() and 0 < len(word) < 9):
        raise GtpError("syntax error: expected loadsgf FILE [MOVE]")
    return words[0], max(0, int(word) - 1)


@command("printsgf")
def _printsgf(session: GtpSession, given: Command) -> str:
    """Return the record, or write it to a file. A file is replaced if it holds a record."""
    data = session.position.record().to_bytes()
    if given.rest in ("", "-"):
        return data.decode("utf-8")
    try:
        path = Path(given.rest)
        if path.exists() and not _may_replace(path):
            raise GtpError(f"cannot write {given.rest!r}: it is there and holds no SGF record")
        atomic_write(path.absolute(), data)
    except (OSError, ValueError) as error:
        if isinstance(error, GtpError):
            raise
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else error
        raise GtpError(f"cannot write {given.rest!r}: {reason}") from error
    return ""


def _may_replace(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        start = file.read(64)
    return not start or start.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"(")
