"""Settings of a league: league.toml."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from tengen.arena import PlayerSpec, parse_player
from tengen.champion.settings import change_settings
from tengen.selfplay import Exploration

__all__ = ["LeagueError", "LeaguePool", "LeagueSettings", "Opponent", "read_pool"]


class LeagueError(ValueError):
    """A league file with a part that does not fit; the text names the part."""


@dataclass(frozen=True)
class Opponent:
    """One of the pool."""

    player: PlayerSpec
    weight: float = 1.0
    """Its share of the games is this over the sum of all."""

    def __post_init__(self) -> None:
        if not (math.isfinite(self.weight) and self.weight > 0):
            raise ValueError(f"the weight of {self.player} is {self.weight} and must be above 0")


@dataclass(frozen=True)
class LeagueSettings:
    """A league: one player against many, as games to learn from."""

    seed: int = 1
    games: int = 1000
    """In all. Each deal is played twice, with the focal player in either seat."""
    chunk_games: int = 50
    """Games against one opponent in a row; they make a step."""
    model_only_when_possible: bool = True
    """Stop the league at the first decision for which a model has no answer or a player fails. Otherwise another policy
    makes such a decision, and the table shows how many there were."""
    logs: bool = False
    """Write each chunk's games as the game's own log, too, for models that learn from such logs."""
    start: dict[str, Any] = field(default_factory=dict)
    """Options of the game's start, such as gold."""
    exploration: Exploration = field(default_factory=Exploration)
    """How often the focal player acts at random, from the first chunk to the last."""

    def __post_init__(self) -> None:
        for name in ("games", "chunk_games"):
            if getattr(self, name) < 2 or getattr(self, name) % 2:
                raise ValueError(f"league: {name} is {getattr(self, name)} and must be even and at least 2")

    @property
    def chunks(self) -> int:
        return math.ceil(self.games / self.chunk_games)

    def rate(self, chunk: int) -> float:
        """Return the rate of exploration in a chunk; chunks are counted from 0."""
        return self.exploration.at(chunk / (self.chunks - 1) if self.chunks > 1 else 0.0)


@dataclass(frozen=True)
class LeaguePool:
    """A league file: who plays whom, and how."""

    focal: PlayerSpec | None
    opponents: tuple[Opponent, ...]
    settings: LeagueSettings

    def schedule(self) -> list[int]:
        """Return the opponent of each chunk. The opponent furthest behind its share is next, so that every opponent is
        always within one chunk of it."""
        total = math.fsum(opponent.weight for opponent in self.opponents)
        played = [0] * len(self.opponents)
        order = []
        for chunk in range(self.settings.chunks):
            behind = [
                (chunk + 1) * opponent.weight / total - count
                for opponent, count in zip(self.opponents, played, strict=True)
            ]
            chosen = behind.index(max(behind))
            played[chosen] += 1
            order.append(chosen)
        return order


def read_pool(text: str) -> LeaguePool:
    """Read the text of a league file. A LeagueError names what does not fit and what would."""
    try:
        return _pool(tomllib.loads(text))
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise LeagueError(f"this is no league: {error}") from error


def _pool(tables: dict[str, Any]) -> LeaguePool:
    focal, listed = tables.pop("focal", None), tables.pop("opponents", None)
    if focal is not None and not (isinstance(focal, str) and focal):
        raise ValueError(f"focal is {focal!r} and must be a player, such as 'greedy'")
    known = [entry.name for entry in fields(LeagueSettings)]
    unknown = sorted(set(tables) - set(known))
    if unknown:
        raise ValueError(f"nothing is called {', '.join(unknown)}; there are focal, opponents, {', '.join(known)}")
    settings: LeagueSettings = change_settings(LeagueSettings(), tables)
    return LeaguePool(None if focal is None else parse_player(focal), _opponents(listed), settings)


def _opponents(listed: object) -> tuple[Opponent, ...]:
    form = "[[opponents]] with a player and, if you like, a weight"
    if not isinstance(listed, list) or not listed:
        raise ValueError(f"it needs opponents: {form}")
    opponents = []
    for number, entry in enumerate(listed, start=1):
        if not isinstance(entry, Mapping) or "player" not in entry or set(entry) - {"player", "weight"}:
            raise ValueError(f"opponent {number} is {str(entry)[:100]}, not {form}")
        player, weight = entry["player"], entry.get("weight", 1.0)
        if not isinstance(player, str) or isinstance(weight, bool) or not isinstance(weight, int | float):
            raise ValueError(f"opponent {number} is {str(entry)[:100]}: player is a text and weight a number")
        if not player:
            raise ValueError(f"opponent {number} needs a player")
        opponents.append(Opponent(parse_player(player), float(weight)))
    names = [str(opponent.player) for opponent in opponents]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{', '.join(twice)} is in the pool twice; give it a larger weight")
    return tuple(opponents)
