"""How strong Matgo's players are, on paired deals: random, greedy, flat Monte Carlo, the champion.

    python benchmarks/matgo_strength.py
    python benchmarks/matgo_strength.py --net runs/matgo/…/net.onnx --player NETWORK@160 --games 4000
    python benchmarks/matgo_strength.py --card src/tengen/nets/shipped/matgo.json --net net.onnx

Each player meets the one before it on the ladder, every deal from both seats. Printed are won games, gold a game with
its 95 % interval from pairs, the share of failed gos, the worst loss, and what both spend on a decision. With --card
the network and what was found are written where the champion that ships is looked for.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from pathlib import Path
from typing import Any

import tengen
from tengen.arena import (
    MatchReport,
    MatchResult,
    Player,
    chunks,
    find_player,
    merge,
    parse_player,
    play_chunk,
    play_match,
    shipped_champion,
)
from tengen.champion import settings_for
from tengen.cluster import Workers, open_workers
from tengen.nets.shipped import find_shipped

LADDER = ("random", "greedy", "pimc:100", "pimc:1000")
CHAMPION = str(settings_for(tengen.game("matgo")).player)
VISITS = 128
TIMED_GAMES = 64


class Timed(Player):
    """Another player with a clock."""

    def __init__(self, player: Player) -> None:
        super().__init__(player.name)
        self.player = player
        self.seconds = 0.0
        self.decisions = 0

    def choose(self, states: Any, seats: Any, seeds: Any) -> list[int]:
        began = time.process_time()
        chosen = self.player.choose(states, seats, seeds)
        self.seconds += time.process_time() - began
        self.decisions += len(states)
        return chosen

    @property
    def milliseconds(self) -> float:
        """Processor time of a decision, in milliseconds."""
        return 1000 * self.seconds / max(1, self.decisions)


def time_players(game: tengen.Game, names: tuple[str, str]) -> list[float]:
    players = [Timed(find_player(name, game)) for name in names]
    play_match(game, players[0], players[1], TIMED_GAMES, seed=7)
    return [player.milliseconds for player in players]


def play(workers: Workers, game: tengen.Game, first: str, second: str, games: int, seed: int) -> MatchResult:
    tasks = [workers.submit(play_chunk, game, first, second, list(part), seed) for part in chunks(games, 32)]
    done = dict(workers.results())
    return merge(game, first, second, seed, [done[task] for task in tasks])


def meet(workers: Workers, game: tengen.Game, first: str, second: str, games: int, seed: int) -> dict[str, Any]:
    result = play(workers, game, first, second, games, seed)
    found = MatchReport(game, result, {})
    own, other = time_players(game, (first, second))
    row = {
        "first": first,
        "second": second,
        "games": games,
        "won": result.wins,
        "drawn": result.draws,
        "lost": result.losses,
        "score": round(result.score.value, 4),
        "gold": round(result.payoff.value, 1),
        "gold_low": round(result.payoff.low, 1),
        "gold_high": round(result.payoff.high, 1),
        "go_fail_rate": round(found.rates["go_fail_rate"].first.value, 4),
        "worst_loss": found.worst_loss,
        "ms_first": round(own, 3),
        "ms_second": round(other, 3),
    }
    print(
        f"{first} against {second}: {games} games, {100 * row['score']:.1f} %, {row['gold']:+,.0f} gold a game (95 %: "
        f"{row['gold_low']:+,.0f} … {row['gold_high']:+,.0f}), go-fail {100 * row['go_fail_rate']:.1f} %, worst "
        f"{row['worst_loss']:,.0f}, {own:.2f} ms a decision against {other:.2f}",
        flush=True,
    )
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--net", type=Path, help="instead of the champion that ships")
    parser.add_argument("--player", default=CHAMPION, help="the champion; NETWORK stands for the network's file")
    parser.add_argument("--games", type=int, default=10_000, help="of each match")
    parser.add_argument(
        "--from-step", type=int, default=1, choices=range(1, len(LADDER) + 1), help="leave out lower steps"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--card", type=Path, help="write the network and this card for shipping")
    parser.add_argument("--command", default="", help="how the network was grown, for the card")
    choices = parser.parse_args()
    game = tengen.game("matgo")
    shipped = find_shipped(game)
    network = choices.net or (shipped.network if shipped else None)
    if network is None:
        parser.error("no champion ships with Matgo: name one with --net")
    card = shipped_champion(shipped).player if shipped and not choices.net else parse_player(choices.player)
    champion = str(card.with_network(network))
    players = [*LADDER, champion]
    with open_workers(choices.workers) as workers:
        rows = [
            meet(workers, game, players[step], players[step - 1], choices.games, choices.seed + step)
            for step in range(choices.from_step, len(players))
        ]
    if choices.card:
        shutil.copyfile(network, choices.card.with_suffix(".onnx"))
        card = {
            "game": {"name": game.id, "settings": dict(game.settings)},
            "player": choices.player,
            "visits": VISITS,
            "command": choices.command,
            "ladder": [row | {"first": row["first"].replace(str(network), "NETWORK")} for row in rows],
        }
        choices.card.write_text(json.dumps(card, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
