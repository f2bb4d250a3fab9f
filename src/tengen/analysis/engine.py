"""The analysis engine, which turns queries into typed results. Servers of the protocol and Python programs share it."""

from __future__ import annotations

import math
import threading
import zlib
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.analysis.adapters import DEFAULT_GAME, find_adapter
from tengen.analysis.config import Config
from tengen.analysis.jsonlines import camel_case
from tengen.analysis.keys import ConfigError
from tengen.analysis.query import Inclusion, Problem, Query, Refused, include_unanalyzed
from tengen.analysis.requests import Context, read_request
from tengen.analysis.scheduler import Scheduler
from tengen.analysis.search_params import search_settings
from tengen.analysis.turn_job import TurnJob
from tengen.evaluators import FLAT, FLAT_VISITS, CoreEvaluator, Evaluator, choose_evaluator, find_evaluator
from tengen.games import Game
from tengen.games import game as make_game
from tengen.nets.store import find_imported

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator, Callable, Generator, Iterator, Sequence

    from tengen.analysis.adapters import Turn
    from tengen.analysis.answers import Answer
    from tengen.evaluators import AnyEvaluator
    from tengen.search import SearchSettings

__all__ = ["Analysis", "AnalysisError", "Client", "Engine"]


class AnalysisError(ValueError):
    """A query that can't be analyzed; `field` names the part that is wrong."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.field}: {problem.text}" if problem.field else problem.text)
        self.field = problem.field
        self.text = problem.text


class Engine:
    """Analyzes positions of one game, many at a time.

        engine = tengen.Engine(net="net.bin.gz")
        for answer in engine.analyze(["D4", "Q16"], turns=[0, 1, 2], visits=100, include={0: ["C3"]}):
            print(answer.turn_number, answer.best.move, answer.root_info.winrate)

    An engine may be used from many threads; close() it, or use it with `with`.
    """

    def __init__(
        self,
        game: Game | str = DEFAULT_GAME,
        net: AnyEvaluator | None = None,
        *,
        config: Config | None = None,
        threads: int | None = None,
        active: int | None = None,
        **settings: Any,
    ) -> None:
        """`net` is a network's name or file, or any evaluator; by default choose_evaluator() selects one.
        Another program's network uses `threads` threads, by default numEigenThreadsPerModel of the configuration.

        `config` holds search parameters under KataGo's names. At most `active` positions are searched at the same time,
        by default numAnalysisThreads of the configuration. Further keywords are the game's settings.
        """
        self.config = config or Config()
        self.game = make_game(game, **settings) if isinstance(game, str) else game
        process = self.config.settings
        chosen = choose_evaluator(net, self.game).evaluator
        self.evaluator = self._open_net(chosen, threads)
        self.evaluator.check(self.game)
        is_limited = not {"maxVisits", "maxPlayouts", "maxTime"}.isdisjoint(self.config.values)
        if self.evaluator == FLAT and not is_limited:
            self.config = replace(self.config, values={**self.config.values, "maxVisits": str(FLAT_VISITS)})
        named = net or (chosen if isinstance(chosen, str | Path) else type(self.evaluator).__name__)
        path = self.evaluator.path if isinstance(self.evaluator, Evaluator) else None
        self.net_name = str(path or named)
        self.adapter = find_adapter(self.game, self.config)
        self.context = Context(self.adapter, (self.net_name,))
        self._check_config()
        self.scheduler = Scheduler(active=active or process.num_analysis_threads, batch=process.nn_max_batch_size)
        self._client = Client(self)

    def _check_config(self) -> None:
        """Raise ConfigError if every query would fail with this configuration."""
        self.context.check(self.config.params)
        try:
            search_settings(self.game, self.evaluator, self.config.params)
        except ValueError as error:
            raise ConfigError(f"{self.config.source}: {error}") from error

    def _open_net(self, net: AnyEvaluator, threads: int | None) -> Evaluator | CoreEvaluator:
        imported = find_imported(net, self.game) if isinstance(net, str | Path) else None
        if imported is None:
            return find_evaluator(net, self.game)
        process = self.config.settings
        symmetry = process.nn_forced_symmetry
        evaluator: Evaluator = imported.open(
            symmetry=0 if symmetry is None and not process.nn_randomize else symmetry,
            seed=zlib.crc32(process.nn_rand_seed.encode()),
            threads=threads or process.num_eigen_threads_per_model,
            cache_entries=2 ** max(0, process.nn_cache_size_power_of_two),
        )
        return evaluator

    def analyze(
        self,
        moves: Sequence[Any] = (),
        *,
        turns: Sequence[int] | None = None,
        visits: int | None = None,
        include: Mapping[int, Sequence[str]] | None = None,
        include_visits: int = 1,
        **fields: Any,
    ) -> Analysis:
        """Analyzes turns of a game, by default the last: what comes back can be iterated over or awaited.

        `moves` are names of moves; where the protocol has pairs of color and vertex, those or vertices, with colors in
        turn from the first player. Each move of `include`, by turn, gets at least `include_visits` visits. Further
        keywords are fields of the protocol in its own spelling or with underscores: start, rules, komi, size (of the
        board), initial_stones, include_ownership, report_during_search_every, override_settings, …
        """
        asked = {camel_case(name): value for name, value in fields.items()}
        if turns is not None:
            asked["analyzeTurns"] = turns
        if visits is not None:
            asked["maxVisits"] = visits
        if include:
            asked["includeMovesMinVisits"] = include_visits
        query, warnings = self._read(self.adapter.request_fields(moves, asked))
        if include:
            query = self._with_included(query, include, warnings)
        return Analysis(self._client, query, warnings)

    def ask(self, request: Mapping[str, Any]) -> Analysis:
        """Analyzes what a request of the protocol asks for; it needs no id."""
        return Analysis(self._client, *self._read(request))

    def _read(self, request: Mapping[str, Any]) -> tuple[Query, list[str]]:
        """The query, and what to warn of."""
        data = {name: _plain(value) for name, value in request.items()}
        read = read_request(data, str(data.get("id", "")), self.context)
        if isinstance(read.body, Problem):
            raise AnalysisError(read.body)
        if not isinstance(read.body, Query):
            raise AnalysisError(Problem("Must be an analysis query", None, "action"))
        return read.body, [warning.text for warning in read.warnings]

    def _with_included(self, query: Query, include: Mapping[int, Sequence[str]], warnings: list[str]) -> Query:
        """Add the included moves for the player to move at each turn."""
        analyzed = dict(query.turns)
        found = {}
        for turn, names in include.items():
            if not 0 <= turn <= len(query.position.moves):
                raise AnalysisError(Problem(f"Invalid turn number: {turn}", field="analyzeTurns"))
            try:
                moves = self.adapter.read_moves(query.position, list(names))
            except ValueError as error:
                raise AnalysisError(Problem(str(error), field="includeMoves")) from error
            if turn in analyzed:
                found[turn] = (Inclusion(None, moves),)
            else:
                warnings.append(include_unanalyzed(query.id, turn).text)
        return replace(query, include=found)

    def plan(
        self, query: Query, on_answer: Callable[[Answer], None], on_problem: Callable[[Problem], None]
    ) -> tuple[list[TurnJob], list[Problem]]:
        """A job for each turn of the query, and what to warn of. Raises Refused."""
        adapter = self.adapter
        turns, warnings = adapter.plan(query)
        settings, common = self.search_settings(query), self._common(query, turns)
        jobs = [
            TurnJob(
                adapter=adapter,
                query=query,
                turn=turn,
                on_answer=on_answer,
                on_problem=on_problem,
                settings=adapter.turn_settings(query, turn, settings),
                seconds=query.params.max_time * adapter.search_factor(query, turn),
                include=turn.include,
                viewer=turn.player if self.game.hidden else None,
                priority=turn.priority,
                tree_key=turn.tree_key if query.reuse_tree else None,
                **common,
            )
            for turn in turns
        ]
        return jobs, warnings

    def search_settings(self, query: Query) -> SearchSettings:
        """Return the settings of a query's search. Raises Refused if the evaluator cannot use its parameters."""
        try:
            return search_settings(self.adapter.game_of(query), self.evaluator, query.params)
        except ValueError as error:
            raise Refused(Problem(str(error), query.id, "overrideSettings")) from error

    def _common(self, query: Query, turns: Sequence[Turn]) -> dict[str, Any]:
        """Return the arguments that all jobs of a query share."""
        adapter = self.adapter
        allow, avoid = adapter.restrictions(query, turns)
        if self.evaluator == FLAT and any(rule.until_depth > 1 for rule in (*allow, *avoid)):
            text = "Must be 1: flat Monte Carlo looks one move ahead"
            raise Refused(Problem(text, query.id, "untilDepth"))
        first, every = query.first_report_after_s, query.report_every_s
        return {
            "game": adapter.game_of(query),
            "evaluator": self.evaluator,
            "include_visits": query.include_min_visits,
            "allow": allow or None,
            "avoid": avoid or None,
            "report_every_s": math.inf if every is None else every,
            "first_report_s": first if first is not None else math.inf if every is None else every,
            "stop_when": query.stop_when,
            "aux": adapter.aux_count(query),
            "deviations": adapter.wants_deviations(query),
            "seed": self.search_seed,
        }

    @property
    def search_seed(self) -> int | None:
        """Seed of every search, or None if each search has a random one."""
        settings = self.config.settings
        if settings.search_rand_seed:
            return zlib.crc32(settings.search_rand_seed.encode())
        return 0 if settings.for_deterministic_testing else None

    @property
    def model(self) -> dict[str, Any]:
        """The network as the protocols list it."""
        info = self.evaluator.info if isinstance(self.evaluator, Evaluator) else None
        return {
            "name": self.net_name,
            "internalName": self.net_name if info is None else info.name,
            "maxBatchSize": self.config.settings.nn_max_batch_size,
            "usesHumanSLProfile": False,
            "version": 0 if info is None else info.version,
            "usingFP16": "false",
        }

    def clear_cache(self) -> None:
        """Forgets evaluations and trees."""
        self.scheduler.clear_cache()

    def close(self) -> None:
        """Ends the engine; open queries are answered with what they have."""
        self.scheduler.close(finish=False)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Client:
    """A client of an engine. Clients are served in turn, and each continues its own trees.

    `match` selects some of the client's own turns; by default all.
    """

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._scheduler = engine.scheduler

    def submit(self, query: Query, on_answer: Callable[[Answer], None], on_problem: Callable[[Problem], None]) -> int:
        """Queue the turns of a query and return their number; each gets one final result, from the engine's thread.

        Errors of the query are reported before this returns; a warning that a search will take hours comes from the
        engine's thread. A closed engine raises a ClosedError.
        """
        try:
            jobs, warnings = self.engine.plan(query, on_answer, on_problem)
        except Refused as refused:
            on_problem(refused.problem)
            return 0
        for warning in warnings:
            on_problem(warning)
        for job in jobs:
            job.client = self
        self._scheduler.submit(*jobs)
        return len(jobs)

    def withdraw(self, match: Callable[[TurnJob], bool] = lambda _: True) -> None:
        """Takes out turns that have not started: they are answered without results, before it returns."""
        for job in self._scheduler.withdraw(match, self):
            job.on_end(None)

    def stop(self, match: Callable[[TurnJob], bool] = lambda _: True) -> None:
        """Ends running turns soon, with what they have."""
        self._scheduler.stop(match, self)

    def hold(self) -> None:
        """Starts no more turns until it is released."""
        self._scheduler.hold(self)

    def release(self) -> None:
        self._scheduler.release(self)

    def forget(self) -> None:
        """It won't come back."""
        self._scheduler.forget(self)


