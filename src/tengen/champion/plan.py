"""How long a run will take, and how to make it fit into a given time."""

from __future__ import annotations

import bisect
import dataclasses
import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen.champion.jobs import pairs_at_once
from tengen.champion.ratings import FINAL_ANCHOR, FINAL_INITIAL
from tengen.champion.settings import anchor_of, change_settings

if TYPE_CHECKING:
    from tengen.arena import PlayerSpec
    from tengen.champion.settings import LearnSettings
    from tengen.champion.speed import Speed

__all__ = [
    "FEWEST_FINAL_GAMES",
    "MAX_ITERATIONS",
    "Phase",
    "Plan",
    "Timeline",
    "fit_plan",
    "is_smallest",
    "total_seconds",
    "useful_minutes",
]

# Seconds of a step in addition to its work: reading samples, writing files, loading networks.
_STEP_S = 1.0
_TRAIN_S = 2.0

_FEWEST_ITERATIONS = 3
MAX_ITERATIONS = 1000
# How the time of a run that is too long is shared out.
_SHARES = {"bootstrap": 0.4, "self-play": 0.3, "train": 0.1, "arena": 0.06, "rate": 0.04, "final": 0.1}
# The most that a gate may take of the time of an iteration.
_GATE_SHARE = 0.1
# The fewest visits and games: less would teach or show too little to be worth any time.
_FEWEST_FIRST = (32, 48)
_FEWEST_LATER = (48, 64)
"""Visits and games."""
_FEWEST_FAST_VISITS = _FEWEST_GATE_VISITS = 16
_FEWEST_GATE_GAMES, FEWEST_FINAL_GAMES = 8, 12
_WEAKEST_ANCHOR = 32
_LEAST_REUSE = 4.0
# A part of a plan counts as the smallest if it is at most this many times as large.
_NEARLY = 1.1
# The step between the times for which useful_minutes() tries a plan.
_NEXT_TIME = 1.25
# The weight of a phase relative to the next newer one of its kind: a machine may become busier, or less busy.
_FADING = 0.5
# Plans are made for a little less than there is: how long games will be is not known yet.
_MARGIN = 0.95
_PASSES = 12


@dataclass(frozen=True)
class Phase:
    """A step of a run and how long it should take."""

    name: str
    iteration: int
    seconds: float
    work: float = 0.0
    """Visits or plies, as progress counts them; of training, batches."""


