"""Random calls, sensible and hostile, against the search of every game.

    python tests/fuzz/fuzz_pool.py --sequences 10000 --seed 1

Each sequence makes a pool and calls it; then whatever roots are left must still end their searches. Exceptions of the
documented kinds are fine. Another exception, a crash, or a search that does not end is a failure, and is shown with
what repeats it: --only. Sequences run in a process of their own, so that one crash is one failure. Made for
scripts/sanitized-python.
"""

from __future__ import annotations

import argparse
import faulthandler
import math
import os
import random
import subprocess
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))
from faulty_games import Erratic, Quarrel, Unsteady
from toy_games import Duel, FullTicTacToe, HighCard

import tengen
from tengen.evaluators import Evaluation
from tengen.games import NativeGame, State
from tengen.search import Pool, Restriction, SearchSettings

REFUSALS = (ValueError, TypeError, IndexError, KeyError, RuntimeError)
VISITS, GUARANTEED = 20, 9
"""Visits of the search that ends each sequence, and guaranteed visits of an action in it."""
SECONDS = 120  # for one sequence; a sanitized one takes a fraction of one


GAMES = [
    *map(tengen.game, ("connect_four", "pyrga", "kuhn_poker", "matgo", "pig", "rock_paper_scissors")),
    tengen.game("pyrga", tie_break=True),
    tengen.game("pig", target=5),
    tengen.game("go", size=4),
    tengen.game("go", size=3, height=2, rules="japanese"),
    FullTicTacToe(),
    HighCard(),
    Duel(),
    Duel(rounds=1),
    Erratic(),
    Unsteady(),
    Unsteady(hidden=True),
    Unsteady(simultaneous=True),
    Unsteady(hidden=True, simultaneous=True),
]
NUMBERS = [-(2**63) - 1, -(2**31) - 1, -2, -1, 0, 1, 2, 3, 6, 7, 95, 2**31 - 1, 2**31, 2**63, 2**64]
ODDITIES = [*NUMBERS, 0.5, math.nan, math.inf, None, "x", "", [], (0,), object(), True]
KNOBS: dict[str, list[Any]] = {
    "rule": ["puct", "ucb1", "best"],
    "c_puct": [0.0, 2.0, 1000.0, -1.0],
    "c_puct_log": [0.5],
    "c_ucb1": [0.0, 3.0],
    "fpu_reduction": [0.0, 2.0, 3.0],
    "fpu_value": [0.0, -1.0, None],
    "leaves_per_root": [1, 2, 8, 100, 0],
    "virtual_loss": [0.0, 3.0, 1000.0],
    "noise_fraction": [0.25, 1.0, 2.0],
    "root_policy_temperature": [0.01, 100.0, 0.0],
    "forced_playouts": [2.0, 1000.0],
    "gumbel_actions": [1, 2, 4, 100, 65535, 65536],
    "gumbel_scale": [0.0],
    "fast_visits": [1, 5],
    "full_probability": [0.5, 0.0],
    "widening_factor": [0.5, 2.0, 1e6],
    "widening_exponent": [0.0, 1.0],
    "joint_rule": ["ucb", "regret", "none"],
    "joint_exploration": [0.0, 1.0, 2.0],
    "solve": [True],
    "cache_entries": [1, 10, 1000, -1],
}


def is_absent(error: Exception) -> bool:
    return isinstance(error, IndexError) and "no root" in str(error)


def some_action(state: Any, rng: random.Random) -> Any:
    if state.actor == "chance":
        return state.outcome(rng.getrandbits(16))
    if state.actor == "all":
        return [rng.choice(state.legal(player)) for player in range(state.game.players)]
    return rng.choice(state.legal())


def some_states(game: Any) -> list[Any]:
    """From the start to the end of a few random games."""
    rng = random.Random(1)
    found = []
    for seed in range(4):
        found += [game.start(seed)] * 6
        while not (found[-1].is_over or isinstance(game, Unsteady)):
            found.append(found[-1].play(some_action(found[-1], rng)))
    return found


