"""`tengen shogi test-model`: what a prophet or an enforcer is worth on games."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tengen.console.options import JsonOption
from tengen.console.output import UsageError, guarded, print_json, tell, usage_errors
from tengen.labs.shogi.commands.options import RecordsOption, figure_lines, open_records, shogi
from tengen.labs.shogi.measures import measure_enforcer, measure_prophet
from tengen.labs.shogi.models import Enforcer, ModelError, Prophet
from tengen.labs.shogi.samples import samples_of

__all__ = ["test_model"]


@guarded
def test_model(
    model: Annotated[Path, typer.Argument(metavar="FILE", help="A checkpoint or an ONNX file.", show_default=False)],
    records: RecordsOption,
    json: JsonOption = False,  # noqa: PT028 - a command, not a test
) -> None:
    """Test a model on games, by their phase."""
    with usage_errors():
        network = _open(model)
    games = open_records(records)
    samples = samples_of(shogi(), games)
    figures = measure_prophet(network, samples) if isinstance(network, Prophet) else measure_enforcer(network, samples)
    if json:
        print_json({"model": str(model), "kind": network.kind, "games": len(games), "test": figures})
        return
    tell(f"{model}: {network.kind}, {len(games):,} games")
    for line in figure_lines(figures):
        tell(line)


def _open(model: Path) -> Prophet | Enforcer:
    try:
        return Prophet(model)
    except ModelError as error:
        if not model.is_file():
            raise
        try:
            return Enforcer(model)
        except ModelError:
            raise UsageError(str(error)) from error
