"""Whole games of `tengen gtp` against itself, KataGo's JSON protocol and GNU Go under every rule set, with many passes.

    python tests/soak/gtp_games.py --games 200 --size 7 --visits 60

Now and then the player to move passes whatever it thinks, and after two passes the game sometimes goes on, as it does
where players disagree about what is dead: trees that are reused must survive that. Checks that no command fails, that
Tengen's moves are legal, and that it counts a finished board as the rules do. A failure is printed as the GTP commands
that lead to it. Rule sets that differ in their names only are played once, by the first name.

The protocol is spoken by a process of `tengen analyze go`, which plays the first move of its answers: it must call the
same moves legal at every turn, and say what a game is worth that its last pass ends.

With `--out FILE` every pairing that ended without an error is noted there, and is left out when it is asked for again.
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import random
import resource
import shlex
import shutil
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from soak.analysis_player import AnalysisPlayer

from tengen.games.go import Go, format_result
from tengen.games.go.notation import format_vertex
from tengen.games.go.rules import PRESETS
from tengen.protocols.gtp import GtpError, GtpProgram
from tengen.protocols.program import ProgramFailure

TENGEN = [sys.executable, "-c", "from tengen.cli import main; main()", "gtp", "--threads", "1"]
TENGEN += ["--override-config", "allowResignation=false"]
OPPONENTS = ("self", "protocol", "gnugo")
COLORS = ("black", "white")
MADE_PASSES = 0.06
"""Share of the moves that are passes, whatever a program thinks."""
GOES_ON = 0.3
"""Share of the ends by two passes that are none."""


@dataclass
class Tally:
    games: int = 0
    voids: int = 0
    resigned: int = 0
    moves: Counter = field(default_factory=Counter)
    """Of Tengen, by how many passes came before."""
    passes: Counter = field(default_factory=Counter)
    """By who passed first or again: tengen, other, made."""
    problems: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        after = f"{self.moves[1]} after a pass, {sum(self.moves.values()) - self.moves[0] - self.moves[1]} after more"
        passes = ", ".join(f"{self.passes[who]} {who}" for who in ("tengen", "other", "made"))
        return (
            f"{self.games} games, {self.resigned} resigned, {self.voids} without end; "
            f"{sum(self.moves.values())} genmoves of Tengen, {after}; passes: {passes}; {len(self.problems)} errors"
        )


class Wrong(Exception):  # noqa: N818 - says what happened
    """An answer that GTP or the rules do not allow."""


class Table:
    """One game between two programs by color; those in `ours` are Tengen's."""

    def __init__(self, programs, ours, size, rules, rng, tally):
        self.programs, self.ours, self.rng, self.tally = programs, ours, rng, tally
        self.size, self.rules, (_, self.komi) = size, rules, PRESETS[rules]
        self.game = Go(size=size, rules=rules, komi=self.komi)
        self.state = self.game.start(prevent_cleanup=True)
        self.moves = []
        self.passes = 0

    def play(self, most_moves):
        self._tell("boardsize", self.size)
        self._tell("clear_board")
        for color in self.ours:
            self.programs[color].ask("kata-set-rules", self.rules)
        self._tell("komi", self.komi)
        while len(self.moves) < most_moves:
            if not self._move(COLORS[len(self.moves) % 2]):
                self.tally.resigned += 1
                return
            if self.passes >= 2 and self.rng.random() >= GOES_ON:
                self._count()
                return
        self.tally.voids += 1

    def _move(self, color):
        """False: the player has resigned."""
        other = COLORS[1 - COLORS.index(color)]
        if self.rng.random() < MADE_PASSES:
            self.tally.passes["made"] += 1
            self._tell("play", color, "pass")
            self._note(color, "pass")
            return True
        if color in self.ours:
            self.tally.moves[self.passes] += 1
        move = self.programs[color].ask("genmove", color).strip().lower()
        if move == "resign":
            return False
        if color in self.ours and move not in self._legal_moves():
            raise Wrong(f"genmove {color} answers {move}, which is illegal")
        if isinstance(self.programs[color], AnalysisPlayer):
            self._compare_legal_moves(self.programs[color].legal_moves)
        if move == "pass":
            self.tally.passes["tengen" if color in self.ours else "other"] += 1
        self._note(color, move)
        self.programs[other].ask("play", color, move)
        return True

    def _legal_moves(self):
        core, position = self.game.go, self.state.position
        asked = core.in_search(position, core.ply(position))
        actions = range(self.size**2 + 1)
        return {format_vertex(i, self.size, self.size).lower() for i in actions if core.is_legal(asked, i)}

    def _compare_legal_moves(self, said):
        if said != (legal := self._legal_moves()):
            raise Wrong(f"the protocol differs about {', '.join(sorted(said ^ legal))}")

    def _note(self, color, move):
        self.state = self.game.replay(self.state, [(color, move)])
        self.moves.append((color, move))
        self.passes = self.passes + 1 if move == "pass" else 0

    def _count(self):
        """Where nobody needs to agree about dead stones, the board says it."""
        rules = self.game.rules
        for color in self.ours:
            score = self.programs[color].ask("final_score")
            self.programs[color].ask("final_status_list", "dead")
            counted = format_result(self.game.score(self.state))
            if score != counted and rules.scoring == "area" and not rules.friendly_pass_ok:
                raise Wrong(f"final_score is {score} where the board counts {counted}")

    def _tell(self, *words):
        for program in {id(program): program for program in self.programs.values()}.values():
            program.ask(*words)

    def script(self):
        """The game so far, as a session that can be sent again."""
        setup = [f"boardsize {self.size}", f"kata-set-rules {self.rules}", f"komi {self.komi}"]
        return "\n".join([*setup, *(f"play {color} {move}" for color, move in self.moves)])


