"""The computer as a player: a search for each pair of eyes, which follows the game and keeps its trees; or any player
of the arena."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from tengen.evaluators import FLAT, find_evaluator
from tengen.play.search_run import run_search
from tengen.search import Pool

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from tengen.arena import Player
    from tengen.evaluators import AnyEvaluator
    from tengen.games import Game, Played, State
    from tengen.play.search_run import SearchRunner
    from tengen.search import SearchResult, SearchSettings

__all__ = ["ArenaOpponent", "Choice", "Follower", "Opponent", "SearchOpponent"]


@dataclass(frozen=True)
class Choice:
    action: int
    result: SearchResult | None
    """None where there was nothing to think about, or no search."""
    elapsed_s: float = 0.0


class Opponent(Protocol):
    def choose(self, state: State, player: int) -> Choice: ...

    def follow(self, played: Played) -> None:
        """Something was played."""

    def forget(self) -> None:
        """Another game begins, or this one was taken back."""


class ArenaOpponent:
    """A player of the arena, who judges every position anew."""

    def __init__(self, player: Player, rng: random.Random) -> None:
        self._player = player
        self._rng = rng

    def choose(self, state: State, player: int) -> Choice:
        began = time.monotonic()
        [action] = self._player.choose([state], [player], [self._rng.getrandbits(63)])
        return Choice(action, None, time.monotonic() - began)

    def follow(self, played: Played) -> None: ...

    def forget(self) -> None: ...


class _Tree:
    """A search tree and the game that it has followed."""

    def __init__(self, pool: Pool, root: int, state: State) -> None:
        self.pool = pool
        self.root = root
        self._first = state.initial.key
        self._history = list(state.history)

    def advance(self, played: Played) -> None:
        self.pool.advance(self.root, played)
        self._history.append(played)

    def catch_up(self, state: State) -> bool:
        """Advance to a state. Return False if it is of another game, or of this game before the tree's position."""
        known, history = len(self._history), state.history
        if list(history[:known]) != self._history or state.initial.key != self._first:
            return False
        for played in history[known:]:
            self.advance(played)
        return True


class SearchOpponent:
    """A search as a player. Players who see the same share a tree. In a game with hidden information or simultaneous
    choices each player has a tree in a pool of its own, so that only the player who is to decide searches."""

    def __init__(
        self,
        game: Game,
        settings: SearchSettings,
        evaluator: AnyEvaluator,
        rng: random.Random,
        seconds: float | None = None,
        run: SearchRunner = run_search,
    ) -> None:
        """`run` searches; it may show how far it is."""
        self.game = game
        self._run = run
        self._settings = settings
        self._evaluator = find_evaluator(evaluator, game)
        self._rng = rng
        self._seconds = seconds
        self._trees: dict[int | None, _Tree] = {}
        Pool(game, settings, self._evaluator)  # settings that do not fit the game are refused here

    def search(self, state: State, player: int) -> SearchResult:
        """Search the position with what the player sees."""
        pool, root = self._tree(state, player)
        found = self._run(pool, root, seconds=self._seconds)
        return pool.result(root, aux=self._has_aux, elapsed_s=found.elapsed_s)

    def study(
        self,
        state: State,
        player: int,
        include: Sequence[int],
        include_visits: int,
        visits: int,
        seconds: float | None = None,
    ) -> SearchResult:
        """Search the position in a separate tree, in which some actions are guaranteed visits."""
        pool = Pool(self.game, self._settings, self._evaluator)
        sure: dict[str, Any] = {"include": include, "include_visits": include_visits, "visits": visits}
        is_joint = state.actor == "all" and bool(include)
        root = pool.add(state, viewer=player, seed=self._seed(), **({"visits": visits} if is_joint else sure))
        self._run(pool, root, seconds=seconds or self._seconds)
        if is_joint:
            # Before the other players have learned their replies, every action looks good.
            pool.restart(root, **sure)
            self._run(pool, root, seconds=seconds or self._seconds)
        return pool.result(root, spread=True, aux=self._has_aux)

    @property
    def _has_aux(self) -> bool:
        """True if auxiliary values of the game are shown to people."""
        return self.game.win_aux is not None or self.game.score_aux is not None

    @property
    def visits(self) -> int:
        return self._settings.visits

    @property
    def is_flat(self) -> bool:
        return self._evaluator == FLAT

    def choose(self, state: State, player: int) -> Choice:
        legal = state.legal(player)
        if len(legal) == 1:
            return Choice(legal[0], None)
        result = self.search(state, player)
        pool, root = self._tree(state, player)
        # If all players choose at the same time, the best strategy is mixed, and a choice is drawn from it.
        temperature = 1.0 if state.actor == "all" else 0.0
        return Choice(pool.choose(root, temperature=temperature, player=player), result, result.elapsed_s)

    def follow(self, played: Played) -> None:
        """The trees below it are kept."""
        for tree in self._trees.values():
            tree.advance(played)

    def forget(self) -> None:
        self._trees.clear()

    def _tree(self, state: State, player: int) -> tuple[Pool, int]:
        key = player if self.game.hidden or self.game.simultaneous else None
        tree = self._trees.get(key)
        # A search that only advises is not informed of moves, of moves taken back and of new games.
        if tree is None or not tree.catch_up(state):
            pool = Pool(self.game, self._settings, self._evaluator)
            tree = _Tree(pool, pool.add(state, viewer=player, seed=self._seed()), state)
            self._trees[key] = tree
        return tree.pool, tree.root

    def _seed(self) -> int | None:
        # Flat Monte Carlo has one of its own for each position.
        return None if self.is_flat else self._rng.getrandbits(63)


class Follower:
    """An opponent who is asked about states alone and finds out what was played, or taken back, since it was asked
    last."""

    def __init__(self, opponent: Opponent) -> None:
        self._opponent = opponent
        self._known: tuple[Played, ...] | None = None

    def choose(self, state: State, player: int) -> Choice:
        history = state.history
        known = self._known
        if known is not None and history[: len(known)] == known:
            for played in history[len(known) :]:
                self._opponent.follow(played)
        else:
            self._opponent.forget()
        self._known = history
        return self._opponent.choose(state, player)
