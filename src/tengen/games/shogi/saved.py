"""A person's game of shogi in KIF; any record of shogi can be played on, its main line."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from tengen.games.errors import GameError
from tengen.games.recorded import RecordedGame
from tengen.games.saved import SavedError, SavedGame
from tengen.games.shogi.notation import action_of_usi
from tengen.games.shogi.records import (
    ENDS,
    START_SFEN,
    Record,
    format_records,
    legal_moves,
    load_records,
    new_record,
    parse_records,
)
from tengen.games.shogi.records.ends import DRAWS

if TYPE_CHECKING:
    from pathlib import Path

    from tengen.games.shogi import Shogi
    from tengen.games.state import State

__all__ = ["format_saved", "parse_saved", "recorded_games", "saved_settings"]

_COMPUTER: Final = "Tengen"
_PERSON: Final = "Player"
_COLORS: Final = ("black", "white")
_SIDES: Final = ("先手", "後手")
_RESIGNED: Final = "投了"
"""The header that names who gave up, where it was the opponent's turn."""
_ENDS: Final = {
    "no moves": "checkmate",
    "repetition": "repetition",
    "declaration": "declaration",
    "try": "try",
    "max plies": "max_moves",
}
"""The game's words for ends, and those of records."""
assert set(_ENDS.values()) <= set(ENDS)
_RULES: Final = {"27": "CSARule27", "24": "CSARule24", "TRY": "TryRule", "トライ": "TryRule"}
"""Rules of declaration by what CSA's $JISHOGI and KIF's 持将棋 say, such as 27 and 24点法."""


def recorded_games(path: Path) -> list[RecordedGame]:
    """The main lines of a file's games. A declaration, which ends a record, is no move; nor is an illegal one."""
    return [_recorded(record) for record in load_records(path)]


def _recorded(record: Record) -> RecordedGame:
    actions = [action_of_usi(move) for move in legal_moves(record)]
    payoffs = None
    if record.winner is not None:
        payoffs = (1.0, -1.0) if record.winner == 0 else (-1.0, 1.0)
    elif record.end in DRAWS:
        payoffs = (0.0, 0.0)
    start = {} if record.start == START_SFEN else {"sfen": record.start}
    return RecordedGame(tuple(action for action in actions if action is not None), payoffs, start)


def saved_settings(data: bytes) -> dict[str, Any]:
    """The game's own where the file does not say."""
    return {"declaration": "CSARule27", "max_plies": 0} | _named_settings(_read(data))


def parse_saved(game: Shogi, data: bytes) -> SavedGame:
    """Where a game went on beyond its end by the rules, as after a repetition that nobody saw, it begins there."""
    record = _read(data)
    settings = {"declaration": game.declaration, "max_plies": game.max_plies} | _named_settings(record)
    if settings != dict(game.settings):
        raise SavedError(f"it was played with other settings: {settings}")
    states = [game.start(sfen=record.start)]
    for number, move in enumerate(legal_moves(record), start=1):
        try:
            if states[-1].is_over:
                states = [game.start(sfen=game.sfen(game.replay(states[-1], [move])))]
            else:
                states.append(states[-1].play(move))
        except GameError as error:
            first = str(error).partition("\n")[0].rstrip(" :")
            raise SavedError(f"move {number}, {move}, is not possible: {first}") from error
    last = states[-1]
    if record.end == "declaration" and not last.is_over and "win" in map(game.name, last.legal()):
        states.append(last.play("win"))
    resigned = None if states[-1].is_over else _resigned(record, game.side(states[-1]))
    return SavedGame(tuple(states), _person(record), resigned)


def format_saved(game: Shogi, saved: SavedGame) -> bytes:
    # What was played before the person sat down belongs to the game too.
    first = game.start(saved.seed, **saved.options) if saved.states[0].history else saved.states[0]
    moves = [str(move) for move in saved.state.moves if move != "win"]
    side = game.side(saved.state)
    header = {color: _PERSON if seat == saved.seat else _COMPUTER for seat, color in enumerate(_COLORS)}
    header |= {"started": datetime.now(UTC).strftime("%Y/%m/%d"), "impasse_rule": game.declaration}
    if game.max_plies:
        header["max_moves"] = str(game.max_plies)
    if saved.resigned not in (None, side):
        header[_RESIGNED] = _SIDES[saved.resigned or 0]
    record = new_record(moves, start=game.sfen(first), end=_end(game, saved, side), **header)
    return format_records(record, ".kif")


def _read(data: bytes) -> Record:
    return parse_records(data)[0]


def _named_settings(record: Record) -> dict[str, Any]:
    """Those that the file names, in the game's words or in those of CSA and KIF."""
    from tengen.games.shogi import DECLARATIONS

    text = record.header.get("impasse_rule", "")
    rule = text if text in DECLARATIONS else next((name for sign, name in _RULES.items() if sign in text.upper()), "")
    plies = re.fullmatch(r"([0-9]{1,6})[\s　]*手?", record.header.get("max_moves", ""), re.ASCII)
    found: dict[str, Any] = {"declaration": rule} if rule else {}
    return found | ({"max_plies": int(plies[1])} if plies is not None else {})


def _end(game: Shogi, saved: SavedGame, side: int) -> str | None:
    if saved.resigned is not None:
        return "resign" if saved.resigned == side else "interrupt"
    state: State = saved.state
    if not state.is_over:
        return None
    if game.end(state) == "perpetual check":
        return "illegal_win" if state.payoffs[side] > 0 else "illegal_loss"
    return _ENDS[game.end(state)]


def _resigned(record: Record, side: int) -> int | None:
    if record.header.get(_RESIGNED) in _SIDES:
        return _SIDES.index(record.header[_RESIGNED])
    return side if record.end == "resign" else None


def _person(record: Record) -> int | None:
    """The seat against a computer of ours."""
    is_computer = [record.header.get(color) == _COMPUTER for color in _COLORS]
    return is_computer.index(False) if sum(is_computer) == 1 else None