@dataclass(frozen=True)
class Plan:
    """The work of a run: its settings, iterations and final matches."""

    settings: LearnSettings
    iterations: int
    final_games: int
    """Games of each match at the end; 0 for none."""

    def phases(self, speed: Speed) -> list[Phase]:
        found = [phase for i in range(self.iterations) for phase in self.phases_of(i + 1, speed)]
        return found + self.final_phases(speed)

    def final_phases(self, speed: Speed) -> list[Phase]:
        """Return the matches at the end of the run."""
        if not self.final_games:
            return []
        return [
            self._match(FINAL_INITIAL, self.iterations, self.final_games, self._player(speed), speed),
            self._match(FINAL_ANCHOR, self.iterations, self.final_games, self._against_anchor(speed), speed),
        ]

    def phases_of(self, iteration: int, speed: Speed) -> list[Phase]:
        s = self.settings
        is_bootstrap = iteration == 1 and s.bootstrap_games > 0
        games = s.bootstrap_games if is_bootstrap else s.games_per_iter
        visits = s.teacher.visits or 1 if is_bootstrap else mean_visits(s)
        each = visits * (speed.teacher_visit_s if is_bootstrap else speed.player_visit_s)
        batches = math.ceil(s.reuse * games * speed.plies / s.train.batch_size)
        again = self._positions_again(iteration, speed)
        in_turn = _in_turn(games, s.selfplay.parallel, speed.workers)
        gate = (s.gate_player.visits or 1) * speed.player_visit_s
        found = [
            Phase("self-play", iteration, _STEP_S + in_turn * speed.plies * each, games * speed.plies * visits),
            Phase("train", iteration, _TRAIN_S + batches * speed.batch_s, batches),
        ]
        if s.has_gate:
            found.append(self._match("arena", iteration, s.eval_games, gate, speed))
        if again:
            visits = s.selfplay.search.visits
            seconds = _STEP_S + again * visits * speed.player_visit_s / speed.workers
            found.insert(1, Phase("reanalyze", iteration, seconds, again * visits))
        if s.anchor and iteration % s.anchor_every == 0:
            found.append(self._match("rate", iteration, s.anchor_games, self._against_anchor(speed), speed))
        return found

    def _positions_again(self, iteration: int, speed: Speed) -> float:
        """Return the number of positions of earlier games that are searched again."""
        s = self.settings
        made = iteration - s.reanalysis_age
        if made < 1 or (made == 1 and s.has_chunks):
            return 0.0
        games = s.bootstrap_games if made == 1 and s.bootstrap_games else s.games_per_iter
        return s.reanalysis_share * games * speed.plies

    def _match(self, name: str, iteration: int, games: int, decision_s: float, speed: Speed) -> Phase:
        in_turn = _in_turn(games, 2 * pairs_at_once(games), speed.workers)
        return Phase(name, iteration, _STEP_S + in_turn * speed.plies * decision_s, games * speed.plies)

    def _player(self, speed: Speed) -> float:
        return (self.settings.player.visits or 1) * speed.player_visit_s

    def _against_anchor(self, speed: Speed) -> float:
        """Half of the decisions are the anchor's."""
        share = (anchor_of(self.settings).visits or 1) / speed.anchor_visits
        return (self._player(speed) + share * speed.anchor_decision_s) / 2

    def parts(self, speed: Speed) -> dict[str, float]:
        """Seconds by what they are spent on."""
        spent = dict.fromkeys(_SHARES, 0.0)
        for phase in self.phases(speed):
            name = "final" if phase.name in (FINAL_INITIAL, FINAL_ANCHOR) else phase.name
            is_bootstrap = name == "self-play" and phase.iteration == 1 and self.settings.bootstrap_games > 0
            # Fewer games and visits in self-play make a reanalysis smaller, too.
            name = "self-play" if name == "reanalyze" else name
            spent["bootstrap" if is_bootstrap else name] += phase.seconds
        return spent


def mean_visits(settings: LearnSettings) -> float:
    """Return the mean number of visits of a decision in self-play."""
    search = settings.selfplay.search
    if not search.fast_visits or not settings.player.searches_tree:
        return search.visits
    return search.full_probability * search.visits + (1 - search.full_probability) * search.fast_visits


def _in_turn(games: int, at_once: int, workers: int) -> int:
    """Games that the busiest worker plays, where `at_once` are a task."""
    tasks = math.ceil(games / at_once)
    return math.ceil(tasks / workers) * min(games, at_once)


def total_seconds(phases: Collection[Phase]) -> float:
    return sum(phase.seconds for phase in phases)


def fit_plan(plan: Plan, speed: Speed, fixed: Collection[str] = (), *, slack: float = 1.0) -> Plan:
    """The plan if it takes no more than its settings' `minutes` times the slack, else one of fewer games and visits in
    about the minutes. `fixed` names what stays; unless it names "iterations", as many are planned as fit.

    No plan is made smaller than what is worth anything, so it may still take longer.
    """
    limit = 60 * plan.settings.minutes
    if "iterations" not in fixed:
        plan = dataclasses.replace(plan, iterations=_FEWEST_ITERATIONS)
    plan = _with_short_gate(plan, speed, fixed)
    if total_seconds(plan.phases(speed)) > slack * limit:
        return _shrink_to(plan, speed, limit * _MARGIN, fixed)
    if "iterations" in fixed:
        return plan
    longer = [dataclasses.replace(plan, iterations=n) for n in range(_FEWEST_ITERATIONS, MAX_ITERATIONS + 1)]
    fitting = bisect.bisect_right(longer, limit * _MARGIN, key=lambda plan: total_seconds(plan.phases(speed)))
    return longer[max(0, fitting - 1)]


