"""The engine that thinks about shogi: for USI, and for whoever else plays by a clock."""

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
from tengen.protocols.usi.lines import MATE, complete_mate, info_of, value_of
from tengen.protocols.usi.networks import eval_coef_of, open_evaluator
from tengen.protocols.usi.options import EngineSettings, with_option
from tengen.protocols.usi.root_mate import RootMate, find_mate
from tengen.protocols.usi.thinking import Thinking
from tengen.protocols.usi.tree import Tree, tree_settings

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tengen import _core
    from tengen.evaluators import CoreEvaluator, Evaluator
    from tengen.games import State
    from tengen.protocols.usi.limits import Limits

__all__ = ["ShogiEngine"]

_log = logging.getLogger(__name__)

_LOOK_S: Final = 0.025
"""How often a search is looked at."""
_RESIGN_MOVES: Final = 3
_FULL_SKILL: Final = 20
_LATEST_MS: Final = 1000.0
_STILL_LATE: Final = 0.9
"""What is left of a delay from move to move."""


class ShogiEngine:
    """Thinks about one position at a time and keeps its tree from move to move.

    begin() and run() are think() in two parts: once begin() has returned, stop() and ponderhit() are heard, whenever
    run() comes. Those two may be called from any thread, everything else from one at a time.
    """

    def __init__(self, settings: EngineSettings | None = None, *, seed: int | None = None) -> None:
        self.settings = settings or EngineSettings()
        self._rng = random.Random(seed)
        self._evaluator: tuple[tuple[str, int], Evaluator | CoreEvaluator] | None = None
        self._book: tuple[str, Book | None] = (NO_BOOK, None)
        self._tree: Tree | None = None
        self._hopeless = 0
        """Own moves running whose score was as low as ResignValue."""
        self._late_ms = 0.0
        """By how much answers came after their time of late: a machine that has too much to do will be late again."""
        self._thinking: Thinking | None = None
        self._solver: tuple[int, MateSolver] | None = None
        self._quick_solver = MateSolver(1)

    # Settings.

    def set_option(self, name: str, text: str) -> None:
        """By its name in USI; an OptionError where it does not fit. A search that runs goes on as it began."""
        self.settings = with_option(self.settings, name, text)

    @property
    def game(self) -> Shogi:
        """With the rules in force."""
        return Shogi(declaration=self.settings.entering_king_rule, max_plies=self.settings.max_moves)

    def prepare(self) -> list[str]:
        """Loads what the settings name and warms it up, so that the first move is as fast as others. Blocks. Answers
        what there is to say about it; a ValueError where a network can't be used."""
        settings = self.settings
        notes = self._load_book(settings)
        evaluator = self.load_network()
        if self._tree is None or self._tree.settings != tree_settings(settings) or self._tree.game != self.game:
            self._tree = Tree(self.game, evaluator, settings)
            self._tree.seat(self.game.start())
            for _ in range(3):
                self._tree.step()
            self._tree.forget()
        return notes

    def load_network(self) -> Evaluator | CoreEvaluator:
        """What judges positions; a ValueError where it can't be used."""
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
        """Blocks until it has made up its mind: by the clock, by another limit, or by stop()."""
        return self.run(self.begin(state, limits), on_info)

    def begin(self, state: State, limits: Limits) -> Thinking:
        """The clock runs from now on. Answers what run() takes."""
        game = state.game
        assert isinstance(game, Shogi)
        settings, late = self.settings, round(self._late_ms)
        settings = replace(
            settings, network_delay=settings.network_delay + late, network_delay2=settings.network_delay2 + late
        )
        self._thinking = Thinking(state, limits, settings, game.side(state))
        return self._thinking

    def stop(self) -> None:
        """Ends the search that was begun last, soon."""
        if self._thinking is not None:
            self._thinking.stop()

    def ponderhit(self, limits: Limits | None = None) -> None:
        """What was pondered has come: the clock runs."""
        if self._thinking is not None:
            self._thinking.ponderhit(limits)

    def run(self, thinking: Thinking, on_info: Callable[[Info], None] | None = None) -> Decision:
        """Blocks. `on_info` is called from this thread, with the last word at the end."""
        self.prepare()
        assert self._evaluator is not None
        coefficient = eval_coef_of(self._evaluator[1], thinking.settings.eval_coef)
        thinking.settings = replace(thinking.settings, eval_coef=coefficient)
        state = _playable(thinking.state)
        decision = self._at_once(thinking, state)
        if decision is None:
            decision = self._search(thinking, state, on_info or _ignore)
        if thinking.limits.has_clock:
            late = max(0.0, thinking.clock_ms() - thinking.budget.target)
            self._late_ms = min(_LATEST_MS, max(late, _STILL_LATE * self._late_ms))
        thinking.wait()
        if thinking.is_waited_for and self._should_resign(decision, thinking.settings):
            return Decision(RESIGN, None, decision.score, (), decision.info)
        return decision

    def find_mate(self, thinking: Thinking, seconds: float | None = None) -> MateAnswer:
        """Looks for a mate by checks in what begin() took, so long at most. Blocks; stop() ends it."""
        if thinking.state.is_over:
            return MateAnswer(is_disproved=True)
        return find_mate(self._mate_solver(), thinking.state, seconds, lambda: thinking.is_stopped)

    def _mate_solver(self) -> MateSolver:
        size = self.settings.mate_hash_mb
        if self._solver is None or self._solver[0] != size:
            self._solver = size, MateSolver(size)
        return self._solver[1]

    def _at_once(self, thinking: Thinking, state: State) -> Decision | None:
        """What needs no search."""
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
            # Its rules are others than the settings': of another game, or a finished one that goes on.
            assert self._evaluator is not None
            tree = Tree(game, self._evaluator[1], thinking.settings)
        tree.seat(state, allowed, _draw_value(thinking, game.side(state)), _node_limit(thinking))
        searching = _Searching(thinking, tree, state, on_info)
        nodes = thinking.settings.mate_root_nodes
        mate = RootMate(self._mate_solver(), state, nodes) if nodes and not allowed else None
        try:
            searching.loop(mate)
        finally:
            if mate is not None:
                mate.close()
        return searching.decide(mate.moves if mate is not None else (), self._quick_solver)

    def _should_resign(self, decision: Decision, settings: EngineSettings) -> bool:
        never = EngineSettings().resign_value
        if settings.resign_value >= never or decision.score is None or decision.move in (WIN, RESIGN):
            return False
        is_low = decision.score.centipawns <= -settings.resign_value
        self._hopeless = self._hopeless + 1 if is_low else 0
        return self._hopeless >= _RESIGN_MOVES


