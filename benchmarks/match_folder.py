"""The folder of a match between two programs: its settings and a line a game. A stopped match goes on there."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tengen.arena.statistics import wilson


def open_match(folder: Path, about: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What was played already. Another match in the same folder is refused."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "match.json"
    if file.exists() and json.loads(file.read_text()) != about:
        raise SystemExit(f"{folder} holds another match: {file.read_text()}")
    file.write_text(json.dumps(about, indent=1) + "\n")
    games = folder / "games.jsonl"
    if not games.exists():
        return []
    whole = [line for line in games.read_text().splitlines(keepends=True) if line.endswith("\n")]
    games.write_text("".join(whole))
    return [json.loads(line) for line in whole]


def add_game(folder: Path, line: Mapping[str, Any]) -> None:
    with (folder / "games.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


def standing(lines: list[dict[str, Any]]) -> str:
    """Of the first program, by who is the `winner` of each game: first, second or nobody."""
    points = [{"first": 1.0, "second": 0.0}.get(line["winner"], 0.5) for line in lines]
    score = wilson(sum(points) / len(points), len(points))
    won, drawn = points.count(1.0), points.count(0.5)
    return (
        f"+{won} ={drawn} -{len(points) - won - drawn}, {100 * score.value:.1f} % "
        f"(95 %: {100 * score.low:.1f} … {100 * score.high:.1f})"
    )


def by_color(lines: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The first program's games as Black and as White."""
    return {
        color: part
        for color, name in (("black", "first"), ("white", "second"))
        if (part := [line for line in lines if line["black"] == name])
    }