def is_smallest(plan: Plan, asked: Plan) -> bool:
    """Return whether the games of a plan were reduced to the fewest and shortest searches that plans have.

    A network learns little or nothing from so few. `asked` is the plan before `fit_plan()` reduced it.
    """
    s, before = plan.settings, asked.settings
    first = (s.teacher.visits or 1, s.bootstrap_games)
    first_before = (before.teacher.visits or 1, before.bootstrap_games)
    later = (s.selfplay.search.visits, s.games_per_iter)
    later_before = (before.selfplay.search.visits, before.games_per_iter)
    return _fell(first, first_before, _FEWEST_FIRST) or _fell(later, later_before, _FEWEST_LATER)


def _fell(now: tuple[int, int], before: tuple[int, int], least: tuple[int, int]) -> bool:
    """Compare visits and games; visits that stay as they were may be any number."""
    fewest = now[0] if now[0] == before[0] else least[0]
    return now != before and math.prod(now) <= _NEARLY * fewest * least[1]


def useful_minutes(asked: Plan, speed: Speed, fixed: Collection[str] = ()) -> int:
    """Return how many minutes let a plan have more than the smallest games, about."""
    minutes = max(1.0, asked.settings.minutes)
    while True:
        longer = dataclasses.replace(asked, settings=change_settings(asked.settings, {"minutes": minutes}))
        fitted = fit_plan(longer, speed, fixed)
        if total_seconds(fitted.phases(speed)) <= 60 * minutes and not is_smallest(fitted, asked):
            return math.ceil(minutes)
        minutes *= _NEXT_TIME


def _with_short_gate(plan: Plan, speed: Speed, fixed: Collection[str]) -> Plan:
    """Return the plan with fewer games and visits in its gates if those would take more than their share of an
    iteration."""
    for _ in range(_PASSES):
        seconds = {phase.name: phase.seconds for phase in plan.phases_of(1 + plan.settings.window, speed)}
        gate = seconds.get("arena", 0.0)
        others = sum(seconds.get(part, 0.0) for part in ("self-play", "reanalyze", "train"))
        if gate * (1 - _GATE_SHARE) <= others * _GATE_SHARE:
            break
        share = others * _GATE_SHARE / (1 - _GATE_SHARE) / gate
        plan = _change(plan, fixed, _gate_changes(plan.settings, math.sqrt(share)))
    return plan


def _gate_changes(settings: LearnSettings, share: float) -> dict[str, Any]:
    return {
        "eval_games": _match_games(settings.eval_games, share, _FEWEST_GATE_GAMES),
        "eval_visits": _gate_visits(settings, share),
    }


def _shrink_to(plan: Plan, speed: Speed, seconds: float, fixed: Collection[str]) -> Plan:
    """The largest that fits. What each part is given is not what it then takes: fewer games need less training, and
    nothing shrinks to nothing."""
    low, high = 0.0, 4 * seconds
    found = _shrunk(plan, speed, low, fixed)
    for _ in range(_PASSES):
        middle = (low + high) / 2
        larger = _shrunk(plan, speed, middle, fixed)
        if total_seconds(larger.phases(speed)) > seconds:
            high = middle
        else:
            low, found = middle, larger
    return found


def _shrunk(plan: Plan, speed: Speed, budget: float, fixed: Collection[str]) -> Plan:
    allotted = _allot(plan.parts(speed), budget)
    found = _shrink(plan, speed, allotted, fixed)
    training = found.parts(speed)["train"]
    if training > allotted["train"]:
        reuse = max(_LEAST_REUSE, found.settings.reuse * allotted["train"] / training)
        found = _change(found, fixed, {"reuse": min(found.settings.reuse, round(reuse, 2))})
    return found