class _Searching:
    """The loop around the tree."""

    def __init__(self, thinking: Thinking, tree: Tree, state: State, on_info: Callable[[Info], None]) -> None:
        self._thinking = thinking
        self._settings = thinking.settings
        self._tree = tree
        self._state = state
        self._on_info = on_info
        self._told = -1.0
        self._looked = time.monotonic()
        self._is_exhausted = False

    def loop(self, mate: RootMate | None) -> None:
        thinking, tree = self._thinking, self._tree
        while not thinking.is_stopped and not self._is_time_up():
            if self._is_exhausted or tree.is_done or (mate is not None and mate.moves):
                # Nothing more to do: the answer waits until somebody wants it.
                return
            limit = _node_limit(thinking)
            tree.step(None if limit is None else limit - tree.visits)
            if time.monotonic() - self._looked >= _LOOK_S or self._is_counted():
                self._look()
        while not tree.report().moves:
            tree.step(1)

    def _is_counted(self) -> bool:
        """Few visits are allowed, so that each counts."""
        limit = _node_limit(self._thinking)
        return limit is not None and limit <= self._tree.visits

    def _is_time_up(self) -> bool:
        """Or would be, after another step."""
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
        """By the clock there is no time left for the second move to catch up."""
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
        """The move of the tree, after the last word about all lines; a proven mate goes before it, unless the tree has
        a shorter one."""
        while not (report := self._tree.report()).moves:
            self._tree.step(1)
        temperature = (_FULL_SKILL - self._settings.skill_level) / 10
        chosen = self._tree.choose(temperature)
        moves = sorted(report.moves, key=lambda move: move.action != chosen)
        info = self._info(report, moves)
        info = replace(info, lines=tuple(complete_mate(self._state, line, solver) for line in info.lines))
        own = info.lines[0].score.mate if info.lines else None
        if mate and not (own is not None and 0 < own <= len(mate)):
            line = Line(Score(mate=len(mate)), tuple(mate))
            others = tuple(other for other in info.lines if other.pv[0] != mate[0])
            lines = (line, *others)[: self._settings.multi_pv]
            info = replace(info, depth=len(mate), seldepth=max(info.seldepth, len(mate)), lines=lines)
            chosen = self._state.game.parse(mate[0], self._state)
        self._on_info(info)
        name = self._state.game.name(chosen)
        if name == WIN or not info.lines:
            return Decision(name, None, Score(is_won=True) if name == WIN else None, (), info)
        best = info.lines[0]
        return Decision(name, best.pv[1] if len(best.pv) > 1 else None, best.score, best.pv, info)


def _ignore(_: Info) -> None: ...


def _node_limit(thinking: Thinking) -> int | None:
    """The visits that a search may make."""
    settings = thinking.settings
    limits = [limit for limit in (thinking.limits.nodes, settings.nodes_limit) if limit]
    if settings.skill_level < _FULL_SKILL:
        limits.append(round(8 * 2 ** (settings.skill_level / 2)))
    return min(limits, default=None)


def _draw_value(thinking: Thinking, side: int) -> float:
    """To Black. The engine is who is to move, or on the opponent's time who is not."""
    settings = thinking.settings
    own = 1 - side if thinking.is_background else side
    score = settings.draw_value_white if own else settings.draw_value_black
    value = value_of(score, settings.eval_coef)
    return -value if own else value


def _allowed(state: State, names: Sequence[str]) -> list[str]:
    legal = {state.game.name(action) for action in state.legal()}
    return [name for name in names if name in legal]


def _playable(state: State) -> State:
    """A game that ended here by a repetition or a limit may go on elsewhere: then it is thought about as it stands."""
    game = state.game
    assert isinstance(game, Shogi)
    if not state.is_over or game.end(state) == MATE:
        return state
    return Shogi(declaration=game.declaration).start(sfen=game.sfen(state))
