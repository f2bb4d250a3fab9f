"""How fast are shogi's rules beside cshogi's, in one run?

    python benchmarks/shogi_rules.py

Counting moves: the core's perft against cshogi's, driven from Python as its users do, with the last ply counted in bulk
by the length of its list of moves. Random games: the core's playouts against cshogi's board, driven from Python. It
takes the package cshogi.
"""

from __future__ import annotations

import argparse
import json
import random
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cshogi

import tengen
from tengen.games.shogi import PieceCountWarning

RULES = Path(__file__).parent.parent / "tests" / "data" / "shogi" / "rules.json"
SHORTEST_S = 1.0


def their_perft(board: Any, depth: int) -> int:
    moves = board.legal_moves
    if depth == 1:
        return len(moves)
    total = 0
    for move in moves:
        board.push(move)
        total += their_perft(board, depth - 1)
        board.pop()
    return total


def measure(count: Any) -> float:
    """Per second of processor time; count() answers how much it did."""
    done, began = 0, time.process_time()
    while time.process_time() - began < SHORTEST_S:
        done += count()
    return done / (time.process_time() - began)


def their_playouts(count: int, max_plies: int, rng: random.Random) -> tuple[int, int]:
    """By the same rules: a game ends by mate, repetition or the limit of plies, and a declaration is a choice."""
    plies = 0
    for _ in range(count):
        board = cshogi.Board()
        for _ in range(max_plies):
            moves = list(board.legal_moves)
            if not moves or (board.is_draw() != cshogi.NOT_REPETITION and is_over(board)):
                break
            if board.is_nyugyoku() and rng.randrange(len(moves) + 1) == 0:
                break
            board.push(rng.choice(moves))
            plies += 1
    return count, plies


def is_over(board: Any) -> bool:
    """is_draw() tells of a second occurrence, the rules mean the fourth."""
    key, times, undone = board.zobrist_hash(), 1, []
    while board.history and times < 4:
        undone.append(board.pop())
        times += board.zobrist_hash() == key
    for move in reversed(undone):
        board.push(move)
    return times >= 4


def compare_counts(game: tengen.games.Game) -> list[float]:
    ratios = []
    for row in json.loads(RULES.read_text())["perft"]:
        depth = next(d for d in range(len(row["counts"]), 0, -1) if row["counts"][d - 1] < 5_000_000 or d == 1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PieceCountWarning)
            position = game.start(sfen=row["sfen"]).position
        board = cshogi.Board(row["sfen"])
        assert game.core.perft(position, depth) == their_perft(board, depth) == row["counts"][depth - 1]
        ours = measure(lambda p=position, d=depth: game.core.perft(p, d))
        theirs = measure(lambda b=board, d=depth: their_perft(b, d))
        ratios.append(ours / theirs)
        speeds = f"{ours / 1e6:7.1f} M leaves/s, cshogi {theirs / 1e6:6.1f} M: {ratios[-1]:5.1f} x"
        print(f"{row['name']:26} depth {depth}: {speeds}")
    return ratios


def compare_playouts(seed: int) -> None:
    rng = random.Random(seed)
    for max_plies in (150, 1000):
        game = tengen.game("shogi", max_plies=max_plies)
        start = game.start().position
        ours = measure_games(lambda g=game, s=start: (100, g.core.playouts(s, rng.getrandbits(60), 100)[0]))
        theirs = measure_games(lambda most=max_plies: their_playouts(2, most, rng))
        print(f"random games up to {max_plies} plies: {ours}, cshogi {theirs}: {ours.games / theirs.games:.1f} x")


@dataclass(frozen=True)
class Speed:
    games: float
    """A second."""
    ply_ns: float

    def __str__(self) -> str:
        return f"{self.games:,.0f}/s ({self.ply_ns:,.0f} ns a ply)"


def measure_games(play: Callable[[], tuple[int, int]]) -> Speed:
    """play() answers games and plies."""
    games = plies = 0
    began = time.process_time()
    while (took := time.process_time() - began) < SHORTEST_S:
        more = play()
        games, plies = games + more[0], plies + more[1]
    return Speed(games / took, took / plies * 1e9)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    ratios = compare_counts(tengen.game("shogi"))
    print(f"counting moves: {min(ratios):.1f} to {max(ratios):.1f} times cshogi's speed")
    compare_playouts(given.seed)


if __name__ == "__main__":
    main()
