"""How strong the network of a step is: against exact play in solved positions, and in matches with a fixed player."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from strength_positions import Solved, find_positions

import tengen
from tengen.arena import evaluate_positions, find_player, play_match
from tengen.evaluators import find_evaluator

if TYPE_CHECKING:
    from tengen.games import Game
    from tengen.runs import Step

OTHELLO = f"{Path(__file__).with_name('othello.py')}:Othello"
GNUGO = "{program} --mode gtp --level 10 --chinese-rules --capture-all-dead --never-resign"
MATCH_SEED = 7


@dataclass(frozen=True)
class Course:
    """A game whose learning is measured, and what the strength of its networks is measured by."""

    game: str
    """The name of the game for `tengen learn`."""
    settings: dict[str, Any] = field(default_factory=dict)
    """Settings of the game."""
    plies: tuple[int, int] | None = None
    """Fewest and most plies before a solved position; None: no positions are solved."""
    positions: int = 0
    """Solved positions in which a mistake is possible."""
    opponent: str = ""
    """The fixed player of the matches; empty for none."""
    match_settings: dict[str, Any] = field(default_factory=dict)
    """Settings of the game in matches, if they differ: programs may know other rules."""
    match_games: int = 100
    is_planned: bool = False
    """Let `tengen learn` plan the run for the time, because the game is too slow for the default settings."""


def gnugo() -> str:
    """Return GNU Go at level 10 as a player."""
    program = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games") or "gnugo"
    return f'gtp:"{GNUGO.format(program=program)}"'


COURSES = {
    "connect_four": Course("connect_four", plies=(10, 36), positions=1000),
    "pyrga": Course("pyrga", plies=(14, 26), positions=1000, opponent="rollout:1000"),
    "othello6": Course(OTHELLO, plies=(22, 30), positions=300, opponent="rollout:200", is_planned=True),
    "go7": Course("go", {"size": 7}, opponent=gnugo(), match_settings={"rules": "chinese"}, match_games=40),
    "go9": Course("go", {"size": 9}, opponent=gnugo(), match_settings={"rules": "chinese"}, match_games=40),
}


class Measurement:
    """Measures the networks of one course, all by the same positions and with the same seeds."""

    def __init__(self, course: Course, game: Game, positions: int, match_games: int, visits: int) -> None:
        self.game = game
        self.visits = visits
        self._positions = find_positions(game, positions, course.plies) if course.plies is not None else []
        self._opponent = course.opponent if match_games else ""
        settings = dict(game.settings) | course.match_settings
        self._match_game = tengen.game(course.game, **settings) if course.match_settings else game
        self._match_games = match_games

    def of(self, step: Step) -> dict[str, float]:
        """Return the figures of a step's network. The player of the searched ones is the run's, with other visits."""
        player = f"{step.path}@{self.visits}"
        figures = self._exactness(step, player) if self._positions else {}
        if self._opponent:
            result = play_match(self._match_game, player, self._opponent, self._match_games, seed=MATCH_SEED)
            found = result.figures()
            figures |= {name: found[name] for name in ("score", "score_low", "score_high")}
        return figures

    def _exactness(self, step: Step, player: str) -> dict[str, float]:
        evaluator: Any = find_evaluator(str(step.file("net.onnx")), self.game)
        states = [each.state for each in self._positions]
        seats = [_actor(each) for each in self._positions]
        policies, values = evaluate_positions(self.game, evaluator, states, seats, [1] * len(states))
        own = [value[seat] for value, seat in zip(values, seats, strict=True)]
        best = [each.best for each in self._positions]
        hard = [i for i, each in enumerate(self._positions) if each.has_mistakes]
        first = [int(policies[i].argmax()) for i in hard]
        searched = find_player(player, self.game).choose([states[i] for i in hard], [seats[i] for i in hard], hard)
        return {
            "policy": self._kept(hard, first),
            "search": self._kept(hard, searched),
            "value_correlation": float(np.corrcoef(own, best)[0, 1]),
        }

    def _kept(self, places: list[int], actions: list[int]) -> float:
        return float(np.mean([self._positions[i].keeps(action) for i, action in zip(places, actions, strict=True)]))


def _actor(position: Solved) -> int:
    actor = position.state.actor
    assert isinstance(actor, int)
    return actor
