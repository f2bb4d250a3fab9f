"""`tengen matgo train-value`: the gold that a decision is worth, as a sum of weights."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from tengen.console.files import write
from tengen.console.option_groups import with_option_groups
from tengen.console.output import FailedError, UsageError, guarded, print_json, tell, usage_errors
from tengen.console.progress import Bar, rate_text
from tengen.labs.matgo.commands import training
from tengen.labs.matgo.models import VALUE_ENCODER, VALUE_RULES, LinearValue, side_of_split, value_samples
from tengen.labs.matgo.regression import (
    Errors,
    LinearSettings,
    SparseSample,
    TrainingFailed,
    check_linear_device,
    fit_linear,
    measure,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import numpy as np
    from numpy.typing import NDArray

    from tengen.labs.matgo.cache import SampleCache
    from tengen.labs.matgo.models import ValueSample

__all__ = ["train_value"]

_FIT = LinearSettings()


TargetOption: TypeAlias = Annotated[
    Literal["gold", "score"], typer.Option(help="What is learned: gold won, or the final points' difference.")
]
PointOption: TypeAlias = Annotated[float, typer.Option(metavar="X", help="Gold of a point, for --target-mode score.")]
DimOption: TypeAlias = Annotated[int, typer.Option(metavar="N", help="Weights; names are hashed to them.")]
EpochsOption: TypeAlias = Annotated[int, typer.Option(metavar="N", help="Passes through the samples.")]
RateOption: TypeAlias = Annotated[float, typer.Option(metavar="RATE", help="The learning rate at first.")]
DecayOption: TypeAlias = Annotated[float, typer.Option(metavar="X", help="Weight decay.")]
BatchOption: TypeAlias = Annotated[int, typer.Option(metavar="N", help="Samples of a step.")]
ShuffleOption: TypeAlias = Annotated[int, typer.Option(metavar="N", help="Samples in memory to shuffle.")]
SeedOption: TypeAlias = Annotated[int, typer.Option(metavar="N", help="Equal seeds give equal models.")]
DeviceOption: TypeAlias = Annotated[Literal["cpu", "cuda"], typer.Option(help="cuda needs PyTorch and a GPU.")]


@guarded
@with_option_groups
def train_value(
    samples: training.SampleOptions,
    target_mode: TargetOption = "gold",
    gold_per_point: PointOption = 100.0,
    dim: DimOption = _FIT.dim,
    epochs: EpochsOption = _FIT.epochs,
    lr: RateOption = _FIT.lr,
    l2: DecayOption = _FIT.l2,
    batch_size: BatchOption = _FIT.batch_size,
    shuffle_buffer: ShuffleOption = _FIT.shuffle_buffer,
    seed: SeedOption = _FIT.seed,
    device: DeviceOption = "cpu",
) -> None:
    """Fit the gold that a decision is worth.

    It is worth that to who decides; the model is value_linear_hash_v1. Every decision of a log is a sample. MSE, RMSE,
    MAE and Pearson's correlation are measured on the deals trained on and on deals kept from training; both games of a
    pair are on the same side.
    """
    files = samples.find_logs()
    rules = training.read_rules(samples.filter_rules, VALUE_RULES)
    with usage_errors():
        fit = LinearSettings(dim, epochs, lr, l2, batch_size, shuffle_buffer, seed, device)
        check_linear_device(device)
    if not gold_per_point > 0:
        raise UsageError(f"--gold-per-point is {gold_per_point} and must be above 0")
    target = {"dim": dim, "target_mode": target_mode, "gold_per_point": gold_per_point}
    settings = target | {"max_samples": samples.max_samples, "filter_rules": asdict(rules)}
    with Bar() as bar:

        def make(tally: Any) -> Iterator[ValueSample]:
            games = training.log_games(files, bar)
            made = value_samples(games, rules, dim, target_mode, gold_per_point, tally)
            return training.limited(made, samples.max_samples)

        with training.cached(samples, files, settings, VALUE_ENCODER, make) as cache:
            weights, bias, found = _fit(cache, fit, samples.valid_ratio, bar)
    split = {"inputs": [path.name for path in files], "fit": asdict(fit), "valid_ratio": samples.valid_ratio}
    metrics = {part: errors.figures() for part, errors in found.items()}
    summary = metrics | split | settings | training.how_made(cache, samples.cache_backend)
    write(samples.output, LinearValue(weights, bias, target_mode, gold_per_point, summary).to_bytes())
    if samples.json:
        print_json({"model": str(samples.output), **summary})
        return
    tell(f"samples: {cache.count:,} of {training.tally_text(cache)}; {cache.note}")
    for part, errors in found.items():
        tell(_line(part, errors))
    tell(f"{samples.output}: {dim:,} weights")


def _fit(
    cache: SampleCache, fit: LinearSettings, valid_ratio: float, bar: Bar
) -> tuple[NDArray[np.float64], float, dict[str, Errors]]:
    def rows(side: str, source: Iterable[Any]) -> Iterator[SparseSample]:
        for group, *row in source:
            if side_of_split(group, valid_ratio, fit.seed) == side:
                yield SparseSample(*row)

    began, total = time.monotonic(), cache.count
    if total:
        bar.begin("training", fit.epochs * total)

    def watch(epoch: int, seen: int) -> None:
        # Samples that are not kept are read from the logs anew, and that has a bar of its own.
        if total:
            done = epoch * total + seen
            bar.advance(done, f"epoch {epoch + 1}, {rate_text(done, time.monotonic() - began, 'samples')}")

    try:
        weights, bias = fit_linear(lambda: rows("train", cache), fit, watch)
    except TrainingFailed as error:
        raise FailedError(f"{error} ({training.tally_text(cache)}). Nothing was written") from error
    bar.end()
    found = {
        part: measure(weights, bias, rows(part, training.counted(cache, bar, "measuring", cache.count)))
        for part in ("train", "valid")
    }
    return weights, bias, found


def _line(part: str, errors: Errors) -> str:
    if not errors.count:
        return f"{part:<6} no samples"
    return (
        f"{part:<6} {errors.count:>9,} samples  MSE {errors.mse:,.0f}  RMSE {errors.rmse:,.1f} (targets' own spread "
        f"{errors.spread:,.1f})  MAE {errors.mae:,.1f}  Pearson {errors.pearson:.4f}"
    )
