"""How strong the levels of `tengen play go` are: matches with GNU Go and among each other, as ratings and ranks.

    python benchmarks/go_levels.py --net b6c96.bin.gz --size 9 --games 40

GNU Go's level 10 is the anchor. It is commonly put at 5 to 8 kyu on the scale of KGS; here it is 6 kyu, and 100 Elo are
a rank, so ranks are as good as that. Games follow Tromp and Taylor without suicide, komi 7.5, from random openings of
up to four stones that are played twice with colors swapped; GNU Go is told to take dead stones off before it passes,
since the board is counted as it stands.
"""

from __future__ import annotations

import argparse
import time
from typing import TYPE_CHECKING

import tengen
from tengen.arena import Player, elo, find_player, play_match
from tengen.console.levels import LEVELS, level_player
from tengen.games import GameError
from tengen.protocols.gtp import GtpProgram

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tengen.games import State

ANCHOR = 10
ANCHOR_KYU = 6
ELO_A_RANK = 100
RULES = "koPOSITIONALscoreAREAtaxNONEsui0"
COMMAND = "gnugo --mode gtp --chinese-rules --capture-all-dead --never-resign --level {level}"
COLORS = ("black", "white")
PAIRS_AT_ONCE = 4


class GnuGo(Player):
    """GNU Go at one of its levels: a program for each game at once, which hears of the moves as they come."""

    def __init__(self, level: int, size: int, komi: float) -> None:
        super().__init__(f"GNU Go, level {level}")
        self._command = COMMAND.format(level=level)
        self._board = (size, komi)
        self._programs: list[tuple[GtpProgram, list[str]]] = []

    def choose(self, states: Sequence[State], seats: Sequence[int], seeds: Sequence[int]) -> list[int]:
        return [self._choose(state, seat, seed) for state, seat, seed in zip(states, seats, seeds, strict=True)]

    def _choose(self, state: State, seat: int, seed: int) -> int:
        names = list(state.names)
        program, heard = self._program(names, seed)
        for ply in range(len(heard), len(names)):
            program.ask("play", COLORS[ply % 2], names[ply])
        move = program.ask("reg_genmove", COLORS[seat]).strip()
        heard[:] = names
        try:
            return state.game.parse(move, state)
        except GameError:  # its rules know no superko
            return state.game.parse("pass", state)

    def _program(self, names: list[str], seed: int) -> tuple[GtpProgram, list[str]]:
        """The one that knows this game best; with none, a new one takes the place of the oldest."""
        known = [pair for pair in self._programs if pair[1] and names[: len(pair[1])] == pair[1]]
        if known:
            found = max(known, key=lambda pair: len(pair[1]))
        elif len(self._programs) < 2 * PAIRS_AT_ONCE:
            found = GtpProgram(self._command, quiet=True), []
            found[0].ask("boardsize", self._board[0])
            self._programs.append(found)
        else:
            found = self._programs[0]
            found[1].clear()
        if not found[1]:
            found[0].ask("clear_board")
            found[0].ask("komi", self._board[1])
            found[0].ask("set_random_seed", seed % 2**31)
        self._programs.remove(found)
        self._programs.append(found)
        return found

    def close(self) -> None:
        for program, _ in self._programs:
            program.close()


def rank_text(rating: float) -> str:
    rank = ANCHOR_KYU - rating / ELO_A_RANK
    return f"{round(rank)} kyu" if rank > 0.5 else f"{round(1 - rank)} dan"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--net", required=True, help="a network of KataGo's: a file, or a stored one's name")
    parser.add_argument("--size", type=int, default=9)
    parser.add_argument("--games", type=int, default=40, help="of each pair")
    parser.add_argument("--champion-games", type=int, default=8, help="of the champion, who takes longest")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    game = tengen.game("go", size=args.size, rules=RULES)
    levels = [find_player(level_player(level, game, f"katago:{args.net}"), game) for level in LEVELS]
    for level, player in zip(LEVELS, levels, strict=True):
        player.name = level
    gnu = {level: GnuGo(level, args.size, game.settings["komi"]) for level in (1, ANCHOR)}
    beginner, easy, medium, hard, champion = levels
    pairs: list[tuple[Player, Player, int]] = [
        (easy, beginner, args.games),
        (medium, easy, args.games),
        (hard, medium, args.games),
        (easy, gnu[1], args.games),
        *((medium, program, args.games) for program in gnu.values()),
        (hard, gnu[ANCHOR], args.games),
        (gnu[ANCHOR], gnu[1], args.games),
        (champion, hard, args.champion_games),
    ]
    results = []
    for first, second, games in pairs:
        began = time.process_time()
        result = play_match(game, first, second, games, args.seed, pairs_at_once=PAIRS_AT_ONCE)
        results.append(result)
        spent = time.process_time() - began
        print(
            f"{first.name} - {second.name}: +{result.wins} ={result.draws} -{result.losses} ({spent:.0f} s)", flush=True
        )
    print(f"\n{'player':<18} {'Elo':>6}   95 %            rank")
    for rating in elo(results, {gnu[ANCHOR].name: 0.0}).players:
        low, high = ("", "") if rating.is_anchor else (f"{rating.low:+.0f}", f"{rating.high:+.0f}")
        ranks = rank_text(rating.elo) + (
            "" if rating.is_anchor else f" ({rank_text(rating.low)} … {rank_text(rating.high)})"
        )
        print(f"{rating.name:<18} {rating.elo:>+6.0f}   {low:>5} … {high:<6}  {ranks}")
    for program in gnu.values():
        program.close()


if __name__ == "__main__":
    main()
