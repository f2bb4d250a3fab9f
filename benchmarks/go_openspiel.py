"""Go against OpenSpiel's: the same legal moves and scores in many random games, and random play in both.

    python benchmarks/go_openspiel.py --games 10000          # on 9x9 and on 19x19, in step with each other
    python benchmarks/go_openspiel.py --speed                # playouts per second, in turns, and their ratio

The rules that agree are area scoring, simple ko and no suicide. OpenSpiel ends a game as a draw when a position comes
back and counts it as it is after two moves a point; games that end so are compared up to there.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections import Counter

import pyspiel

import tengen

RULES = '{"ko": "SIMPLE", "scoring": "AREA", "tax": "NONE", "suicide": false}'
SECONDS = 2.0


def agree(size: int, games: int, seed: int) -> None:
    rng = random.Random(seed)
    game = tengen.game("go", size=size, rules=RULES)
    core = game.core  # type: ignore[attr-defined]
    theirs = pyspiel.load_game("go", {"board_size": size})
    area = size * size
    # Their rows count from the bottom.
    ours = [(size - 1 - cell // size) * size + cell % size for cell in range(area)] + [area]
    ends: Counter[str] = Counter()
    moves = 0
    began = time.perf_counter()
    for number in range(games):
        position = core.start(0)
        other = theirs.new_initial_state()
        while not other.is_terminal():
            legal = other.legal_actions()
            player = other.current_player()
            mine = core.legal(position, player)
            if mine != sorted(ours[action] for action in legal):
                raise SystemExit(f"{size}x{size}, game {number}: other legal moves after {other.history()}")
            action = rng.choice(legal)
            position = core.apply(position, ours[action])
            other.apply_action(action)
            moves += 1
        by_passes = other.history()[-2:] == [area, area]
        won = other.returns()[0]
        lead, _ = core.score(position, [])
        if (core.actor(position) < 0) != by_passes or (won != 0 and (lead > 0) != (won > 0)):
            raise SystemExit(f"{size}x{size}, game {number}: another end after {other.history()}")
        ends["two passes" if by_passes else "repeated" if won == 0 else "two moves a point"] += 1
        if (number + 1) % 1000 == 0:
            print(f"{size}x{size}: {number + 1} games, {time.perf_counter() - began:.0f} s", flush=True)
    told = ", ".join(f"{count} by {end}" for end, count in ends.most_common())
    print(f"{size}x{size}: {games} games and {moves:,} moves agree; ended {told}")


def speed(size: int, rounds: int) -> None:
    game = tengen.game("go", size=size, rules=RULES)
    theirs_game = pyspiel.load_game("go", {"board_size": size})
    core = game.core  # type: ignore[attr-defined]
    start = core.start(0)
    ratios = []
    for i in range(rounds):
        count, rollouts = 0, 50
        began = time.perf_counter()
        while time.perf_counter() - began < SECONDS:
            # One simulation of the C++ bot judges the start by that many random games, and does nothing else.
            evaluator = pyspiel.RandomRolloutEvaluator(rollouts, i + count)
            kind = pyspiel.ChildSelectionPolicy.UCT
            bot = pyspiel.MCTSBot(theirs_game, evaluator, 2.0, 1, 1000, False, i, False, kind)
            bot.mcts_search(theirs_game.new_initial_state())
            count += rollouts
        theirs = count / (time.perf_counter() - began)
        count, plies = 0, 0
        began = time.perf_counter()
        while time.perf_counter() - began < SECONDS:
            played, _ = core.playouts(start, i + count, 10 * rollouts)
            count += 10 * rollouts
            plies += played
        seconds = time.perf_counter() - began
        ratios.append(count / seconds / theirs)
        mine = f"tengen {count / seconds:,.0f} playouts/s ({plies / seconds / 1e6:.2f} M moves/s)"
        print(f"{size}x{size}, round {i}: {mine}, open_spiel {theirs:,.0f} playouts/s, ratio {ratios[-1]:.1f}")
    print(f"{size}x{size}: playouts per second, tengen / open_spiel: median ratio {statistics.median(ratios):.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=10_000, help="random games on each board")
    parser.add_argument("--sizes", type=int, nargs="+", default=[9, 19])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--speed", action="store_true", help="measure random play instead")
    parser.add_argument("--rounds", type=int, default=5, help="of the measurement")
    arguments = parser.parse_args()
    for size in arguments.sizes:
        if arguments.speed:
            speed(size, arguments.rounds)
        else:
            agree(size, arguments.games, arguments.seed)


if __name__ == "__main__":
    main()
