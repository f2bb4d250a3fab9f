"""A person's game of Go in SGF, the main line of the file."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

from tengen.games.errors import GameError
from tengen.games.go import COLORS, Go, format_result
from tengen.games.go.rules import PRESETS, format_rules
from tengen.games.go.sgf import Record, load_sgf, new_record
from tengen.games.saved import SavedError, SavedGame

__all__ = ["format_saved", "parse_saved", "saved_settings"]

_COMPUTER: Final = "Tengen"
_PERSON: Final = "Player"
_SCORED: Final = 2


def saved_settings(data: bytes) -> dict[str, Any]:
    """Without rules in the file they are Japanese, as such files mostly mean."""
    record = load_sgf(data)
    rules, komi = record.played_under()
    name = next((name for name, (preset, _) in PRESETS.items() if preset == rules), format_rules(rules))
    height = 0 if record.width == record.height else record.height
    return {"size": record.width, "height": height, "rules": name, "komi": komi}


def parse_saved(game: Go, data: bytes) -> SavedGame:
    """Rules and komi are the file's, else the game's. Where a move breaks the rules, the game begins after it."""
    record = load_sgf(data)
    if (record.width, record.height) != (game.width, game.height):
        raise SavedError(
            f"its board is {record.width}x{record.height}, not {game.width}x{game.height}: "
            "`tengen play go --load FILE` opens it"
        )
    line = record.main
    rules, komi = record.played_under(game.rules)
    if record.komi is None and record.rules is None:
        komi = game.komi
    states = [game.start(rules=rules, komi=komi, stones=line.stones, to_play=line.to_play)]
    for number, (color, vertex) in enumerate(line.moves, start=1):
        state = states[-1]
        try:
            if not state.is_over and game.to_play(state) == color and game.parse(vertex, state) in state.legal():
                states.append(state.play(vertex))
                continue
        except GameError:
            pass  # a ko, say: replay() tells whether it can be played at all
        try:
            states = [game.replay(state, [(color, vertex)])]
        except GameError as error:
            first = str(error).partition("\n")[0].partition(": ")[2]
            raise SavedError(f"move {number}, {color} {vertex}, is not possible: {first}") from error
    return SavedGame(tuple(states), _person(record), None if states[-1].is_over else _resigned(record))


def format_saved(game: Go, saved: SavedGame) -> bytes:
    # What was played before the person sat down belongs to the game too.
    first = game.start(saved.seed, **saved.options) if saved.states[0].history else saved.states[0]
    rules, komi = game.rules_of(first)
    begins = COLORS.index(game.to_play(first))
    moves = ((COLORS[(begins + ply) % 2], str(move)) for ply, move in enumerate(saved.state.moves))
    names = dict(zip(COLORS, (_PERSON if seat == saved.seat else _COMPUTER for seat in (0, 1)), strict=True))
    stones = [
        (COLORS[stone - 1], game.format_action(cell))
        for cell, stone in enumerate(game.go.board(first.position))
        if stone
    ]
    record = new_record(
        game.width,
        game.height,
        rules=rules,
        komi=komi,
        stones=stones,
        to_play=COLORS[begins] if stones or begins else None,
        moves=moves,
        result=_result(game, saved),
        date=datetime.now(UTC).date().isoformat(),
        **names,
    )
    return record.to_bytes()


def _result(game: Go, saved: SavedGame) -> str:
    if saved.resigned is not None:
        return f"{'WB'[saved.resigned]}+R"
    if not saved.state.is_over:
        return ""
    is_scored = game.go.ended(saved.state.position) == _SCORED
    return format_result(game.score(saved.state)) if is_scored else "Void"


def _resigned(record: Record) -> int | None:
    result = record.info.result.upper()
    return {"W": 0, "B": 1}.get(result[:1]) if result[1:3] == "+R" else None


def _person(record: Record) -> int | None:
    """The seat against a computer of ours."""
    is_computer = [name == _COMPUTER for name in (record.info.black, record.info.white)]
    return is_computer.index(False) if sum(is_computer) == 1 else None
