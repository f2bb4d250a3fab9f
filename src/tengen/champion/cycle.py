"""The champion cycle: challengers meet the champion one after another, and a gate on several figures decides."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen.arena import Openings, PlayedGame, chunks, default_openings, merge
from tengen.arena.seeds import derive
from tengen.champion.contestants import PLAYER, Contestant, open_contestant
from tengen.champion.gates import GateSettings
from tengen.champion.jobs import ScoreSoFar, play_pairs, split
from tengen.champion.loop import MATCH
from tengen.champion.opening import game_table, is_of_game, open_or_create, run_settings
from tengen.champion.repair import intact, quarantine_damage, set_initial_champion
from tengen.champion.watchers import Recorded
from tengen.runs import Run, RunError, Step

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tengen.arena import MatchResult, Player, Verdict
    from tengen.champion.watchers import Watcher
    from tengen.cluster import Workers
    from tengen.games import Game

__all__ = ["Cycle", "CycleSettings", "GateSettings", "open_cycle"]

GAMES = "games.json"
CYCLE = "cycle"
_CHAMPION = ("champion", "champion_sha256")


@dataclass(frozen=True)
class CycleSettings:
    """A champion cycle: how long challenges are, and what decides them."""

    seed: int = 1
    games: int = 1000
    """Games of a challenge. In one half, round A, the challenger has the first seat; round B is the same deals with the
    seats swapped."""
    chunk_games: int = 100
    """Games that make a step: what a stop may lose."""
    start: dict[str, Any] = field(default_factory=dict)
    """Options of the game's start, such as gold."""
    gate: GateSettings = field(default_factory=GateSettings)

    def __post_init__(self) -> None:
        for name in ("games", "chunk_games"):
            if getattr(self, name) < 2 or getattr(self, name) % 2:
                raise ValueError(f"cycle: {name} is {getattr(self, name)} and must be even and at least 2")


def open_cycle(
    path: str | Path, game: Game, settings: CycleSettings | None, champion: Contestant | None
) -> tuple[Run, CycleSettings]:
    """A new run that begins with this champion, or the one that is there; what differs from its own is an error."""
    if champion is None or settings is None:
        run = Run.open(path)
        if CYCLE not in run.settings or not is_of_game(run, game):
            raise RunError(f"{run.path} is no champion cycle of {game_table(game)}")
        settings = settings or run_settings(run, CycleSettings, CYCLE, _CHAMPION)
        if champion is None:
            own = {key: run.settings[CYCLE].get(key) for key in _CHAMPION}
        else:
            own = _champion_table(champion)
    else:
        own = _champion_table(champion)
    return open_or_create(path, game, CYCLE, settings, facts=own), settings


def _champion_table(champion: Contestant) -> dict[str, Any]:
    return dict(zip(_CHAMPION, (champion.name, champion.sha256), strict=True))


