"""The files of tables: made for a new game, and read again after a restart, also when they are damaged."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tengen.games import GameError
from tengen.web.line_files import LineFile, read_lines, reason_of, set_aside
from tengen.web.table_settings import TableSettings, new_key
from tengen.web.tables import SETTINGS_KINDS, Table, TableError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tengen.games import Game, Played
    from tengen.web.line_files import FileLines

__all__ = ["make_table", "read_table"]

_MOVES = (b'{"play":', b'{"choose":')
_log = logging.getLogger(__name__)


def make_table(
    settings: TableSettings, game: Game, path: Path, history: Sequence[Played] = (), resigned: int | None = None
) -> Table:
    """Make a table and its file, where the game has gone as far as `history`. An exception leaves no file."""
    lines: list[dict[str, Any]] = [{"play": list(one) if isinstance(one, tuple) else one} for one in history]
    if resigned is not None:
        lines.append({"resign": resigned})
    table = Table(settings, game, lines)
    try:
        table.attach(LineFile.create(path, settings.to_plain(), *lines))
    except OSError as error:
        raise TableError("this could not be written to the disk: {reason}", reason=reason_of(error)) from error
    return table


def read_table(path: Path, make_game: Any) -> Table:
    """Read a table from its file. Raises a TableError if the game can't be continued.

    If lines are damaged, the game is continued from the intact lines before them, and a copy of the file is kept.
    """
    try:
        found = read_lines(path)
        if not found.lines:
            raise _no_head(path, found)
        return _continue(path, found, make_game)
    except TableError:
        raise
    except OSError as error:
        raise TableError("the table can't be continued: {reason}", reason=reason_of(error)) from error
    except (GameError, ValueError, KeyError, TypeError, IndexError, AssertionError) as error:
        _log.warning("%s can't be gone on with: %s: %s", path.name, type(error).__name__, str(error)[:300])
        raise TableError("the table can't be continued: {reason}", reason=error) from error


def _no_head(path: Path, found: FileLines) -> TableError:
    if not found.data:
        return TableError("there is no such table")
    name = set_aside(path, found.data)
    path.unlink()
    return TableError("the file of this table is damaged; it is kept as quarantine/{name}", name=name)


def _continue(path: Path, found: FileLines, make_game: Any) -> Table:
    head, *lines = found.lines
    settings = TableSettings.of_plain(head)
    table = Table(settings, make_game(settings.game, settings.settings), lines)
    is_in_doubt = _are_keys_in_doubt(found)
    if is_in_doubt:
        keys = tuple(new_key() for _ in settings.seats)
        table.settings = replace(table.settings, keys=keys, watch_key=new_key(), hints_for_guests=False)
    if found.damaged or is_in_doubt:
        told = (
            "The file of this table was damaged: the game goes on from what is intact, and all links to it were "
            "replaced. The damaged file is kept as quarantine/{name}."
            if is_in_doubt
            else "The file of this table was damaged: the game goes on from what is intact. The damaged file is kept "
            "as quarantine/{name}."
        )
        table.repaired = TableError(told, name=set_aside(path, found.data))
    if found.is_sealed:
        table.attach(LineFile.open(path, found))
    else:
        moves = [line for line in lines if not line.keys() & SETTINGS_KINDS]
        table.attach(LineFile.open(path, found, [table.settings.to_plain(), *moves]))
    return table


def _are_keys_in_doubt(found: FileLines) -> bool:
    """Return whether a damaged line may have revoked a key or the hints, as lines of files without checksums did."""
    return not found.is_sealed and bool(found.damaged or (found.torn and not found.torn.startswith(_MOVES)))
