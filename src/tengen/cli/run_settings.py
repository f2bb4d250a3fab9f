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

from tengen.champion import LearnSettings, change_settings, settings_for
from tengen.champion.opening import run_settings
from tengen.console.options import look_here
from tengen.console.output import FailedError, UsageError, usage_errors
from tengen.console.trust import find_game_of
from tengen.games import find, game_settings, parse_setting
from tengen.games import game as make_game
from tengen.games.loading import check_complete, check_facts
from tengen.runs import Run, format_toml

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tengen.games import Game

__all__ = [
    "QUICK_ITERATIONS",
    "QUICK_SLACK",
    "Tables",
    "describe",
    "flat_names",
    "game_of",
    "is_run",
    "merge",
    "quick_settings",
    "read_file",
    "read_pairs",
    "resolve",
]

Tables = dict[str, Any]

GAME = "game"
"""The table of the game's own settings."""

# A few minutes on two cores: rollout search teaches a small network, which then plays itself.
QUICK_ITERATIONS = 3
# A plan of known worth is kept unless it takes so many times longer.
QUICK_SLACK = 2.0
QUICK: Tables = {
    "minutes": 5.0,
    "games_per_iter": 256,
    "teacher": "rollout:800",
    "bootstrap_games": 1024,
    "eval_visits": 64,
    "reuse": 6.0,
    "anchor": "rollout:200",
    "net": {"channels": 32, "blocks": 4},
    "selfplay": {"parallel": 32, "search": {"visits": 160, "fast_visits": 32}},
    # A second thread gains little on a network this small, and loses much where something else runs.
    "train": {"threads": 1},
}


def merge(*layers: Mapping[str, Any]) -> Tables:
    """Nested tables, the later ones over the earlier."""
    merged: Tables = {}
    for layer in layers:
        for key, value in layer.items():
            below = merged.get(key)
            both = isinstance(value, dict) and isinstance(below, dict)
            merged[key] = merge(below or {}, value) if both else value
    return merged


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


def is_run(path: Path) -> bool:
    return (path / "run.toml").is_file()


def game_of(run: Run, named: str | None = None) -> Game:
    """Return the game of a run; `named` is its name if the user gave one."""
    kind = find_game_of(run, named)
    with usage_errors(f"{run.path}: "):
        check_complete(kind)
        game = kind(**run.settings[GAME].get("settings", {}))
        check_facts(game)
        return game


def resolve(
    name: str, changes: Mapping[str, Any], path: Path | None = None, preset: Mapping[str, Any] | None = None
) -> tuple[Game, LearnSettings]:
    """The game and all settings, where `changes` go over the preset and the defaults, or over those of the run that is
    there. That one was planned when it began; only the time it was planned for must be the preset's."""
    preset = preset or {}
    base = settings_for(_find(name))
    stored: Mapping[str, Any] = {}
    if path is not None and is_run(path):
        run = Run.open(path)
        _check_name(run, name)
        if "learn" not in run.settings:
            raise FailedError(f"{run.path} is no learning run. Use another folder")
        stored = run.settings[GAME].get("settings", {})
        base = run_settings(run, LearnSettings, "learn")
        preset = {key: value for key, value in preset.items() if key == "minutes"}
    rest = merge(preset, changes)
    own = rest.pop(GAME, {})
    if not isinstance(own, dict):
        raise UsageError(f"{GAME} is {own!r} and must be a table: the game's settings are game.KEY=VALUE")
    with usage_errors():
        settings = change_settings(base, rest)
    return _make_game(name, merge(stored, own)), settings


def flat_names(tables: Mapping[str, Any], prefix: str = "") -> set[str]:
    """The settings that tables name, with dots."""
    found: set[str] = set()
    for key, value in tables.items():
        found |= flat_names(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}"}
    return found


def quick_settings(name: str) -> Tables:
    """Return the settings of a run of a few minutes."""
    return merge(QUICK, _find(name).learning.get("quick", {}))


def _find(name: str) -> type[Game]:
    look_here(name)
    with usage_errors():
        return find(name)


def _check_name(run: Run, name: str) -> None:
    wanted = _find(name)
    there = run.settings[GAME]["name"]
    if there not in (wanted.id, getattr(wanted, "source", None)):
        raise FailedError(f"{run.path} is a run of {there}, not of {name}. Use another folder")


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
    below = []
    for entry in dataclasses.fields(settings):
        value = getattr(settings, entry.name)
        if dataclasses.is_dataclass(value):
            below.append((f"{prefix}{entry.name}", value))
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