class Cycle:
    """A champion cycle that plays challenges. The caller holds the run's lock."""

    def __init__(
        self, run: Run, game: Game, settings: CycleSettings, workers: Workers, watcher: Watcher | None = None
    ) -> None:
        self.run = run
        self.game = game
        self.settings = settings
        self.workers = workers
        self.watcher: Watcher = Recorded(run.path, watcher)
        self.gate = settings.gate.make(game)

    def play(self, champion: Contestant | None, challengers: Sequence[Contestant]) -> list[Step]:
        """Play a challenge of each challenger and return the decisions, in order of the challengers.

        Unfinished challenges are completed first. A challenger that has had its challenge keeps its decision; one that
        is named twice has two challenges.
        """
        quarantine_damage(self.run)
        set_initial_champion(self.run, self._initial(champion), "the first champion")
        self._enter_again(challengers)
        for iteration in sorted(self._identities()):
            self._challenge(iteration)
        decisions = []
        seen: Counter[str] = Counter()
        for challenger in challengers:
            own = [i for i, sha256 in sorted(self._identities().items()) if sha256 == challenger.sha256]
            number = seen[challenger.sha256]
            seen[challenger.sha256] += 1
            iteration = own[number] if number < len(own) else max(self._identities(), default=0) + 1
            self._enter(iteration, challenger)
            decisions.append(self._challenge(iteration))
        return decisions

    # Steps. Each looks first whether it is there already.

    def _initial(self, champion: Contestant | None) -> Step:
        found = self._whole("initial", None)
        if found is not None:
            return found
        wanted = self.run.settings[CYCLE]["champion_sha256"]
        if champion is None or champion.sha256 != wanted:
            name = self.run.settings[CYCLE]["champion"]
            raise RunError(f"{self.run.path} has lost its first champion, {name}: name it again as the champion")
        with self.run.step("initial", seed=self.settings.seed) as draft:
            champion.write(draft)
            draft.metrics["player"] = champion.name
        return self._found("initial", None)

    def _enter(self, iteration: int, challenger: Contestant) -> Step:
        found = self._whole("challenger", iteration)
        if found is not None:
            return found
        with self.run.step("challenger", iteration=iteration) as draft:
            challenger.write(draft)
            draft.metrics["player"] = challenger.name
        return self._found("challenger", iteration)

    def _enter_again(self, challengers: Sequence[Contestant]) -> None:
        """Those whose step was lost to damage."""
        by_sha256 = {challenger.sha256: challenger for challenger in challengers}
        for iteration, sha256 in self._identities().items():
            if self._whole("challenger", iteration) is None and sha256 in by_sha256:
                self._enter(iteration, by_sha256[sha256])

    def _challenge(self, iteration: int) -> Step:
        challenger = self._whole("challenger", iteration)
        decision = intact(self.run, "decision", iteration, MATCH)
        if decision is None:
            if challenger is None:
                raise RunError(
                    f"{self.run.path}: the challenger of challenge {iteration} was damaged and is in quarantine; "
                    "name it again as a challenger"
                )
            decision = self._decide(iteration, challenger, self._champion(iteration))
        # A resumed run passes its earlier decisions again; the champion is the last one's.
        if challenger is not None and decision.metrics["passed"] and not self._is_succeeded(iteration):
            self.run.set_champion(challenger, str(decision.metrics["reason"]))
        return decision

    def _decide(self, iteration: int, challenger: Step, champion: Step) -> Step:
        players = open_contestant(challenger, self.game), open_contestant(champion, self.game)
        seed = derive(self.settings.seed, "challenge", iteration)
        self.watcher.begin("challenge", iteration, self.settings.games)
        parts: list[list[PlayedGame]] = []
        made: list[Step] = [challenger, champion]
        for number, pairs in enumerate(chunks(self.settings.games, self.settings.chunk_games // 2), start=1):
            score = ScoreSoFar(game for part in parts for game in part)
            step = self._games(iteration, number, (challenger, champion), players, pairs, seed, score)
            made.append(step)
            parts.append([PlayedGame.from_plain(plain) for plain in step.read_json(GAMES)])
            self.watcher.advance(sum(map(len, parts)), ScoreSoFar(game for part in parts for game in part).figures)
        result = merge(self.game, *players, seed, parts, self._openings())
        verdict = self.gate.judge(result)
        with self.run.step("decision", iteration=iteration, inputs=made, seed=seed) as draft:
            draft.write_text(MATCH, result.to_json())
            draft.metrics.update(_numbers(result, verdict), first=challenger.id, second=champion.id)
        step = self._found("decision", iteration)
        figures = {name: value for name, value in step.metrics.items() if isinstance(value, int | float)}
        text = f"{verdict}{fallbacks_note(step)}"
        self.run.log({"event": "decision", "iteration": iteration, "step": step.id, "text": text, **figures})
        self.watcher.end("challenge", iteration, text, step.metrics)
        return step

    def _games(
        self,
        iteration: int,
        number: int,
        made_from: tuple[Step, Step],
        players: tuple[Player, Player],
        pairs: Sequence[int],
        seed: int,
        score: ScoreSoFar,
    ) -> Step:
        name = f"games-{number}"
        found = intact(self.run, name, iteration, GAMES)
        if found is not None and [given.sha256 for given in found.inputs] == [step.sha256 for step in made_from]:
            return found
        if found is not None:
            # The games are of other players: the champion that they were played against is lost.
            self.run.quarantine(found)

        def tell(played: int, plies: int) -> None:  # noqa: ARG001 - games are what a person counts
            self.watcher.advance(2 * pairs[0] + played, score.figures)

        with self.run.step(name, iteration=iteration, inputs=made_from, seed=seed) as draft:
            with self.workers.journal(self.run.parts):
                parts = play_pairs(self.workers, self.game, players, split(pairs), seed, tell, self._openings(), score)
            games = [game.to_plain() for part in parts for game in part]
            draft.write_text(GAMES, json.dumps(games))
            draft.metrics["games"] = len(games)
        return self._found(name, iteration)

    # Inputs of steps.

    def _openings(self) -> Openings:
        return default_openings(self.game, self.settings.start)

    def _champion(self, iteration: int) -> Step:
        """The champion when a challenge begins, also one that is made again long after."""
        for i in range(iteration - 1, 0, -1):
            step = self._whole("challenger", i) if self._has_passed(i) else None
            if step is not None:
                return step
        return self._found("initial", None)

    def _has_passed(self, iteration: int) -> bool:
        decision = self.run.find("decision", iteration)
        return decision is not None and bool(decision.metrics["passed"])

    def _is_succeeded(self, iteration: int) -> bool:
        last = max(self._identities(), default=0)
        later = range(iteration + 1, last + 1)
        return any(self._has_passed(i) and self._whole("challenger", i) is not None for i in later)

    def _identities(self) -> dict[int, str]:
        """The challengers by challenge, by their checksums; also of those whose own step is lost."""
        found: dict[int, str] = {}
        for step in self.run.steps():
            if step.iteration is None:
                continue
            if step.name == "challenger":
                found[step.iteration] = step.sha256
            elif step.inputs:
                found.setdefault(step.iteration, step.inputs[0].sha256)
        return found

    def _whole(self, name: str, iteration: int | None) -> Step | None:
        """A step that keeps a player, with all its files."""
        step = self.run.find(name, iteration)
        return None if step is None else intact(self.run, name, iteration, PLAYER, *step.files)

    def _found(self, name: str, iteration: int | None) -> Step:
        step = self.run.find(name, iteration)
        assert step is not None
        return step


def fallbacks_note(decision: Step) -> str:
    """Return how many decisions of a challenge were not the players' own, as the end of a line; empty if all were."""
    challenger, champion = decision.metrics.get("fallbacks", (0, 0))
    if not challenger and not champion:
        return ""
    return f"; {challenger} decisions of the challenger and {champion} of the champion were made by another policy"


def _numbers(result: MatchResult, verdict: Verdict) -> dict[str, Any]:
    """Everything that a decision rests on."""
    numbers: dict[str, Any] = dict(verdict.figures)
    for letter, tally, games in zip("ab", result.by_seat, (result.games[0::2], result.games[1::2]), strict=True):
        numbers[f"round_{letter}"] = {
            **vars(tally),
            "payoff": sum(game.payoff for game in games) / len(games),
        }
    findings: list[Mapping[str, str]] = [
        {"name": finding.name, "says": finding.says, "text": finding.text} for finding in verdict.findings
    ]
    return numbers | {
        "challenger": result.first,
        "champion": result.second,
        "passed": verdict.decision == "accept",
        "reason": verdict.reason,
        "decided_by": verdict.decided_by,
        "findings": findings,
        "fallbacks": list(result.fallbacks),
    }
