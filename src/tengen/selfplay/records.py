"""Games as they were played: enough to replay each exactly and to learn from it."""

from __future__ import annotations

import gzip
import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from tengen._decompress import DecompressError, gunzip_lines
from tengen._files import read_source
from tengen.games import Game, GameError, State, find_stored

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path

T = TypeVar("T")


class RecordError(ValueError):
    """A text that is no game record, or one that does not replay."""


@dataclass(frozen=True)
class Decision:
    """A choice of one player, with the result of its search."""

    ply: int
    """Index into the record's actions."""
    player: int
    policy: dict[int, float]
    """The search's policy: the training target."""
    values: tuple[float, ...]
    """The search's value for each player."""
    visits: int
    is_full: bool
    """False for a fast search, whose policy is no target."""
    surprise: float | None = None
    """Divergence of the policy from the evaluator's, in nats; None if unknown."""


@dataclass(frozen=True)
class GameRecord:
    game: str
    settings: dict[str, Any]
    seed: int
    """The seed of the deal: game.start(seed), with the options in `start`."""
    actions: tuple[int | tuple[int, ...], ...]
    """Everything played, chance outcomes and joint actions included."""
    decisions: tuple[Decision, ...]
    payoffs: tuple[float, ...]
    resigned: int | None = None
    """The player who gave up; payoffs are then a full loss."""
    would_resign: int | None = None
    """The player who would have given up in a game that was played on to check."""
    meta: dict[str, Any] = field(default_factory=dict)
    start: dict[str, Any] = field(default_factory=dict)
    """Options of the game's start beyond the seed."""

    def replay(self, game: Game | None = None) -> Iterator[State]:
        """The states, the first one and one after every action. Raises a RecordError where an action does not fit."""
        try:
            state = (game or self.make_game()).start(self.seed, **self.start)
        except (GameError, TypeError) as error:
            raise RecordError(f"a {self.game} record does not begin: {error}") from error
        yield state
        for ply, action in enumerate(self.actions):
            try:
                state = state.play(action)
            except (GameError, TypeError) as error:
                raise RecordError(f"ply {ply} of a {self.game} record does not replay: {error}") from error
            yield state

    def make_game(self) -> Game:
        return find_stored(self.game)(**self.settings)


def format_record(record: GameRecord) -> str:
    """One line of JSON."""
    decisions = [
        [d.ply, d.player, list(d.policy.items()), list(d.values), d.visits, d.is_full] for d in record.decisions
    ]
    values: dict[str, Any] = {
        "game": record.game,
        "settings": record.settings,
        "seed": record.seed,
        "actions": record.actions,
        "decisions": decisions,
        "payoffs": record.payoffs,
    }
    if any(d.surprise is not None for d in record.decisions):
        values["surprises"] = [d.surprise for d in record.decisions]
    for name in ("resigned", "would_resign", "meta", "start"):
        if getattr(record, name) not in (None, {}):
            values[name] = getattr(record, name)
    return json.dumps(values, separators=(",", ":"))


def parse_record(text: str) -> GameRecord:
    try:
        values = json.loads(text)
        surprises = values.get("surprises", [None] * len(values["decisions"]))
        decisions = tuple(
            Decision(
                ply=_whole(ply),
                player=_whole(player),
                policy={_whole(action): _number(share) for action, share in policy},
                values=tuple(map(_number, worth)),
                visits=_whole(visits),
                is_full=_of(bool, is_full),
                surprise=None if surprise is None else _number(surprise),
            )
            for (ply, player, policy, worth, visits, is_full), surprise in zip(
                values["decisions"], surprises, strict=True
            )
        )
        record = GameRecord(
            game=_of(str, values["game"]),
            settings=_of(dict, values["settings"]),
            seed=_whole(values["seed"]),
            actions=tuple(tuple(map(_whole, a)) if isinstance(a, list) else _whole(a) for a in values["actions"]),
            decisions=decisions,
            payoffs=tuple(map(_number, values["payoffs"])),
            resigned=values.get("resigned"),
            would_resign=values.get("would_resign"),
            meta=_of(dict, values.get("meta", {})),
            start=_of(dict, values.get("start", {})),
        )
        _check(record)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise RecordError(f"{text[:60]!r} is no game record: {type(error).__name__}: {error}") from error
    return record


def _check(record: GameRecord) -> None:
    """Raises a ValueError where the parts do not fit together."""
    players, plies = range(len(record.payoffs)), range(len(record.actions))
    for decision in record.decisions:
        if decision.ply not in plies or decision.player not in players or len(decision.values) != len(players):
            raise ValueError(f"the decision {decision} is of no ply or of no player")
        if any(action < 0 or share < 0 for action, share in decision.policy.items()):
            raise ValueError(f"the policy of {decision} has a negative number")
    for player in (record.resigned, record.would_resign):
        if player is not None and (type(player) is not int or player not in players):
            raise ValueError(f"{player!r} is no player")


def save_records(records: Iterable[GameRecord]) -> bytes:
    """Gzipped JSON lines; the same records give the same bytes."""
    text = "".join(format_record(record) + "\n" for record in records)
    return gzip.compress(text.encode(), compresslevel=6, mtime=0)


def load_records(source: bytes | str | Path) -> list[GameRecord]:
    """Read a file that save_records() wrote, by its path or its content."""
    return [parse_record(line) for line in read_record_lines(source)]


def read_record_lines(source: bytes | str | Path) -> list[str]:
    """Return the lines of a file that save_records() wrote, each for parse_record(), by its path or its content."""
    data = read_source(source)
    if not data:
        raise RecordError("not a file of game records: it is empty")
    try:
        return list(gunzip_lines(data))
    except DecompressError as error:
        raise RecordError(f"not a file of game records: {error}") from error


def summarize(records: Iterable[GameRecord]) -> Mapping[str, float]:
    """Figures of a batch of games."""
    games = list(records)
    count = max(1, len(games))
    checked = [g for g in games if g.would_resign is not None]
    wrong = [g for g in checked if g.would_resign is not None and g.payoffs[g.would_resign] >= 0]
    figures = {
        "games": len(games),
        "plies": sum(len(g.actions) for g in games) / count,
        "first_player": sum(g.payoffs[0] for g in games) / count,
        "draws": sum(all(p == 0 for p in g.payoffs) for g in games) / count,
        "resigned": sum(g.resigned is not None for g in games) / count,
        "resign_checked": len(checked),
        "resign_wrong": len(wrong),
        "distinct": len({g.actions for g in games}),
        "visits": sum(d.visits for g in games for d in g.decisions),
        "decisions": sum(len(g.decisions) for g in games),
    }
    return {name: float(value) for name, value in figures.items()}


def _number(value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{value!r} is no finite number")
    return number


def _whole(value: Any) -> int:
    if type(value) is not int:
        raise ValueError(f"{value!r} is no whole number")
    return value


def _of(kind: type[T], value: Any) -> T:
    if not isinstance(value, kind):
        raise TypeError(f"{value!r} is no {kind.__name__}")
    return value
