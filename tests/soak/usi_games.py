"""Games of `tengen usi` with itself by byoyomi on a machine that has too much to do: no overrun, no illegal move, one
`bestmove` for every `go`.

    python tests/soak/usi_games.py --games 200 --byoyomi 1000 --load 4

So many games go on at once that each core has `--load` engines that think.
"""

import argparse
import os
import shlex
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import tengen
from tengen.protocols.program import ProgramFailure
from tengen.protocols.usi import UsiProgram

ENGINE = shlex.join([sys.executable, "-m", "tengen", "usi", "--net", "rollout"])


@dataclass
class Tally:
    games: int = 0
    moves: int = 0
    slowest_ms: float = 0.0
    ends: dict[str, int] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def __str__(self) -> str:
        ends = ", ".join(f"{count} {name}" for name, count in sorted(self.ends.items()))
        return (
            f"{self.games} games ({ends}), {self.moves:,} moves, the slowest {self.slowest_ms:.0f} ms, "
            f"{len(self.problems)} problems"
        )


def play(commands, byoyomi_ms, options, max_plies, tally):
    """One game; both programs are started for it."""
    game = tengen.game("shogi", max_plies=max_plies)
    state = game.start()
    programs = [UsiProgram(command, quiet=True) for command in commands]
    end = ""
    try:
        for program in programs:
            program.start()
            for name, value in options.items():
                if name in program.options:
                    program.set_option(name, value)
            program.start_game()
        while not state.is_over and not end:
            state, end = _move(programs[state.actor], state, byoyomi_ms, tally)
    except ProgramFailure as failure:
        with tally.lock:
            tally.problems.append(str(failure))
    finally:
        for program in programs:
            program.close()
    with tally.lock:
        tally.games += 1
        end = end or game.end(state)
        tally.ends[end] = tally.ends.get(end, 0) + 1


def _move(program, state, byoyomi_ms, tally):
    position = " ".join(["startpos", "moves", *state.names]) if state.history else "startpos"
    began = time.monotonic()
    best = program.go(position, f"btime 0 wtime 0 byoyomi {byoyomi_ms}", given_s=byoyomi_ms / 1000)
    spent_ms = 1000 * (time.monotonic() - began)
    # Whatever else it had to say would be in the way of the next answer.
    program.send("isready")
    extra = program._until("readyok")[:-1]
    legal = {state.game.name(action) for action in state.legal()}
    with tally.lock:
        tally.moves += 1
        tally.slowest_ms = max(tally.slowest_ms, spent_ms)
        if spent_ms > byoyomi_ms:
            tally.problems.append(f"move {len(state.history) + 1} took {spent_ms:.0f} ms")
        if best.move not in legal | {"resign"}:
            tally.problems.append(f"{best.move} is illegal after {position}")
        if any(line.startswith("bestmove") for line in extra):
            tally.problems.append(f"a second bestmove: {extra}")
    if best.move == "resign" or best.move not in legal:
        return state, "resigned" if best.move == "resign" else "illegal"
    return state.play(best.move), ""


def soak(commands, games, byoyomi_ms, at_once, *, options=None, max_plies=160, told=None):
    tally = Tally()
    with ThreadPoolExecutor(at_once) as pool:
        jobs = [
            pool.submit(play, commands if n % 2 == 0 else commands[::-1], byoyomi_ms, options or {}, max_plies, tally)
            for n in range(games)
        ]
        for number, job in enumerate(jobs, 1):
            job.result()
            if told is not None and number % max(1, games // 20) == 0:
                told(tally)
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--byoyomi", type=int, default=1000, help="milliseconds")
    parser.add_argument("--load", type=float, default=4, help="engines that think for each core")
    parser.add_argument("--delay", type=int, default=300, help="NetworkDelay")
    parser.add_argument("--plies", type=int, default=160, help="a game is drawn after so many")
    parser.add_argument("--engine", default=ENGINE, help="its command")
    parser.add_argument("--opponent", default="", help="another program's; by default the same")
    args = parser.parse_args()
    at_once = max(1, round(args.load * (os.cpu_count() or 1)))
    commands = [args.engine, args.opponent or args.engine]
    tally = soak(
        commands,
        args.games,
        args.byoyomi,
        at_once,
        options={"NetworkDelay": str(args.delay)},
        max_plies=args.plies,
        told=lambda tally: print(tally, flush=True),
    )
    print(tally)
    for problem in tally.problems[:20]:
        print(problem)
    return bool(tally.problems)


if __name__ == "__main__":
    sys.exit(main())
