"""Reviews a game: all its positions at once, with the move that was played in each among those that are analyzed."""

from __future__ import annotations

import queue
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.analysis.answers import Answer
from tengen.analysis.engine import AnalysisError
from tengen.analysis.jsonlines import format_json
from tengen.analysis.query import Problem, Query
from tengen.analysis.requests import parse_request
from tengen.analysis.review.played_game import PlayedGame, ReviewError
from tengen.analysis.review.review import Review
from tengen.analysis.review.verdicts import LEAST_VISITS
from tengen.runs import sha256_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tengen.analysis.engine import Engine
    from tengen.analysis.review.played_game import Segment
    from tengen.analysis.review.store import Store
    from tengen.games.go.sgf import Record

__all__ = ["guaranteed", "review_game"]

DEFAULT_VISITS = 200


def guaranteed(visits: int) -> int:
    """The visits that a played move gets at least, where nobody says: a quarter, so that its worth is known as well
    as that of the moves beside it, and enough for a verdict."""
    return max(LEAST_VISITS, visits // 4)


def review_game(
    game: PlayedGame | Record,
    engine: Engine,
    visits: int = DEFAULT_VISITS,
    *,
    include_visits: int | None = None,
    turns: Iterable[int] | None = None,
    worst: int = 5,
    store: Store | None = None,
    on_turn: Callable[[int, int], None] | None = None,
) -> Review:
    """Analyzes every position of a game with `visits`, or only `turns` of it.

    The move that was played is guaranteed `include_visits`, by default guaranteed(visits). With a `store` what was
    analyzed before is not analyzed again. `on_turn` hears how many turns are done, and of how many.
    """
    played = _as_played(game)
    least = guaranteed(visits) if include_visits is None else include_visits
    wanted = _wanted(played, turns)
    answers: dict[int, Answer] = {}
    warnings: list[str] = []
    if store is not None:
        answers = store.open(_about(played, engine, visits, least))
    done = {turn: answer for turn, answer in answers.items() if turn in wanted}
    if on_turn is not None:
        on_turn(len(done), len(wanted))
    missing = [turn for turn in wanted if turn not in done]
    for turn, answer in _analyze(played, engine, visits, least, missing, warnings):
        # What a stored answer has lost by being rounded, this one loses as well.
        done[turn] = Answer.of_json(answer.to_json())
        if store is not None:
            store.add(turn, answer)
        if on_turn is not None:
            on_turn(len(done), len(wanted))
    return Review.of(
        played,
        done,
        net=Path(engine.net_name).name,
        visits=visits,
        include_visits=least,
        warnings=tuple(warnings),
        worst=worst,
    )


def _as_played(game: PlayedGame | Record) -> PlayedGame:
    if isinstance(game, PlayedGame):
        return game
    from tengen.analysis.go.records import read_go

    return read_go(game)


def _wanted(played: PlayedGame, turns: Iterable[int] | None) -> list[int]:
    if turns is None:
        return list(played.turns)
    wanted = sorted(set(turns))
    wrong = [turn for turn in wanted if turn not in played.turns]
    if wrong:
        raise ReviewError(f"turn {wrong[0]} is none of the game's: it has 0 to {played.turns[-1]}")
    return wanted


def _about(played: PlayedGame, engine: Engine, visits: int, include_visits: int) -> dict[str, Any]:
    """Everything that the answers depend on."""
    net = Path(engine.net_name)
    whole = [[segment.first, segment.length, dict(segment.fields)] for segment in played.segments]
    return {
        "played": {"game": played.game, "stretches": whole},
        "net": [net.name, sha256_file(net) if net.is_file() else ""],
        "visits": visits,
        "includeVisits": include_visits,
        "config": dict(engine.config.values),
    }


def _analyze(
    played: PlayedGame, engine: Engine, visits: int, include_visits: int, turns: list[int], warnings: list[str]
) -> Iterable[tuple[int, Answer]]:
    """The answers as they come, which is nearly in the game's order."""
    heard: queue.SimpleQueue[Answer | Problem] = queue.SimpleQueue()
    client = object()
    queries = []
    for segment in played.segments:
        here = [turn for turn in turns if played.segment_of(turn) is segment]
        if here:
            query, noted = _query(played, segment, engine, visits, include_visits, here)
            queries.append((segment.first, query))
            warnings += noted
    left = 0
    try:
        for first, query in queries:
            left += engine.submit(query, client, partial(_hear, heard, first), heard.put)
        while left or not heard.empty():
            found = heard.get()
            if isinstance(found, Problem):
                if not found.is_warning:
                    raise AnalysisError(found)
                warnings.append(found.text)
                continue
            left -= 1
            if found.root_info is None:
                raise ReviewError(
                    f"turn {found.turn_number} was not analyzed: {found.error or 'the engine was closed'}"
                )
            yield found.turn_number, found
    finally:
        if left:
            engine.withdraw(lambda _ticket: True, client)
            engine.stop(lambda job: job.client is client)


def _hear(heard: queue.SimpleQueue[Answer | Problem], first: int, answer: Answer) -> None:
    heard.put(replace(answer, turn_number=answer.turn_number + first))


def _query(
    played: PlayedGame, segment: Segment, engine: Engine, visits: int, include_visits: int, turns: list[int]
) -> tuple[Query, list[str]]:
    """With what the engine warns of."""
    include = [
        {"turnNumber": turn - segment.first, "player": played.seats[player], "moves": [name]}
        for turn in turns
        if turn < len(played.moves)
        for player, name in [played.moves[turn]]
    ]
    request: Mapping[str, Any] = {
        **segment.fields,
        "id": str(segment.first),
        "analyzeTurns": [turn - segment.first for turn in turns],
        "maxVisits": visits,
        "includeMoves": include,
        "includeMovesMinVisits": include_visits,
        "overrideSettings": {"reportAnalysisWinratesAs": "BLACK"},
    }
    if engine.is_go:
        request = {**request, "includeOwnership": True}
    read = parse_request(format_json(request), engine.context)
    if isinstance(read.body, Problem):
        raise AnalysisError(read.body)
    assert isinstance(read.body, Query)
    return read.body, [warning.text for warning in read.warnings]
