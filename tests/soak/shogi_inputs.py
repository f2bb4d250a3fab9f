"""What miniosl's network sees of games, held against the package itself: the share of equal inputs.

    python tests/soak/shogi_inputs.py [GAMES] [--random 400]

GAMES has games, one a line, `startpos moves …`. Then games that go on at random from some ply of theirs.
"""

import argparse
import random
from collections import Counter
from pathlib import Path

import minioslcc
import numpy as np

import tengen
from tengen import _core

GAME = tengen.game("shogi")
OWN = Path(__file__).parent.parent / "data" / "shogi" / "games.usi"
PLIES = 60


class Tally:
    def __init__(self):
        self.seen = self.equal = self.threats = 0
        self.planes = Counter()

    def see(self, state, theirs):
        wanted = theirs.export_heuristic_feature8().reshape(176, 9, 9).astype(np.float32) / np.float32(36)
        ours = _core.miniosl_inputs_of_states([state.position], False)[0]
        differ = np.flatnonzero((ours != wanted).any(axis=(1, 2))).tolist()
        self.seen += 1
        self.equal += not differ
        self.threats += bool(wanted[62].any())
        self.planes.update(plane if plane < 64 else f"+{(plane - 64) % 16}" for plane in differ)

    def __str__(self):
        return (
            f"{self.seen:,} positions, {self.equal / self.seen:.3%} equal, {self.threats} with a threat of mate; "
            f"planes that differ: {dict(self.planes)}"
        )


def replay(moves, tally=None):
    state, theirs = GAME.start(), minioslcc.GameManager()
    for move in moves:
        state = state.play(move)
        theirs.make_move(theirs.state.to_move(move))
        if state.is_over:
            break
        if tally is not None:
            tally.see(state, theirs)
    return state, theirs


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("games", nargs="?", type=Path, default=OWN)
    parser.add_argument("--random", type=int, default=400, help="games that go on at random")
    options = parser.parse_args()
    lines = [line for line in options.games.read_text(encoding="utf-8").splitlines() if "moves" in line]
    games = [line.partition("moves")[2].split("#")[0].split() for line in lines]
    played, drawn = Tally(), Tally()
    for moves in games:
        replay(moves, played)
    print(f"{len(games)} games: {played}")
    rng = random.Random(1)
    for _ in range(options.random):
        moves = rng.choice(games)
        state, theirs = replay(moves[: rng.randrange(len(moves))])
        for _ in range(PLIES):
            if state.is_over:
                break
            action = rng.choice(state.legal())
            if GAME.name(action) == "win":
                break
            state = state.play(action)
            theirs.make_move(theirs.state.to_move(GAME.name(action)))
            if not state.is_over:
                drawn.see(state, theirs)
    print(f"{options.random} games that go on at random: {drawn}")


if __name__ == "__main__":
    main()
