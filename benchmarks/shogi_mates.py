"""How the mate solver of shogi does on positions near the end of games, and whether what it says is true.

    python benchmarks/shogi_mates.py GAMES.usi [--positions 10000] [--nodes 100000]

GAMES.usi has a game a line, `startpos moves …`. Announced mates are replayed: the rules alone say which answers there
are and when it is mate, and every answer must be mated too, up to a number of positions. Where cshogi is installed, its
own solver is asked about the same positions: what it mates must not be called no mate.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path
from typing import Any

import tengen
from tengen.games.shogi.mate import MateSolver

SHOGI = tengen.game("shogi")
TAIL = 14
"""Positions of a game that are looked at, from its end."""
REPLAYED = 300
"""Answers that the replay of one mate follows at most."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", type=Path)
    parser.add_argument("--positions", type=int, default=10_000)
    parser.add_argument("--nodes", type=int, default=100_000)
    options = parser.parse_args()
    states = read_positions(options.games, options.positions)
    solver = MateSolver()
    begun = time.process_time()
    answers = [solver.solve(state, options.nodes) for state in states]
    seconds = time.process_time() - begun
    nodes = sum(answer.nodes for answer in answers)
    verdicts = Counter({True: "mate", False: "no mate", None: "unknown"}[answer.is_mate] for answer in answers)
    print(f"{len(states)} positions, at most {options.nodes:,} nodes each: {dict(verdicts)}")
    print(f"{nodes:,} nodes in {seconds:.0f} s of the processor: {nodes / seconds:,.0f} a second")
    replay(states, answers, options.nodes)
    compare(states, answers, options.nodes)


def read_positions(path: Path, count: int) -> list[Any]:
    states: list[Any] = []
    for line in path.read_text().splitlines():
        words = line.partition("#")[0].split()
        state = SHOGI.start()
        moves = words[words.index("moves") + 1 :]
        for number, move in enumerate(moves):
            if number >= len(moves) - TAIL:
                states.append(state)
            state = state.play(move)
        if state.actor is not None:
            states.append(state)
        if len(states) >= count:
            break
    return states[:count]


def replay(states: list[Any], answers: list[Any], nodes: int) -> None:
    found = Counter()
    lengths = Counter()
    solver = MateSolver()
    for state, answer in zip(states, answers, strict=True):
        if not answer.is_mate:
            continue
        lengths[len(answer.line)] += 1
        budget = [REPLAYED]
        found["true" if holds(state, answer.line, solver, nodes, budget) else "false"] += 1
        found["not followed to every end"] += budget[0] <= 0
        end = state
        for action in answer.line:
            end = end.play(action)
        found["lines that do not end in mate"] += end.actor is not None
    print(f"mates replayed: {dict(found)}; plies: {dict(sorted(lengths.items()))}")


def holds(state: Any, line: tuple[int, ...], solver: MateSolver, nodes: int, budget: list[int]) -> bool:
    """Whether the attacker mates against every answer: by the line's first move, then by what the solver says."""
    check = state.play(line[0])
    if check.actor is None:
        return SHOGI.end(check) == "no moves"
    if not SHOGI.is_check(check):
        return False
    for answer in check.legal():
        if budget[0] <= 0:
            return True
        budget[0] -= 1
        after = check.play(answer)
        found = solver.solve(after, 10 * nodes)
        if not found.is_mate or not holds(after, found.line, solver, nodes, budget):
            return False
    return True


def compare(states: list[Any], answers: list[Any], nodes: int) -> None:
    try:
        import cshogi
    except ImportError:
        print("cshogi is not installed: nothing to compare with")
        return
    other = cshogi.DfPn(51, nodes, 32767)
    table = Counter()
    for state, answer in zip(states, answers, strict=True):
        theirs = bool(other.search(cshogi.Board(SHOGI.sfen(state))))
        table[f"ours {answer.is_mate}, cshogi's {theirs}"] += 1
    print(f"beside cshogi: {dict(table)}")


if __name__ == "__main__":
    main()
