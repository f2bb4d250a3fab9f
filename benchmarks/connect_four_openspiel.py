"""Connect Four against OpenSpiel's C++ MCTSBot: simulations per second, and a match at equal simulations.

    python benchmarks/connect_four_openspiel.py --games 200 --simulations 1000

Both search with UCT and one random rollout a simulation, on one thread. Speed is measured in turns in the same run, and
the ratio is what counts. In the matches, each opening is played twice with seats swapped; the second match keeps
Tengen's tree from move to move, which MCTSBot does not do.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import time

import pyspiel

import tengen

SETTINGS = tengen.SearchSettings(rule="ucb1", solve=True)


def make_bot(simulations: int, seed: int, solve: bool = True) -> pyspiel.MCTSBot:
    evaluator = pyspiel.RandomRolloutEvaluator(1, seed)
    return pyspiel.MCTSBot(
        pyspiel.load_game("connect_four"),
        evaluator,
        2.0,
        simulations,
        1000,
        solve,
        seed,
        False,
        pyspiel.ChildSelectionPolicy.UCT,
    )


def speed(simulations: int, rounds: int) -> None:
    ratios = []
    settings = tengen.SearchSettings(rule="ucb1")
    for i in range(rounds):
        bot = make_bot(simulations, i, solve=False)
        state = pyspiel.load_game("connect_four").new_initial_state()
        began = time.perf_counter()
        bot.mcts_search(state)
        theirs = simulations / (time.perf_counter() - began)
        start = tengen.game("connect_four").start()
        began = time.perf_counter()
        result = tengen.search(start, settings=settings, visits=simulations, seed=i)
        ours = result.visits / (time.perf_counter() - began)
        ratios.append(ours / theirs)
        print(f"round {i}: tengen {ours:,.0f}/s, open_spiel {theirs:,.0f}/s, ratio {ratios[-1]:.1f}")
    print(f"simulations per second, tengen / open_spiel: median ratio {statistics.median(ratios):.1f}")


def play(opening: list[int], tengen_seat: int, simulations: int, seed: int, keep_tree: bool) -> float:
    """One game; the result for Tengen."""
    state = tengen.game("connect_four").start()
    theirs = pyspiel.load_game("connect_four").new_initial_state()
    for action in opening:
        state = state.play(action)
        theirs.apply_action(action)
    bot = make_bot(simulations, seed)
    pool = tengen.Pool(state.game, SETTINGS)
    root = pool.add(state, seed=seed)
    while not state.is_over:
        if state.actor == tengen_seat:
            if not keep_tree:
                pool.remove(root)
                root = pool.add(state, seed=seed + len(state.history))
            pool.restart(root, visits=pool.result(root).visits + simulations)
            pool.run()
            action = pool.choose(root)
        else:
            action = bot.step(theirs)
        state = pool.advance(root, action)
        theirs.apply_action(action)
    assert theirs.is_terminal()
    assert theirs.returns()[0] == state.payoffs[0]
    return state.payoffs[tengen_seat]


def match(games: int, simulations: int, seed: int, keep_tree: bool) -> None:
    rng = random.Random(seed)
    scores = []
    for pair in range(games // 2):
        opening = [rng.randrange(7) for _ in range(rng.randrange(4))]
        scores += [
            0.5 + 0.5 * play(opening, seat, simulations, seed + 1000 * pair + seat, keep_tree) for seat in (0, 1)
        ]
        if (pair + 1) % 10 == 0:
            print(f"{len(scores)} games: {sum(scores):.1f} points for tengen", flush=True)
    mean = statistics.fmean(scores)
    error = 1.96 * statistics.stdev(scores) / math.sqrt(len(scores))
    wins, draws = scores.count(1.0), scores.count(0.5)
    what = f"match at {simulations} simulations{', tree kept between moves' if keep_tree else ''}"
    lost = len(scores) - wins - draws
    print(f"{what}: {len(scores)} games, {wins} won, {draws} drawn, {lost} lost; score {mean:.3f} ± {error:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200, help="games in the match; 0 leaves it out")
    parser.add_argument("--simulations", type=int, default=1000, help="a move in the match")
    parser.add_argument("--speed-simulations", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    speed(arguments.speed_simulations, arguments.rounds)
    if arguments.games:
        for keep_tree in (False, True):
            match(arguments.games, arguments.simulations, arguments.seed, keep_tree)


if __name__ == "__main__":
    main()
