"""What the commands share: options and what they mean."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from tengen.console.output import FailedError, UsageError, usage_errors
from tengen.games.shogi import Shogi
from tengen.labs.shogi.samples import PHASES, find_records, read_games

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.labs.shogi.measures import Figures
    from tengen.labs.shogi.samples import PlayedMoves

__all__ = [
    "InOption",
    "OptimizerOption",
    "OutOption",
    "RecordsOption",
    "SeedOption",
    "figure_lines",
    "open_records",
    "shogi",
]

RecordsOption: TypeAlias = Annotated[
    list[Path],
    typer.Option(
        "--records",
        metavar="FILE",
        help="Games in any format, or a folder of such files; may be repeated.",
        show_default=False,
    ),
]
InOption: TypeAlias = Annotated[
    Path | None,
    typer.Option("--in", metavar="FILE.ckpt", help="The checkpoint to begin with.", show_default="a fresh network"),
]
OutOption: TypeAlias = Annotated[
    Path,
    typer.Option(
        "--out",
        metavar="FILE.ckpt",
        help="The checkpoint; FILE.onnx beside it is for play. May be the file of --in.",
        show_default=False,
    ),
]
OptimizerOption: TypeAlias = Annotated[
    Literal["adamw", "adam", "rmsprop", "adagrad", "sgd", "momentum"], typer.Option(help="How weights are changed.")
]
SeedOption: TypeAlias = Annotated[int, typer.Option(metavar="N", help="Equal seeds give equal results.")]

_SHOWN = {"accuracy": "right", "top5": "top 5", "legal": "legal", "precision": "precision", "recall": "recall"}


def shogi(max_plies: int = 0) -> Shogi:
    return Shogi(max_plies=max_plies)


def open_records(places: Sequence[Path]) -> list[PlayedMoves]:
    if not places:
        raise UsageError("name games to learn from: --records FILE")
    with usage_errors():
        games = read_games(find_records(places))
    if not games:
        raise FailedError(f"no game of {', '.join(map(str, places))} says how it ended")
    return games


def figure_lines(figures: Figures) -> list[str]:
    """A line a phase."""
    lines = []
    for phase in (*PHASES, "all"):
        if phase in figures:
            own = figures[phase]
            shown = [f"{text} {100 * own[name]:5.1f} %" for name, text in _SHOWN.items() if name in own]
            loss = [f"loss {own['loss']:.3f}"] if "loss" in own else []
            lines.append(f"  {phase:<8} {own['positions']:>7,.0f} positions  {'  '.join([*shown, *loss])}")
    return lines
