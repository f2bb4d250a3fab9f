"""The shogi engine of USI and of other protocols with a clock."""

from __future__ import annotations

import logging
import random
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from tengen.games import GameError
from tengen.games.shogi import Shogi
from tengen.games.shogi.mate import MateSolver
from tengen.protocols.usi.book import NO_BOOK, Book, BookError
from tengen.protocols.usi.decision import RESIGN, WIN, Decision, Info, Line, MateAnswer, Score
from tengen.protocols.usi.delays import DelayEstimate, longest_stall_ms
from tengen.protocols.usi.lines import MATE, complete_mate, info_of, ranked, value_of
from tengen.protocols.usi.networks import eval_coef_of, open_evaluator
from tengen.protocols.usi.options import EngineSettings, with_option
from tengen.protocols.usi.root_mate import RootMate, find_mate, mate_thread
from tengen.protocols.usi.thinking import Thinking
from tengen.protocols.usi.tree import Tree, tree_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import ThreadPoolExecutor

    from tengen import _core
    from tengen.evaluators import CoreEvaluator, Evaluator
    from tengen.games import State
    from tengen.protocols.usi.limits import Limits

__all__ = ["ShogiEngine"]

_log = logging.getLogger(__name__)

_LOOK_S: Final = 0.025
"""Time in seconds between looks at a running search."""
_DELAYS_PER_THREAD: Final = 10
"""A mate is looked for in a second thread if the time is at least so many times the engine's own delay."""
_LATE_BATCH: Final = 2
"""Positions in a batch if the engine's own delay is longer than the time of the move."""
_RESIGN_MOVES: Final = 3
_FULL_SKILL: Final = 20


