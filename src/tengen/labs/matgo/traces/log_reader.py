"""Logs read again, those of older programs too."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, cast

from tengen.games.errors import NotationError
from tengen.labs.matgo.traces.choices import PAIRS, PHASES, DecisionType, parse_choice
from tengen.labs.matgo.traces.context import FIELDS, format_key
from tengen.labs.matgo.traces.records import SIDES, VERSION, Side
from tengen.labs.matgo.traces.triggers import TRIGGERS, mask_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["GameLog", "TraceError", "TraceRecord", "parse_line", "read_log"]

_TYPES = ("play", "match", "option")
_PROBABILITIES = ("oppJokboThreatProb", "oppJokboOneAwayProb", "oppGwangThreatProb")
_PERCENT = 100
_OLD_PHASES = {
    "playing": "play",
    "select-match": "match_flip",
    "go-stop": "go_stop",
    "president-choice": "president",
    "gukjin-choice": "gukjin",
    "shaking-confirm": "shake",
}
_OLD_TYPES = {"play_card": "play", "play": "play", "declare_bomb": "play", "choose_match": "match", "match": "match"}
_NAMED_CHOICES = ("ch", "c", "s", "at")
_MAX_SHOWN = 60
_BYTE_ORDER_MARK = "\ufeff"
_BOTH_ANSWERS = {answer: pair for pair in PAIRS for answer in pair}


class TraceError(ValueError):
    """A line that is not a game of a log; the text names the line and the fault."""


@dataclass(frozen=True)
class TraceRecord:
    """A decision of a log. What a log does not say is None, or empty."""

    t: int
    a: Side
    o: Literal["first", "second"] | None
    dt: DecisionType
    cc: int
    ch: str
    cl: tuple[str, ...] = ()
    """Candidates. Empty if the log did not write them and they do not follow from the answer, as with go and stop."""
    ir: float = 0.0
    dc: dict[str, int | float] = field(default_factory=dict)
    """Complete, in FIELDS' order, or empty."""
    ck: str | None = None
    """Context key; rebuilt from `dc` for logs that lack it, None if they lack that too."""
    tm: int = 0
    delta: dict[str, Any] | None = None
    """Changes of a record in mode `delta`."""

    @property
    def triggers(self) -> tuple[str, ...]:
        return tuple(name for bit, name in enumerate(TRIGGERS) if self.tm >> bit & 1)

    @property
    def hand_count_opp(self) -> float:
        return self.dc["handCountSelf"] - self.dc["handCountDiff"]


@dataclass(frozen=True)
class GameLog:
    game: int
    seed: int | str | None
    """Seed of the deal; equal in the two games of a pair."""
    first: Side | None
    """Side that began."""
    winner: str
    score: dict[str, float]
    gold: dict[Side, tuple[float, float]]
    """Before and after; empty if the log does not say."""
    trace: tuple[TraceRecord, ...]
    values: dict[str, Any]
    """The line as it stands."""

    def gold_delta(self, side: Side) -> float | None:
        """Return the gold that the side won."""
        mine = self.values.get("goldDeltaMy")
        if mine is None and self.gold:
            mine = self.gold["mySide"][1] - self.gold["mySide"][0]
        if mine is None:
            return None
        return float(mine) if side == SIDES[0] else -float(mine)


def read_log(
    lines: Iterable[str | bytes], name: str = "log", on_error: Callable[[TraceError], None] | None = None
) -> Iterator[GameLog]:
    """Yield the games of a log, one a line; empty lines are skipped.

    A line that is not a game raises a TraceError that names it. With `on_error`, that function is called with the error
    instead, and reading continues with the next line.
    """
    for number, line in enumerate(lines, start=1):
        try:
            text = line.decode() if isinstance(line, bytes) else line
            if text.strip(f" \t\r\n{_BYTE_ORDER_MARK}"):
                yield parse_line(text)
        except ValueError as error:  # a TraceError, or bytes that are no text
            told = TraceError(f"{name}, line {number}: {error}")
            if on_error is None:
                raise told from error
            on_error(told)


def parse_line(text: str) -> GameLog:
    """A game, in this schema or an older one."""
    try:
        values = json.loads(text.removeprefix(_BYTE_ORDER_MARK), parse_constant=_no_number)
        return _game(_of(dict, values, "the line"))
    except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
        what = f"{error.args[0]!r} is missing" if isinstance(error, KeyError) and error.args else str(error)
        shown = text.strip()[:_MAX_SHOWN]
        raise TraceError(f"{shown!r}… is no game of a Matgo log: {what}") from error


