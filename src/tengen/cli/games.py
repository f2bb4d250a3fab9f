"""`tengen games`: which games there are."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich import box
from rich.table import Table
from rich.text import Text

from tengen.cli.console import from_outside, guarded, output_console, print_json
from tengen.games import Game, find, game_settings, names

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
    console = output_console()
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column("name", style="bold", no_wrap=True)
    table.add_column("title")
    table.add_column("players", justify="right")
    table.add_column("nature")
    table.add_column("actions", justify="right")
    table.add_column("planes", no_wrap=True)
    table.add_column("settings")
    for name, fact in facts.items():
        shape = "×".join(map(str, fact["planes"] or ())) or "none"
        settings = "\n".join(f"{key}={_value(value)}" for key, value in fact["settings"].items())
        cells = (name, fact["title"], str(fact["players"] or "?"), ", ".join(fact["nature"]))
        table.add_row(*map(Text, (*cells, str(fact["actions"] or "?"), shape, settings)))
    console.print(table)


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


def _value(value: Any) -> str:
    return "?" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