STATES = {game: some_states(game) for game in GAMES}


class Sequence:
    """One pool and what is done to it."""

    def __init__(self, seed: int, index: int, *, verbose: bool = False) -> None:
        self.rng = random.Random(f"{seed} {index}")
        self.verbose = verbose
        self.game: Any = self.rng.choice(GAMES)
        # If the rules or a caller contradict themselves, the search may fail, but it must end.
        self.is_sound = not isinstance(self.game, Unsteady)
        self.rows = 0
        self.roots: list[int] = []
        self.count = 0  # no root has this number yet
        Erratic.rng = Unsteady.rng = random.Random(self.rng.getrandbits(32))
        Erratic.trouble = 0.0

    def run(self) -> None:
        rng = self.rng
        self.evaluator = rng.choice(["uniform", "rollout", self.judge, self.judge, "heuristic"])
        changes = {name: rng.choice(KNOBS[name]) for name in rng.sample(sorted(KNOBS), rng.choice([0, 1, 1, 2, 3]))}
        changes["visits"] = self.odd(rng.choice([1, 2, 10, 40, 40, 100]))
        if self.verbose:
            print(self.game, self.evaluator, changes)
        pool = self.attempt("make", lambda: self.make(changes))
        if pool is None:
            pool = self.make({"visits": 20}, self.judge)
        Erratic.trouble = rng.choice([0.0, 0.01, 0.2]) if isinstance(self.game, Erratic) else 0.0
        calls = self.raw_calls(pool._core) if rng.random() < 0.4 else self.calls(pool)
        # Some begin with nothing, most with roots to work on.
        names = [*["add plainly"] * rng.choice([0, 1, 1, 2, 5]), *rng.choices(sorted(calls), k=rng.randint(5, 30))]
        for name in names:
            self.attempt(name, calls[name])
            if self.rows and rng.random() < 0.4:
                self.attempt("supply", calls["supply"])
        if isinstance(self.game, NativeGame) and rng.random() < 0.05:
            self.crowd(pool, calls)
        Erratic.trouble = 0.0
        self.end(pool)

    def make(self, changes: dict[str, Any], evaluator: Any = None) -> Pool:
        threads = self.rng.choice([*[1] * 12, 2, 2, 3, 0, 1025]) if isinstance(self.game, NativeGame) else self.odd(1)
        batch = self.odd(self.rng.choice([256, 1, 3]))
        settings = SearchSettings(**changes)
        if evaluator is not None:
            return Pool(self.game, settings, evaluator)
        return Pool(self.game, settings, self.evaluator, threads=threads, batch=batch)

    def attempt(self, name: str, call: Any) -> Any:
        try:
            answer = call()
        except (*REFUSALS, Quarrel) as error:
            if self.verbose:
                print(f"{name}: {type(error).__name__}: {str(error)[:200]}")
            return None
        if self.verbose:
            print(f"{name}: {str(answer)[:100]!r}")
        return answer

    def judge(self, state: Any, player: int) -> Any:
        luck = self.rng.random()
        if luck < 0.005:
            raise Quarrel("judge")
        if luck < 0.01:
            return self.rng.choice(ODDITIES)
        return [0.1, -0.1, *[0.0] * 6][: self.game.players]

    # Arguments

    def odd(self, usual: Any) -> Any:
        return self.rng.choice(ODDITIES) if self.rng.random() < 0.04 else usual

    def state(self, game: Any = None) -> Any:
        return self.rng.choice(STATES[game or (self.rng.choice(GAMES) if self.rng.random() < 0.05 else self.game)])

    def some_action(self, state: Any) -> Any:
        return some_action(state, self.rng)

    def actions(self) -> list[Any]:
        count = self.game.action_count
        return [self.odd(self.rng.randrange(count)) for _ in range(self.rng.choice([0, 0, 0, 1, 2, 5]))]

    def restrictions(self) -> Any:
        rng = self.rng
        if rng.random() < 0.7:
            return None
        if rng.random() < 0.5:
            return self.actions()
        return [
            Restriction(self.actions(), self.odd(rng.choice([None, 0, 1])), self.odd(rng.choice([1, 2, 9])))
            for _ in range(rng.choice([1, 2]))
        ]

    def constraints(self) -> dict[str, Any]:
        rng = self.rng
        return {
            "include": self.actions(),
            "include_visits": self.odd(rng.choice([1, 3, 20])),
            "allow": self.restrictions(),
            "avoid": self.restrictions() if rng.random() < 0.1 else None,
            "visits": self.odd(rng.choice([None, 1, 30])),
        }

    def raw_constraints(self) -> tuple[Any, ...]:
        rng = self.rng
        rules = [
            (
                self.odd(rng.choice([0, 1])),
                self.actions(),
                self.odd(rng.choice([1, 2, 9])),
                self.odd(rng.random() < 0.5),
            )
            for _ in range(rng.choice([0, 0, 1, 2]))
        ]
        return self.actions(), self.odd(rng.choice([1, 3, 20])), rules, self.odd(rng.choice([0, 1, 30]))

    def added(self, root: Any) -> Any:
        self.roots.append(root)
        self.count = max(self.count, root + 1)
        return root

    def root(self) -> Any:
        return self.odd(self.rng.choice(self.roots or [0, 1]))

    def removed(self, remove: Any) -> None:
        if self.rng.random() < 0.3:
            remove(root := self.root())
            self.roots = [other for other in self.roots if other != root or self.rng.random() < 0.1]

    def next_actions(self, core: Any, root: int) -> list[Any]:
        """Return actions that are usually legal at a root."""
        action = self.some_action(State(self.game, core.state(root)))
        return self.odd([self.odd(part) for part in action] if isinstance(action, list) else [self.odd(action)])

    def viewer(self, usual: Any) -> Any:
        return self.odd(self.rng.choice([usual, 0, 0, 1]))

    def arrays(self) -> tuple[Any, Any, Any]:
        rng = self.rng
        rows = self.rows if rng.random() < 0.9 else rng.choice([0, 1, 7])
        made: list[Any] = []
        for width in (self.game.action_count, self.game.players, self.game.aux_count):
            array = np.zeros((rows, width), np.float32)
            luck = rng.random()
            if luck < 0.04 and array.size:
                array[rng.randrange(rows), rng.randrange(width)] = rng.choice([math.nan, math.inf, -math.inf, 1e38])
            elif luck < 0.06:
                array[:] = -math.inf
            elif luck < 0.1:
                array = rng.choice(
                    [array.astype(np.float64), array[:, :-1], array.T, array[::2], array[None], array.tolist(), None]
                )
            made.append(array)
        return made[0], made[1], made[2] if self.game.aux_count and rng.random() < 0.5 else None

    def collect(self, pool: Any) -> int:
        leaves = pool.collect(self.odd(self.rng.choice([1, 5, 256])))
        self.rows = leaves if isinstance(leaves, int) else len(leaves)
        return self.rows

    def settle(self, _: None) -> None:
        """After what leaves no batch behind."""
        self.rows = 0

    def read(self, core: Any) -> None:
        features = core.features()
        assert features.shape[0] == len(core.viewers()) == len(core.roots()) == len(core.states()) == len(core.legal())
        assert np.isfinite(features.sum())
        assert core.legal().any(axis=1).all()

    def after(self, state: Any, action: Any) -> Any:
        """A state that the viewer may find after an action."""
        # A native game's state is taken on trust.
        if not isinstance(self.game, NativeGame) and self.rng.random() < 0.2:
            self.is_sound = False
            return self.state()
        after = state.play(action)
        return after.redeal(self.rng.randrange(self.game.players), self.rng.getrandbits(16))

    def advance_to(self, pool: Pool, root: int) -> Any:
        action = self.some_action(pool.state(root))
        return pool.advance(root, action, self.after(pool.state(root), action))

    def raw_advance_to(self, core: Any, root: int) -> None:
        state = State(self.game, core.state(root))
        action = self.some_action(state)
        core.advance(root, action if isinstance(action, list) else [action], self.after(state, action).position)

    # Calls

    def calls(self, pool: Pool) -> dict[str, Any]:
        rng = self.rng
        return {
            "add": lambda: self.added(
                pool.add(
                    self.odd(self.state()),
                    viewer=self.viewer(None),
                    seed=self.odd(rng.getrandbits(63)),
                    **self.constraints(),
                )
            ),
            "add plainly": lambda: self.added(pool.add(self.state(self.game), viewer=rng.choice([None, None, 0]))),
            "restart": lambda: pool.restart(self.root(), **self.constraints()),
            "advance": lambda: pool.advance(root := self.root(), self.odd(self.some_action(pool.state(root)))),
            "advance to": lambda: self.advance_to(pool, self.root()),
            "remove": lambda: self.removed(pool.remove),
            "collect": lambda: self.collect(pool),
            "read": lambda: self.read(pool._core),
            "supply": lambda: self.settle(pool.supply(Evaluation(*self.arrays()))),
            "abandon": lambda: self.settle(pool.abandon()),
            "step": pool.step,
            "run": lambda: pool.run(seconds=self.odd(0.002)) if rng.random() < 0.5 else None,
            "result": lambda: repr(pool.result(self.root(), aux=self.odd(rng.random() < 0.3))),
            "choose": lambda: pool.choose(
                self.root(), temperature=self.odd(rng.choice([0.0, 0.1, 1.0])), player=self.viewer(None)
            ),
            "is_done": lambda: pool.is_done,
            "hits": lambda: pool.cache_hits,
        }

    def raw_calls(self, core: Any) -> dict[str, Any]:
        rng = self.rng
        return {
            "add": lambda: self.added(
                core.add(
                    self.odd(self.state().position),
                    self.viewer(-1),
                    self.odd(rng.getrandbits(63)),
                    *self.raw_constraints(),
                    None,
                    self.odd(rng.choice([0, 1])),
                    None,
                )
            ),
            "add plainly": lambda: self.added(
                core.add(
                    self.state(self.game).position,
                    rng.choice([-1, -1, 0]),
                    1,
                    [],
                    1,
                    [],
                    0,
                    None,
                    rng.choice([0, 1, 99]),
                    None,
                )
            ),
            "restart": lambda: core.restart(self.root(), *self.raw_constraints()),
            "advance": lambda: core.advance(root := self.root(), self.next_actions(core, root), self.odd(None)),
            "advance to": lambda: self.raw_advance_to(core, self.root()),
            "remove": lambda: self.removed(core.remove),
            "collect": lambda: self.collect(core),
            "read": lambda: self.read(core),
            "supply": lambda: self.settle(core.supply(*self.arrays())),
            "abandon": lambda: self.settle(core.abandon()),
            "uniform": lambda: core.run("uniform", 1, self.odd(20)) if rng.random() < 0.5 else None,
            "rollouts": lambda: core.run("rollout", rng.choice([1, 2, 0, -1]), 20),
            "heuristic": lambda: core.run("heuristic", 1, 20),
            "state": lambda: core.state(self.root()),
            "report": lambda: core.report(self.root(), *(self.odd(rng.random() < 0.3) for _ in range(3))),
            "choose": lambda: core.choose(self.root(), self.viewer(0), self.odd(rng.choice([0.0, 1.0]))),
            "is_done": core.is_done,
            "hits": lambda: core.cache_hits,
        }

    def crowd(self, pool: Pool, calls: dict[str, Any]) -> None:
        """Two threads at one pool: each call is made or refused."""
        core = pool._core
        self.attempt("abandon", core.abandon)

        def work() -> None:
            for _ in range(20):
                self.attempt("work", lambda: core.run("uniform", 1, 200))

        worker = threading.Thread(target=work)
        worker.start()
        for _ in range(20):
            name = self.rng.choice(sorted(calls))
            self.attempt(name, calls[name])
        worker.join()

    def end(self, pool: Pool) -> None:
        """Every root still makes the visits that it is asked for."""
        core = pool._core
        core.abandon()
        for root in range(self.count):
            try:
                core.restart(root, self.guaranteed(core, root), GUARANTEED, [], VISITS)
            except Exception as error:  # noqa: BLE001 - over, not this viewer's turn, or nothing that a game can read
                if not is_absent(error):
                    core.remove(root)
        try:
            self.finish(core)
        except REFUSALS:
            if self.is_sound:
                raise

    def guaranteed(self, core: Any, root: int) -> list[int]:
        """An action that must be visited, where one acts and the rules can be relied on."""
        state = State(self.game, core.state(root))
        return [self.rng.choice(state.legal())] if self.is_sound and isinstance(state.actor, int) else []

    def finish(self, core: Any) -> None:
        for _ in range(100):
            if core.run("uniform", 1, 100):
                break
        else:
            raise AssertionError("a search does not end")
        for root in range(self.count):
            try:
                report = core.report(root, False, False, False)
            except IndexError as error:
                if is_absent(error):
                    continue
                raise
            if self.is_sound:
                self.check(root, report)

    def check(self, root: int, report: Any) -> None:
        """Budgets are kept, and guaranteed visits go apart."""
        included = [move.visits for move in report.moves if move.included]
        guaranteed = sum(min(visits, GUARANTEED) for visits in included)
        assert report.is_done, f"root {root}"
        # Searches before may have guaranteed others.
        assert report.guaranteed_visits >= guaranteed, f"root {root}: {report.guaranteed_visits}, not {guaranteed}"
        if not report.proven:
            assert report.visits >= VISITS + guaranteed, f"root {root}: {report.visits} of {VISITS} + {guaranteed}"
            assert all(visits >= GUARANTEED for visits in included), f"root {root}: {included} of {GUARANTEED}"
        for player in {move.player for move in report.moves}:
            total = sum(move.policy for move in report.moves if move.player == player)
            assert 0.99 < total < 1.01, f"root {root}: the policy of player {player} adds up to {total}"


