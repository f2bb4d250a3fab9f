"""The last touch before a champion is shipped: one long training with a falling rate on all that a run has played.

    python benchmarks/polish_champion.py runs/pyrga --out champion.safetensors

A loop trains a little in every iteration, so its networks are always in the middle of learning something. This goes on
from the latest one (or, with --channels and --blocks, from a fresh network of another size) until it has settled.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import tengen
from tengen.learning import Samples, TrainSettings, train
from tengen.nets import Architecture, Checkpoint, build, export_onnx, load_checkpoint, save_checkpoint
from tengen.runs import Run


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path)
    parser.add_argument("--out", type=Path, required=True, help="the checkpoint; its .onnx goes beside it")
    parser.add_argument("--since", type=int, default=6, help="the first iteration whose games are good enough")
    parser.add_argument("--epochs", type=float, default=2.0)
    parser.add_argument("--lr", type=float, default=6e-4)
    parser.add_argument("--last-rate", type=float, default=0.05)
    parser.add_argument("--channels", type=int, help="of a fresh network")
    parser.add_argument("--blocks", type=int, help="of a fresh network")
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    run = Run.open(arguments.run)
    table = run.settings["game"]
    game = tengen.game(table["name"], **table["settings"])
    played = [step for step in run.steps("self-play") if (step.iteration or 0) >= arguments.since]
    samples = Samples.join([tengen.Run(arguments.run).samples(step.iteration) for step in played])
    latest = run.steps("train")[-1]
    if arguments.channels or arguments.blocks:
        choices = {"channels": arguments.channels, "blocks": arguments.blocks}
        architecture = Architecture.of(game, **{name: value for name, value in choices.items() if value})
        network = build(architecture, arguments.seed)
    else:
        network = load_checkpoint(latest.file("net.safetensors")).network
    settings = TrainSettings(
        epochs=arguments.epochs,
        lr=arguments.lr,
        last_rate=arguments.last_rate,
        average=0.999,
        search_value_share=0.25,
        threads=1,
        seed=arguments.seed,
    )

    def tell(step: int, steps: int, losses: dict[str, float]) -> None:
        if step % 100 == 0 or step == steps:
            print(f"{step}/{steps}", ", ".join(f"{name} {value:.3f}" for name, value in losses.items()), flush=True)

    print(f"{len(samples):,} samples of {len(played)} iterations")
    trained = train(game, network, samples, settings, tell)
    lineage = {"run": arguments.run.name, "iterations": latest.iteration, "samples": len(samples)}
    checkpoint = Checkpoint(trained.network, game.id, dict(game.settings), lineage)
    arguments.out.write_bytes(save_checkpoint(checkpoint))
    arguments.out.with_suffix(".onnx").write_bytes(export_onnx(trained.network))


if __name__ == "__main__":
    main()
