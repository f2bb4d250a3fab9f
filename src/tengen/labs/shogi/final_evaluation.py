"""The results of a run: the models on held-out games, and the pairs in the arena."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tengen.arena import MatchResult, elo, find_player
from tengen.arena.seeds import derive
from tengen.labs.shogi.matches import pairings
from tengen.labs.shogi.run_models import TABLE
from tengen.labs.shogi.settings import PAIRS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tengen.arena import Player
    from tengen.labs.shogi.workflow import Workflow
    from tengen.runs import Draft, Step

__all__ = ["TABLE", "FinalEvaluation", "best_pair", "verdict"]

MATCH = "match.json"
_TESTED = (
    "train-prophet-with-records",
    "train-prophet-with-match-result",
    "train-enforcer-with-random",
    "train-enforcer-with-records",
    "train-enforcer-with-match-result",
    "train-enforcer-without-prophet",
)


def best_pair(ratings: Iterable[Mapping[str, Any]], leader: str) -> str | None:
    """Return the leader if its interval lies above those of the other pairs; None if it overlaps with one of them.

    `ratings` are rows of the table, with player, low and high."""
    rows = {row["player"]: row for row in ratings}
    others = [rows[f"pair {pair}"] for pair in PAIRS if pair != leader]
    return leader if all(rows[f"pair {leader}"]["low"] > other["high"] for other in others) else None


def verdict(table: Mapping[str, Any]) -> str:
    """Return a sentence about the three pairs. Tables of earlier versions name a best pair in any case."""
    leader = table.get("leader") or table["best"]
    if best_pair(table["ratings"], leader) is not None:
        return f"pair {leader} is the best of the three"
    return f"none of the three is best: their intervals overlap; pair {leader} has most points"


class FinalEvaluation:
    """The last steps of a workflow: `arena` for every match, and `table`."""

    def __init__(self, flow: Workflow) -> None:
        self._flow = flow
        self._settings = flow.settings
        self._results: list[MatchResult] = []

    def run(self) -> Step:
        for one, other in pairings(PAIRS):
            self._match(self._pair(one), self._pair(other))
        leader = self._leader()
        for player in self._opponents(leader):
            self._match(self._pair(leader), player)
        return self._flow.step("table", None, lambda draft: self._write(draft, leader), files=(TABLE,))

    def _pair(self, pair: str, name: str = "") -> Player:
        flow = self._flow
        return flow.player(pair, flow.final_model("prophet"), flow.final_model("enforcer"), name=name)

    def _opponents(self, pair: str) -> list[Player]:
        """Return the opponents of a pair: its parts, the pair before the matches, its enforcer that was trained without
        a prophet, and those of the settings."""
        flow = self._flow
        prophet, enforcer = flow.final_model("prophet"), flow.final_model("enforcer")
        found = [
            flow.player(pair, None, enforcer, name=f"enforcer {pair} alone"),
            flow.player(pair, prophet, None, name=f"prophet {pair} alone"),
        ]
        if self._settings.rounds:
            before = flow.final_model("prophet", "with-records"), flow.final_model("enforcer", "with-records")
            found.append(flow.player(pair, *before, name=f"pair {pair} before matches"))
        if self._settings.rounds_without_prophet:
            other = flow.final_model("enforcer", "without-prophet")
            found.append(flow.player(pair, None, other, name=f"enforcer {pair} trained without prophet"))
        return [*found, *(find_player(text, flow.game) for text in self._settings.opponents.split())]

    def _leader(self) -> str:
        """Return the pair with most points against the other two; the first of equals."""
        points = dict.fromkeys(PAIRS, 0.0)
        for result in self._results:
            own = result.wins + result.draws / 2
            points[result.first[-1]] += own
            points[result.second[-1]] += len(result.games) - own
        return max(PAIRS, key=lambda pair: points[pair])

    def _match(self, one: Player, other: Player) -> None:
        number = len(self._results) + 1
        games = self._settings.arena_games
        names = (one.name, other.name)

        def make(draft: Draft) -> str:
            seed = derive(self._settings.seed, "arena", number)
            result = self._flow.play([names], dict(zip(names, (one, other), strict=True)), games, seed)[names]
            draft.write_text(MATCH, result.to_json())
            draft.metrics.update(result.figures(), first=one.name, second=other.name)
            return str(result.summary().splitlines()[0])

        step = self._flow.step("arena", number, make, files=(MATCH,), total=games)
        self._results.append(MatchResult.from_json(step.file(MATCH).read_text()))

    def _write(self, draft: Draft, leader: str) -> str:
        matches = [{"first": each.first, "second": each.second, **each.figures()} for each in self._results]
        ratings = elo(
            self._results, {"random": 0.0} if any(each.second == "random" for each in self._results) else None
        )
        rated = [
            {"player": rating.name, "elo": rating.elo, "low": rating.low, "high": rating.high, "games": rating.games}
            for rating in ratings.players
        ]
        best = best_pair(rated, leader)
        table = {"best": best, "leader": leader, "models": self._models(), "matches": matches, "ratings": rated}
        draft.write_json(TABLE, table)
        return verdict(table)

    def _models(self) -> list[dict[str, Any]]:
        """Return the tests of every model after the last pass of each kind of step."""
        rows = []
        for name in _TESTED:
            steps = self._flow.run.steps(name)
            if not steps:
                continue
            last = max(steps, key=lambda step: step.iteration or 0)
            for pair in PAIRS:
                rows.append({"step": name, "number": last.iteration, "pair": pair, **last.metrics[pair]})
        return rows
