"""The settings of a learning run: from presets, TOML files, options and --set, and back to TOML with a line on each."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.champion.opening import GAME
from tengen.champion.presets import Tables, merge, quick_settings, resolve
from tengen.champion.settings import format_settings
from tengen.console.options import look_here
from tengen.console.output import UsageError, usage_errors
from tengen.console.trust import find_game_of
from tengen.games import find, game_settings, parse_setting
from tengen.games import game as make_game
from tengen.games.loading import check_complete, check_facts
from tengen.runs import Run, RunError, format_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tengen.champion import LearnSettings
    from tengen.games import Game

__all__ = ["describe", "game_of", "read_file", "read_pairs", "resolve_named"]


def read_file(path: Path) -> Tables:
    with usage_errors(f"{path}: "):
        return tomllib.loads(path.read_text(encoding="utf-8"))


def read_pairs(pairs: Sequence[str] | None) -> Tables:
    """From KEY=VALUE with dots in the key; the value is TOML, or a text as it stands."""
    tables: Tables = {}
    for pair in pairs or ():
        key, sign, text = pair.partition("=")
        names = [name.strip().replace("-", "_") for name in key.split(".")]
        if not sign or not all(names):
            raise UsageError(f"{pair!r} is not of the form KEY=VALUE")
        value: Any = _read_value(text.strip())
        for name in reversed(names):
            value = {name: value}
        tables = merge(tables, value)
    return tables


def _read_value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def game_of(run: Run, named: str | None = None) -> Game:
    """Return the game of a run; `named` is its name if the user gave one."""
    kind = find_game_of(run, named)
    with usage_errors(f"{run.path}: "):
        check_complete(kind)
        game = kind(**run.settings[GAME].get("settings", {}))
        check_facts(game)
        return game


def resolve_named(
    name: str, given: Mapping[str, Any], path: Path | None = None, *, quick: bool = False
) -> tuple[Game, LearnSettings]:
    """Return the game of that name and the settings of a run of it; see resolve()."""
    look_here(name)
    with usage_errors():
        kind = find(name)
    with usage_errors(passing=RunError):
        of_game, settings = resolve(kind, given, path, quick_settings(kind) if quick else None)
    return _make_game(name, of_game), settings


def _make_game(name: str, values: Mapping[str, Any]) -> Game:
    look_here(name)
    with usage_errors():
        known = game_settings(name)
        # A text from --set may be any kind that the game takes.
        read = {
            key: parse_setting(known[key], value) if isinstance(value, str) and key in known else value
            for key, value in values.items()
        }
        return make_game(name, **read)


def describe(game: Game, settings: LearnSettings) -> str:
    """All settings as TOML, each below the line that documents it. `--config` reads it."""
    lines = [f"# A learning run of {game.id}: every setting."]
    lines += _table_lines(settings, "")
    if game.settings:
        lines += ["", "# The game's own settings.", f"[{GAME}]", format_toml(dict(game.settings)).rstrip()]
    return "\n".join(lines) + "\n"


def _table_lines(settings: Any, prefix: str) -> Iterator[str]:
    docs = _docs(type(settings))
    tables = format_settings(settings)
    below = []
    for entry in dataclasses.fields(settings):
        value = tables.get(entry.name)
        part = getattr(settings, entry.name)
        if isinstance(value, dict) and dataclasses.is_dataclass(part):
            below.append((f"{prefix}{entry.name}", part))
            continue
        if entry.name in docs:
            yield from textwrap.wrap(docs[entry.name], 100, initial_indent="# ", subsequent_indent="# ")
        # A setting that is not set has no value in TOML.
        yield f"# {entry.name} is not set" if value is None else format_toml({entry.name: value}).rstrip()
    for name, value in below:
        yield ""
        yield from textwrap.wrap(_first_line(type(value)), 100, initial_indent="# ", subsequent_indent="# ")
        yield f"[{name}]"
        yield from _table_lines(value, f"{name}.")


def _first_line(kind: type) -> str:
    return (inspect.getdoc(kind) or "").partition("\n\n")[0].replace("\n", " ")


def _docs(kind: type) -> dict[str, str]:
    """The text below each field of a dataclass."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    docs = {}
    for field, text in pairwise(body):
        is_text = isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and is_text:
            docs[field.target.id] = " ".join(str(text.value.value).split())  # type: ignore[attr-defined]
    return docs