def soak(open_programs, rules, games, *, size=7, seed=1, tell=None):
    """Plays games under one rule set. `open_programs(rules)` answers two programs and which of them are Tengen's.
    `tell` hears the tally now and then."""
    tally, rng, told = Tally(), random.Random(f"{seed} {rules}"), time.monotonic()
    programs, is_ours = open_programs(rules)
    try:
        for number in range(games):
            order = (0, 1) if number % 2 == 0 else (1, 0)
            seats = {color: programs[at] for color, at in zip(COLORS, order, strict=True)}
            ours = [color for color, at in zip(COLORS, order, strict=True) if is_ours[at]]
            table = Table(seats, ours, size, rules, rng, tally)
            try:
                table.play(most_moves=4 * size**2)
            except (GtpError, Wrong) as error:
                tally.problems.append(f"{rules}, game {number + 1}: {error}\n{table.script()}")
            tally.games += 1
            if tell is not None and time.monotonic() - told > 30:
                told = time.monotonic()
                tell(tally)
    except ProgramFailure as failure:
        tally.problems.append(f"{rules}: {failure}\n{table.script()}")
    finally:
        for program in programs:
            with contextlib.suppress(ProgramFailure):
                program.close()
    return tally


def distinct_rules():
    """One name of each rule set."""
    found = {}
    for name, (rules, _) in PRESETS.items():
        found.setdefault(rules, name)
    return list(found.values())


def gnugo_command(rules):
    """GNU Go as near to the rules as it comes."""
    found = shutil.which("gnugo", path=os.environ.get("PATH", "") + os.pathsep + "/usr/games")
    if found is None:
        raise SystemExit("GNU Go is not installed")
    played, _ = PRESETS[rules]
    ko = {"simple": "simple-ko", "positional": "positional-superko"}.get(played.ko, "situational-superko")
    scoring = "japanese-rules" if played.scoring == "territory" else "chinese-rules"
    suicide = "allow-suicide" if played.suicide else "forbid-suicide"
    return [found, "--mode", "gtp", "--level", "1", "--never-resign", f"--{ko}", f"--{scoring}", f"--{suicide}"]


def opening(opponent, net, visits):
    """For soak()."""
    tengen = [*TENGEN, "--net", net, "--visits", str(visits)]

    def open_programs(rules):
        first = GtpProgram(shlex.join(tengen), timeout_s=120, quiet=True)
        if opponent == "protocol":
            return [first, AnalysisPlayer(net=net, visits=visits)], (True, True)
        other = tengen if opponent == "self" else gnugo_command(rules)
        return [first, GtpProgram(shlex.join(other), timeout_s=120, quiet=True)], (True, opponent == "self")

    return open_programs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200, help="for each rule set and opponent")
    parser.add_argument("--opponent", action="append", choices=OPPONENTS, help="by default all")
    parser.add_argument("--rules", action="append", choices=list(PRESETS), help="by default each rule set once")
    parser.add_argument("--size", type=int, default=7)
    parser.add_argument("--visits", type=int, default=60)
    parser.add_argument("--net", default="rollout")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="where complete pairings are noted")
    given = parser.parse_args()
    failed = False
    known = given.out.read_text().splitlines() if given.out and given.out.exists() else []
    for opponent, rules in itertools.product(given.opponent or OPPONENTS, given.rules or distinct_rules()):
        how = f"{given.size}x{given.size}, {Path(given.net).name}, {given.visits} visits, seed {given.seed}"
        name = f"{opponent}, {rules}, {how}"
        if any(line.startswith(f"{name}: {given.games} games") for line in known):
            continue
        tally = soak(
            opening(opponent, given.net, given.visits),
            rules,
            given.games,
            size=given.size,
            seed=given.seed,
            tell=lambda tally, name=name: print(f"… {name}: {tally}", flush=True),
        )
        print(f"{name}: {tally}", flush=True)
        for problem in tally.problems[:3]:
            print(problem, flush=True)
        failed = failed or bool(tally.problems)
        if given.out and not tally.problems:
            with given.out.open("a") as file:
                file.write(f"{name}: {tally}\n")
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{used.ru_utime + used.ru_stime:.0f} CPU s")
    sys.exit(failed)


if __name__ == "__main__":
    main()
