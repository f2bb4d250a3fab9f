"""A match between two programs that speak GTP.

    python benchmarks/go_match.py --out matches/gnugo9 --games 40 --size 9 --komi 7 \\
        --black "tengen gtp --net b6c96.bin.gz --visits 100 --threads 1" \\
        --white "gnugo --mode gtp --level 10 --chinese-rules"

The programs swap colors after every game. The referee plays by Tengen's rules: a move that they forbid loses. After two
passes the stones that both programs call dead are taken off; where they differ, a judge decides (--judge, a program of
its own; by default the first of the two that knows `kata-analyze`, else Black). Under rules without agreement about
dead stones (tromp-taylor) the board is counted as it stands.

In a command {game} stands for the game's number, so that a program can be given another seed each time: it is then
started anew for every game.

Every finished game is a line of games.jsonl and a file of SGF in the folder --out. A match that was stopped goes on
where it was: start the same command again.
"""

from __future__ import annotations

import argparse
import json
import shlex
import time
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from match_folder import add_game, by_color, open_match, standing

from tengen.games import GameError
from tengen.games.go import Go, format_result
from tengen.games.go.sgf import new_record
from tengen.protocols.gtp import GtpError, GtpProgram
from tengen.protocols.program import ProgramFailure

COLORS = ("black", "white")


@dataclass
class Seat:
    """A program for one game."""

    name: str
    program: GtpProgram
    seconds: float = 0.0
    moves: int = 0


@dataclass
class Game:
    result: str
    how: str
    moves: list[tuple[str, str]] = field(default_factory=list)
    dead: list[str] = field(default_factory=list)


def prepare(seat: Seat, args: argparse.Namespace) -> None:
    program = seat.program
    program.ask("boardsize", args.size)
    program.ask("clear_board")
    program.ask("komi", args.komi)
    if program.knows("kata-set-rules"):
        program.ask("kata-set-rules", args.rules)


def play_game(seats: dict[str, Seat], judge: GtpProgram | None, args: argparse.Namespace) -> Game:
    """Seats by color."""
    game = Go(size=args.size, rules=args.rules, komi=args.komi)
    state = game.start()
    for seat in seats.values():
        prepare(seat, args)
    played: list[tuple[str, str]] = []
    passes = 0
    while passes < 2:
        if len(played) >= args.most_moves * args.size**2:
            return Game("Void", f"no end after {len(played)} moves", played)
        color = COLORS[len(played) % 2]
        other = COLORS[1 - len(played) % 2]
        seat = seats[color]
        began = time.monotonic()
        move = seat.program.ask("genmove", color).strip().lower()
        seat.seconds += time.monotonic() - began
        seat.moves += 1
        if move == "resign":
            return Game(f"{other[0].upper()}+R", "resignation", played)
        try:
            action = game.parse(move, state)
            state = state.play(action) if state.actor is not None else state
        except GameError:
            return Game(f"{other[0].upper()}+F", f"{color}'s move {move} is illegal", played)
        played.append((color, game.name(action)))
        passes = passes + 1 if game.name(action) == "pass" else 0
        try:
            seats[other].program.ask("play", color, move)
        except GtpError as error:
            return Game(f"{color[0].upper()}+F", f"{other} refuses a legal move: {error}", played)
    return count(game, state, seats, judge, played)


def count(
    game: Go, state: Any, seats: dict[str, Seat], judge: GtpProgram | None, played: list[tuple[str, str]]
) -> Game:
    if not game.rules.friendly_pass_ok:
        return Game(format_result(game.score(state)), "counted as it stands", played)
    lists: dict[str, list[str] | None] = {}
    for color in COLORS:
        try:
            lists[color] = sorted(set(dead_list(seats[color].program)))
        except (GtpError, GameError):
            lists[color] = None
    agreed = lists["black"] if lists["black"] == lists["white"] else None
    if agreed is not None:
        dead, how = agreed, "dead stones agreed"
    else:
        chosen = judge
        for seat in seats.values():
            if chosen is None and seat.program.knows("kata-analyze"):
                chosen = seat.program
        chosen = chosen or seats["black"].program
        if chosen is judge and judge is not None:
            replay(judge, game, played)
        dead, how = dead_list(chosen), f"dead stones judged by {chosen.command}; claims were {json.dumps(lists)}"
    return Game(format_result(game.score(state, dead)), how, played, list(dead))


def dead_list(program: GtpProgram) -> list[str]:
    return program.ask("final_status_list", "dead").upper().split()


