"""The computer as a player: a search for each pair of eyes, which follows the game and keeps its trees."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tengen.cli.thinking import think
from tengen.evaluators import find_evaluator
from tengen.search import Pool

if TYPE_CHECKING:
    import random

    from tengen.evaluators import AnyEvaluator
    from tengen.games import Game, Played, State
    from tengen.search import SearchResult, SearchSettings

__all__ = ["Choice", "Computer"]


@dataclass(frozen=True)
class Choice:
    action: int
    result: SearchResult | None
    """None where there was nothing to think about."""


class Computer:
    """Players who see the same share a tree. Where some do not, or choose at once, each has one of its own, in a pool
    of its own, so that only the one who is asked thinks."""

    def __init__(
        self,
        game: Game,
        settings: SearchSettings,
        evaluator: AnyEvaluator,
        rng: random.Random,
        seconds: float | None = None,
    ) -> None:
        self._game = game
        self._settings = settings
        self._evaluator = find_evaluator(evaluator, game)
        self._rng = rng
        self._seconds = seconds
        self._trees: dict[int | None, tuple[Pool, int]] = {}
        Pool(game, settings, self._evaluator)  # settings that do not fit the game are refused here

    def search(self, state: State, player: int) -> SearchResult:
        """What a player may think of the position, from what that player sees."""
        pool, root = self._tree(state, player)
        return think(pool, root, seconds=self._seconds)

    def choose(self, state: State, player: int) -> Choice:
        legal = state.legal(player)
        if len(legal) == 1:
            return Choice(legal[0], None)
        result = self.search(state, player)
        pool, root = self._tree(state, player)
        # Where all choose at once the best answer is a mixture, and a choice is drawn from it.
        temperature = 1.0 if state.actor == "all" else 0.0
        return Choice(pool.choose(root, temperature=temperature, player=player), result)

    def follow(self, played: Played) -> None:
        """Something was played: the trees below it are kept."""
        for pool, root in self._trees.values():
            pool.advance(root, played)

    def forget(self) -> None:
        self._trees.clear()

    def _tree(self, state: State, player: int) -> tuple[Pool, int]:
        key = player if self._game.hidden or self._game.simultaneous else None
        if key not in self._trees:
            pool = Pool(self._game, self._settings, self._evaluator)
            self._trees[key] = pool, pool.add(state, viewer=player, seed=self._rng.getrandbits(63))
        return self._trees[key]
