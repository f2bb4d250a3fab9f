"""Moves of a player of the arena in a GTP session; analyses and scores stay those of the engine."""

from __future__ import annotations

import logging
import random
import time
from typing import TYPE_CHECKING, Final

from tengen.analysis.go.positions import board_stones
from tengen.arena import RESIGN
from tengen.games.go import COLORS
from tengen.protocols.deliberation import Deliberator
from tengen.protocols.gtp.output import format_number
from tengen.protocols.gtp.wire import GtpError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tengen.arena import Player, Thought
    from tengen.games import Game, State
    from tengen.games.go.notation import Color
    from tengen.protocols.deliberation import Deliberation
    from tengen.protocols.gtp.output import Style
    from tengen.protocols.gtp.position import Position

__all__ = ["PlayerMoves", "format_thought"]

_log = logging.getLogger(__name__)

_LOOK_S: Final = 0.01


class PlayerMoves:
    """Chooses the moves of a session by a player, which decides in a thread of its own."""

    def __init__(self, player: Player, seed: int | None = None) -> None:
        self.player = player
        self._deliberator = Deliberator(player)
        self._seeds = random.Random(seed)
        self._checked: Game | None = None

    def choose(
        self,
        position: Position,
        color: Color,
        seconds: float,
        report: Callable[[Thought], None] | None = None,
        interval_s: float | None = None,
    ) -> tuple[str, float | None]:
        """Return a move within the time, and the player's winning chance from -1 to 1 if it has an opinion.

        `report` is called with the thoughts so far, every `interval_s` seconds, and with the last one.
        """
        self._check(position.game)
        state, seat = _state_for(position, color), COLORS.index(color)
        deliberation = self._deliberator.start(state, seat, self._seeds.getrandbits(32))
        try:
            _follow(deliberation, seconds, report, interval_s)
            thought = deliberation.thought
        finally:
            deliberation.cancel()
        if thought is None:
            move = state.game.name(state.legal()[0])
            reason = deliberation.error or "it was not ready in time"
            _log.warning("the player has no move (%s): %s is played instead", reason, move)
            return move, None
        if report is not None:
            report(thought)
        if thought.action == RESIGN:
            return "resign", None
        return state.game.name(thought.action), thought.lines[0].value

    def close(self) -> None:
        self._deliberator.close()

    def _check(self, game: Game) -> None:
        if self._checked == game:
            return
        try:
            self.player.check(game)
        except (ValueError, TypeError) as error:
            raise GtpError(f"{self.player.name} can't play on this board: {str(error).splitlines()[0]}") from error
        self._checked = game


def _state_for(position: Position, color: Color) -> State:
    """Return the position with the color to move. If it is not on turn, or the game has ended, the past is left out."""
    state = position.state
    if state.actor == COLORS.index(color):
        return state
    komi = position.komi
    if position.rules.scoring == "territory":
        from_black, from_white = position.game.go.captured(state.position)
        komi += from_black - from_white
    stones = board_stones(position.game, state)
    return position.game.start(rules=position.rules, komi=komi, stones=stones, to_play=color, prevent_cleanup=True)


def _follow(
    deliberation: Deliberation, seconds: float, report: Callable[[Thought], None] | None, interval_s: float | None
) -> None:
    """Block until the player has decided or the time is up."""
    began = time.monotonic()
    reported = began
    while not deliberation.is_done:
        now = time.monotonic()
        left = seconds - (now - began)
        if left <= 0:
            return
        thought = deliberation.thought
        if report is not None and interval_s is not None and thought is not None and now - reported >= interval_s:
            reported = now
            report(thought)
        deliberation.wait(min(_LOOK_S, left), deliberation.count)


def format_thought(thought: Thought, game: Game, style: Style, view: int) -> str:
    """Return the player's choice as a line of analysis; empty if it has no value.

    `view` is 1 if numbers are those of the player, -1 if they are those of the opponent.
    """
    best = thought.lines[0]
    if best.value is None or best.actions[0] < 0:
        return ""
    winrate = (1 + view * best.value) / 2
    move, pv = game.name(best.actions[0]), " ".join(game.name(action) for action in best.actions if action >= 0)
    if style == "lz":
        share = round(10000 * winrate)
        return f"info move {move} visits {thought.nodes} winrate {share} prior 0 lcb {share} order 0 pv {pv}"
    number = f"{winrate:.6f}" if style == "sabaki" else format_number(winrate)
    return f"info move {move} visits {thought.nodes} winrate {number} order 0 pv {pv}"
