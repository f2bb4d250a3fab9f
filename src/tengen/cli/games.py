"""`tengen games`: which games there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from tengen.console.output import UsageError, guarded, one_line, output_console, print_json, warn
from tengen.games import BrokenGame, Game, Setting, find, game_settings, names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

__all__ = ["games", "nature"]

GamesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="GAME", help="Only these.", autocompletion=names, show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")]


@guarded
def games(only: GamesArgument = None, json: JsonOption = False) -> None:
    """List the games: their nature, size and settings."""
    facts = {}
    for name in only or names():
        try:
            facts[name] = _facts(name)
        except BrokenGame as error:  # of a package of somebody else's: the others are as good as before
            if only:
                raise UsageError(str(error)) from error
            warn(str(error))
        except ValueError as error:
            raise UsageError(one_line(error)) from error
    if json:
        print_json(facts)
        return
    _show(output_console(), facts)


def _show(console: Console, facts: dict[str, dict[str, Any]]) -> None:
    # Columns close together, and settings below: so it fits a terminal of 80 columns.
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("seats", justify="right")
    table.add_column("nature")
    table.add_column("actions", justify="right")
    table.add_column("planes", no_wrap=True)
    settings = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    settings.add_column("settings", style="bold", no_wrap=True)
    settings.add_column("--set, with defaults")
    for name, fact in facts.items():
        shape = "×".join(map(str, fact["planes"] or ())) or "none"
        cells = (name, fact["players"] or "?", ", ".join(fact["nature"]), fact["actions"] or "?", shape)
        table.add_row(*(Text(str(cell)) for cell in cells))
        if fact["settings"]:
            lines = (_setting_text(setting, fact["settings"]) for setting in game_settings(name).values())
            settings.add_row(Text(name), Text("\n".join(lines)))
    console.print(table)
    if settings.row_count:
        console.print()
        console.print(settings)


def nature(game: Game) -> list[str]:
    parts = ["hidden information"] if game.hidden else []
    parts += ["chance"] if game.chance else []
    parts += ["simultaneous choices"] if game.simultaneous else []
    parts = parts or ["perfect information"]
    return parts if game.zero_sum else [*parts, "not zero-sum"]


def _facts(name: str) -> dict[str, Any]:
    settings = game_settings(name)
    facts: dict[str, Any] = {
        "title": find(name).title,
        "players": None,
        "nature": ["depends on its settings"],
        "actions": None,
        "planes": None,
        "settings": {key: None if setting.is_required else setting.default for key, setting in settings.items()},
    }
    if not any(setting.is_required for setting in settings.values()):
        made = find(name)()
        facts |= {"players": made.players, "nature": nature(made), "actions": made.action_count}
        # As the game resolved them: what none is given for may depend on another.
        facts["settings"] = dict(made.settings)
        facts["planes"] = list(made.shape) if any(made.shape) else None
    return facts


def _setting_text(setting: Setting, values: Mapping[str, Any]) -> str:
    """As --set takes it, and what else it takes."""
    value = values[setting.name]
    if setting.is_required:
        return f"{setting.name}=?"
    if value is None:
        return f"{setting.name} (not set)"
    others = ", ".join(str(choice) for choice in setting.choices if choice != value)
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"{setting.name}={text}" + (f" (or {others})" if others else "")