class ShogiEngine:
    """An engine that searches one position at a time and keeps its tree from move to move.

    begin() and run() are think() in two parts: after begin() has returned, stop() and ponderhit() take effect, even
    before run() is called. These two may be called from any thread, all other methods from one thread at a time.
    """

    def __init__(self, settings: EngineSettings | None = None, *, seed: int | None = None) -> None:
        self.settings = settings or EngineSettings()
        self._rng = random.Random(seed)
        self._evaluator: tuple[tuple[str, int], Evaluator | CoreEvaluator] | None = None
        self._book: tuple[str, Book | None] = (NO_BOOK, None)
        self._tree: Tree | None = None
        self._hopeless = 0
        """Number of consecutive own moves with a score as low as ResignValue."""
        self._overrun = DelayEstimate()
        """How long after its target time a search has its answer."""
        self._wake_up = DelayEstimate()
        """How long a thread waits for a processor. The same delay occurs unmeasured before `go` is read."""
        self._thinking: Thinking | None = None
        self._solver: tuple[int, MateSolver] | None = None
        self._quick_solver = MateSolver(1)
        self._mate_thread: ThreadPoolExecutor | None = None

    # Settings.

    def set_option(self, name: str, text: str) -> None:
        """Set an option by its name in USI. Raises OptionError; a running search keeps its settings."""
        self.settings = with_option(self.settings, name, text)

    @property
    def game(self) -> Shogi:
        """The game with the rules of the settings."""
        return Shogi(declaration=self.settings.entering_king_rule, max_plies=self.settings.max_moves)

    def prepare(self) -> list[str]:
        """Load the network and the book of the settings and warm them up, so that the first move is as fast as others.

        Return notes for the user. Raises ValueError if the network can't be used.
        """
        settings = self.settings
        notes = self._load_book(settings)
        evaluator = self.load_network()
        if self._tree is None or self._tree.settings != tree_settings(settings) or self._tree.game != self.game:
            self._tree = Tree(self.game, evaluator, settings)
            start = self.game.start()
            self._tree.seat(start)
            # The names of all moves are made when the first one is used.
            start.game.name(start.legal()[0])
            for _ in range(3):
                self._tree.step()
            self._tree.forget()
            self._mate_solver()
            self._overrun.add(longest_stall_ms())
        return notes

    def load_network(self) -> Evaluator | CoreEvaluator:
        """Return the evaluator of the settings. Raises ValueError if it can't be used."""
        key = (self.settings.model, self.settings.threads)
        if self._evaluator is None or self._evaluator[0] != key:
            self._tree = None
            self._evaluator = key, open_evaluator(self.settings.model, Shogi(), self.settings.threads)
        return self._evaluator[1]

    def _load_book(self, settings: EngineSettings) -> list[str]:
        path = settings.book_file if settings.own_book else NO_BOOK
        if path == self._book[0]:
            return []
        self._book = (path, None)
        if path in (NO_BOOK, ""):
            return []
        try:
            self._book = (path, Book.load(path))
        except BookError as error:
            return [f"{error}: playing without a book"]
        return []

    def start_game(self) -> None:
        self._hopeless = 0
        if self._tree is not None:
            self._tree.forget()

    def close(self) -> None:
        self.stop()

    # Thinking.

    def think(self, state: State, limits: Limits, on_info: Callable[[Info], None] | None = None) -> Decision:
        """Search until the clock, another limit or stop() ends the search."""
        return self.run(self.begin(state, limits), on_info)

    def begin(self, state: State, limits: Limits) -> Thinking:
        """Start the clock and return the search for run()."""
        game = state.game
        assert isinstance(game, Shogi)
        own_delay_ms = self._overrun.upper_ms + self._wake_up.upper_ms
        self._thinking = Thinking(state, limits, self.settings, game.side(state), own_delay_ms)
        return self._thinking

    def stop(self) -> None:
        """End the search that was started last soon."""
        if self._thinking is not None:
            self._thinking.stop()

    def ponderhit(self, limits: Limits | None = None) -> None:
        """Start the clock of the pondered position, which was reached."""
        if self._thinking is not None:
            self._thinking.ponderhit(limits)

    def run(self, thinking: Thinking, on_info: Callable[[Info], None] | None = None) -> Decision:
        """Run a search. `on_info` is called from this thread, with the final information last."""
        self._wake_up.add(1000 * (time.monotonic() - thinking.began))
        self.prepare()
        thinking.settings = replace(thinking.settings, eval_coef=self._eval_coef(thinking.settings))
        state = _playable(thinking.state)
        decision = self._at_once(thinking, state)
        if decision is None:
            decision = self._search(thinking, state, on_info or _ignore)
        thinking.wait()
        if thinking.is_waited_for and self._should_resign(decision, thinking.settings):
            return Decision(RESIGN, None, decision.score, (), decision.info)
        return decision

    def _eval_coef(self, settings: EngineSettings) -> int:
        assert self._evaluator is not None
        return eval_coef_of(self._evaluator[1], settings.eval_coef)

    def find_mate(self, thinking: Thinking, seconds: float | None = None) -> MateAnswer:
        """Search for a mate by checks in the position of begin(), at most for this time; stop() ends the search."""
        if thinking.state.is_over:
            return MateAnswer(is_disproved=True)
        return find_mate(*self._mate_solver(), thinking.state, seconds, lambda: thinking.is_stopped)

    def _mate_solver(self) -> tuple[ThreadPoolExecutor, MateSolver]:
        """Return the solver of long searches and the thread that uses it."""
        size = self.settings.mate_hash_mb
        if self._solver is None or self._solver[0] != size:
            self._solver = size, MateSolver(size)
        if self._mate_thread is None:
            self._mate_thread = mate_thread()
        return self._mate_thread, self._solver[1]

    def _at_once(self, thinking: Thinking, state: State) -> Decision | None:
        """Return a decision that needs no search, or None."""
        game = state.game
        if state.is_over:
            assert isinstance(game, Shogi)
            score = Score(mate=0) if game.end(state) == MATE else Score(is_won=False)
            info = Info(1, 1, 0, 0, 0, ())
            return Decision(RESIGN, None, score, (), info)
        names = [game.name(action) for action in state.legal()]
        if WIN in names and not thinking.limits.search_moves:
            return Decision(WIN, None, Score(is_won=True))
        if thinking.is_waited_for and not thinking.limits.search_moves:
            if len(names) == 1:
                return Decision(names[0], None, None, (names[0],))
            return self._book_move(thinking, state, names)
        return None

    def _book_move(self, thinking: Thinking, state: State, names: Sequence[str]) -> Decision | None:
        settings, (_, book) = thinking.settings, self._book
        game = state.game
        assert isinstance(game, Shogi)
        if book is None or not settings.own_book or game.ply(state) >= settings.book_moves:
            return None
        if self._rng.uniform(0, 100) < settings.book_ignore_rate:
            return None
        try:
            found = book.choose(game.sfen(state), set(names), self._rng)
        except BookError as error:  # of a line that nobody has read before
            _log.warning("%s", error)
            return None
        if found is None:
            return None
        pv = (found.move,) if found.reply is None else (found.move, found.reply)
        if len(pv) > 1:
            try:
                state.play(pv[0]).play(pv[1])
            except GameError:
                pv = pv[:1]
        score = None if found.score is None else Score(cp=found.score)
        return Decision(found.move, pv[1] if len(pv) > 1 else None, score, pv)

    def _search(self, thinking: Thinking, state: State, on_info: Callable[[Info], None]) -> Decision:
        tree = self._tree
        assert tree is not None
        allowed = _allowed(state, thinking.limits.search_moves)
        game = state.game
        assert isinstance(game, Shogi)
        if game != tree.game:
            # Its rules differ from the settings': it is another game, or a finished one that is continued.
            assert self._evaluator is not None
            tree = Tree(game, self._evaluator[1], thinking.settings)
        tree.seat(state, allowed, _draw_value(thinking, game.side(state)), _node_limit(thinking))
        is_late = thinking.budget.target < thinking.own_delay_ms
        # A small batch fits into a time slice, so that the move need not wait for the next slice.
        tree.set_batch(min(_LATE_BATCH, self.settings.batch_size) if is_late else self.settings.batch_size)
        searching = _Searching(thinking, tree, state, on_info)
        nodes = thinking.settings.mate_root_nodes
        # A second thread costs the search several waits for a processor and for the interpreter's lock.
        is_too_busy = thinking.budget.target < _DELAYS_PER_THREAD * thinking.own_delay_ms
        has_mate = nodes > 0 and not allowed and not is_too_busy
        mate = RootMate(*self._mate_solver(), state, nodes) if has_mate else None
        try:
            searching.loop(mate)
        finally:
            if mate is not None:
                mate.request_stop()
        decision = searching.decide(mate.moves if mate is not None else (), self._quick_solver)
        if searching.is_ended_by_clock:
            # If the time was up before the search started, only the end of the search counts.
            self._overrun.add(thinking.clock_ms() - max(thinking.budget.target, searching.began_ms))
        return decision

    def _should_resign(self, decision: Decision, settings: EngineSettings) -> bool:
        never = EngineSettings().resign_value
        if settings.resign_value >= never or decision.score is None or decision.move in (WIN, RESIGN):
            return False
        is_low = decision.score.centipawns <= -settings.resign_value
        self._hopeless = self._hopeless + 1 if is_low else 0
        return self._hopeless >= _RESIGN_MOVES


