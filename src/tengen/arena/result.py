"""The result of a match."""

from __future__ import annotations

import dataclasses
import json
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn

from tengen.arena.openings import Openings
from tengen.arena.records import PlayedGame
from tengen.arena.statistics import Estimate, elo_from_score, paired_mean, paired_score

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["MatchResult", "Tally"]

_FORMAT = "tengen-match-1"


@dataclass(frozen=True)
class Tally:
    wins: int
    draws: int
    losses: int

    @classmethod
    def of(cls, games: Iterable[PlayedGame]) -> Tally:
        counts = Counter(game.score for game in games)
        return cls(counts[1.0], counts[0.5], counts[0.0])

    def __str__(self) -> str:
        return f"+{self.wins} ={self.draws} -{self.losses}"


@dataclass(frozen=True, repr=False)
class MatchResult:
    """The games of a match and what they say. Everything is from the first player's side."""

    game: str
    settings: Mapping[str, Any]
    """The game's own."""
    first: str
    second: str
    seed: int
    openings: Openings
    games: tuple[PlayedGame, ...] = field()
    """Pair by pair, the game in which the first player has seat 0 first."""
    max_payoff: float = math.inf
    """No game can pay more than this, nor cost more."""

    def __post_init__(self) -> None:
        places = [(game.pair, game.first_seat) for game in self.games]
        pairs = sorted({pair for pair, _ in places})
        if not places:
            raise ValueError("a match needs at least one pair of games")
        if places != [(pair, seat) for pair in pairs for seat in (0, 1)]:
            raise ValueError("a match needs two games of every pair, one for each seat, in order and each only once")

    @cached_property
    def tally(self) -> Tally:
        return Tally.of(self.games)

    @property
    def wins(self) -> int:
        return self.tally.wins

    @property
    def draws(self) -> int:
        return self.tally.draws

    @property
    def losses(self) -> int:
        return self.tally.losses

    @cached_property
    def by_seat(self) -> tuple[Tally, Tally]:
        """The games in which the first player had seat 0, and those with seat 1."""
        return Tally.of(self.games[0::2]), Tally.of(self.games[1::2])

    @cached_property
    def pentanomial(self) -> tuple[int, int, int, int, int]:
        """Pairs that brought 0, ½, 1, 1½ and 2 points."""
        scores = [game.score for game in self.games]
        counts = Counter(round(2 * (one + other)) for one, other in zip(scores[0::2], scores[1::2], strict=True))
        return counts[0], counts[1], counts[2], counts[3], counts[4]

    @cached_property
    def score(self) -> Estimate:
        """The score rate; a draw counts half."""
        return paired_score([game.score for game in self.games])

    @property
    def elo(self) -> Estimate:
        """The score rate as a lead in Elo; infinite where all games went one way."""
        return self.score.through(elo_from_score)

    @cached_property
    def payoff(self) -> Estimate:
        """Mean payoff of the first player in a game, in the game's unit. The interval stays within the possible
        payoffs; if these are unknown and all games paid the same, it is empty."""
        return paired_mean([game.payoff for game in self.games], self.max_payoff)

    @cached_property
    def distinct_games(self) -> int:
        """Number of games that differ in their deal or their actions, regardless of seats."""
        return len({(game.start, game.actions) for game in self.games})

    def total(self, count: str, *, first: bool) -> float:
        """Return the sum of a count over all games, of the first player or of the second."""
        return math.fsum(game.counts_of(first=first).get(count, 0.0) for game in self.games)

    @cached_property
    def fallbacks(self) -> tuple[int, int]:
        """Decisions that another policy made because the first player, or the second, had no answer."""
        first = sum(game.fallbacks[game.first_seat] for game in self.games)
        return first, sum(sum(game.fallbacks) for game in self.games) - first

    @cached_property
    def counted(self) -> tuple[str, ...]:
        """Names of the game's counts."""
        return tuple(self.games[0].counts_of(first=True))

    @property
    def mean_length(self) -> float:
        return sum(len(game.actions) for game in self.games) / len(self.games)

    def figures(self) -> dict[str, float]:
        """The main numbers, for logs and gates."""
        return {
            "games": len(self.games),
            "distinct_games": self.distinct_games,
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "score": self.score.value,
            "score_low": self.score.low,
            "score_high": self.score.high,
            "payoff": self.payoff.value,
            "payoff_low": self.payoff.low,
            "payoff_high": self.payoff.high,
            "mean_length": self.mean_length,
        }

    @property
    def title(self) -> str:
        return f"{self.first} against {self.second}"

    def rows(self) -> list[tuple[str, str]]:
        """Return the main figures as text, by name."""
        percent = self.score.through(lambda rate: 100 * rate)
        elo, payoff = self.elo, self.payoff
        return [
            ("score", f"{percent.value:.1f} % (95 %: {percent.low:.1f} … {percent.high:.1f}), {self.tally}"),
            ("Elo", f"{_whole(elo.value)} ({_whole(elo.low)} … {_whole(elo.high)})"),
            ("payoff", f"{payoff.value:+.4g} a game (95 %: {payoff.low:+.4g} … {payoff.high:+.4g})"),
            ("seats", f"{self.by_seat[0]} in seat 0, {self.by_seat[1]} in seat 1"),
            ("pairs", _pairs_text(self.pentanomial)),
            ("games", f"{self.distinct_games} distinct, {self.mean_length:.1f} plies on average"),
            *([("fallbacks", self.fallbacks_text)] if any(self.fallbacks) else []),
        ]

    @property
    def fallbacks_text(self) -> str:
        """The decisions that were not the players' own, in words."""
        first, second = self.fallbacks
        return f"{first} decisions of the first and {second} of the second were made by another policy"

    def summary(self) -> str:
        head = f"{self.title} in {self.game}: {len(self.games)} games, seats swapped in pairs"
        return "\n".join([head, *(f"  {name:<6}  {text}" for name, text in self.rows())])

    def __repr__(self) -> str:
        return f"<MatchResult: {self.summary()}>"

    def to_json(self) -> str:
        """Everything, every game included."""
        plain = {
            "format": _FORMAT,
            "game": self.game,
            "settings": dict(self.settings),
            "first": self.first,
            "second": self.second,
            "seed": self.seed,
            "openings": _plain_openings(self.openings),
            "games": [game.to_plain() for game in self.games],
        }
        if math.isfinite(self.max_payoff):
            plain["max_payoff"] = self.max_payoff
        return json.dumps(plain, ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> MatchResult:
        """Read the result of to_json(). Raises a ValueError that names the part that does not fit."""
        try:
            plain = json.loads(text, parse_constant=_refuse_constant)
            return cls._from_plain(plain)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"this is no match result: {error}") from error

    @classmethod
    def _from_plain(cls, plain: object) -> MatchResult:
        kinds: dict[str, type] = {
            "format": str,
            "game": str,
            "settings": dict,
            "first": str,
            "second": str,
            "seed": int,
            "openings": dict,
            "games": list,
        }
        if not isinstance(plain, dict) or set(plain) - {"max_payoff"} != set(kinds):
            raise ValueError(f"it must be an object with {', '.join(kinds)}")
        bound = plain.get("max_payoff", math.inf)
        if type(bound) not in (int, float) or not bound > 0:
            raise ValueError(f"max_payoff is {str(bound)[:100]}, which does not fit")
        for name, kind in kinds.items():
            if not isinstance(plain[name], kind) or isinstance(plain[name], bool):
                raise ValueError(f"{name} is {str(plain[name])[:100]}, which does not fit")
        if plain["format"] != _FORMAT:
            raise ValueError(f"its format is {plain['format'][:100]!r}, not {_FORMAT!r}")
        games = tuple(map(PlayedGame.from_plain, plain["games"]))
        openings = _read_openings(plain["openings"])
        named = {name: plain[name] for name in ("game", "settings", "first", "second", "seed")}
        return cls(**named, openings=openings, games=games, max_payoff=float(bound))


