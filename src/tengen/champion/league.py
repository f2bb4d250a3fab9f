"""A league: a focal player against a weighted pool of opponents, in chunks, each a step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from tengen.arena import MatchReport, MatchResult, chunks, default_openings, merge, parse_player
from tengen.arena.seeds import derive
from tengen.champion.contestants import Contestant, open_contestant
from tengen.champion.jobs import ScoreSoFar, collect, split
from tengen.champion.league_games import LeagueGames, find_log_writer, play_packed_part
from tengen.champion.league_settings import LeaguePool, LeagueSettings, Opponent
from tengen.champion.loop import MATCH, RECORDS
from tengen.champion.opening import open_or_create, run_settings
from tengen.champion.packed_games import join_samples
from tengen.champion.repair import intact, quarantine_damage
from tengen.champion.teacher_games import PACKED_SAMPLES
from tengen.champion.watchers import Recorded
from tengen.runs import Run, RunError, Step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tengen.arena import Player
    from tengen.champion.watchers import Watcher
    from tengen.cluster import Workers
    from tengen.games import Game

__all__ = ["League", "open_league", "pool_of"]

LEAGUE = "league"
TABLE = "table.json"
LOG = "log.jsonl.gz"
"""File of a chunk with the game's own log, for models that learn from such logs."""
_FOCAL = "focal/"


def open_league(path: str | Path, game: Game, pool: LeaguePool, players: Sequence[Contestant]) -> Run:
    """A new run with these players, the focal one first, or the one that is there if it is the same league."""
    focal, *others = players
    facts = {
        "focal": {"player": focal.name, "sha256": focal.sha256},
        "opponents": [
            {"player": other.name, "weight": opponent.weight, "sha256": other.sha256}
            for opponent, other in zip(pool.opponents, others, strict=True)
        ],
    }
    if pool.settings.logs:
        find_log_writer(game)
    return open_or_create(path, game, LEAGUE, pool.settings, facts=facts)


def pool_of(run: Run) -> LeaguePool:
    """Return the pool that a run was started with."""
    league = run.settings.get(LEAGUE)
    if league is None:
        raise RunError(f"{run.path} is no league")
    opponents = tuple(Opponent(parse_player(entry["player"]), entry["weight"]) for entry in league["opponents"])
    settings = run_settings(run, LeagueSettings, LEAGUE, ("focal", "opponents"))
    return LeaguePool(parse_player(league["focal"]["player"]), opponents, settings)


