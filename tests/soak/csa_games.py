"""Games in a row between two clients over loopback, connections cut now and then: nothing may be lost.

    python tests/soak/csa_games.py --games 100
    python tests/soak/csa_games.py --games 10 --processes --seconds 0.1    # two `tengen csa` with the engine itself
    python tests/soak/csa_games.py --games 3 --processes --clock 0+1+0 --cuts 0 -- --option NetworkDelay=300

Ends with figures; the exit code is 1 where a game, a move, a time or a record is missing or different.
"""

import argparse
import collections
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from csa_peers import StubEngine
from csa_referee import Referee

from tengen.games.shogi.records import load_record
from tengen.protocols.csa import CsaClient, CsaSettings
from tengen.protocols.usi.decision import Decision, Score

NAMES = ("left", "right")


class RandomEngine(StubEngine):
    """Any legal move, and an opinion about it."""

    def __init__(self, seed):
        super().__init__()
        self._rng = random.Random(seed)

    def _decide(self, state):
        names = [state.game.name(action) for action in state.legal()]
        move = "win" if "win" in names else self._rng.choice(names)
        return Decision(move, score=Score(cp=self._rng.randrange(-3000, 3000)), pv=(move,))


class Cutter(Referee):
    """Cuts a player's connection in some games, somewhere."""

    def __init__(self, share, seed, **more):
        self._rng = random.Random(seed)
        self._share = share
        self.cuts = 0
        super().__init__(**more)

    def check_comment(self, comment, text):
        super().check_comment(comment, text)
        if self._rng.random() < self._share / 60:
            self.cuts += 1
            self._rng.choice(self.matches[-1].players).close(resets=self._rng.random() < 0.5)


def in_threads(referee, folder, args):
    clients = [
        CsaClient(
            CsaSettings("127.0.0.1", name, referee.port, games=args.games, records=folder / name, longest_pause_s=1),
            "secret",
            RandomEngine(seed),
        )
        for seed, name in enumerate(NAMES, args.seed)
    ]
    threads = [threading.Thread(target=client.run, daemon=True) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(args.timeout)
    return [len(client.results) for client in clients]


def in_processes(referee, folder, args):
    programs = [
        subprocess.Popen(
            [
                *(sys.executable, "-m", "tengen", "csa", "--host", "127.0.0.1", "--port", str(referee.port)),
                *("--name", name, "--games", str(args.games), "--records", str(folder / name)),
                *([] if args.seconds is None else ["--seconds", str(args.seconds)]),
                *("--log", str(folder / f"{name}.log"), *args.options),
            ],
            env={**os.environ, "TENGEN_CSA_PASSWORD": "secret"},
            stderr=subprocess.DEVNULL,
        )
        for name in NAMES
    ]
    for program in programs:
        program.wait(args.timeout)
    return [len(list((folder / name).glob("*.csa"))) for name in NAMES]


def faults_of(match, folder):
    """What of a game is missing or different in the records of its players."""
    for name in NAMES:
        csa, kif = ((folder / name / f"{match.id}{suffix}") for suffix in (".csa", ".kif"))
        if not csa.exists() or not kif.exists():
            yield f"{match.id}: no record of {name}"
            continue
        record = load_record(csa)
        # A client whose connection was cut has heard less than the referee said.
        is_whole = record.end != "interrupt"
        moves = match.moves if is_whole else match.moves[: len(record.moves)]
        if record.moves != moves or load_record(kif).moves != moves:
            yield f"{match.id}: {name} has other moves"
        times = [int(node.time_s) for node in record.root.main_line() if node.move]
        if times != [spent for _, spent, _ in match.lines][: len(times)]:
            yield f"{match.id}: {name} has other times"
        if record.end is None:
            yield f"{match.id}: the record of {name} has no end"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--cuts", type=float, default=0.2, help="games of which a connection is cut")
    parser.add_argument("--max-moves", type=int, default=320)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--timeout", type=float, default=1800)
    parser.add_argument("--processes", action="store_true", help="two `tengen csa` instead of random players")
    parser.add_argument("--seconds", type=float, help="the most of a move, with --processes; else by the clock")
    parser.add_argument("--clock", default="60+0+1", help="seconds in all, of byoyomi, added a move")
    parser.add_argument("options", nargs="*", help="more for `tengen csa`, after --")
    args = parser.parse_args()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        os.environ["XDG_STATE_HOME"] = str(folder / "state")
        total, byoyomi, increment = map(int, args.clock.split("+"))
        clock = {"total_s": total, "byoyomi_s": byoyomi, "increment_s": increment}
        with Cutter(args.cuts, args.seed, max_moves=args.max_moves, **clock) as referee:
            counts = (in_processes if args.processes else in_threads)(referee, folder, args)
        played = [match for match in referee.matches if match.verdict[0]]
        faults = [fault for match in played for fault in faults_of(match, folder)]
    plies = sum(len(match.moves) for match in played)
    ends = collections.Counter(match.verdict[0] for match in played)
    print(f"{len(played)} games, {plies} plies in {time.monotonic() - began:.0f} s; {referee.cuts} connections cut")
    print("ends:", ", ".join(f"{reason} {count}" for reason, count in ends.most_common()))
    print(f"games by player: {counts}; faults: {len(faults)}")
    for fault in faults:
        print(" ", fault)
    return int(bool(faults) or counts != [args.games] * 2 or len(played) != args.games)


if __name__ == "__main__":
    sys.exit(main())
