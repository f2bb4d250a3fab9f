"""Games of a pair of prophet and enforcer over USI against another program, and over CSA on a server.

    tengen shogi workflow --run runs/pairs --records games.usi --quick
    python tests/soak/pair_games.py --run runs/pairs --games 20 --out pair-games

Over USI the pair has a byoyomi and the opponent a number of nodes; colors change from game to game. Over CSA a process
of `tengen csa --player` plays another one on the referee of the tests. Every game is a line of games.jsonl in --out; a
call that was stopped continues with the games that are missing. The exit code is 1 if the pair made an illegal move,
exceeded its time, failed, or answered without its score.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from csa_referee import Referee

import tengen
from tengen.games import GameError
from tengen.protocols.usi.client import UsiProgram

OURS, THEIRS = "pair", "other"


def play_over_usi(number: int, args: argparse.Namespace) -> dict[str, Any]:
    """Play one game by the rules of Tengen. The pair is Black in even games; every opening is played twice."""
    game = tengen.game("shogi", max_plies=args.max_plies)
    state, played = game.start(), []
    rng = random.Random(number // 2)
    for _ in range(args.opening):
        played.append(game.name(rng.choice(state.legal())))
        state = state.play(played[-1])
    slowest, late, silent, moves = 0.0, 0, 0, 0
    ours = UsiProgram(f'"{sys.executable}" -m tengen usi --player "{args.player}"', timeout_s=120, quiet=True)
    other = UsiProgram(args.opponent, timeout_s=120, quiet=True)
    result = {"protocol": "usi", "game": number, "illegal": 0}
    with ours, other:
        for program in (ours, other):
            program.start()
            program.start_game()
        while state.actor is not None:
            is_ours = len(played) % 2 == number % 2
            position = f"startpos moves {' '.join(played)}" if played else "startpos"
            if is_ours:
                began = time.monotonic()
                answer = ours.go(position, f"btime 0 wtime 0 byoyomi {args.byoyomi}")
                spent = time.monotonic() - began
                slowest, late, moves = max(slowest, spent), late + (1000 * spent > args.byoyomi), moves + 1
                is_silent = answer.move not in ("resign", "win") and not any(" score " in each for each in answer.infos)
                silent += is_silent and len(state.legal()) > 1
            else:
                answer = other.go(position, args.limits)
            if answer.move == "resign":
                result |= {"winner": THEIRS if is_ours else OURS, "how": "resignation"}
                break
            try:
                state = state.play(answer.move)
            except GameError:
                result |= {"illegal": int(is_ours), "winner": THEIRS if is_ours else OURS, "how": "illegal move"}
                break
            played.append(answer.move)
        else:
            first = state.payoffs[0]
            black = OURS if number % 2 == 0 else THEIRS
            white = THEIRS if number % 2 == 0 else OURS
            result |= {"winner": "" if first == 0 else black if first > 0 else white, "how": game.end(state)}
    return result | {
        "plies": len(played),
        "moves": moves,
        "late": late,
        "silent": silent,
        "slowest_s": round(slowest, 3),
    }


def play_over_csa(games: int, args: argparse.Namespace) -> list[dict[str, Any]]:
    """Play games in a row on a server, which judges moves and times."""
    with Referee(total_s=args.total, increment_s=args.increment, max_moves=args.max_plies) as referee:
        programs = []
        for name, spec in ((OURS, args.player), (THEIRS, args.csa_opponent)):
            words = (sys.executable, "-m", "tengen", "csa", "--host", "127.0.0.1", "--port", str(referee.port))
            more = ("--name", name, "--games", str(games), "--game", referee.game_name, "--player", spec)
            records = ("--records", str(args.out / name), "--log", str(args.out / f"{name}.log"))
            environment = {**os.environ, "TENGEN_CSA_PASSWORD": "secret", "XDG_STATE_HOME": str(args.out / "state")}
            programs.append(subprocess.Popen([*words, *more, *records], env=environment, stderr=subprocess.DEVNULL))
        try:
            codes = [program.wait(args.timeout) for program in programs]
        finally:
            for program in programs:
                program.kill()
                program.wait()
        matches = list(referee.matches)
    if codes != [0, 0]:
        raise SystemExit(f"the clients ended with {codes}; their logs are in {args.out}")
    return [_csa_result(match) for match in matches]


def _csa_result(match: Any) -> dict[str, Any]:
    reason, winner, loser = match.verdict
    color = [player.name for player in match.players].index(OURS)
    own = [line for ply, line in enumerate(match.lines) if ply % 2 == color]
    return {
        "protocol": "csa",
        "winner": winner,
        "how": reason,
        "illegal": int(reason in ("#ILLEGAL_MOVE", "#ILLEGAL_ACTION") and loser == OURS),
        "late": int(reason == "#TIME_UP" and loser == OURS),
        "plies": len(match.moves),
        "moves": len(own),
        "silent": sum(not comment.startswith("'* ") for _, _, comment in own),
        "slowest_s": max((spent for _, spent, _ in own), default=0),
    }


def report(protocol: str, games: list[dict[str, Any]]) -> bool:
    """Print the figures. Return whether nothing was wrong."""
    counts = {name: sum(each["winner"] == name for each in games) for name in (OURS, THEIRS, "")}
    total = {name: sum(each[name] for each in games) for name in ("moves", "illegal", "late", "silent")}
    ends: dict[str, int] = {}
    for each in games:
        ends[each["how"]] = ends.get(each["how"], 0) + 1
    print(
        f"{protocol}: {len(games)} games, pair won {counts[OURS]}, lost {counts[THEIRS]}, drew {counts['']}; "
        f"{total['moves']} moves of the pair: {total['illegal']} illegal, {total['late']} too late, "
        f"{total['silent']} without a score; slowest {max((each['slowest_s'] for each in games), default=0)} s; "
        f"ends: {', '.join(f'{count} {how}' for how, count in ends.items())}",
        flush=True,
    )
    return not (total["illegal"] or total["late"] or total["silent"])


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", required=True, help="the run of the pair, or its folder")
    parser.add_argument("--settings", default="width=3", help="settings of the pair, such as depth=3,width=3")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--games", type=int, default=20, help="by each protocol")
    parser.add_argument("--opponent", default="fairy-stockfish", metavar="COMMAND")
    parser.add_argument("--limits", default="nodes 2000", help="of the opponent, as `go` takes them")
    parser.add_argument("--opening", type=int, default=6, metavar="PLIES", help="random plies of a game over USI")
    parser.add_argument("--byoyomi", type=int, default=1000, metavar="MS", help="of the pair over USI")
    parser.add_argument("--csa-opponent", default="rollout:400", metavar="PLAYER")
    parser.add_argument("--total", type=int, default=10, metavar="S", help="of the clock over CSA")
    parser.add_argument("--increment", type=int, default=1, metavar="S")
    parser.add_argument("--max-plies", type=int, default=256)
    parser.add_argument("--timeout", type=float, default=7200, help="of all games over CSA, in seconds")
    args = parser.parse_args()
    args.player = f"pair:{args.run},{args.settings}"
    args.out.mkdir(parents=True, exist_ok=True)
    return args


def main() -> None:
    args = read_arguments()
    path = args.out / "games.jsonl"
    done = [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def keep(found: dict[str, Any]) -> None:
        done.append(found)
        with path.open("a") as file:
            file.write(json.dumps(found) + "\n")
        print(json.dumps(found), flush=True)

    for number in range(sum(each["protocol"] == "usi" for each in done), args.games):
        keep(play_over_usi(number, args))
    missing = args.games - sum(each["protocol"] == "csa" for each in done)
    if missing > 0:
        for found in play_over_csa(missing, args):
            keep(found)
    results = [report(protocol, [each for each in done if each["protocol"] == protocol]) for protocol in ("usi", "csa")]
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main()
