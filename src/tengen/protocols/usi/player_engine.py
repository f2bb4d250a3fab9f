"""Players of the arena as an engine: any specification of a player over USI and on CSA servers."""

from __future__ import annotations

import logging
import random
from typing import TYPE_CHECKING, Final

from tengen.games.shogi import Shogi
from tengen.protocols.deliberation import Deliberator
from tengen.protocols.usi.decision import RESIGN, WIN, Decision, Info, Line, Score
from tengen.protocols.usi.engine import ShogiEngine
from tengen.protocols.usi.lines import centipawns, mate_score
from tengen.protocols.usi.options import PlayerSettings

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.arena import Player, Thought, Variation
    from tengen.games import State
    from tengen.protocols.deliberation import Deliberation
    from tengen.protocols.usi.options import EngineSettings
    from tengen.protocols.usi.thinking import Thinking

__all__ = ["PlayerEngine"]

_log = logging.getLogger(__name__)

_LOOK_S: Final = 0.01
"""Longest time between two looks at the clock and at stop(), in seconds."""
_FIRST_STEP_S: Final = 0.2
"""Longest time that a first thought is waited for after stop(), in seconds."""
_WARM_UP_S: Final = 30.0


class PlayerEngine(ShogiEngine):
    """An engine whose moves are those of a player, such as a pair of prophet and enforcer.

    Book, clock, resignation and pondering are those of ShogiEngine. The player decides in a thread of its own, so that
    the answer comes in time even if a step of the player takes longer than the clock allows.
    """

    def __init__(self, player: Player, settings: PlayerSettings | None = None, *, seed: int | None = None) -> None:
        super().__init__(settings or PlayerSettings(), seed=seed)
        self.player = player
        self._deliberator = Deliberator(player)
        self._seeds = random.Random(seed)
        self._is_warm = False

    def prepare(self) -> list[str]:
        """Load the book and let the player decide once, so that networks are loaded before the first move."""
        notes = self._load_book(self.settings)
        try:
            self.player.check(self.game)
        except (ValueError, OSError) as error:
            # A move is still due: every legal one is better than none.
            return [*notes, f"{self.player.name} can't be used: {error}"]
        if not self._is_warm:
            self._is_warm = True
            first = self._deliberator.start(self.game.start(), 0, 1)
            first.wait(_WARM_UP_S, 0)
            self._deliberator.cancel()
        return notes

    def start_game(self) -> None:
        self._hopeless = 0

    def close(self) -> None:
        super().close()
        self._deliberator.close()

    def _eval_coef(self, settings: EngineSettings) -> int:
        return settings.eval_coef

    def _search(self, thinking: Thinking, state: State, on_info: Callable[[Info], None]) -> Decision:
        game = state.game
        assert isinstance(game, Shogi)
        deliberation = self._deliberator.start(
            state, game.side(state), self._seeds.getrandbits(32), lambda thought: _is_enough(thinking, thought)
        )
        try:
            self._follow(thinking, state, deliberation, on_info)
            if thinking.is_stopped:
                # The answer to a `stop` right after `go` is the player's own if its first step is short.
                deliberation.wait(min(_FIRST_STEP_S, _time_left(thinking)), 0)
            thought = deliberation.thought
        finally:
            deliberation.cancel()
        chosen = None if thought is None else _chosen(state, thinking, thought)
        if thought is None or chosen is None:
            return _legal_move(state, thinking, deliberation, on_info)
        info = _info_of(state, thinking, thought)
        on_info(info)
        if chosen.actions[0] < 0:
            return Decision(RESIGN, None, None, (), info)
        line = _line_of(state, chosen, thinking.settings.eval_coef)
        reply = line.pv[1] if len(line.pv) > 1 else None
        return Decision(
            state.game.name(chosen.actions[0]), reply, None if chosen.value is None else line.score, line.pv, info
        )

    def _follow(
        self, thinking: Thinking, state: State, deliberation: Deliberation, on_info: Callable[[Info], None]
    ) -> None:
        """Report the player's thoughts until it has decided, the time is up, or stop() is called."""
        seen, depth, told = 0, 0, -float("inf")
        while not (thinking.is_stopped or deliberation.is_done):
            left = _time_left(thinking)
            if left <= 0:
                return
            deliberation.wait(min(_LOOK_S, left), seen)
            thought, count = deliberation.thought, deliberation.count
            if thought is None or count == seen:
                continue
            seen = count
            # A new depth is reported immediately, progress within it every PvInterval.
            is_due = thinking.elapsed_ms - told >= thinking.settings.pv_interval
            if (is_due or thought.depth > depth) and (info := _info_of(state, thinking, thought)).lines:
                told, depth = thinking.elapsed_ms, thought.depth
                on_info(info)