def _allot(need: dict[str, float], seconds: float) -> dict[str, float]:
    """Return the seconds of each part: its share, or its need if that is less; the other parts share the rest."""
    given: dict[str, float] = {}
    wanting = {part for part, wanted in need.items() if wanted > 0}
    while wanting:
        scale = max(0.0, seconds - sum(given.values())) / sum(_SHARES[part] for part in wanting)
        modest = {part for part in wanting if need[part] <= scale * _SHARES[part]}
        given |= {part: need[part] if part in modest else scale * _SHARES[part] for part in modest or wanting}
        wanting -= modest or wanting
    return given


def _shrink(plan: Plan, speed: Speed, allotted: dict[str, float], fixed: Collection[str]) -> Plan:
    """Each part of playing reduced to the time it is given, as far as it may be."""
    s, search = plan.settings, plan.settings.selfplay.search
    need = plan.parts(speed)
    share = {part: min(1.0, allotted[part] / need[part]) if part in allotted else 1.0 for part in _SHARES}
    keeps_teacher = "teacher" in fixed or "bootstrap_visits" in fixed
    keeps = (keeps_teacher, "bootstrap_games" in fixed)
    visits, games = _split(share["bootstrap"], (s.teacher.visits or 1, s.bootstrap_games), keeps, _FEWEST_FIRST)
    keeps = ("selfplay.search.visits" in fixed, "games_per_iter" in fixed)
    later_visits, later_games = _split(share["self-play"], (search.visits, s.games_per_iter), keeps, _FEWEST_LATER)
    final_games = plan.final_games
    if "final_games" not in fixed:
        final_games = _match_games(final_games, share["final"], FEWEST_FINAL_GAMES)
    # All workers have something to do, and none waits long for the last.
    at_once = math.ceil(min(filter(None, (games, later_games))) / (2 * speed.workers))
    changes = {
        "teacher": s.teacher if keeps_teacher else s.teacher.with_visits(visits),
        "bootstrap_games": games,
        "selfplay.parallel": min(s.selfplay.parallel, at_once),
        "selfplay.search.visits": later_visits,
        "selfplay.search.fast_visits": _fewer(search.fast_visits, later_visits / search.visits, _FEWEST_FAST_VISITS),
        "games_per_iter": later_games,
        "anchor_games": _match_games(s.anchor_games, share["rate"], _FEWEST_GATE_GAMES),
        "anchor": _weaker_anchor(s.anchor, share["final"] * plan.final_games / max(1, final_games)),
    }
    changes |= _gate_changes(s, math.sqrt(share["arena"]))
    return _change(dataclasses.replace(plan, final_games=final_games), fixed, changes)


def _change(plan: Plan, fixed: Collection[str], changes: dict[str, Any]) -> Plan:
    settings = plan.settings
    for name, value in changes.items():
        if name in fixed:
            continue
        tables: Any = value
        for key in reversed(name.split(".")):
            tables = {key: tables}
        settings = change_settings(settings, tables)
    return dataclasses.replace(plan, settings=settings)


def _fewer(number: int, share: float, least: int) -> int:
    return max(min(number, least), round(number * share))


