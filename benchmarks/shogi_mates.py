"""How the mate solver of shogi does on positions near the end of games, and whether what it says is true.

    python benchmarks/shogi_mates.py GAMES.usi [--positions 10000] [--nodes 100000] [--deep 3000000] [--proven 2000]

GAMES.usi has a game a line, `startpos moves …`. Announced mates are replayed: the rules alone say which answers there
are and when it is mate, and every answer must be mated too, up to a number of positions. Where cshogi is installed, its
own solver is asked about the same positions: what it mates must not be called no mate.

Problems are the positions whose shortest mate that is known has 3 to 15 plies, by a search of --deep nodes, or by
cshogi: how many of them are solved within --nodes. Proven positions are those, and all that their mates lead through
with the attacker to move, in the game and without its past: none may be called no mate, however few nodes and however
small a table there are.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tengen
from tengen.games.shogi.mate import MateSolver

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOGI = tengen.game("shogi")
LENGTHS = range(3, 16, 2)
"""Plies of problems."""
TAIL = 14
"""Positions of a game that are looked at, from its end."""
REPLAYED = 300
"""Answers that the replay of one mate follows at most."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games", type=Path)
    parser.add_argument("--positions", type=int, default=10_000)
    parser.add_argument("--nodes", type=int, default=100_000)
    parser.add_argument(
        "--deep", type=int, default=3_000_000, help="nodes to find more problems by; 0: no search for them"
    )
    parser.add_argument("--proven", type=int, default=2_000, help="proven positions to ask about again")
    options = parser.parse_args()
    states = read_positions(options.games, options.positions)
    solver = MateSolver()
    begun = time.process_time()
    answers = [solver.solve(state, options.nodes) for state in told("solved", states)]
    seconds = time.process_time() - begun
    nodes = sum(answer.nodes for answer in answers)
    verdicts = Counter({True: "mate", False: "no mate", None: "unknown"}[answer.is_mate] for answer in answers)
    print(f"{len(states)} positions, at most {options.nodes:,} nodes each: {dict(verdicts)}")
    print(f"{nodes:,} nodes in {seconds:.0f} s of the processor: {nodes / seconds:,.0f} a second")
    replay(states, answers, options.nodes)
    theirs = compare(states, answers, options.nodes)
    mates = solve_problems(states, answers, theirs, options.nodes, options.deep)
    ask_again(mates, options.proven)


def told(what: str, items: list[Any]) -> Iterator[Any]:
    """Says on the way how far it is."""
    for number, item in enumerate(items):
        if number % 500 == 0:
            print(f"{number} of {len(items)} {what}", file=sys.stderr)
        yield item


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
    for state, answer in told("replayed", list(zip(states, answers, strict=True))):
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
        if found.is_mate is None:  # without what the search above it had found out it can take longer
            found = solver.solve(after, 100 * nodes)
        if not found.is_mate or not holds(after, found.line, solver, nodes, budget):
            return False
    return True


def compare(states: list[Any], answers: list[Any], nodes: int) -> list[bool]:
    """Which positions cshogi mates."""
    try:
        import cshogi
    except ImportError:
        print("cshogi is not installed: nothing to compare with")
        return [False] * len(states)
    other = cshogi.DfPn(51, nodes, 32767)
    found = [bool(other.search(cshogi.Board(SHOGI.sfen(state)))) for state in states]
    pairs = zip(answers, found, strict=True)
    table = Counter(f"ours {answer.is_mate}, cshogi's {theirs}" for answer, theirs in pairs)
    print(f"beside cshogi: {dict(table)}")
    return found


def solve_problems(
    states: list[Any], answers: list[Any], theirs: list[bool], nodes: int, deep: int
) -> list[tuple[Any, tuple[int, ...]]]:
    """Says how many of the problems were solved; answers all mates, with their lines."""
    solver = MateSolver(512)
    mates: list[tuple[Any, tuple[int, ...]]] = []
    solved: Counter[int] = Counter()
    problems: Counter[int] = Counter()
    unknown = 0
    for state, answer, is_theirs in told("looked at for problems", list(zip(states, answers, theirs, strict=True))):
        line = answer.line
        if answer.is_mate is None:
            line = solver.solve(state, deep).line if deep else ()
            unknown += is_theirs and not line
        if not line:
            continue
        mates.append((state, line))
        plies = shortest(state, line, solver, nodes)
        problems[plies] += 1
        solved[plies] += bool(answer.is_mate)
    count = sum(problems[plies] for plies in LENGTHS) + unknown
    done = sum(solved[plies] for plies in LENGTHS)
    print(f"problems of {LENGTHS[0]} to {LENGTHS[-1]} plies: {done} of {count} solved, {done / max(1, count):.2%}")
    print(f"  {unknown} of them are mates of cshogi's that {max(nodes, deep):,} nodes did not find")
    print(f"  by plies: {', '.join(f'{plies}: {solved[plies]} of {problems[plies]}' for plies in sorted(problems))}")
    return mates


def shortest(state: Any, line: tuple[int, ...], solver: MateSolver, nodes: int) -> int:
    """The plies of the shortest mate that is known: a limit of plies bounds the search."""
    for plies in range(1, len(line), 2):
        bounded = tengen.game("shogi", max_plies=SHOGI.ply(state) + plies)
        if solver.solve(bounded.start(sfen=SHOGI.sfen(state)), nodes).is_mate:
            return plies
    return len(line)


def ask_again(mates: list[tuple[Any, tuple[int, ...]]], count: int) -> None:
    solvers = {"1 MB": MateSolver(1), "64 MB": MateSolver(64)}
    found = Counter()
    asked = 0
    for begun, line in mates:
        state = begun
        for number, action in enumerate(line):
            if number % 2 == 0 and asked < count:
                asked += 1
                bare = SHOGI.start(sfen=SHOGI.sfen(state))
                for where, nodes in (("1 MB", 1_000), ("1 MB", 100_000), ("64 MB", 10_000)):
                    for each in (state, bare):
                        verdict = solvers[where].solve(each, nodes).is_mate
                        found[{True: "mate", None: "unknown", False: "FALSELY NO MATE"}[verdict]] += 1
            state = state.play(action)
    print(f"{asked} proven positions asked about 6 times each: {dict(found)}")


if __name__ == "__main__":
    main()