def _game(values: dict[str, Any]) -> GameLog:
    is_new = _check_version(values.get("ver"))
    first = _first(values.get("firstAttackerActor"))
    trace = _of(list, values["decision_trace"], "decision_trace")
    records = []
    for place, record in enumerate(trace):
        try:
            records.append(_record(_of(dict, record, "it"), first, is_new=is_new))
        except KeyError as error:
            raise ValueError(f"decision {place}: {error.args[0]!r} is missing") from error
        except (ValueError, TypeError) as error:
            raise ValueError(f"decision {place}: {error}") from error
    gold = _gold(values)
    delta = values.get("goldDeltaMy")
    if delta is not None and gold and _number(delta, "goldDeltaMy") != gold["mySide"][1] - gold["mySide"][0]:
        raise ValueError(f"goldDeltaMy is {delta}, not finalGoldMy - initialGoldMy")
    seed = values.get("seed")
    if not (seed is None or isinstance(seed, str) or type(seed) is int):
        raise TypeError(f"seed is {seed!r}, no number and no text")
    score = _of(dict, values.get("score") or {}, "score")
    return GameLog(
        game=_whole(values.get("game", 0), "game"),
        seed=seed,
        first=first,
        winner=_of(str, values.get("winner", "unknown"), "winner"),
        score={str(side): _number(points, f"score of {side}") for side, points in score.items()},
        gold=gold,
        trace=tuple(_with_keys(records)),
        values=values,
    )


def _with_keys(records: Iterable[TraceRecord]) -> Iterator[TraceRecord]:
    """Yield the records of a game with the context keys that the log did not write.

    Shakes are not in a context; they are counted from the choices before the record.
    """
    shakes = dict.fromkeys(SIDES, 0)
    for record in records:
        if record.ck is None and record.dc and record.o is not None:
            other = SIDES[1 - SIDES.index(record.a)]
            key = format_key(record.dt, record.o, record.dc, (shakes[record.a], shakes[other]), record.cc)
            yield replace(record, ck=key)
        else:
            yield record
        shakes[record.a] += record.ch == "shake"


def _check_version(version: Any) -> bool:
    """Return whether the line must have all fields of the present schema."""
    if version is None:
        return False
    version = _of(dict, version, "ver")
    for name, newest in VERSION.items():
        if _whole(version.get(name, 0), f"ver.{name}") > newest:
            raise ValueError(f"ver.{name} is {version[name]}: this program reads up to {newest}")
    return all(version.get(name) == newest for name, newest in VERSION.items())


def _first(value: Any) -> Side | None:
    if value is None or value in SIDES:
        return cast("Side | None", value)
    old = {"A": SIDES[0], "B": SIDES[1]}
    if isinstance(value, str) and value in old:
        return old[value]
    raise ValueError(f"firstAttackerActor is {value!r}, not mySide or yourSide")


def _gold(values: dict[str, Any]) -> dict[Side, tuple[float, float]]:
    names = {side: (f"initialGold{end}", f"finalGold{end}") for side, end in zip(SIDES, ("My", "Your"), strict=True)}
    if not all(name in values for pair in names.values() for name in pair):
        return {}
    return {side: (_number(values[start], start), _number(values[end], end)) for side, (start, end) in names.items()}


def _record(values: dict[str, Any], first: Side | None, *, is_new: bool) -> TraceRecord:
    side = values["a"]
    if side not in SIDES:
        raise ValueError(f"a is {side!r}, not mySide or yourSide")
    reasoning = _of(dict, values.get("reasoning", {}), "reasoning")
    delta = values.get("delta")
    choice = parse_choice(next((values[name] for name in _NAMED_CHOICES if values.get(name) is not None), None))
    choices = tuple(map(parse_choice, _of(list, values.get("cl", []), "cl")))
    count = _whole(values["cc"] if "cc" in values else reasoning["candidatesCount"], "cc")
    if choices and (choice not in choices or count != len(choices)):
        raise ValueError(f"ch is {choice!r} and cc {count}, but cl has {len(choices)}: {', '.join(choices)}")
    if count < 0:
        raise ValueError(f"cc is {count}, below 0")
    if not choices and count == 2:
        choices = _BOTH_ANSWERS.get(choice, ())
    return TraceRecord(
        t=_whole(values.get("t", 0), "t"),
        a=cast("Side", side),
        o=_order(values.get("o"), cast("Side", side), first),
        dt=_type(values, choice),
        cc=count,
        ch=choice,
        cl=choices,
        ir=_number(values.get("ir", reasoning.get("evaluation") or 0.0), "ir"),
        dc=_context(_of(dict, values["dc"], "dc"), is_new=is_new) if "dc" in values else {},
        ck=None if values.get("ck") is None else _of(str, values["ck"], "ck"),
        tm=_triggers(values),
        delta=None if delta is None else _of(dict, delta, "delta"),
    )