def _match_games(games: int, share: float, least: int) -> int:
    return 2 * _fewer(games // 2, share, least // 2)


def _gate_visits(settings: LearnSettings, share: float) -> int:
    """0 where the player keeps all of its own."""
    full = settings.gate_player.visits or 0
    fewer = _fewer(full, share, _FEWEST_GATE_VISITS)
    return settings.eval_visits if fewer == full else fewer


def _weaker_anchor(anchor: PlayerSpec | None, share: float) -> PlayerSpec | str:
    """Return the anchor with fewer visits; an empty text if there is none."""
    if anchor is None:
        return ""
    if anchor.visits is None or share >= 1:
        return anchor
    return anchor.with_visits(_fewer(anchor.visits, share, _WEAKEST_ANCHOR))


def _split(share: float, full: tuple[int, int], keeps: tuple[bool, bool], least: tuple[int, int]) -> tuple[int, int]:
    """Visits and games reduced in like measure, where both may change."""
    visits = full[0] if keeps[0] else _fewer(full[0], share if keeps[1] else math.sqrt(share), least[0])
    return visits, _fewer(full[1], share * full[0] / visits, least[1])


class Timeline:
    """How much time is left, judged by what was planned and by how long things have taken so far."""

    def __init__(self, phases: Iterable[Phase]) -> None:
        self._current: Phase | None = None
        self._done: list[tuple[Phase, float]] = []
        self.plan(phases)

    def begin(self, name: str, iteration: int) -> None:
        self._current = next((p for p in self._left if (p.name, p.iteration) == (name, iteration)), None)
        if self._current is not None:
            self._left.remove(self._current)
            self._planned_s[_kind(self._current)] -= self._current.seconds

    def end(self, elapsed_s: float) -> None:
        if self._current is not None:
            self._done.append((self._current, elapsed_s))
            self._current = None

    def share(self, done: float, total: float, work: float) -> float:
        """Return how much of the current phase is done. Games end together, so their number alone is a poor measure."""
        planned = self._current.work if self._current is not None else 0.0
        return max(done / total if total else 0.0, min(0.95, work / planned) if planned else 0.0)

    def plan(self, phases: Iterable[Phase]) -> None:
        """Replace the phases that are left."""
        self._left = list(phases)
        # A run may have a hundred thousand iterations, and the time that is left is asked for every second.
        self._planned_s = _planned_s(self._left)

    def estimate(self, phases: Iterable[Phase]) -> float:
        """Return the seconds that phases will take, judged by those that have ended."""
        return sum(seconds * _pace(kind, self._done) for kind, seconds in _planned_s(phases).items())

    def left(self, elapsed_s: float = 0.0, share: float = 0.0) -> float | None:
        """Return the seconds to the end if `share` of the current phase took `elapsed_s`; None if nothing was
        planned."""
        if self._current is None and not self._left:
            return None
        done, left = list(self._done), self._planned_s.copy()
        if self._current is not None:
            left[_kind(self._current)] += (1 - share) * self._current.seconds
            # A slow start may be an accident: the current phase counts once a tenth of it is done.
            if share > 0.1:
                done.append((dataclasses.replace(self._current, seconds=share * self._current.seconds), elapsed_s))
        return sum(seconds * _pace(kind, done) for kind, seconds in left.items())


def _planned_s(phases: Iterable[Phase]) -> dict[str, float]:
    """Return the planned seconds of phases by kind."""
    seconds = dict.fromkeys(("train", "first games", "games by networks"), 0.0)
    for phase in phases:
        seconds[_kind(phase)] += phase.seconds
    return seconds


def _pace(kind: str, done: Sequence[tuple[Phase, float]]) -> float:
    """Return how many times longer than planned phases of a kind will take, judged by finished ones, above all by the
    newest. Without any, it is judged by the other phases if they were slow; fast ones prove nothing about it."""
    alike = [(other, spent) for other, spent in done if _kind(other) == kind]
    judged = [(_FADING**age if alike else 1.0, *pair) for age, pair in enumerate(reversed(alike or done))]
    planned = sum(weight * other.seconds for weight, other, _ in judged)
    if planned <= 0:
        return 1.0
    pace = sum(weight * spent for weight, _, spent in judged) / planned
    return pace if alike else max(1.0, pace)


def _kind(phase: Phase) -> str:
    if phase.name == "train":
        return "train"
    return "first games" if (phase.name, phase.iteration) == ("self-play", 1) else "games by networks"