class _Searching:
    """The loop of one search."""

    def __init__(self, thinking: Thinking, tree: Tree, state: State, on_info: Callable[[Info], None]) -> None:
        self._thinking = thinking
        self._settings = thinking.settings
        self._tree = tree
        self._state = state
        self._on_info = on_info
        self._told = -1.0
        self._looked = time.monotonic()
        self._is_exhausted = False
        self.began_ms = thinking.clock_ms()
        self.is_ended_by_clock = False

    def loop(self, mate: RootMate | None) -> None:
        thinking, tree = self._thinking, self._tree
        while not thinking.is_stopped:
            if self._is_time_up():
                self.is_ended_by_clock = True
                break
            if self._is_exhausted or tree.is_done or (mate is not None and mate.moves):
                # Nothing is left to do; the decision is kept until it is due.
                return
            limit = _node_limit(thinking)
            tree.step(None if limit is None else limit - tree.visits)
            if time.monotonic() - self._looked >= _LOOK_S or self._is_counted():
                self._look()
        while not tree.report().moves:
            tree.step(1)

    def _is_counted(self) -> bool:
        """Return True if the allowed visits are used up."""
        limit = _node_limit(self._thinking)
        return limit is not None and limit <= self._tree.visits

    def _is_time_up(self) -> bool:
        """Return True if the time is up now or would be up after another step."""
        thinking = self._thinking
        spent = thinking.clock_ms()
        return spent > 0 and spent + 1000 * self._tree.step_s >= thinking.budget.target

    def _depth_limit(self) -> int | None:
        limits = [limit for limit in (self._thinking.limits.depth, self._settings.depth_limit) if limit]
        return min(limits, default=None)

    def _look(self) -> None:
        thinking, tree = self._thinking, self._tree
        self._looked = time.monotonic()
        report = tree.report()
        depth, nodes = self._depth_limit(), _node_limit(thinking)
        is_deep = depth is not None and bool(report.moves) and len(report.moves[0].line) >= depth
        is_counted = nodes is not None and tree.visits >= nodes
        if is_deep or is_counted or report.is_done or tree.fill(report) >= 1 or self._is_decided(report):
            self._is_exhausted = True
            return
        elapsed = thinking.elapsed_ms
        if report.moves and elapsed - self._told >= self._settings.pv_interval:
            self._told = elapsed
            self._on_info(self._info(report, report.moves))

    def _is_decided(self, report: _core.RootReport) -> bool:
        """Return True if the clock leaves the second move no time to catch up."""
        thinking = self._thinking
        spent, budget = thinking.clock_ms(), thinking.budget
        if spent <= 0 or budget.is_exact or spent < budget.least or not report.moves:
            return False
        rate = self._tree.visits / max(1, thinking.elapsed_ms)
        ahead = report.moves[0].weight - max((move.weight for move in report.moves[1:]), default=0.0)
        return bool(budget.target < float("inf") and spent > 50 and ahead > rate * (budget.target - spent))

    def _info(self, report: _core.RootReport, moves: Sequence[_core.MoveReport]) -> Info:
        return info_of(
            self._state,
            moves[: self._settings.multi_pv],
            self._settings.eval_coef,
            elapsed_ms=self._thinking.elapsed_ms,
            nodes=self._tree.visits,
            hashfull=min(1000, round(1000 * self._tree.fill(report))),
        )

    def decide(self, mate: Sequence[str], solver: MateSolver) -> Decision:
        """Return the decision, after the final information about all lines. A proven mate is played unless the tree has
        a shorter one."""
        while not (report := self._tree.report()).moves:
            self._tree.step(1)
        temperature = (_FULL_SKILL - self._settings.skill_level) / 10
        chosen = self._tree.choose(temperature)
        moves = sorted(report.moves, key=lambda move: move.action != chosen)
        info = self._info(report, moves)
        lines = ranked(complete_mate(self._state, line, solver) for line in info.lines)
        info = replace(info, lines=lines)
        own = _line_of(info, self._state.game.name(chosen))
        own_mate = None if own is None else own.score.mate
        if mate and not (own_mate is not None and 0 < own_mate <= len(mate)):
            own = Line(Score(mate=len(mate)), tuple(mate))
            others = (other for other in lines if other.pv[0] != mate[0])
            lines = ranked((own, *others))[: self._settings.multi_pv]
            info = replace(info, depth=len(mate), seldepth=max(info.seldepth, len(mate)), lines=lines)
            chosen = self._state.game.parse(mate[0], self._state)
        self._on_info(info)
        name = self._state.game.name(chosen)
        if name == WIN or own is None:
            return Decision(name, None, Score(is_won=True) if name == WIN else None, (), info)
        return Decision(name, own.pv[1] if len(own.pv) > 1 else None, own.score, own.pv, info)