def _order(value: Any, side: Side, first: Side | None) -> Literal["first", "second"] | None:
    if value in ("first", "second"):
        return cast("Literal['first', 'second']", value)
    if value is not None:
        raise ValueError(f"o is {value!r}, not first or second")
    if first is None:
        return None
    return "first" if side == first else "second"


def _type(values: dict[str, Any], choice: str) -> DecisionType:
    kind = values.get("dt")
    if kind is None and "at" in values:
        kind = _OLD_TYPES.get(str(values["at"]), "option")
    if kind is None:
        kind = "play" if choice[-1:].isdigit() or choice[:1].isdigit() or choice == "dummy" else "option"
    if kind not in _TYPES:
        raise ValueError(f"dt is {kind!r}, not {', '.join(_TYPES)}")
    return cast("DecisionType", kind)


def _triggers(values: dict[str, Any]) -> int:
    if "tm" in values:
        mask = _whole(values["tm"], "tm")
        if not 0 <= mask < 1 << len(TRIGGERS):
            raise ValueError(f"tm is {mask}: it has {len(TRIGGERS)} bits")
        return mask
    names = _of(list, values.get("tg", []), "tg")
    try:
        return mask_of(map(str, names))
    except KeyError as error:
        raise ValueError(f"tg has {error.args[0]!r}, which is no trigger: there are {', '.join(TRIGGERS)}") from error


def _context(values: dict[str, Any], *, is_new: bool) -> dict[str, int | float]:
    """All of FIELDS, from what older logs have instead where they are missing."""
    given = dict(values)
    if isinstance(given.get("phase"), str):
        given["phase"] = _phase(given["phase"])
    if "scoreDiff" not in given and {"currentScoreSelf", "currentScoreOpp"} <= set(given):
        given["scoreDiff"] = _number(given["currentScoreSelf"], "currentScoreSelf") - _number(
            given["currentScoreOpp"], "currentScoreOpp"
        )
    if "handCountDiff" not in given and {"handCountSelf", "handCountOpp"} <= set(given):
        given["handCountDiff"] = _number(given["handCountSelf"], "handCountSelf") - _number(
            given["handCountOpp"], "handCountOpp"
        )
    missing = [name for name in FIELDS if name not in given]
    if is_new and missing:
        raise ValueError(f"dc lacks {', '.join(missing)}")
    context: dict[str, int | float] = {}
    for name in FIELDS:
        number = _number(given.get(name, 0), f"dc.{name}")
        if name in _PROBABILITIES and not 0 <= number <= 1:
            if is_new or not 0 <= number <= _PERCENT:
                raise ValueError(f"dc.{name} is {number}, no probability")
            number /= _PERCENT
        context[name] = int(number) if isinstance(given.get(name, 0), bool) else number
    if not 0 <= context["phase"] < len(PHASES):
        raise ValueError(f"dc.phase is {context['phase']}, not 0 to {len(PHASES) - 1}")
    return context


def _phase(text: str) -> int:
    name = _OLD_PHASES.get(text, text)
    if name not in PHASES:
        raise NotationError(f"dc.phase is {text!r}, not {', '.join(PHASES)}")
    return [*PHASES].index(name)


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _number(value: Any, name: str) -> int | float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{name} is {value!r}, no number")
    return value


def _whole(value: Any, name: str) -> int:
    if type(value) is not int:
        raise ValueError(f"{name} is {value!r}, no whole number")
    return value


def _of(kind: type[Any], value: Any, name: str) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"{name} is {str(value)[:_MAX_SHOWN]!r}, no {kind.__name__}")
    return value
