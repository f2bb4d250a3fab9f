"""From logs to what the models learn from."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from tengen.labs.matgo.models.features import Decision, entries
from tengen.labs.matgo.models.files import ModelError
from tengen.labs.matgo.regression import is_held_out
from tengen.labs.matgo.traces.choices import PHASES
from tengen.labs.matgo.traces.triggers import TRIGGERS

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator

    from tengen.labs.matgo.traces.log_reader import GameLog, TraceRecord

__all__ = [
    "ERRATA_FIELD",
    "POLICY_ENCODER",
    "POLICY_RULES",
    "SAMPLES_VERSION",
    "TARGETS",
    "VALUE_RULES",
    "FilterRules",
    "PolicySample",
    "ValueSample",
    "decision_of",
    "policy_sample",
    "policy_samples",
    "side_of_split",
    "target_of",
    "value_sample",
    "value_samples",
]

POLICY_ENCODER = "matgo-policy-1"
"""Changes whenever a sample of the frequency policy does."""
TARGETS = ("gold", "score")
SAMPLES_VERSION = "samples 2"
"""Version of what is made of a log. Changing it makes cached samples anew; models stay valid."""
ERRATA_FIELD = "errata"
"""Field of a log's line that marks decisions picked from other logs."""
_ERRATA = "errata "


@dataclass(frozen=True)
class FilterRules:
    """Rules that select a log's decisions as samples: enough candidates, or another reason to keep them."""

    min_candidate_count: int = 2
    keep_bombs: bool = False
    """Decisions to bomb count whatever their candidates."""
    keep_triggers: tuple[str, ...] = ()
    """So do decisions with one of these triggers."""

    def __post_init__(self) -> None:
        if type(self.min_candidate_count) is not int or self.min_candidate_count < 1:
            raise ModelError(f"min_candidate_count is {self.min_candidate_count!r} and must be at least 1")
        if type(self.keep_bombs) is not bool:
            raise ModelError(f"keep_bombs is {self.keep_bombs!r} and must be true or false")
        unknown = [name for name in self.keep_triggers if name not in TRIGGERS]
        if unknown:
            raise ModelError(f"keep_triggers has {unknown[0]!r}, which is none of {', '.join(TRIGGERS)}")

    @classmethod
    def parse(cls, text: str, default: FilterRules) -> FilterRules:
        """From JSON such as {"min_candidate_count": 2}; what it does not say is as in `default`."""
        try:
            given = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ModelError(f"no rules of a filter: {error}") from None
        known = [field.name for field in fields(cls)]
        if not isinstance(given, dict) or not set(given) <= set(known):
            raise ModelError(f"no rules of a filter: expected a JSON object with {', '.join(known)}")
        triggers = given.get("keep_triggers", default.keep_triggers)
        if not isinstance(triggers, list | tuple):
            raise ModelError(f"keep_triggers is {triggers!r} and must be a list")
        return replace(default, **given | {"keep_triggers": tuple(triggers)})

    def keeps(self, record: TraceRecord) -> bool:
        return (
            record.cc >= self.min_candidate_count
            or (self.keep_bombs and record.ch.startswith("bomb"))
            or any(name in self.keep_triggers for name in record.triggers)
        )


POLICY_RULES = FilterRules()
VALUE_RULES = FilterRules(keep_bombs=True, keep_triggers=("specialEvent", "bombEvent", "riskShift", "comboThreatEnter"))


class PolicySample(NamedTuple):
    group: str
    """The deal: both games of a pair are of one group."""
    kind: str
    key: str
    """The context key, `ck`."""
    place: int
    """Index of the chosen candidate."""
    candidates: list[str]
    is_complete: bool = True
    """False if the log did not write the other candidates: such a sample can be counted but not measured."""

    @property
    def chosen(self) -> str:
        return self.candidates[self.place]


class ValueSample(NamedTuple):
    group: str
    target: float
    """Gold, for the player who decided."""
    indices: list[int]
    values: list[float]


def policy_samples(games: Iterable[GameLog], rules: FilterRules, tally: Counter[str]) -> Iterator[PolicySample]:
    """Yield the samples of the games; `tally` counts games, decisions, and decisions that are not or only half used."""
    for game in games:
        tally["games"] += 1
        for record in game.trace:
            tally["decisions"] += 1
            if not rules.keeps(record):
                tally["filtered"] += 1
                continue
            sample = policy_sample(game, record)
            if sample is None:
                tally["without context key"] += 1
                continue
            if not sample.is_complete:
                tally["without candidates: counted, not measured"] += 1
            yield sample


def policy_sample(game: GameLog, record: TraceRecord) -> PolicySample | None:
    """Return the sample of a decision, or None if the log has neither its context key nor its context."""
    if record.ck is None:
        return None
    candidates = list(record.cl) or [record.ch]
    return PolicySample(
        _group(game), record.dt, record.ck, candidates.index(record.ch), candidates, bool(record.cl) or record.cc == 1
    )


def value_samples(
    games: Iterable[GameLog], rules: FilterRules, dim: int, target: str, gold_per_point: float, tally: Counter[str]
) -> Iterator[ValueSample]:
    """One of every decision that the rules keep."""
    for game in games:
        tally["games"] += 1
        for record in game.trace:
            tally["decisions"] += 1
            if not rules.keeps(record):
                tally["filtered"] += 1
                continue
            sample = value_sample(game, record, dim, target, gold_per_point)
            if sample is None:
                tally["without context or result"] += 1
            else:
                yield sample


def value_sample(
    game: GameLog, record: TraceRecord, dim: int, target: str, gold_per_point: float
) -> ValueSample | None:
    """None where the log has no context or no result."""
    decision, worth = decision_of(record), target_of(game, record, target, gold_per_point)
    return None if decision is None or worth is None else ValueSample(_group(game), worth, *entries(decision, dim))


def decision_of(record: TraceRecord) -> Decision | None:
    if not record.dc or record.o is None:
        return None
    phase = PHASES[int(record.dc["phase"])]
    return Decision(record.dt, phase, record.o == "first", record.ch, record.cc, record.dc, record.ir)


def target_of(game: GameLog, record: TraceRecord, target: str, gold_per_point: float) -> float | None:
    """Return the result of the game for the deciding side: the gold won, or the final lead in points as gold."""
    if target == "gold":
        return game.gold_delta(record.a)
    if target != "score":
        raise ModelError(f"the target is {target!r} and must be {' or '.join(TARGETS)}")
    other = "yourSide" if record.a == "mySide" else "mySide"
    if record.a not in game.score or other not in game.score:
        return None
    return (game.score[record.a] - game.score[other]) * gold_per_point


def side_of_split(group: str, valid_ratio: float, seed: int) -> Literal["train", "valid"] | None:
    """Return which side of the split a group of samples is on.

    Errata repeat decisions of other logs: those of deals kept from training are on neither side, because repeating them
    would make hard decisions count more where models are measured.
    """
    deal = group.removeprefix(_ERRATA)
    if not is_held_out(deal, valid_ratio, seed):
        return "train"
    return "valid" if deal == group else None


def _group(game: GameLog) -> str:
    deal = str(game.game if game.seed is None else game.seed)
    return f"{_ERRATA}{deal}" if game.values.get(ERRATA_FIELD) else deal
