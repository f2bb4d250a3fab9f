"""`tengen train`: a network from samples."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tengen.champion import NetSettings
from tengen.champion.presets import is_run
from tengen.champion.teacher_games import PACKED_SAMPLES
from tengen.champion.window import SAMPLES
from tengen.cli.learn import need_training
from tengen.console.files import ForceOption, check_target, read_bytes, write
from tengen.console.options import GameArgument, SetOption, read_game
from tengen.console.output import FailedError, UsageError, guarded, tell, usage_errors
from tengen.console.progress import Bar, rate_text, time_text
from tengen.learning import PackedSamples, Samples, TrainSettings, load_packed, load_samples
from tengen.runs import Run

if TYPE_CHECKING:
    from tengen.games import Game
    from tengen.learning import Trained
    from tengen.nets import Network

__all__ = ["train"]

_NET = NetSettings()
_LOSSES = ("policy", "value", "extras", "moves_left", "kl", "loss")


@guarded
def train(
    game: GameArgument,
    data: Annotated[
        list[Path],
        typer.Option(metavar="FILE.npz", help="Samples, or a run's folder for all it has; may be repeated."),
    ],
    out: Annotated[
        Path,
        typer.Option(metavar="FILE.safetensors", help="The checkpoint; its .onnx goes beside it.", show_default=False),
    ],
    base: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE.safetensors", help="Where to go on; else anew.", show_default=False),
    ] = None,
    epochs: Annotated[float, typer.Option(metavar="X", help="How often each sample is seen.")] = TrainSettings.epochs,
    batch_size: Annotated[int, typer.Option(metavar="N", help="Positions of a batch.")] = TrainSettings.batch_size,
    lr: Annotated[float, typer.Option(metavar="RATE", help="The learning rate.")] = TrainSettings.lr,
    weight_decay: Annotated[float, typer.Option(metavar="X", help="Of AdamW.")] = TrainSettings.weight_decay,
    grad_clip: Annotated[
        float, typer.Option(metavar="X", help="The largest norm of a gradient; 0 leaves it alone.")
    ] = TrainSettings.grad_clip,
    seed: Annotated[int, typer.Option(metavar="N", help="Equal seeds give equal networks.")] = 0,
    no_amp: Annotated[bool, typer.Option("--no-amp", help="No mixed precision, on a GPU either.")] = False,
    device: Annotated[str, typer.Option(metavar="NAME", help="Where PyTorch trains: cpu, cuda, …")] = "cpu",
    channels: Annotated[int, typer.Option(min=1, metavar="N", help="Of a new network.")] = _NET.channels,
    blocks: Annotated[int, typer.Option(min=0, metavar="N", help="Of a new network.")] = _NET.blocks,
    settings: SetOption = None,
    force: ForceOption = False,
) -> None:
    """Train a network on samples: policy, value and auxiliary heads."""
    rules = read_game(game, settings)
    need_training(device)
    onnx = out.with_suffix(".onnx")
    if out.suffix != ".safetensors":
        raise UsageError(f"--out is {out} and must end in .safetensors")
    for path in (out, onnx):
        check_target(path, force=force)
    samples = _load(rules, data)
    with usage_errors():
        chosen = TrainSettings(
            epochs=epochs,
            batch_size=batch_size,
            lr=lr,
            weight_decay=weight_decay,
            grad_clip=grad_clip,
            seed=seed,
            amp=not no_amp,
            device=device,
        )
        network = _network(rules, base, channels, blocks, seed)
    began = time.monotonic()
    trained = _train(rules, network, samples, chosen, is_new=base is None)
    lineage = {"data": [path.name for path in data], "from": base.name if base else None, "samples": len(samples)}
    _save(rules, trained, lineage, out, onnx)
    losses = ", ".join(f"{name} {trained.metrics[name]:.4f}" for name in _LOSSES if name in trained.metrics)
    steps = f"{trained.metrics['steps']:g} batches of {batch_size}"
    tell(f"{len(samples):,} samples, {steps}, {time_text(time.monotonic() - began)}")
    tell(f"mean losses: {losses}")
    tell(f"{out} and {onnx}")


def _load(game: Game, files: list[Path]) -> Samples | PackedSamples:
    parts: list[Samples] = []
    packed: list[PackedSamples] = []
    for path in (file for given in files for file in _samples_in(given)):
        with usage_errors(f"{path}: "):
            if path.name == PACKED_SAMPLES:
                packed.append(load_packed(read_bytes(path)))
                packed[-1].check(game)
            else:
                parts.append(load_samples(read_bytes(path)))
                parts[-1].check(game)
    with usage_errors():
        return PackedSamples.join([*packed, *map(PackedSamples.of, parts)]) if packed else Samples.join(parts)


def _samples_in(path: Path) -> list[Path]:
    """The file itself; of a run, those of all its steps."""
    if not is_run(path):
        return [path]
    kinds = (SAMPLES, PACKED_SAMPLES)
    found = [step.file(kind) for step in Run.open(path).steps() for kind in kinds if kind in step.files]
    if not found:
        raise UsageError(f"{path} is a run without samples")
    return found


def _network(game: Game, base: Path | None, channels: int, blocks: int, seed: int) -> Network:
    from tengen.nets import Architecture, build, load_checkpoint

    if base is not None:
        checkpoint = load_checkpoint(base)
        checkpoint.check(game)
        return checkpoint.network
    return build(Architecture.of(game, channels=channels, blocks=blocks), seed)


def _train(
    game: Game, network: Network, samples: Samples | PackedSamples, settings: TrainSettings, *, is_new: bool
) -> Trained[Network]:
    from tengen.learning import TrainingStopped
    from tengen.learning import train as run_training

    began = time.monotonic()
    with Bar() as bar:
        bar.begin("training", 1)

        def show(step: int, steps: int, losses: dict[str, float]) -> None:
            if step == 1:
                bar.begin("training", steps)
            speed = rate_text(step, time.monotonic() - began, "batches")
            bar.advance(step, ", ".join([speed, *(f"{name} {losses[name]:.3f}" for name in _LOSSES if name in losses)]))

        try:
            return run_training(game, network, samples, settings, show, is_fresh=is_new)
        except TrainingStopped as error:
            raise FailedError(f"{error}. Nothing was written") from error


def _save(game: Game, trained: Trained[Network], lineage: dict[str, Any], out: Path, onnx: Path) -> None:
    from tengen.nets import Checkpoint, export_onnx, save_checkpoint

    exported = export_onnx(trained.network)
    write(out, save_checkpoint(Checkpoint(trained.network, game.id, dict(game.settings), lineage)))
    write(onnx, exported)
