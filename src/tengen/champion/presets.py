"""The settings of a learning run from presets, the game's defaults, the run that exists, and changes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.champion.opening import GAME, run_settings
from tengen.champion.settings import LearnSettings, change_settings, settings_for, with_overrides
from tengen.runs import Run, RunError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tengen.games import Game

__all__ = [
    "LEARN",
    "QUICK",
    "QUICK_ITERATIONS",
    "QUICK_SLACK",
    "Tables",
    "flat_names",
    "is_run",
    "merge",
    "quick_settings",
    "resolve",
]

Tables = dict[str, Any]

LEARN = "learn"
"""The table of a run with its settings."""

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
}


def merge(*layers: Mapping[str, Any]) -> Tables:
    """Return nested tables with the later ones over the earlier."""
    merged: Tables = {}
    for layer in layers:
        for key, value in layer.items():
            below = merged.get(key)
            both = isinstance(value, dict) and isinstance(below, dict)
            merged[key] = merge(below or {}, value) if both else value
    return merged


def flat_names(tables: Mapping[str, Any], prefix: str = "") -> set[str]:
    """Return the settings that tables name, with dots."""
    found: set[str] = set()
    for key, value in tables.items():
        found |= flat_names(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}"}
    return found


def is_run(path: str | Path) -> bool:
    return (Path(path) / "run.toml").is_file()


def quick_settings(kind: type[Game]) -> Tables:
    """Return the settings of a run of a few minutes."""
    return merge(QUICK, kind.learning.get("quick", {}))


def resolve(
    kind: type[Game], changes: Mapping[str, Any], path: Path | None = None, preset: Mapping[str, Any] | None = None
) -> tuple[Tables, LearnSettings]:
    """Return the game's settings and the run's.

    `changes` take precedence over the preset and the defaults, or over the settings of the run at `path` if it exists.
    That run was planned when it began; of the preset only the minutes must be its own. The table "game" of the changes
    holds settings of the game.
    """
    preset = preset or {}
    base = settings_for(kind)
    stored: Mapping[str, Any] = {}
    is_new = path is None or not is_run(path)
    if path is not None and not is_new:
        run = Run.open(path)
        there = run.settings[GAME]["name"]
        if there not in (kind.id, getattr(kind, "source", None)):
            raise RunError(f"{path} is a run of {there}, not of {kind.id}. Use another folder")
        if LEARN not in run.settings:
            raise RunError(f"{path} is no learning run. Use another folder")
        stored = run.settings[GAME].get("settings", {})
        base = run_settings(run, LearnSettings, LEARN)
        preset = {key: value for key, value in preset.items() if key == "minutes"}
    rest = merge(preset, changes)
    own = rest.pop(GAME, {})
    if not isinstance(own, dict):
        raise ValueError(f"{GAME} is {own!r} and must be a table: the game's settings are game.KEY=VALUE")
    settings = change_settings(base, rest)
    return merge(stored, own), with_overrides(settings, rest) if is_new else settings