def _plain_openings(openings: Openings) -> dict[str, Any]:
    """Without options of the start where there are none, as before there were any."""
    return {name: part for name, part in dataclasses.asdict(openings).items() if name != "start" or part}


def _read_openings(plain: dict[str, Any]) -> Openings:
    plies, fair, visits = (plain.get(name) for name in ("plies", "fair_within", "judge_visits"))
    start = plain.get("start", {})
    fits = (
        set(plain) | {"start"} == set(Openings.__dataclass_fields__)
        and isinstance(start, dict)
        and isinstance(plies, list)
        and [type(count) for count in plies] == [int, int]
        and (fair is None or type(fair) in (int, float))
        and type(visits) is int
    )
    if not fits:
        raise ValueError(f"openings is {str(plain)[:100]}, which does not fit")
    assert plies is not None
    assert visits is not None
    return Openings((plies[0], plies[1]), fair, visits, start)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number that a match has")


def _whole(elo: float) -> str:
    return f"{elo:+.0f}" if math.isfinite(elo) else ("+∞" if elo > 0 else "−∞")


def _pairs_text(pentanomial: tuple[int, ...]) -> str:
    words = ("lost 0–2", "½–1½", "1–1", "1½–½", "won 2–0")
    return ", ".join(f"{count} {word}" for word, count in zip(words, pentanomial, strict=True) if count)
