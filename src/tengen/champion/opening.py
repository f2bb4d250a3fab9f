"""Opening the folder of a run: a new one, or one that holds a run with the same settings.

A run's settings are written once and whole. A setting that is absent from them was added by a later version. It has the
default of the class that declares it, so that an upgrade changes nothing in a run that has begun.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tengen.champion.settings import format_settings, read_settings
from tengen.games import GameError
from tengen.runs import Run, RunError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tengen.games import Game

__all__ = ["game_table", "is_of_game", "open_or_create", "run_settings"]

GAME = "game"


def game_table(game: Game) -> dict[str, Any]:
    return {"name": getattr(type(game), "source", game.id), "settings": dict(game.settings)}


def is_of_game(run: Run, game: Game) -> bool:
    """Return whether a run is of this game with these settings."""
    return bool(_complete_game(run.settings.get(GAME), game) == game_table(game))


def run_settings(run: Run, kind: type[Any], table: str, facts: tuple[str, ...] = ()) -> Any:
    """Return the settings of a run from the table that holds them. `facts` are entries of the table that are none.

    Raises a RunError if the run has a setting that this version does not have.
    """
    own = {name: value for name, value in run.settings[table].items() if name not in facts}
    try:
        return read_settings(kind, own)
    except ValueError as error:
        raise RunError(f"{run.path}: {table}: {error}. The run may be of a newer version of Tengen") from error


def open_or_create(
    path: str | Path,
    game: Game,
    table: str,
    settings: Any,
    *,
    facts: Mapping[str, object] | None = None,
    others: Mapping[str, object] | None = None,
) -> Run:
    """Return a new run with these settings, or the existing one if it has the same ones.

    `facts` are entries of the settings' table that are no settings; `others` are further tables.
    """
    facts = facts or {}
    tables = {GAME: game_table(game), table: {**facts, **format_settings(settings)}, **(others or {})}
    complete = partial(_complete, game=game, table=table, kind=type(settings), facts=tuple(facts))
    return Run.create(path, tables, complete)


def _complete(run: Run, *, game: Game, table: str, kind: type[Any], facts: tuple[str, ...]) -> dict[str, Any]:
    """Return the settings of a run with those that were added after it began."""
    tables = dict(run.settings)
    if GAME in tables:
        tables[GAME] = _complete_game(tables[GAME], game)
    if isinstance(tables.get(table), dict):
        kept = {name: value for name, value in tables[table].items() if name in facts}
        tables[table] = kept | format_settings(run_settings(run, kind, table, facts))
    return tables


def _complete_game(stored: Any, game: Game) -> Any:
    """Return a run's table of this game with the game's settings that are absent from it."""
    if not isinstance(stored, dict) or stored.get("name") != game_table(game)["name"]:
        return stored
    own = dict(stored.get("settings", {}))
    try:
        complete = dict(type(game)(**own).settings)
    except GameError:  # the difference is reported by the setting's name
        return stored
    # TOML has no None, so a setting that is None is absent, too.
    unset = {name: None for name, value in game.settings.items() if value is None and name not in own}
    return {**stored, "settings": complete | unset}
