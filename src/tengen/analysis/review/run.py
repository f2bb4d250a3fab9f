"""Reviews of games: all positions are analyzed together, each with the move that was played."""

from __future__ import annotations

import queue
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.analysis.answers import Answer
from tengen.analysis.engine import AnalysisError, Client
from tengen.analysis.query import Inclusion, Problem, Query
from tengen.analysis.requests import MAX_VISITS, VISITS_TEXT
from tengen.analysis.review.played_game import PlayedGame, ReviewError
from tengen.analysis.review.review import Review
from tengen.analysis.review.verdicts import MIN_VISITS
from tengen.runs import sha256_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tengen.analysis.adapters import GameAdapter
    from tengen.analysis.engine import Engine
    from tengen.analysis.review.played_game import Segment
    from tengen.analysis.review.record_format import RecordFormat
    from tengen.analysis.review.store import Store

__all__ = ["default_include_visits", "record_format", "review_game"]

DEFAULT_VISITS = 200


def default_include_visits(visits: int) -> int:
    """Return the default number of guaranteed visits for a played move.

    It is a quarter of all, so that its value is as well known as that of other moves, and enough for a verdict.
    """
    return max(MIN_VISITS, visits // 4)


def review_game(
    game: PlayedGame | Any,
    engine: Engine,
    visits: int = DEFAULT_VISITS,
    *,
    include_visits: int | None = None,
    turns: Iterable[int] | None = None,
    worst: int = 5,
    store: Store | None = None,
    on_turn: Callable[[int, int], None] | None = None,
) -> Review:
    """Analyze every position of a game with `visits`, or only `turns` of it. A `game` may be a record, such as
    load_sgf() reads.

    The move that was played is guaranteed `include_visits`, by default default_include_visits(). With a `store`
    turns that were analyzed before are not analyzed again. `on_turn` is called with the counts of done and of all
    turns.
    """
    played = game if isinstance(game, PlayedGame) else record_format(engine.adapter).played(game)
    answer_type = engine.adapter.answers.answer_type
    least = default_include_visits(visits) if include_visits is None else include_visits
    for name, number in (("maxVisits", visits), ("includeMovesMinVisits", least)):
        if not 1 <= number <= MAX_VISITS:
            raise AnalysisError(Problem(VISITS_TEXT, field=name))
    wanted = _chosen_turns(played, turns)
    answers: dict[int, Answer] = {}
    warnings = list(played.remarks)
    if store is not None:
        answers = store.open(_about(played, engine, visits, least), answer_type)
    done = {turn: answer for turn, answer in answers.items() if turn in wanted}
    if on_turn is not None:
        on_turn(len(done), len(wanted))
    missing = [turn for turn in wanted if turn not in done]
    for turn, answer in _analyze(played, engine, visits, least, missing, warnings):
        # Round the answer as a stored one is rounded.
        done[turn] = answer_type.of_json(answer.to_json())
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


def record_format(adapter: GameAdapter) -> RecordFormat:
    """Raises ReviewError where the game has none."""
    if adapter.records is None:
        raise ReviewError(
            f"{adapter.game.id} has no format for records of games that a review could read; in Python, "
            "review_game(played_of(state), engine) reviews a game from its state"
        )
    return adapter.records


def _chosen_turns(played: PlayedGame, turns: Iterable[int] | None) -> list[int]:
    if turns is None:
        return list(played.turns)
    wanted = sorted(set(turns))
    wrong = [turn for turn in wanted if turn not in played.turns]
    if wrong:
        raise ReviewError(f"turn {wrong[0]} is none of the game's: it has 0 to {played.turns[-1]}")
    return wanted


def _about(played: PlayedGame, engine: Engine, visits: int, include_visits: int) -> dict[str, Any]:
    """Return everything that the results depend on."""
    net = Path(engine.net_name)
    whole = [[part.first, part.length, engine.adapter.format_position(part.position)] for part in played.segments]
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
    """Yield results as they arrive, which is nearly the order of the game."""
    events: queue.SimpleQueue[Answer | Problem] = queue.SimpleQueue()
    client = Client(engine)
    left = 0
    try:
        for segment in played.segments:
            here = [turn for turn in turns if played.segment_of(turn) is segment]
            if here:
                query = _query(played, segment, engine, visits, include_visits, here, warnings)
                left += client.submit(query, partial(_put_answer, events, segment.first), events.put)
        while left or not events.empty():
            found = events.get()
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
            client.withdraw()
            client.stop()
        client.forget()


def _put_answer(events: queue.SimpleQueue[Answer | Problem], first: int, answer: Answer) -> None:
    events.put(replace(answer, turn_number=answer.turn_number + first))


def _query(
    played: PlayedGame,
    segment: Segment,
    engine: Engine,
    visits: int,
    include_visits: int,
    turns: list[int],
    warnings: list[str],
) -> Query:
    adapter, config = engine.adapter, engine.config
    position = adapter.supported(segment.position, lambda _field, text: warnings.append(text))
    include = {}
    for turn in turns:
        if turn < len(played.moves):
            player, name = played.moves[turn]
            include[turn - segment.first] = (Inclusion(player, adapter.read_moves(position, [name])),)
    return Query(
        id=str(segment.first),
        position=position,
        turns=tuple((turn - segment.first, 0) for turn in turns),
        params=replace(config.params, max_visits=visits, report_analysis_winrates_as=0),
        pv_length=config.settings.analysis_pv_len,
        outputs=adapter.review_outputs,
        include=include,
        include_min_visits=include_visits,
    )