def work(arguments: argparse.Namespace) -> int:
    """Run sequences in this process and print the number of each before it starts."""
    for index in range(arguments.first, arguments.sequences):
        print(index, flush=True)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        try:
            Sequence(arguments.seed, index).run()
        except Exception:  # noqa: BLE001 - whatever it is, it is shown
            print(f"failed {index}", flush=True)
            print(f"sequence {index}:\n{traceback.format_exc()}", file=sys.stderr, flush=True)
    print("end", flush=True)
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequences", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="this sequence alone, in this process, call by call")
    parser.add_argument("--first", type=int, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if "libasan" not in os.environ.get("LD_PRELOAD", ""):
        faulthandler.enable()  # the sanitizer prints a better report
    if arguments.only is not None:
        Sequence(arguments.seed, arguments.only, verbose=True).run()
        return 0
    if arguments.first is not None:
        return work(arguments)
    failed: set[int] = set()
    first = 0
    while first < arguments.sequences:
        command = [sys.executable, __file__, "--first", str(first)]
        command += ["--sequences", str(arguments.sequences), "--seed", str(arguments.seed)]
        last = "none"
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            assert process.stdout is not None
            for line in process.stdout:
                last = line.strip()
                if last.startswith("failed "):
                    failed.add(int(last.split()[1]))
                elif last.isdecimal():
                    first = int(last)
        if last == "end" and process.returncode == 0:
            break
        if last == "none":
            return process.returncode or 1
        print(f"sequence {first} ended the process: {process.returncode}", file=sys.stderr)
        failed.add(first)
        first += 1
    for index in sorted(failed)[:20]:
        print(f"again: {Path(__file__).name} --seed {arguments.seed} --only {index}", file=sys.stderr)
    print(f"{arguments.sequences - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
