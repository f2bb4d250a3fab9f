"""Logged games played again, decision by decision."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, NamedTuple

from tengen.games.errors import GameError
from tengen.labs.matgo.traces.context import ask
from tengen.labs.matgo.traces.log_reader import TraceError
from tengen.labs.matgo.traces.logged_series import deck_of
from tengen.labs.matgo.traces.records import SIDES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tengen.games.matgo import Matgo
    from tengen.games.state import State
    from tengen.labs.matgo.traces.choices import Question
    from tengen.labs.matgo.traces.log_reader import GameLog, TraceRecord

__all__ = ["Replayed", "replay", "with_carries"]

_MAX_CARRY = 2**16


class Replayed(NamedTuple):
    state: State
    asked: Question
    record: TraceRecord


def replay(game: Matgo, log: GameLog, carry: int = 1) -> Iterator[Replayed]:
    """The decisions of a game whose log has all of them: mode `train`, both sides, all candidate turns.

    Raises a TraceError where the records do not lead through the game. The line does not tell the carry: see
    with_carries().
    """
    if type(log.seed) is not int or log.first is None or not log.gold:
        raise TraceError(f"game {log.game} does not tell its deal: seed, firstAttackerActor and gold are needed")
    mine, yours = (log.gold[side][0] for side in (log.first, SIDES[1 - SIDES.index(log.first)]))
    state = game.start(deck=deck_of(game, log.seed), starter=0, carry=carry, gold=(int(mine), int(yours)))
    records = iter(log.trace)
    for record in records:
        try:
            asked = ask(game, state)
            yield Replayed(state, asked, record)
            then = asked.follow(record.ch)
            if then is not None:
                asked, record = then, next(records)  # noqa: PLW2901
                yield Replayed(state, asked, record)
            state = state.play(asked.action(record.ch))
        except (GameError, ValueError, StopIteration) as error:
            raise TraceError(f"game {log.game}, turn {record.t}: {record.ch!r} does not replay: {error}") from error
    if not state.is_over:
        raise TraceError(f"game {log.game} goes on after its last record: the log does not have all decisions")


def with_carries(logs: Iterable[GameLog], session_games: int) -> Iterator[tuple[GameLog, int]]:
    """The games of a whole run in their order, each with what its points were multiplied by after a nagari."""
    carries: defaultdict[tuple[int, int], int] = defaultdict(lambda: 1)
    for log in logs:
        place = log.game % 2, log.game // 2 // session_games
        yield log, carries[place]
        carries[place] = min(2 * carries[place], _MAX_CARRY) if log.winner == "draw" else 1
