"""The content of a run's folder, read for a report. Damaged or missing parts become sentences, never errors."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tengen.arena import MatchResult
from tengen.arena.statistics import Z95
from tengen.champion.ratings import FINAL_ANCHOR, FINAL_INITIAL, rate_steps
from tengen.games import GameError, find_stored
from tengen.runs import RunError
from tengen.selfplay import RecordError, load_records

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    from tengen.arena import Rating, Ratings
    from tengen.games import Game
    from tengen.runs import Promotion, Run, Step
    from tengen.selfplay import GameRecord

    GameMaker: TypeAlias = Callable[[str, Mapping[str, Any]], Game]

__all__ = ["TROUBLE", "Bin", "Player", "Reading", "calibrate", "number"]

RECORDS, MATCH = "games.jsonl.gz", "match.json"
# Errors that damaged files, and a game that is missing or has changed, may raise.
TROUBLE = (
    ArithmeticError,
    AttributeError,
    GameError,
    ImportError,
    LookupError,
    OSError,
    SyntaxError,
    TypeError,
    ValueError,
)
CALIBRATION_STEPS = 4
"""The number of the last self-play steps whose values are compared with results."""


def number(value: object) -> float | None:
    """A finite number, or None."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None  # type: ignore[arg-type]


@dataclass(frozen=True)
class Player:
    """A network with its rating."""

    step: str
    iteration: int
    elo: float
    low: float
    high: float
    games: float
    score: float
    was_champion: bool