def _time_left(thinking: Thinking) -> float:
    """Return the seconds until the move must be made; infinite while no clock runs."""
    spent = thinking.clock_ms()
    return float("inf") if spent < 0 else (thinking.budget.target - spent) / 1000


def _is_enough(thinking: Thinking, thought: Thought) -> bool:
    """Return whether a limit of depth or nodes is reached."""
    limits, settings = thinking.limits, thinking.settings
    depths = [limit for limit in (limits.depth, settings.depth_limit) if limit]
    nodes = [limit for limit in (limits.nodes, settings.nodes_limit) if limit]
    return any(thought.depth >= limit for limit in depths) or any(thought.nodes >= limit for limit in nodes)


def _chosen(state: State, thinking: Thinking, thought: Thought) -> Variation | None:
    """Return the player's choice; with `searchmoves` its best line that begins with one of these, if it has any."""
    allowed = set(thinking.limits.search_moves)
    for each in thought.lines:
        if not allowed or (each.actions[0] >= 0 and state.game.name(each.actions[0]) in allowed):
            return each
    return None


def _info_of(state: State, thinking: Thinking, thought: Thought) -> Info:
    """Return the lines that have a value, in USI's form, ranked by score: the choice and others, up to MultiPV."""
    chosen = _chosen(state, thinking, thought)
    others = [] if thinking.limits.search_moves else [each for each in thought.lines if each is not chosen]
    shown = [each for each in (chosen, *others) if each is not None and each.value is not None and each.actions[0] >= 0]
    lines = [_line_of(state, each, thinking.settings.eval_coef) for each in shown[: thinking.settings.multi_pv]]
    lines.sort(key=lambda line: -line.score.centipawns)
    depth = max(1, thought.depth)
    longest = max([depth, *(len(line.pv) for line in lines)])
    return Info(depth, longest, thinking.elapsed_ms, thought.nodes, 0, tuple(line for line in lines if line.pv))


def _line_of(state: State, variation: Variation, coefficient: int) -> Line:
    names = tuple(state.game.name(action) for action in variation.actions if action >= 0)
    pv = names[: names.index(WIN)] if WIN in names else names
    value = variation.value or 0.0
    if variation.is_proven and abs(value) == 1:
        return Line(mate_score(state, variation.actions, is_won=value > 0), pv)
    return Line(Score(cp=centipawns(value, coefficient)), pv)


def _legal_move(
    state: State, thinking: Thinking, deliberation: Deliberation, on_info: Callable[[Info], None]
) -> Decision:
    """Return a legal move for a player that has failed or not decided in time."""
    names = [state.game.name(action) for action in state.legal()]
    asked = [name for name in thinking.limits.search_moves if name in names]
    move = (asked or [name for name in names if name != WIN])[0]
    if deliberation.error is not None:
        reason = f"{type(deliberation.error).__name__}: {deliberation.error}"
    else:
        reason = "it was not ready in time" if deliberation.thought is None else "it has not tried these moves"
    note = f"the player has no move ({reason}): {move} is played instead"
    _log.warning("%s", note)
    on_info(Info(1, 1, thinking.elapsed_ms, 0, 0, (), note))
    return Decision(move, None, None, (move,))
