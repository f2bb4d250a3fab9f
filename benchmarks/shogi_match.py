"""A match between two programs that speak USI, one thread each.

    python benchmarks/shogi_match.py --out matches/fairy --games 60 --movetime 1000 \\
        --first "tengen usi --net miniosl" --second fairy-stockfish --second-option Threads=1
    python benchmarks/shogi_match.py --out matches/gps --games 60 --movetime 1000 \\
        --first "tengen usi --net miniosl" --second gpsusi --second-byoyomi

Every opening, the first plies of a game of the file --openings, is played twice with colors swapped. The referee plays
by Tengen's rules: an illegal move loses, a fourth repetition and the limit of plies are draws. A move has --movetime
milliseconds by the clock; --second-byoyomi tells the second program so by byoyomi, for those that know no movetime. The
report has the processor's time of moves, too: on a busy machine that is what programs were given.

Every finished game is a line of games.jsonl in the folder --out. A match that was stopped goes on where it was: start
the same command again. --report says how it stands.
"""

from __future__ import annotations

import argparse
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from match_folder import add_game, by_color, open_match, standing

import tengen
from tengen.games import GameError, State
from tengen.protocols.program import ProgramFailure
from tengen.protocols.usi.client import UsiProgram

GAMES = Path(__file__).parent.parent / "tests" / "data" / "shogi" / "games.usi"
TICKS = os.sysconf("SC_CLK_TCK")


@dataclass
class Seat:
    """A program for the match."""

    name: str
    program: UsiProgram
    limits: str
    seconds: float = 0.0
    cpu_s: float = 0.0
    moves: int = 0

    def think(self, line: str, given_s: float) -> str:
        began, cpu = time.monotonic(), cpu_seconds(self.program.pid)
        move = self.program.go(line, self.limits, given_s=given_s).move
        self.seconds += time.monotonic() - began
        self.cpu_s += cpu_seconds(self.program.pid) - cpu
        self.moves += 1
        return move


def cpu_seconds(pid: int) -> float:
    """Of a process and of those that it has waited for."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return sum(map(int, fields[11:15])) / TICKS


def read_openings(path: Path, plies: int) -> list[list[str]]:
    """Those of enough moves, each once, in order."""
    found: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        moves = line.partition("moves")[2].split("#")[0].split()
        if len(moves) > plies:
            found.setdefault(" ".join(moves[:plies]), moves[:plies])
    if not found:
        raise SystemExit(f"{path} has no game of more than {plies} plies")
    return list(found.values())


def play_game(seats: tuple[Seat, Seat], opening: list[str], args: argparse.Namespace) -> dict[str, Any]:
    """Black's seat first. Answers who won, how, and the moves."""
    game = tengen.game("shogi", max_plies=args.max_plies)
    state: State = game.start(moves=opening)
    played = list(opening)
    while state.actor is not None:
        color = len(played) % 2
        line = f"startpos moves {' '.join(played)}"
        try:
            move = seats[color].think(line, args.movetime / 1000)
            if move == "resign":
                return {"winner": 1 - color, "how": "resignation", "moves": played}
            state = state.play(move)
        except ProgramFailure as error:
            return {"winner": 1 - color, "how": f"failure: {error}", "moves": played, "failed": seats[color].name}
        except GameError:
            return {"winner": 1 - color, "how": f"illegal move {move}", "moves": played}
        played.append(move)
    first = state.payoffs[0]
    winner = None if first == 0 else 0 if first > 0 else 1
    return {"winner": winner, "how": game.end(state), "moves": played}


def start(name: str, args: argparse.Namespace) -> Seat:
    program = UsiProgram(getattr(args, name), timeout_s=args.timeout, quiet=True)
    program.start()
    for option in getattr(args, f"{name}_option"):
        option_name, _, value = option.partition("=")
        program.set_option(option_name, value)
    byoyomi = name == "second" and args.second_byoyomi
    limits = f"btime 0 wtime 0 byoyomi {args.movetime}" if byoyomi else f"movetime {args.movetime}"
    return Seat(name, program, limits)


def play_match(done: list[dict[str, Any]], args: argparse.Namespace) -> None:
    openings = read_openings(args.openings, args.plies)
    missing = sorted(set(range(args.games)) - {each["game"] for each in done})
    for number in missing:
        # Processes of one game alone: what one of them breaks spoils no other.
        first, second = start("first", args), start("second", args)
        seats = (first, second) if number % 2 == 0 else (second, first)
        try:
            for seat in seats:
                seat.program.start_game()
            found = play_game(seats, openings[number // 2 % len(openings)], args)
        finally:
            for seat in seats:
                seat.program.kill()
        winner = None if found["winner"] is None else seats[found["winner"]].name
        line = {"game": number, "black": seats[0].name, **found, "winner": winner, "plies": len(found["moves"])}
        line["moves"] = " ".join(found["moves"])
        for seat in seats:
            line[f"{seat.name}_s"] = round(seat.seconds / max(1, seat.moves), 3)
            line[f"{seat.name}_cpu_s"] = round(seat.cpu_s / max(1, seat.moves), 3)
        done.append(line)
        add_game(args.out, line)
        said = f"game {number + 1}: {winner or 'draw'} ({found['how']}, {line['plies']} plies)"
        print(f"{said}  {standing(done)}", flush=True)


def report(done: list[dict[str, Any]], args: argparse.Namespace) -> None:
    print(f"first:  {args.first}\nsecond: {args.second}")
    print(f"{args.movetime} ms a move, {args.plies}-ply openings, both colors")
    if not done:
        return
    print(f"first: {len(done)} games, {standing(done)}")
    for color, part in by_color(done).items():
        print(f"  as {color}: {standing(part)}")
    for name in ("first", "second"):
        wall, cpu = (sum(each[f"{name}{what}"] for each in done) / len(done) for what in ("_s", "_cpu_s"))
        print(f"  {name}: {wall:.2f} s a move by the clock, {cpu:.2f} s of the processor")
    ends: dict[str, int] = {}
    for each in done:
        ends[each["how"]] = ends.get(each["how"], 0) + 1
    print("  ends: " + ", ".join(f"{count} {how}" for how, count in ends.items()))


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the match's folder")
    for name in ("first", "second"):
        parser.add_argument(f"--{name}", required=True, metavar="COMMAND")
        parser.add_argument(f"--{name}-option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--second-byoyomi", action="store_true", help="the second program knows no movetime")
    parser.add_argument("--games", type=int, default=60)
    parser.add_argument("--movetime", type=int, default=1000, metavar="MS")
    parser.add_argument("--openings", type=Path, default=GAMES, help="games, one a line: startpos moves …")
    parser.add_argument("--plies", type=int, default=20, help="of an opening")
    parser.add_argument("--max-plies", type=int, default=512, help="of a game, then it is a draw")
    parser.add_argument("--timeout", type=float, default=60, metavar="SECONDS", help="that an answer may be late")
    parser.add_argument("--report", action="store_true", help="play nothing")
    return parser.parse_args()


def main() -> None:
    args = read_arguments()
    settings = ("first", "first_option", "second", "second_option", "movetime", "plies", "max_plies")
    done = open_match(args.out, {name: getattr(args, name) for name in settings} | {"openings": args.openings.name})
    if not args.report:
        play_match(done, args)
    report(done, args)


if __name__ == "__main__":
    main()
