"""`tengen shogi train-…`: one pass of training of a prophet or an enforcer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias

import typer

from tengen.console.files import ForceOption, check_target, write
from tengen.console.option_groups import with_option_groups
from tengen.console.options import JsonOption
from tengen.console.output import UsageError, guarded, print_json, tell, usage_errors
from tengen.console.progress import Bar
from tengen.labs.shogi.commands.options import (
    DeviceOption,
    InOption,
    OptimizerOption,
    OutOption,
    RecordsOption,
    SeedOption,
    check_devices,
    figure_lines,
    open_records,
    shogi,
)
from tengen.labs.shogi.samples import random_samples, samples_of, split_games
from tengen.labs.shogi.size import Size
from tengen.labs.shogi.train_settings import TrainSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.labs.shogi.networks import Kind, PairNetwork
    from tengen.labs.shogi.samples import Samples
    from tengen.learning.training import Progress, Trained

__all__ = [
    "train_enforcer_with_match_result",
    "train_enforcer_with_random",
    "train_enforcer_with_records",
    "train_prophet_with_match_result",
    "train_prophet_with_records",
]

MatchesOption: TypeAlias = Annotated[
    list[Path],
    typer.Option("--records", metavar="FOLDER", help="Where auto-match left its games; may be repeated."),
]
TargetOption: TypeAlias = Annotated[
    Literal["move", "candidates"], typer.Option(help="What is learned: the move played, or all legal moves alike.")
]
HeldOutOption: TypeAlias = Annotated[
    float, typer.Option(min=0, max=0.9, metavar="X", help="Share of the games kept from training, to test on.")
]
_MATCHES = [Path("latest_matches")]


@dataclass(frozen=True, kw_only=True)
class TrainOptions:
    """Options of all commands that train."""

    out: OutOption
    start: InOption = None
    optimizer: OptimizerOption = "adamw"
    lr: Annotated[float, typer.Option(metavar="X", help="Learning rate.")] = 2e-3
    epochs: Annotated[float, typer.Option(metavar="X", help="How often each position is trained on.")] = 1.0
    batch_size: Annotated[int, typer.Option(min=2, metavar="N", help="Positions a batch.")] = 64
    channels: Annotated[int, typer.Option(min=1, metavar="N", help="Of a fresh network.")] = 64
    blocks: Annotated[int, typer.Option(min=0, metavar="N", help="Of a fresh network.")] = 4
    device: DeviceOption = None
    threads: Annotated[int, typer.Option(min=1, metavar="N", help="Threads that train.")] = 1
    processes: Annotated[
        int, typer.Option(min=1, metavar="N", help="Processes that train together, one a card with --device cuda.")
    ] = 1
    seed: SeedOption = 1
    json: JsonOption = False
    force: ForceOption = False

    def settings(self, target: Literal["move", "candidates"] = "move") -> TrainSettings:
        with usage_errors():
            settings = TrainSettings(
                optimizer=self.optimizer,
                lr=self.lr,
                epochs=self.epochs,
                batch_size=self.batch_size,
                target=target,
                device=self.device or "cpu",
                threads=self.threads,
                processes=self.processes,
                seed=self.seed,
            )
            check_devices(settings)
            return settings


@guarded
@with_option_groups
def train_prophet_with_records(records: RecordsOption, train: TrainOptions, held_out: HeldOutOption = 0.1) -> None:
    """Teach a prophet who won, from records.

    It sees every position after a move from the mover's side; late plies weigh more. Then it is tested on games that it
    was not trained on.
    """
    _train_on_games("prophet", records, train, train.settings(), held_out)


@guarded
@with_option_groups
def train_enforcer_with_records(
    records: RecordsOption, train: TrainOptions, target: TargetOption = "move", held_out: HeldOutOption = 0.1
) -> None:
    """Teach an enforcer what winners played.

    Then it is tested on games that it was not trained on.
    """
    _train_on_games("enforcer", records, train, train.settings(target), held_out)


@guarded
@with_option_groups
def train_prophet_with_match_result(
    train: TrainOptions, records: MatchesOption = _MATCHES, held_out: HeldOutOption = 0.1
) -> None:
    """Teach a prophet who won its own games."""
    _train_on_games("prophet", records, train, train.settings(), held_out)


@guarded
@with_option_groups
def train_enforcer_with_match_result(
    train: TrainOptions,
    records: MatchesOption = _MATCHES,
    target: TargetOption = "move",
    held_out: HeldOutOption = 0.1,
) -> None:
    """Teach an enforcer what won its own games."""
    _train_on_games("enforcer", records, train, train.settings(target), held_out)


@guarded
@with_option_groups
def train_enforcer_with_random(
    train: TrainOptions,
    num: Annotated[int, typer.Option("--num", min=1, metavar="N", help="Random positions.")] = 100_000,
) -> None:
    """Teach an enforcer what is legal.

    It learns the set of legal moves of positions from random games, and is tested on positions of others.
    """
    from tengen.labs.shogi.measures import measure_candidates
    from tengen.labs.shogi.models import Enforcer
    from tengen.labs.shogi.tasks import finish
    from tengen.labs.shogi.training import candidates_data
    from tengen.labs.shogi.training import train as train_network

    out, seed, settings = train.out, train.seed, train.settings()
    network = _begin("enforcer", train)
    game = shogi()
    data = candidates_data(random_samples(game, num, seed))
    trained = _with_bar(lambda tell: train_network(network, data, settings, tell))
    made = finish(trained, None, {"random": num, "seed": seed})
    test = measure_candidates(Enforcer(made.onnx), random_samples(game, 1000, seed + 1))
    _write(out, made.checkpoint, made.onnx)
    if train.json:
        print_json({"model": str(out), "train": trained.metrics, "test": test})
        return
    tell(f"{out}: {num:,} random positions, loss {trained.metrics['loss']:.4f}")
    tell("  of other random positions: " + ", ".join(f"{name} {100 * value:.1f} %" for name, value in test.items()))


def _begin(kind: Kind, train: TrainOptions) -> PairNetwork:
    from tengen.labs.shogi.checkpoints import load_checkpoint
    from tengen.labs.shogi.networks import build

    out, start = train.out, train.start
    if out.suffix == ".onnx":
        raise UsageError(f"{out}: --out names the checkpoint; the ONNX file is written beside it")
    is_same = start is not None and start.exists() and out.exists() and start.samefile(out)
    check_target(out, force=train.force or is_same)
    with usage_errors():
        if start is None:
            return build(kind, Size(train.channels, train.blocks), train.seed)
        return load_checkpoint(start, kind).network


def _train_on_games(
    kind: Kind, records: list[Path], options: TrainOptions, settings: TrainSettings, held_out: float
) -> None:
    from tengen.labs.shogi.tasks import finish
    from tengen.labs.shogi.training import moves_data, prophet_data
    from tengen.labs.shogi.training import train as train_network

    network = _begin(kind, options)
    game = shogi()
    games = open_records(records)
    # The held-out games do not depend on the seed, so that passes with different seeds can follow each other.
    train, test = split_games(games, held_out, 0)
    with usage_errors():
        samples: Samples = samples_of(game, train)
        data = prophet_data(samples) if kind == "prophet" else moves_data(samples, settings)
        trained = _with_bar(lambda tell: train_network(network, data, settings, tell))
        made = finish(trained, samples_of(game, test) if test else None, {"games": len(train), "seed": settings.seed})
    _write(options.out, made.checkpoint, made.onnx)
    if options.json:
        print_json({"model": str(options.out), "games": len(train), "held_out": len(test), **made.metrics})
        return
    tell(f"{options.out}: {len(train):,} games, {len(samples):,} positions, loss {trained.metrics['loss']:.4f}")
    if test:
        tell(f"  on {len(test):,} held-out games:")
        for line in figure_lines(made.metrics["test"]):
            tell(line)


def _with_bar(train: Callable[[Progress], Trained[PairNetwork]]) -> Trained[PairNetwork]:
    with Bar(has_lines=True) as bar:
        is_begun = False

        def advance(step: int, steps: int, losses: dict[str, float]) -> None:
            nonlocal is_begun
            if not is_begun:
                bar.begin("training", steps)
                is_begun = True
            bar.advance(step, ", ".join(f"{name} {value:.4f}" for name, value in losses.items()))

        return train(advance)


def _write(out: Path, checkpoint: bytes, onnx: bytes) -> None:
    write(out.with_suffix(".onnx"), onnx)
    write(out, checkpoint)
