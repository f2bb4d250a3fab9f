"""The engine: queries in, typed answers out. The protocol's servers and Python programs use the same one."""

from __future__ import annotations

import math
import queue
import threading
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tengen.analysis.answers import Answer
from tengen.analysis.config import Config
from tengen.analysis.dialects import GameDialect, GoDialect
from tengen.analysis.jsonlines import format_json
from tengen.analysis.query import Problem, Query
from tengen.analysis.reading import Wanted
from tengen.analysis.requests import Context, parse_request
from tengen.analysis.scheduler import Confidence, Job, Scheduler, Snapshot
from tengen.analysis.tuning import search_settings, value_range
from tengen.analysis.turns import Board, GameBoard, Refusal, Turn
from tengen.evaluators import find_evaluator
from tengen.evaluators.katago import KataGo
from tengen.games import Game
from tengen.games import game as make_game
from tengen.nets.shipped import find_shipped
from tengen.nets.store import find_network, list_networks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Generator, Hashable, Iterator, Mapping, Sequence

    from tengen.evaluators import AnyEvaluator
    from tengen.games import State

__all__ = ["Analysis", "AnalysisError", "Engine"]


class AnalysisError(ValueError):
    """A query that can't be analyzed; `field` says which part of it."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(f"{problem.field}: {problem.text}" if problem.field else problem.text)
        self.field = problem.field
        self.text = problem.text


@dataclass(frozen=True)
class Ticket:
    """Which answer a job owes: what the protocol's actions find it by."""

    query: Query
    turn: Turn
    client: Hashable


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
        """`net` is a network's name or file, or any evaluator; by default random games, or the game's own champion.

        `config` holds search parameters under KataGo's names. At most `active` positions are searched at once, by
        default as many as the config's numAnalysisThreads. Further keywords are the game's settings.
        """
        self.config = config or Config()
        self._game = make_game(game, **settings) if isinstance(game, str) else game
        self.is_go = self._game.id == "go"
        process = self.config.settings
        self.evaluator = self._open_net(net, threads)
        self.evaluator.check(self._game)
        self.net_name = str(getattr(self.evaluator, "path", net or type(self.evaluator).__name__))
        self._board: Board
        if self.is_go:
            from tengen.analysis.go_turns import GoBoard

            self._board = GoBoard(process)
            dialect: Any = GoDialect()
        else:
            self._board = GameBoard(self._game)
            dialect = GameDialect(self._game)
        self.context = Context(dialect, self.config, (self.net_name,))
        self._scheduler = Scheduler(active=active or process.num_analysis_threads, batch=process.nn_max_batch_size)

    def _open_net(self, net: AnyEvaluator | None, threads: int | None) -> Any:
        if net is None:
            shipped = find_shipped(self._game)
            net = "rollout" if shipped is None else str(shipped.network)
        found = _katago_file(net) if self.is_go and isinstance(net, str | Path) else None
        if found is None:
            return find_evaluator(net, self._game)
        file, is_int8 = found
        process = self.config.settings
        symmetry = process.nn_forced_symmetry
        return KataGo(
            file,
            symmetry=0 if symmetry is None and not process.nn_randomize else symmetry,
            int8=is_int8,
            threads=threads or 1,
            cache_entries=2 ** max(0, process.nn_cache_size_power_of_two),
        )

    # For the protocol's servers.

    def submit(
        self,
        query: Query,
        client: Hashable,
        answer: Callable[[Answer], None],
        problem: Callable[[Problem], None],
        *,
        most_queued: int | None = None,
    ) -> int:
        """Queues a query's turns and answers how many. The functions are called from the engine's thread."""
        try:
            turns, warnings = self._board.plan(query)
        except Refusal as refusal:
            problem(refusal.problem)
            return 0
        if most_queued is not None and self._scheduler.queued(client) + len(turns) > most_queued:
            problem(Problem(f"Too many positions are waiting, at most {most_queued} may", query.id))
            return 0
        for warning in warnings:
            problem(warning)
        self._scheduler.submit(*(self._job(query, turn, client, answer) for turn in turns))
        return len(turns)

    def withdraw(self, match: Callable[[Ticket], bool]) -> list[Answer]:
        """Takes out turns that have not started, and answers for them."""
        taken = self._scheduler.withdraw(lambda job: match(job.tag))
        return [_no_results(job.tag) for job in taken]

    def stop(self, match: Callable[[Ticket], bool]) -> None:
        """Ends running turns soon, with what they have."""
        self._scheduler.stop(lambda job: match(job.tag))

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

    def _job(self, query: Query, turn: Turn, client: Hashable, answer: Callable[[Answer], None]) -> Job:
        game = self._board.game(query)
        reader = self._board.reader(game)
        wanted = self._wanted(query, turn)
        ticket = Ticket(query, turn, client)

        def prune(state: State) -> Sequence[int]:
            nonlocal wanted
            twins = self._board.twins(query, state)
            included = set(turn.include)
            twins = {
                action: [twin for twin in others if twin.action not in included] for action, others in twins.items()
            }
            wanted = replace(wanted, twins=twins)
            return [twin.action for others in twins.values() for twin in others]

        def tell(_job: Job, snapshot: Snapshot | None) -> None:
            answer(reader.read(snapshot, wanted))

        def fail(_job: Job, error: Exception) -> None:
            answer(replace(_no_results(ticket), error=f"{type(error).__name__}: {error}"))

        stop = query.stop_when
        settings = search_settings(game, self.evaluator, query.params, query.params.num_search_threads)
        first = query.first_report_after_s
        every = query.report_every_s
        return Job(
            game=game,
            evaluator=self.evaluator,
            open=lambda: self._board.open(query, turn),
            ready=lambda state, raw: self._board.ready(query, state, raw),
            prune=prune,
            settings=settings,
            on_report=tell,
            on_end=tell,
            on_error=fail,
            include=turn.include,
            include_visits=query.include_min_visits,
            allow=query.allow or None,
            avoid=query.avoid or None,
            seconds=query.params.max_time,
            report_every_s=math.inf if every is None else every,
            first_report_s=first if first is not None else math.inf if every is None else every,
            confidence=None if stop is None else Confidence(stop.confidence, stop.min_visits),
            extras=self._board.extras(query, game),
            deviations=query.include_ownership_stdev or query.include_moves_ownership_stdev,
            seed=0 if self.config.settings.for_deterministic_testing else None,
            priority=turn.priority,
            client=client,
            line=turn.line if query.reuse_tree else None,
            tag=ticket,
        )

    def _wanted(self, query: Query, turn: Turn) -> Wanted:
        params = query.params
        return Wanted(
            id=query.id,
            turn=turn.number,
            pv_length=query.pv_length,
            policy=query.include_policy,
            ownership=query.include_ownership,
            ownership_stdev=query.include_ownership_stdev,
            moves_ownership=query.include_moves_ownership,
            moves_ownership_stdev=query.include_moves_ownership_stdev,
            pv_visits=query.include_pv_visits,
            no_result_value=query.include_no_result_value,
            scoring=query.include_scoring,
            seat=params.report_analysis_winrates_as,
            use_lcb=params.use_lcb_for_selection,
            least_share=params.min_visit_prop_for_lcb,
            deviations=params.lcb_stdevs,
            value_range=value_range(params, with_score=self._board.has_score),
        )

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
        self._answers: queue.SimpleQueue[Answer | AnalysisError] = queue.SimpleQueue()
        self._left = len(query.turns)
        self._lock = threading.Lock()
        self.warnings = warnings
        """What was ignored in the query, and why."""
        engine.submit(query, id(self), self._answers.put, self._hear)

    def _hear(self, problem: Problem) -> None:
        if problem.is_warning:
            self.warnings.append(problem.text)
        else:
            self._answers.put(AnalysisError(problem))

    def cancel(self) -> None:
        """Ends it soon: what has not started is answered without results."""
        for answer in self._engine.withdraw(lambda ticket: ticket.client == id(self)):
            self._answers.put(answer)
        self._engine.stop(lambda ticket: ticket.client == id(self))

    def __iter__(self) -> Iterator[Answer]:
        while True:
            answer = self._next()
            if answer is None:
                return
            yield answer

    def _next(self) -> Answer | None:
        with self._lock:
            if self._left == 0:
                return None
            found = self._answers.get()
            if isinstance(found, AnalysisError):
                self._left = 0
                raise found
            if not found.is_during_search:
                self._left -= 1
        if found.error is not None:
            raise AnalysisError(Problem(found.error, found.id))
        return found

    async def __aiter__(self) -> AsyncIterator[Answer]:
        import asyncio

        while True:
            answer = await asyncio.to_thread(self._next)
            if answer is None:
                return
            yield answer

    def __await__(self) -> Generator[Any, None, list[Answer]]:
        return self._last().__await__()

    async def _last(self) -> list[Answer]:
        return [answer async for answer in self if not answer.is_during_search]


def _katago_file(net: str | Path) -> tuple[Path, bool] | None:
    """The file of a network of KataGo's, and whether it is to run in int8; None for other evaluators' names."""
    kind, _, rest = str(net).partition(":")
    if kind in ("katago", "katago-int8") and rest:
        return find_network(rest), kind == "katago-int8"
    is_stored = any(stored.name == str(net) for stored in list_networks())
    if is_stored or str(net).endswith((".bin.gz", ".txt.gz")):
        return find_network(net), False
    return None


def _no_results(ticket: Ticket) -> Answer:
    return Answer(id=ticket.query.id, turn_number=ticket.turn.number, is_during_search=False)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part[:1].upper() + part[1:] for part in rest)
