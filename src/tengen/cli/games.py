"""`tengen games`: which games there are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.table import Table
from rich.text import Text

from tengen.cli.console import from_outside, guarded, output_console, print_json
from tengen.games import Game, Setting, find, game_settings, names

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["games", "nature"]

GamesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[GAME]…", help="Only these.", autocompletion=names, show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object instead of a table.")]


@guarded
def games(only: GamesArgument = None, json: JsonOption = False) -> None:
    """List the games: their nature, size and settings."""
    with from_outside():
        facts = {name: _facts(name) for name in only or names()}
    if json:
        print_json(facts)
        return
    _show(output_console(), facts)


def _show(console: Console, facts: dict[str, dict[str, Any]]) -> None:
    # Columns close together, and settings below: so it fits a terminal of 80 columns.
    table = Table(box=None, padding=(0, 2, 0, 0))
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("title")
    table.add_column("players", justify="right")
    table.add_column("nature")
    table.add_column("actions", justify="right")
    table.add_column("planes", no_wrap=True)
    settings = Table(box=None, padding=(0, 2, 0, 0))
    settings.add_column("settings", style="bold", no_wrap=True)
    settings.add_column("--set, with defaults")
    for name, fact in facts.items():
        shape = "×".join(map(str, fact["planes"] or ())) or "none"
        cells = (name, fact["title"], fact["players"] or "?", ", ".join(fact["nature"]), fact["actions"] or "?", shape)
        table.add_row(*(Text(str(cell)) for cell in cells))
        if fact["settings"]:
            pairs = (f"{setting.name}={_default(setting)}" for setting in game_settings(name).values())
            settings.add_row(Text(name), Text("\n".join(pairs)))
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
        facts["planes"] = list(made.shape) if any(made.shape) else None
    return facts


def _default(setting: Setting) -> str:
    """As --set takes it."""
    if setting.is_required:
        return "?"
    return str(setting.default) if isinstance(setting.default, str | int | float) else repr(setting.default)
