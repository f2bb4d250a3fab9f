"""The engine: queries in, typed answers out. The protocol's servers and Python programs use the same one."""

from __future__ import annotations

import math
import threading
import zlib
from collections import deque
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.analysis.adapters import Board, GameBoard, Refusal
from tengen.analysis.config import Config
from tengen.analysis.dialects import GameDialect, GoDialect
from tengen.analysis.jsonlines import format_json
from tengen.analysis.query import Problem, Query
from tengen.analysis.requests import Context, parse_request
from tengen.analysis.scheduler import Confidence, Job, Scheduler
from tengen.analysis.search_params import search_settings
from tengen.analysis.turn_job import TurnJob
from tengen.evaluators import FLAT, FLAT_VISITS, CoreEvaluator, Evaluator, choose_evaluator, find_evaluator
from tengen.games import Game
from tengen.games import game as make_game
from tengen.nets.store import find_imported

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator, Callable, Generator, Hashable, Iterator, Mapping, Sequence

    from tengen.analysis.adapters import Turn
    from tengen.analysis.answers import Answer
    from tengen.evaluators import AnyEvaluator

__all__ = ["Analysis", "AnalysisError", "Engine"]


class AnalysisError(ValueError):
    """A query that can't be analyzed; `field` says which part of it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.field}: {problem.text}" if problem.field else problem.text)
        self.field = problem.field
        self.text = problem.text


class Engine:
    """Analyzes positions of one game, many at a time.

        engine = tengen.Engine("go", net="net.bin.gz")
        for answer in engine.analyze(["D4", "Q16"], turns=[0, 1, 2], visits=100, include={0: ["C3"]}):
            print(answer.turn_number, answer.best.move, answer.root_info.winrate)

    An engine may be used from many threads; close() it, or use it with `with`.
    """

    def __init__(
        self,
        game: Game | str = "go",
        net: AnyEvaluator | None = None,
        *,
        config: Config | None = None,
        threads: int | None = None,
        active: int | None = None,
        **settings: Any,
    ) -> None:
        """`net` is a network's name or file, or any evaluator; by default as choose_evaluator() says.
        Another program's network runs on so many `threads`, by default as the config's numEigenThreadsPerModel says.

        `config` holds search parameters under KataGo's names. At most `active` positions are searched at once, by
        default as many as the config's numAnalysisThreads. Further keywords are the game's settings.
        """
        self.config = config or Config()
        self._game = make_game(game, **settings) if isinstance(game, str) else game
        self.is_go = self._game.id == "go"
        process = self.config.settings
        chosen = choose_evaluator(net, self._game).evaluator
        self.evaluator = self._open_net(chosen, threads)
        self.evaluator.check(self._game)
        is_limited = not {"maxVisits", "maxPlayouts", "maxTime"}.isdisjoint(self.config.values)
        if self.evaluator == FLAT and not is_limited:
            self.config = replace(self.config, values={**self.config.values, "maxVisits": str(FLAT_VISITS)})
        named = net or (chosen if isinstance(chosen, str | Path) else type(self.evaluator).__name__)
        path = self.evaluator.path if isinstance(self.evaluator, Evaluator) else None
        self.net_name = str(path or named)
        self._board: Board
        if self.is_go:
            from tengen.analysis.go.adapter import GoBoard

            self._board = GoBoard(process)
            dialect: Any = GoDialect()
        else:
            self._board = GameBoard(self._game)
            dialect = GameDialect(self._game)
        self.context = Context(dialect, self.config, (self.net_name,))
        self._scheduler = Scheduler(active=active or process.num_analysis_threads, batch=process.nn_max_batch_size)

    def _open_net(self, net: AnyEvaluator, threads: int | None) -> Evaluator | CoreEvaluator:
        imported = find_imported(net, self._game) if isinstance(net, str | Path) else None
        if imported is None:
            return find_evaluator(net, self._game)
        process = self.config.settings
        symmetry = process.nn_forced_symmetry
        evaluator: Evaluator = imported.open(
            symmetry=0 if symmetry is None and not process.nn_randomize else symmetry,
            seed=zlib.crc32(process.nn_rand_seed.encode()),
            threads=threads or process.num_eigen_threads_per_model,
            cache_entries=2 ** max(0, process.nn_cache_size_power_of_two),
        )
        return evaluator

    # For the protocol's servers.

    def submit(
        self, query: Query, client: Hashable, answer: Callable[[Answer], None], problem: Callable[[Problem], None]
    ) -> int:
        """Queues a query's turns and answers how many: each will be answered once for good, from the engine's thread.

        What is wrong with the query is told at once, before this returns; that a search will take hours, from the
        engine's thread. A closed engine raises a ClosedError.
        """
        try:
            turns, warnings = self._board.plan(query)
            jobs = self._jobs(query, turns, client, answer, problem)
        except Refusal as refusal:
            problem(refusal.problem)
            return 0
        for warning in warnings:
            problem(warning)
        self._scheduler.submit(*jobs)
        return len(turns)

    def withdraw(self, match: Callable[[TurnJob], bool], client: Hashable) -> None:
        """Takes out turns of a client that have not started: they are answered without results, before it returns."""
        for job in self._scheduler.withdraw(lambda job: match(job.tag), client):
            job.tag.tell(job, None)

    def stop(self, match: Callable[[TurnJob], bool]) -> None:
        """Ends running turns soon, with what they have."""
        self._scheduler.stop(lambda job: match(job.tag))

    def hold(self, client: Hashable) -> None:
        """Starts no more turns of the client until it is released."""
        self._scheduler.hold(client)

    def release(self, client: Hashable) -> None:
        self._scheduler.release(client)

    def forget(self, client: Hashable) -> None:
        """The client won't come back."""
        self._scheduler.forget(client)

    def clear_cache(self) -> None:
        self._scheduler.clear_cache()

    def drain(self, timeout: float | None = None) -> bool:
        return self._scheduler.drain(timeout)

    def close(self, *, finish: bool = False) -> None:
        """Ends the engine; open queries are answered with what they have, or, with `finish`, to their end."""
        self._scheduler.close(finish=finish)

    def __enter__(self) -> Engine:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _jobs(
        self,
        query: Query,
        turns: Sequence[Turn],
        client: Hashable,
        answer: Callable[[Answer], None],
        problem: Callable[[Problem], None],
    ) -> list[Job]:
        """What all turns have in common is made once."""
        board, params, stop = self._board, query.params, query.stop_when
        game = board.game(query)
        try:
            settings = search_settings(game, self.evaluator, params, params.num_search_threads)
        except ValueError as error:
            raise Refusal(Problem(str(error), query.id, "overrideSettings")) from error
        allow, avoid = board.restrictions(query, turns)
        if self.evaluator == FLAT and any(rule.until_depth > 1 for rule in (*allow, *avoid)):
            text = "Must be 1: flat Monte Carlo looks one move ahead"
            raise Refusal(Problem(text, query.id, "untilDepth"))
        first, every = query.first_report_after_s, query.report_every_s
        common: dict[str, Any] = {
            "game": game,
            "evaluator": self.evaluator,
            "include_visits": query.include_min_visits,
            "allow": allow or None,
            "avoid": avoid or None,
            "report_every_s": math.inf if every is None else every,
            "first_report_s": first if first is not None else math.inf if every is None else every,
            "confidence": None if stop is None else Confidence(stop.confidence, stop.min_visits),
            "aux": board.aux(query, game),
            "deviations": query.include_ownership_stdev or query.include_moves_ownership_stdev,
            "seed": 0 if self.config.settings.for_deterministic_testing else None,
            "client": client,
        }
        jobs = []
        for turn in turns:
            job = TurnJob(board, query, turn, client, answer, problem)
            jobs.append(
                Job(
                    settings=board.tuned(query, turn, settings),
                    seconds=params.max_time * board.patience(query, turn),
                    open=job.open,
                    ready=job.ready,
                    prune=job.prune,
                    on_report=job.tell,
                    on_end=job.tell,
                    on_error=job.fail,
                    on_slow=job.warn_of_time,
                    include=turn.include,
                    priority=turn.priority,
                    line=turn.line if query.reuse_tree else None,
                    tag=job,
                    **common,
                )
            )
        return jobs

    # For Python programs.

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

        In Go, `moves` are vertices, with colors in turn from the first player, or pairs of color and vertex; in other
        games the names of moves. Each move of `include`, by turn, gets at least `include_visits` visits. Further
        keywords are fields of the protocol in its own spelling or with underscores: rules, komi, size (Go's board),
        initial_stones, include_ownership, report_during_search_every, override_settings, …
        """
        request = self._request(moves, fields)
        if turns is not None:
            request["analyzeTurns"] = list(turns)
        if visits is not None:
            request["maxVisits"] = visits
        if include:
            request["includeMovesMinVisits"] = include_visits
            request["includeMoves"] = [
                {"turnNumber": turn, "player": self._player_at(request, turn), "moves": list(names)}
                for turn, names in include.items()
            ]
        return self.ask(request)

    def ask(self, request: Mapping[str, Any]) -> Analysis:
        """Analyzes what a request of the protocol asks for; it needs no id."""
        read = parse_request(format_json({"id": "", **request}), self.context)
        if isinstance(read.body, Problem):
            raise AnalysisError(read.body)
        if not isinstance(read.body, Query):
            raise AnalysisError(Problem("Must be an analysis query", None, "action"))
        return Analysis(self, read.body, [warning.text for warning in read.warnings])

    def _request(self, moves: Sequence[Any], fields: Mapping[str, Any]) -> dict[str, Any]:
        request = {_camel(name): value for name, value in fields.items()}
        if not self.is_go:
            return request | {"moves": list(moves)}
        settings = self._game.settings
        size = request.pop("size", None)
        width, height = (size, size) if isinstance(size, int) else size or self._game.shape[:0:-1]
        request = {"boardXSize": width, "boardYSize": height, "rules": settings["rules"], **request}
        request.setdefault("komi", settings["komi"])
        player = str(request.get("initialPlayer", "b"))[:1].lower()
        pairs = []
        for move in moves:
            if isinstance(move, str):
                pairs.append([player, move])
            else:
                pairs.append([str(move[0]), str(move[1])])
            player = "w" if pairs[-1][0][:1].lower() == "b" else "b"
        return request | {"moves": pairs}

    def _player_at(self, request: Mapping[str, Any], turn: int) -> Any:
        """Who is to move there; a turn that does not exist is refused later."""
        read = parse_request(format_json({"id": "", **request, "analyzeTurns": [turn]}), self.context)
        if isinstance(read.body, Problem):
            raise AnalysisError(read.body)
        assert isinstance(read.body, Query)
        try:
            [found], _ = self._board.plan(read.body)
        except Refusal as refusal:
            raise AnalysisError(refusal.problem) from refusal
        return ("b", "w")[found.player or 0] if self.is_go else found.player


class Analysis:
    """The answers to one query, as they come. Iterate, `await` the last ones, or iterate asynchronously."""

    def __init__(self, engine: Engine, query: Query, warnings: list[str]) -> None:
        self._engine = engine
        self._query = query
        self._changed = threading.Condition()
        self._answers: deque[Answer] = deque()
        self._left = 0
        self._sleepers: list[tuple[asyncio.AbstractEventLoop, asyncio.Future[None]]] = []
        self._refusal: Problem | None = None
        self.warnings = warnings
        """What was ignored in the query, and why."""
        # The program is one client: its queries are in order of their priorities, and go on with each other's trees.
        count = engine.submit(query, engine, self._put, self._hear)
        if self._refusal is not None:
            raise AnalysisError(self._refusal)
        with self._changed:
            self._left += count

    def _hear(self, problem: Problem) -> None:
        if problem.is_warning:
            self.warnings.append(problem.text)
        else:
            self._refusal = problem

    def _put(self, answer: Answer) -> None:
        """From the engine's thread."""
        with self._changed:
            self._answers.append(answer)
            self._changed.notify_all()
            sleepers, self._sleepers = self._sleepers, []
        for loop, sleeper in sleepers:
            try:
                loop.call_soon_threadsafe(_wake, sleeper)
            except RuntimeError:  # that loop is closed: nobody waits in it
                continue

    def cancel(self) -> None:
        """Ends it soon: what has not started is answered without results, what runs with what it has."""

        def match(job: TurnJob) -> bool:
            return job.query is self._query

        self._engine.withdraw(match, self._engine)
        self._engine.stop(match)

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
            sleeper = None
            with self._changed:
                if not self._is_ready():
                    sleeper = loop.create_future()
                    self._sleepers.append((loop, sleeper))
                else:
                    answer = self._next()
            if sleeper is not None:
                await sleeper
            elif answer is None:
                return
            else:
                yield _checked(answer)

    def __await__(self) -> Generator[Any, None, list[Answer]]:
        return self._last().__await__()

    async def _last(self) -> list[Answer]:
        """The last answers, by turn. Who stops waiting ends the search."""
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


def _wake(sleeper: asyncio.Future[None]) -> None:
    if not sleeper.done():
        sleeper.set_result(None)


def _checked(answer: Answer) -> Answer:
    if answer.error is not None:
        raise AnalysisError(Problem(answer.error, answer.id))
    return answer


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)
