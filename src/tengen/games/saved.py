"""A person's game in a file: to be gone on with, or to be looked at by others.

A game is saved as JSON unless it has a format of its own, as Go has SGF.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen.games.errors import GameError

if TYPE_CHECKING:
    from tengen.games.base import Game
    from tengen.games.state import State

__all__ = [
    "SavedError",
    "SavedGame",
    "format_saved",
    "format_series",
    "holds_series",
    "parse_saved",
    "parse_series",
    "saved_settings",
]

_FORMAT = "tengen-game"
_VERSION = 1


class SavedError(GameError):
    """A file that holds no game, or not this one; or a game that can't be saved."""


@dataclass(frozen=True)
class SavedGame:
    """Where a person's game stands, and how it came there."""

    states: tuple[State, ...]
    """From the first position on, each by one action from the one before."""
    seat: int | None = None
    """The person's; None: the file does not say."""
    resigned: int | None = None
    """The seat that gave up."""
    seed: int | None = None
    """Of the deal: the first position is game.start(seed, **options)."""
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def state(self) -> State:
        return self.states[-1]


def format_saved(saved: SavedGame) -> bytes:
    state = saved.state
    return _write(
        state.game,
        seat=saved.seat,
        seed=saved.seed,
        start=dict(saved.options),
        moves=state.moves,
        resigned=saved.resigned,
        key=f"{state.key:016x}",
    )


def format_series(game: Game, seat: int, series: Mapping[str, Any]) -> bytes:
    """Of games that hang together, between two of them; `series` is what GameSeries.to_plain() tells."""
    return _write(game, seat=seat, rounds=series)


def saved_settings(game_id: str, data: bytes) -> dict[str, Any]:
    """The settings of the game that a file holds."""
    settings = _read(game_id, data).get("settings", {})
    if not isinstance(settings, dict):
        raise SavedError(f"its settings are {settings!r:.60}, not an object")
    return settings


def parse_saved(game: Game, data: bytes) -> SavedGame:
    found = _read(game.id, data)
    _check_settings(game, found)
    if "rounds" in found:
        raise SavedError("it holds rounds that hang together, not a single game")
    seat, resigned = (_seat(game, found, name) for name in ("seat", "resigned"))
    seed, options, moves = found.get("seed"), found.get("start", {}), found.get("moves")
    if not (seed is None or isinstance(seed, int)) or not isinstance(options, dict) or not isinstance(moves, list):
        raise SavedError("it lacks the seed, the start or the moves of a game")
    states = [game.start(seed, **options)]
    for number, move in enumerate(moves, start=1):
        try:
            states.append(states[-1].play(move))
        except (GameError, TypeError) as error:
            first = str(error).partition("\n")[0].rstrip(" :")
            raise SavedError(f"move {number}, {move!r}, is not possible: {first}") from error
    if f"{states[-1].key:016x}" != found.get("key"):
        raise SavedError("its moves lead to another position than it says: it was changed, or dealt by other rules")
    return SavedGame(tuple(states), seat, resigned, seed, options)


def holds_series(data: bytes) -> bool:
    """Whether format_series() wrote it."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and "rounds" in found


def parse_series(game: Game, data: bytes) -> tuple[Mapping[str, Any], int | None]:
    """What format_series() wrote, and the person's seat."""
    found = _read(game.id, data)
    if not isinstance(found.get("rounds"), dict):
        raise SavedError("it is a single game, not rounds that hang together")
    _check_settings(game, found)
    return found["rounds"], _seat(game, found, "seat")


def _write(game: Game, **facts: Any) -> bytes:
    head = {"format": _FORMAT, "version": _VERSION, "game": game.id, "settings": dict(game.settings)}
    try:
        return (json.dumps(head | facts, ensure_ascii=False, indent=1) + "\n").encode()
    except (TypeError, ValueError) as error:
        raise SavedError(f"this game can't be written as JSON: {error}") from error


def _read(game_id: str, data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise SavedError("it is no JSON, as a saved game is") from error
    if not isinstance(found, dict) or found.get("format") != _FORMAT:
        raise SavedError("it is no game that `save` wrote")
    if found.get("version") != _VERSION:
        raise SavedError(f"it is of version {found.get('version')!r:.20}; this program reads version {_VERSION}")
    if found.get("game") != game_id:
        raise SavedError(f"it is a game of {found.get('game')!r:.60}, not of {game_id}")
    return found


def _seat(game: Game, found: Mapping[str, Any], name: str) -> int | None:
    seat = found.get(name)
    if seat is not None and seat not in range(game.players):
        raise SavedError(f"its {name} is {seat!r:.20}: {game.id} has the seats 0 to {game.players - 1}")
    return seat


def _check_settings(game: Game, found: Mapping[str, Any]) -> None:
    if found.get("settings") != json.loads(json.dumps(dict(game.settings))):
        shown = json.dumps(found.get("settings"), ensure_ascii=False)
        raise SavedError(f"it was played with other settings: {shown[:200]}")