@dataclass
class Reading:
    """One look at a run."""

    run: Run
    problems: list[str] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    promotions: list[Promotion] = field(default_factory=list)
    champion: Step | None = None
    game: Game | None = None
    ratings: Ratings | None = None
    _records: dict[str, list[GameRecord]] = field(default_factory=dict)

    _make_game: GameMaker | None = None
    _is_thorough: bool = True

    @classmethod
    def of(cls, run: Run, *, make_game: GameMaker | None = None, thorough: bool = True) -> Reading:
        """Read a run. If `thorough`, every byte is read and compared. `make_game` makes the run's game; by default it
        is loaded unless that would run code that the user has not named."""
        reading = cls(run, _make_game=make_game, _is_thorough=thorough)
        for read in (reading._read_steps, reading._read_champion, reading._read_game, reading._rate):
            try:
                read()
            except TROUBLE as error:
                reading.problems.append(
                    f"{error}" if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
                )
        return reading

    def _read_steps(self) -> None:
        if self._is_thorough:
            self.problems += [problem.text for problem in self.run.verify()]
        self.steps = self.run.steps()

    def _read_champion(self) -> None:
        self.promotions = self.run.champions()
        self.champion = self.run.champion

    def _read_game(self) -> None:
        name, settings = self.table("game").get("name"), self.table("game").get("settings", {})
        if not isinstance(name, str):
            raise ValueError("the run's settings name no game, so no boards are drawn")
        make = self._make_game or (lambda name, settings: find_stored(name)(**settings))
        self.game = make(name, settings)

    # Settings.

    def table(self, name: str) -> Mapping[str, Any]:
        found = self.run.settings.get(name)
        return found if isinstance(found, Mapping) else {}

    @property
    def title(self) -> str:
        return self.game.title if self.game is not None else str(self.table("game").get("name", "a game"))

    @property
    def scale(self) -> float:
        """The payoff that counts as a full win."""
        return self.game.payoff_scale if self.game is not None else 1.0

    @property
    def bound(self) -> float:
        """The largest payoff there can be, as a share of a full win."""
        return self.game.max_payoff / self.game.payoff_scale if self.game is not None else 1.0

    # Steps.

    def named(self, name: str) -> list[Step]:
        """The latest step of each iteration, in order."""
        latest = {step.iteration or 0: step for step in self.steps if step.name == name}
        return [latest[iteration] for iteration in sorted(latest)]

    def column(self, name: str, metric: str) -> list[tuple[int, float]]:
        """A figure of the steps of that name over their iterations."""
        pairs = ((step.iteration or 0, number(step.metrics.get(metric))) for step in self.named(name))
        return [(iteration, value) for iteration, value in pairs if value is not None]

    def total(self, name: str, metric: str) -> float:
        return sum(value for _, value in self.column(name, metric))

    @property
    def iterations(self) -> int:
        return max((step.iteration or 0 for step in self.steps), default=0)

    def records(self, step: Step) -> list[GameRecord]:
        """Return the records of a self-play step; none if they can't be read."""
        if RECORDS not in step.files:
            return []  # the chunks have them
        if step.id not in self._records:
            try:
                self._records[step.id] = load_records(step.file(RECORDS).read_bytes())
            except (RunError, RecordError, OSError) as error:
                self._note(str(error))
                self._records[step.id] = []
        return self._records[step.id]

    def match(self, step: Step) -> MatchResult | None:
        try:
            return MatchResult.from_json(step.file(MATCH).read_text(encoding="utf-8"))
        except (RunError, OSError, ValueError) as error:
            self._note(f"{step.path.name}: {error}")
            return None

    def _note(self, problem: str) -> None:
        if problem not in self.problems:
            self.problems.append(problem)

    # Ratings.

    @property
    def final_matches(self) -> list[tuple[Step, MatchResult]]:
        """Those that the run ended with, when it last did."""
        steps = [step for name in (FINAL_INITIAL, FINAL_ANCHOR) for step in self.named(name)[-1:]]
        last = max((step.iteration or 0 for step in steps), default=0)
        read = [(step, self.match(step)) for step in steps if (step.iteration or 0) == last]
        return [(step, match) for step, match in read if match is not None]

    def _rate(self) -> None:
        self.ratings = rate_steps(self.steps)

    @property
    def zero(self) -> str:
        """The player whose rating is 0."""
        rated = self.ratings.players if self.ratings is not None else ()
        return "the first network" if any(rating.is_anchor for rating in rated) else "the mean"

    @property
    def champion_rating(self) -> Rating | None:
        rated = self.ratings.players if self.ratings is not None else ()
        return next((r for r in rated if self.champion is not None and r.name == self.champion.id), None)

    @property
    def fixed_players(self) -> list[Rating]:
        """Rated players that are no network of this run's."""
        known = {player.step for player in self.players}
        return [] if self.ratings is None else [r for r in self.ratings.players if r.name not in known]

    @property
    def players(self) -> list[Player]:
        """The rated networks by iteration."""
        if self.ratings is None:
            return []
        places = {str(step.metrics.get("first")): step.iteration or 0 for step in self.named("arena")}
        places |= {step.id: step.iteration or 0 for step in self.steps if step.name in ("train", "initial")}
        promoted = {promotion.step for promotion in self.promotions}
        found = [
            Player(r.name, places[r.name], r.elo, r.low, r.high, r.games, r.score, r.name in promoted)
            for r in self.ratings.players
            if r.name in places and math.isfinite(r.elo)
        ]
        return sorted(found, key=lambda player: player.iteration)

    def iteration_of(self, step_id: object) -> str:
        """A network by name: "iteration 7", or whatever else the text is."""
        for step in self.steps:
            if step.id == step_id:
                return f"iteration {step.iteration}" if step.iteration else "the first network"
        return str(step_id)


@dataclass(frozen=True)
class Bin:
    """Decisions for which the search gave about the same value."""

    low: float
    high: float
    count: int
    promised: float
    """On average, as a share of a full win."""
    result: float
    error: float
    """Half the 95 % interval of the result, counting each game once."""

    def interval(self, bound: float) -> tuple[float, float]:
        """The mean result with its interval, within ±bound."""
        return max(-bound, self.result - self.error), min(bound, self.result + self.error)


def calibrate(records: Iterable[GameRecord], scale: float, count: int = 10) -> list[Bin]:
    """Games that were given up are left out: their results are the search's own word."""
    found: dict[int, list[tuple[float, float, int]]] = defaultdict(list)
    for index, record in enumerate(records):
        if record.resigned is not None:
            continue
        for decision in record.decisions:
            if 0 <= decision.player < min(len(decision.values), len(record.payoffs)):
                promised = min(1.0, max(-1.0, decision.values[decision.player] / scale))
                result = record.payoffs[decision.player] / scale
                found[min(count - 1, int((promised + 1) / 2 * count))].append((promised, result, index))
    bins = []
    for i in sorted(found):
        promises, results, games = np.asarray(found[i], np.float64).T
        error = Z95 * float(results.std()) / math.sqrt(len(np.unique(games)))
        low = -1 + 2 * i / count
        bins.append(Bin(low, low + 2 / count, len(promises), float(promises.mean()), float(results.mean()), error))
    return bins
