"""`tengen matgo train-policy`: a policy that counts what was chosen."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

import typer

from tengen.console.files import write
from tengen.console.option_groups import with_option_groups
from tengen.console.output import FailedError, guarded, print_json, tell, usage_errors
from tengen.console.progress import Bar
from tengen.labs.matgo.commands import training
from tengen.labs.matgo.models import (
    POLICY_ENCODER,
    POLICY_RULES,
    FrequencyPolicy,
    PolicySample,
    policy_samples,
    side_of_split,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tengen.labs.matgo.cache import SampleCache
    from tengen.labs.matgo.models import PolicyMetrics

__all__ = ["train_policy"]


AlphaOption: TypeAlias = Annotated[
    float, typer.Option(metavar="X", help="Smoothing: what each candidate has before counting.")
]
SeedOption: TypeAlias = Annotated[int, typer.Option(metavar="N", help="Which deals are kept from training.")]
SkipOption: TypeAlias = Annotated[
    bool, typer.Option("--skip-train-metrics", help="Measure on deals kept from training alone.")
]


@dataclass(frozen=True, kw_only=True)
class PolicySampleOptions(training.SampleOptions):
    sample_cache: training.CacheOption = "none"


@guarded
@with_option_groups
def train_policy(
    samples: PolicySampleOptions,
    alpha: AlphaOption = 1.0,
    seed: SeedOption = 7,
    skip_train_metrics: SkipOption = False,
) -> None:
    """Count what was chosen in each context.

    The model is policy_frequency_v1. Loss and accuracy are over the candidates that there really were, on the deals
    trained on and on deals kept from training; both games of a pair are on the same side.
    """
    files = samples.find_logs()
    rules = training.read_rules(samples.filter_rules, POLICY_RULES)
    with usage_errors():
        model = FrequencyPolicy(alpha)
    settings = {"max_samples": samples.max_samples, "filter_rules": asdict(rules)}
    with Bar() as bar:

        def make(tally: Any) -> Iterator[PolicySample]:
            games = training.log_games(files, bar)
            return training.limited(policy_samples(games, rules, tally), samples.max_samples)

        with training.cached(samples, files, settings, POLICY_ENCODER, make) as cache:
            found = _learn(model, cache, bar, (samples.valid_ratio, seed), skip_train=skip_train_metrics)
    names = [path.name for path in files]
    split = {"inputs": names, "alpha": alpha, "valid_ratio": samples.valid_ratio, "seed": seed}
    metrics = {part: _figures(metrics) for part, metrics in found.items()}
    model.summary = metrics | split | settings | training.how_made(cache, samples.cache_backend)
    write(samples.output, model.to_bytes())
    if samples.json:
        print_json({"model": str(samples.output), **model.summary})
    else:
        _tell(model, cache, found, samples.output)


def _learn(
    model: FrequencyPolicy, cache: SampleCache, bar: Bar, split: tuple[float, int], *, skip_train: bool
) -> dict[str, PolicyMetrics | None]:
    def samples(side: str, text: str) -> Iterator[PolicySample]:
        for row in training.counted(cache, bar, text, cache.count):
            sample = PolicySample(*row)
            if side_of_split(sample.group, *split) == side:
                yield sample

    model.learn(samples("train", "counting"))
    if not model.contexts:
        raise FailedError(f"no decision to learn from: {training.tally_text(cache)}")
    return {
        "train": None if skip_train else model.measure(samples("train", "measuring")),
        "valid": model.measure(samples("valid", "measuring")),
    }


def _figures(metrics: PolicyMetrics | None) -> dict[str, Any] | None:
    if metrics is None:
        return None
    return {name: value if math.isfinite(value) else None for name, value in metrics._asdict().items()}


def _tell(model: FrequencyPolicy, cache: SampleCache, found: dict[str, PolicyMetrics | None], output: Path) -> None:
    tell(f"samples: {cache.count:,} of {training.tally_text(cache)}; {cache.note}")
    for part, metrics in found.items():
        if metrics is None or not metrics.samples:
            tell(f"{part:<6} not measured" if metrics is None else f"{part:<6} no samples")
            continue
        tell(
            f"{part:<6} {metrics.samples:>9,} samples  loss {metrics.loss:.4f} (uniform {metrics.uniform_loss:.4f})  "
            f"accuracy {metrics.accuracy:.2%} (uniform {metrics.uniform_accuracy:.2%})  "
            f"contexts known {metrics.known_contexts:.1%}"
        )
    contexts = sum(map(len, model.contexts.values()))
    tell(f"{output}: {contexts:,} contexts")