class League:
    """A league and its run. The caller holds the run's lock."""

    def __init__(self, run: Run, game: Game, workers: Workers, watcher: Watcher | None = None) -> None:
        self.run = run
        self.game = game
        self.pool = pool_of(run)
        self.settings = self.pool.settings
        self.workers = workers
        self.watcher: Watcher = Recorded(run.path, watcher)
        self.openings = default_openings(game, self.settings.start)

    def play(self, players: Sequence[Contestant] | None = None) -> Step:
        """Play the missing chunks and return the step with the table.

        The players, the focal one first, are needed only if the run does not have them yet or has lost them.
        """
        quarantine_damage(self.run)
        initial = self._initial(players)
        seated = [open_contestant(initial, self.game, folder) for folder in self._folders()]
        for player in seated:
            player.model_only = self.settings.model_only_when_possible
        pairs = chunks(self.settings.games, self.settings.chunk_games // 2)
        with self.workers.journal(self.run.parts):
            steps = [
                self._chunk(number, initial, seated, opponent, pairs[number])
                for number, opponent in enumerate(self.pool.schedule())
            ]
        return self._table(steps)

    # Steps. Each looks first whether it is there already.

    def _initial(self, players: Sequence[Contestant] | None) -> Step:
        step = self.run.find("initial", None)
        if step is not None and intact(self.run, "initial", None, *step.files) is not None:
            return step
        league = self.run.settings[LEAGUE]
        wanted = [league["focal"]["sha256"], *(entry["sha256"] for entry in league["opponents"])]
        if players is None or [player.sha256 for player in players] != wanted:
            raise RunError(f"{self.run.path} has lost its players: begin it again with the same ones")
        with self.run.step("initial", seed=self.settings.seed) as draft:
            for player, folder in zip(players, self._folders(), strict=True):
                player.write(draft, folder)
        return self._found("initial", None)

    def _chunk(self, number: int, initial: Step, seated: Sequence[Player], index: int, pairs: Sequence[int]) -> Step:
        found = intact(self.run, "chunk", number + 1, MATCH, RECORDS)
        if found is not None:
            return found
        focal, opponent = seated[0], seated[index + 1]
        rate, seed = self.settings.rate(number), derive(self.settings.seed, "league")
        about = {"opponent": opponent.name, "exploration": rate, "focal": focal.name}
        with self.run.step("chunk", iteration=number + 1, inputs=[initial], settings=about, seed=seed) as draft:
            self.watcher.begin(opponent.name, number + 1, 2 * len(pairs))
            parts = self._play(focal, opponent, pairs, seed, rate)
            result = merge(self.game, focal, opponent, seed, [part.played for part in parts], self.openings)
            failed = sum(result.fallbacks)
            draft.write_text(MATCH, result.to_json())
            draft.write_bytes(RECORDS, b"".join(part.packed.records for part in parts))
            if self.settings.logs:
                draft.write_bytes(LOG, b"".join(part.log for part in parts))
            samples = join_samples(part.packed for part in parts)
            if samples:
                draft.write_bytes(PACKED_SAMPLES, samples)
            explored = sum(part.explored for part in parts)
            draft.metrics.update(
                result.figures(), opponent=opponent.name, exploration=rate, explored=explored, failures=failed
            )
            metrics = dict(draft.metrics)
        step = self._found("chunk", number + 1)
        score = f"{100 * result.score.value:.1f} % of {len(result.games)} games against {opponent.name}"
        unit = self.game.payoff_unit or "payoff"
        text = f"{score}, {unit} {result.payoff.value:+.4g} a game, exploring {100 * rate:.2g} %"
        text += f", {failed} decisions by fallback" if failed else ""
        self.run.log({"event": "chunk", "iteration": number + 1, "step": step.id, "text": text, **metrics})
        self.watcher.end("chunk", number + 1, text, metrics)
        return step

    def _play(self, focal: Player, opponent: Player, pairs: Sequence[int], seed: int, rate: float) -> list[LeagueGames]:
        strict, logs = self.settings.model_only_when_possible, self.settings.logs
        arguments = (seed, self.openings, rate, strict, logs)
        tasks = [
            self.workers.submit(play_packed_part, self.game, focal, opponent, part, *arguments) for part in split(pairs)
        ]
        score = ScoreSoFar()

        def count(part: LeagueGames) -> tuple[int, int]:
            score.add(part.played)
            return len(part.played), 0

        return collect(self.workers, tasks, count, lambda games, _: self.watcher.advance(games, score.figures))

    def _table(self, steps: Sequence[Step]) -> Step:
        found = intact(self.run, "table", None, TABLE)
        if found is not None and [given.sha256 for given in found.inputs] == [step.sha256 for step in steps]:
            return found
        with self.run.step("table", inputs=steps, seed=self.settings.seed) as draft:
            rows = [self._row(opponent, steps) for opponent in self.pool.opponents]
            draft.write_json(TABLE, [row for row in rows if row is not None])
        return self._found("table", None)

    def _row(self, opponent: Opponent, steps: Sequence[Step]) -> Mapping[str, Any] | None:
        own = [step for step in steps if step.metrics["opponent"] == str(opponent.player)]
        if not own:
            return None
        matches = [MatchResult.from_json(step.file(MATCH).read_text()) for step in own]
        first = matches[0]
        parts = [match.games for match in matches]
        result = merge(self.game, first.first, first.second, first.seed, parts, self.openings)
        match_report = MatchReport(self.game, result, {})
        share = opponent.weight / math.fsum(each.weight for each in self.pool.opponents)
        return {
            "opponent": str(opponent.player),
            "weight": opponent.weight,
            "share": share,
            "chunks": len(own),
            **result.figures(),
            "worst_loss": match_report.worst_loss,
            "rates": {name: rate.first.value for name, rate in match_report.rates.items()},
            "failures": sum(step.metrics["failures"] for step in own),
        }

    def _folders(self) -> list[str]:
        return [_FOCAL, *(f"opponent-{number}/" for number in range(1, len(self.pool.opponents) + 1))]

    def _found(self, name: str, iteration: int | None) -> Step:
        step = self.run.find(name, iteration)
        assert step is not None
        return step