def _line_of(info: Info, move: str) -> Line | None:
    return next((line for line in info.lines if line.pv[0] == move), None)


def _ignore(_: Info) -> None: ...


def _node_limit(thinking: Thinking) -> int | None:
    """Return the most visits that a search may make, or None."""
    settings = thinking.settings
    limits = [limit for limit in (thinking.limits.nodes, settings.nodes_limit) if limit]
    if settings.skill_level < _FULL_SKILL:
        limits.append(round(8 * 2 ** (settings.skill_level / 2)))
    return min(limits, default=None)


def _draw_value(thinking: Thinking, side: int) -> float:
    """Return the value of a draw to Black. The engine is to move, except when it thinks on the opponent's time."""
    settings = thinking.settings
    own = 1 - side if thinking.is_background else side
    score = settings.draw_value_white if own else settings.draw_value_black
    value = value_of(score, settings.eval_coef)
    return -value if own else value


def _allowed(state: State, names: Sequence[str]) -> list[str]:
    legal = {state.game.name(action) for action in state.legal()}
    return [name for name in names if name in legal]


def _playable(state: State) -> State:
    """Return a state that can be searched: a game that ended by a repetition or a limit here may continue elsewhere."""
    game = state.game
    assert isinstance(game, Shogi)
    if not state.is_over or game.end(state) == MATE:
        return state
    return Shogi(declaration=game.declaration).start(sfen=game.sfen(state))
