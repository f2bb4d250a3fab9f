"""How far a network says what its teacher says, on games of the teacher's that it has not learned from.

    python benchmarks/teacher_agreement.py shogi champion miniosl --games 40

The teacher plays by its policy alone, from the game's start, with random moves in between. The report has how often the
network's first choice is the teacher's, by how many nats its policy is off, and how its values go with the teacher's.
"""

from __future__ import annotations

import argparse

import numpy as np

import tengen
from tengen.arena import find_player
from tengen.evaluators import Onnx
from tengen.evaluators.choice import find_named
from tengen.evaluators.network import read_value
from tengen.learning import pack
from tengen.selfplay import SelfPlaySettings, play_policy_games


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("network", help="champion, a run's folder or an .onnx file of ours")
    parser.add_argument("teacher", help="an evaluator")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--random-share", type=float, default=0.06, help="of moves that are any legal one")
    parser.add_argument("--seed", type=int, default=910_000)
    args = parser.parse_args()
    game = tengen.game(args.game)
    play = SelfPlaySettings(
        temp_moves=30, late_temperature=0.5, random_share=args.random_share, resign_value=0.97, parallel=32
    )
    teacher = find_player(f"policy:{args.teacher}", game)
    seeds = range(args.seed, args.seed + args.games)
    packed = pack(game, play_policy_games(game, teacher, play, seeds))
    network = Onnx(str(find_named(args.network, game)))
    network.check(game)
    samples = packed.take(np.arange(len(packed)))
    answer = network.answer(samples.features)
    logits = answer["policy"].astype(np.float64)
    logs = (
        logits
        - np.log(np.exp(logits - logits.max(1, keepdims=True)).sum(1, keepdims=True))
        - logits.max(1, keepdims=True)
    )
    told = samples.policy
    known = told > 0
    divergence = float((told[known] * (np.log(told[known]) - logs[known])).sum() / len(told))
    same = float((logits.argmax(1) == told.argmax(1)).mean())
    # As if everyone were seat 0: values of samples are the viewer's.
    values = read_value(game, np.asarray(answer["value"], np.float32), np.zeros(len(told), np.int64))[:, 0]
    correlation = float(np.corrcoef(values, samples.search_value)[0, 1])
    print(f"{len(told)} positions of {args.games} games by {args.teacher}")
    print(f"the same first choice: {100 * same:.1f} %; policy off by {divergence:.2f} nats")
    print(
        f"values: correlation {correlation:.3f}, off by {np.abs(values - samples.search_value).mean():.3f} on average"
    )


if __name__ == "__main__":
    main()