def replay(program: GtpProgram, game: Go, played: list[tuple[str, str]]) -> None:
    program.ask("boardsize", game.width)
    program.ask("clear_board")
    program.ask("komi", game.komi)
    for color, move in played:
        program.ask("play", color, move)


def save(folder: Path, number: int, game: Game, seats: dict[str, Seat], args: argparse.Namespace) -> dict[str, Any]:
    rules = Go(size=args.size, rules=args.rules, komi=args.komi).rules
    record = new_record(
        args.size,
        args.size,
        rules=rules,
        komi=args.komi,
        moves=game.moves,
        black=seats["black"].name,
        white=seats["white"].name,
        result=game.result,
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        round=str(number + 1),
        comment=game.how,
    )
    file = folder / f"game{number + 1:04}.sgf"
    record.save(file)
    winner = {"B": seats["black"].name, "W": seats["white"].name}.get(game.result[:1])
    return {
        "game": number,
        "black": seats["black"].name,
        "white": seats["white"].name,
        "result": game.result,
        "winner": winner if "+" in game.result else None,
        "how": game.how,
        "moves": len(game.moves),
        "seconds_per_move": {seat.name: round(seat.seconds / max(1, seat.moves), 4) for seat in seats.values()},
        "sgf": file.name,
        "line": " ".join(move for _, move in game.moves),
    }


def report(lines: list[dict[str, Any]], args: argparse.Namespace) -> None:
    counted = [line for line in lines if line["result"] != "Void"]
    print(f"first:  {args.black}\nsecond: {args.white}")
    print(f"{args.size}x{args.size}, {args.rules}, komi {args.komi:g}, colors swapped after every game")
    if not counted:
        return
    print(f"first: {len(counted)} games, {standing(counted)}")
    for color, part in by_color(counted).items():
        print(f"  as {color}: {standing(part)}")
    for name in ("first", "second"):
        seconds = [line["seconds_per_move"][name] for line in counted]
        print(f"  {name}: {sum(seconds) / len(seconds):.2f} s a move")
    same = len(counted) - len({line["line"] for line in counted})
    print(f"  games that repeat another one: {same}; without result: {len(lines) - len(counted)}")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, required=True, help="the match's folder")
    parser.add_argument("--black", required=True, metavar="COMMAND", help="has Black in the first game")
    parser.add_argument("--white", required=True, metavar="COMMAND", help="has White in the first game")
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--komi", type=float, default=7.0)
    parser.add_argument("--rules", default="chinese")
    parser.add_argument("--judge", metavar="COMMAND", help="a program that decides about dead stones")
    parser.add_argument("--timeout", type=float, default=900, metavar="SECONDS", help="for an answer")
    parser.add_argument(
        "--most-moves", type=float, default=4, help="for each point of the board, before a game is void"
    )
    parser.add_argument("--quiet", action="store_true", help="hide what the programs say on their standard error")
    return parser.parse_args()


class Programs:
    """Those that are running. One whose command names the game is started anew for each."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.commands = {"first": args.black, "second": args.white, "judge": args.judge}
        self.timeout_s, self.quiet = args.timeout, args.quiet
        self.running: dict[str, GtpProgram] = {}

    def open(self, number: int) -> dict[str, GtpProgram]:
        for name, command in self.commands.items():
            if name in self.running and "{game}" in command:
                self.running.pop(name).close()
            if command and name not in self.running:
                text = command.replace("{game}", str(number + 1))
                self.running[name] = GtpProgram(text, timeout_s=self.timeout_s, quiet=self.quiet)
        return self.running

    def close(self) -> None:
        for program in self.running.values():
            program.close()


def main() -> None:
    args = read_arguments()
    settings = ("black", "white", "size", "komi", "rules", "judge")
    lines = open_match(args.out, {name: getattr(args, name) for name in settings})
    programs = Programs(args)
    try:
        for number in range(len(lines), args.games):
            running = programs.open(number)
            first, second = Seat("first", running["first"]), Seat("second", running["second"])
            seats = {"black": first, "white": second} if number % 2 == 0 else {"black": second, "white": first}
            game = play_game(seats, running.get("judge"), args)
            line = save(args.out, number, game, seats, args)
            add_game(args.out, line)
            lines.append(line)
            about = f"{line['black']} has Black, {line['moves']} moves, {line['how']}"
            print(f"game {number + 1}: {line['result']} ({about})", flush=True)
    except ProgramFailure as failure:
        raise SystemExit(f"game {len(lines) + 1}: {failure}") from failure
    finally:
        programs.close()
    print(shlex.join(["python", "benchmarks/go_match.py", "--out", str(args.out), "--games", str(args.games)]), "…")
    report(lines, args)


if __name__ == "__main__":
    main()
