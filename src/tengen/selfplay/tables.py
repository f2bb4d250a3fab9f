"""Games of self-play in progress: resignation, and the record of a finished game."""

from __future__ import annotations

import functools
import math
import random
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen.selfplay.forks import Beginning, begin_fork
from tengen.selfplay.games import GameTable
from tengen.selfplay.records import Decision, GameRecord

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tengen.games import Game, Played, RecordedGame, State
    from tengen.selfplay.forks import Judge
    from tengen.selfplay.settings import SelfPlaySettings

__all__ = ["Table", "begin", "begin_state", "consider_resigning", "play_randomly", "record_of"]


@dataclass
class Table(GameTable):
    """A game of self-play in progress, in which one player has all seats."""

    seed: int
    rng: random.Random
    may_resign: bool
    roots: dict[int, int] = field(default_factory=dict)
    """Roots in a search's pool by player; one root serves all players if nothing is hidden."""
    decisions: list[Decision] = field(default_factory=list)
    doomed: dict[int, int] = field(default_factory=dict)
    """Number of consecutive hopeless searches of each player."""
    would_resign: int | None = None
    start: dict[str, Any] = field(default_factory=dict)
    """Options of the game's start beyond the seed."""
    proven: tuple[float, ...] | None = None
    """Payoffs that a search has proven, if they end the game."""
    deal_seed: int | None = None
    """The seed of the deal if it may be that of another game."""
    max_plies: float = math.inf
    """Number of plies at which the game is dropped."""
    follow_tree: Callable[[Table, Played], State] | None = None
    """A function that returns the state after a move if a search's tree follows the game."""

    def __post_init__(self) -> None:
        self.plies = len(self.state.history)
        """Length of the state's history, which takes longer to count."""

    @property
    def is_done(self) -> bool:
        return self.has_result or self.plies >= self.max_plies

    @property
    def has_result(self) -> bool:
        return self.state.is_over or self.resigned is not None or self.proven is not None

    def chance_seed(self) -> int:
        return self.rng.getrandbits(63)

    def follow(self, played: Played) -> State:
        self.plies += 1
        return super().follow(played) if self.follow_tree is None else self.follow_tree(self, played)

    def advance(self) -> bool:
        has_moved = super().advance()
        if self.roots:
            self.settle()
        return has_moved


def begin(
    game: Game, seed: int, settings: SelfPlaySettings, lines: Sequence[RecordedGame], judge: Judge | None = None
) -> Table:
    """Return a game at its start, or somewhere in one of the lines.

    If `settings` have a share of forks, that share of the games leaves one of the lines, and the others start anew.
    `judge` evaluates the moves by which forks leave.
    """
    rng = random.Random(seed)
    may_resign = rng.random() >= settings.no_resign_share
    begun = functools.partial(Table, seed=seed, rng=rng, may_resign=may_resign, max_plies=settings.max_plies)
    if settings.fork_share > 0 and lines:
        if rng.random() < settings.fork_share:
            if judge is None:
                raise ValueError("self-play: fork_share needs a player that evaluates positions")
            fork = begin_fork(game, lines, seed, rng, settings, judge)
            return begun(fork.state, start=fork.start, deal_seed=fork.seed)
        lines = ()
    state, deal, start = begin_state(game, seed, rng, lines)
    if settings.opening_share > 0 and rng.random() < settings.opening_share:
        state = play_randomly(state, rng.randint(0, settings.opening_plies), rng)
    return begun(state, start=start, deal_seed=deal)


def play_randomly(state: State, plies: int, rng: random.Random) -> State:
    """Return the state after `plies` random actions, or the last one before the game would be over."""
    for _ in range(0 if state.is_over else plies):
        actor = state.actor
        if actor == "chance":
            action: Any = state.outcome(rng.getrandbits(63))
        elif actor == "all":
            action = tuple(rng.choice(state.legal(player)) for player in range(state.game.players))
        else:
            action = rng.choice(state.legal())
        further = state.play(action)
        if further.is_over:
            break
        state = further
    return state


def begin_state(game: Game, seed: int, rng: random.Random, lines: Sequence[RecordedGame]) -> Beginning:
    """Return the game's start or a position somewhere in one of the lines, in which the cards are those of the line."""
    if not lines:
        return Beginning(game.start(seed), seed, {})
    line = rng.choice(lines)
    deal = seed if line.seed is None else line.seed
    state = game.start(deal, **line.start)
    for action in line.actions[: rng.randrange(len(line.actions) + 1)]:
        further = state.play(action)
        if further.is_over:
            break
        state = further
    return Beginning(state, deal, line.start)


def consider_resigning(game: Game, table: Table, player: int, value: float, settings: SelfPlaySettings) -> None:
    """Resign for a player whose last two searches were hopeless.

    Games are played to the end unless they are two-player zero-sum games with a fixed worth of a loss.
    """
    if settings.resign_value >= 1 or game.players != 2 or not game.zero_sum or game.payoff_unit:
        return
    hopeless = value < -settings.resign_value * game.payoff_scale
    table.doomed[player] = table.doomed.get(player, 0) + 1 if hopeless else 0
    if table.doomed[player] < 2:
        return
    if table.may_resign:
        table.resigned = table.resigned if table.resigned is not None else player
    elif table.would_resign is None:
        table.would_resign = player


def record_of(game: Game, table: Table) -> GameRecord:
    """Return the record of a game that has a result."""
    # A player who resigned and then finished the game has the result of the game.
    resigned = None if table.state.is_over else table.resigned
    meta: dict[str, Any] = {}
    if resigned is not None:
        worth = game.payoff_scale
        payoffs = tuple(-worth if p == resigned else worth for p in range(game.players))
    elif table.proven is not None and not table.state.is_over:
        payoffs, meta = table.proven, {"end": "proven"}
    else:
        payoffs = table.state.payoffs
    return GameRecord(
        game=game.id,
        settings=dict(game.settings),
        seed=table.seed if table.deal_seed is None else table.deal_seed,
        actions=table.state.history,
        decisions=tuple(table.decisions),
        payoffs=payoffs,
        resigned=resigned,
        would_resign=table.would_resign,
        meta=meta,
        start=table.start,
    )
