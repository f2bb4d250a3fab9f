"""Options that the commands share."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from tengen.console.output import FailedError, UsageError, usage_errors
from tengen.games.shogi import Shogi
from tengen.labs.shogi.measures import MAIN_FIGURES
from tengen.labs.shogi.samples import PHASES, find_records, read_games
from tengen.learning.settings import Optimizer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.labs.shogi.measures import Figures
    from tengen.labs.shogi.samples import PlayedMoves
    from tengen.labs.shogi.train_settings import TrainSettings

__all__ = [
    "DeviceOption",
    "InOption",
    "OptimizerOption",
    "OutOption",
    "RecordsOption",
    "SeedOption",
    "check_devices",
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
OptimizerOption: TypeAlias = Annotated[Optimizer, typer.Option(help="How weights are changed.")]
DeviceOption: TypeAlias = Annotated[
    str | None,
    typer.Option("--device", metavar="NAME", help="Where PyTorch trains: cpu, cuda, mps, …", show_default="cpu"),
]
SeedOption: TypeAlias = Annotated[int, typer.Option(metavar="N", help="Equal seeds give equal results.")]

_SHOWN = {**MAIN_FIGURES, "top5": "top 5", "legal": "legal", "precision": "precision", "recall": "recall"}


def shogi(max_plies: int = 0) -> Shogi:
    return Shogi(max_plies=max_plies)


def check_devices(settings: TrainSettings) -> None:
    """Raise a ValueError if PyTorch cannot compute on the device, or on as many as there are processes."""
    from tengen.nets.devices import check_device

    if settings.device == "cuda" and settings.processes > 1:
        for number in range(settings.processes):
            check_device(f"cuda:{number}")
    else:
        check_device(settings.device)


def open_records(places: Sequence[Path]) -> list[PlayedMoves]:
    if not places:
        raise UsageError("name games to learn from: --records FILE")
    with usage_errors():
        games = read_games(find_records(places))
    if not games:
        raise FailedError(f"no game of {', '.join(map(str, places))} says how it ended")
    return games


def figure_lines(figures: Figures) -> list[str]:
    """Return a line for each phase of the game."""
    lines = []
    for phase in (*PHASES, "all"):
        if phase in figures:
            own = figures[phase]
            shown = [f"{text} {100 * own[name]:5.1f} %" for name, text in _SHOWN.items() if name in own]
            loss = [f"loss {own['loss']:.3f}"] if "loss" in own else []
            lines.append(f"  {phase:<8} {own['positions']:>7,.0f} positions  {'  '.join([*shown, *loss])}")
    return lines