class Analysis:
    """The results of one query as they arrive. Iterate, `await` the final ones, or iterate asynchronously."""

    def __init__(self, client: Client, query: Query, warnings: list[str]) -> None:
        self._client = client
        self._query = query
        self._changed = threading.Condition()
        self._answers: deque[Answer] = deque()
        self._left = 0
        self._waiters: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        self._refusal: Problem | None = None
        self.warnings = warnings
        """Warnings about ignored parts of the query."""
        count = client.submit(query, self._on_answer, self._on_problem)
        if self._refusal is not None:
            raise AnalysisError(self._refusal)
        with self._changed:
            self._left += count

    def _on_problem(self, problem: Problem) -> None:
        if problem.is_warning:
            self.warnings.append(problem.text)
        else:
            self._refusal = problem

    def _on_answer(self, answer: Answer) -> None:
        """From the engine's thread."""
        with self._changed:
            self._answers.append(answer)
            self._changed.notify_all()
            waiters, self._waiters = self._waiters, []
        for loop, waiter in waiters:
            try:
                loop.call_soon_threadsafe(_wake, waiter)
            except RuntimeError:  # that loop is closed: nobody waits in it
                continue

    def cancel(self) -> None:
        """Ends it soon: what has not started is answered without results, what runs with what it has."""

        def match(job: TurnJob) -> bool:
            return job.query is self._query

        self._client.withdraw(match)
        self._client.stop(match)

    def __iter__(self) -> Iterator[Answer]:
        while True:
            with self._changed:
                self._changed.wait_for(self._is_ready)
                answer = self._next()
            if answer is None:
                return
            yield _checked(answer)

    async def __aiter__(self) -> AsyncIterator[Answer]:
        import asyncio

        loop = asyncio.get_running_loop()
        while True:
            waiter = None
            with self._changed:
                if not self._is_ready():
                    waiter = loop.create_future()
                    self._waiters.append((loop, waiter))
                else:
                    answer = self._next()
            if waiter is not None:
                await waiter
            elif answer is None:
                return
            else:
                yield _checked(answer)

    def __await__(self) -> Generator[Any, None, list[Answer]]:
        return self._last().__await__()

    async def _last(self) -> list[Answer]:
        """Return the final results by turn. Cancelling the wait stops the search."""
        import asyncio

        try:
            answers = [answer async for answer in self if not answer.is_during_search]
        except asyncio.CancelledError:
            self.cancel()
            raise
        return sorted(answers, key=lambda answer: answer.turn_number)

    def _is_ready(self) -> bool:
        return bool(self._answers) or self._left == 0

    def _next(self) -> Answer | None:
        """None when all are taken."""
        if not self._answers:
            return None
        answer = self._answers.popleft()
        self._left -= not answer.is_during_search
        return answer


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)


def _checked(answer: Answer) -> Answer:
    if answer.error is not None:
        raise AnalysisError(Problem(answer.error, answer.id))
    return answer


def _plain(value: Any) -> Any:
    """As JSON would bring it: programs may give tuples and mappings of other kinds."""
    if isinstance(value, Mapping):
        return {str(key): _plain(part) for key, part in value.items()}
    return [_plain(part) for part in value] if isinstance(value, list | tuple | range) else value
