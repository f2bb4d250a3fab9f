"""The arrays of samples: what is stored for each decision of a finished game, and how symmetries act on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen.games import Game, PlayedDecision, PlayedGame, TrainingTarget

__all__ = ["MAX_SHARE", "REPLY", "SHORT_TERM", "SHORT_TERM_PLIES", "SURPRISE", "Column", "columns_of", "is_paired"]

MAX_SHARE = 1000.0
"""Largest result in full wins."""
SHORT_TERM, REPLY, SURPRISE = "short_term", "reply", "surprise"
SHORT_TERM_PLIES = (6, 16)
"""Horizons of the short-term values, in decisions."""

Symmetry: TypeAlias = Literal["none", "labels", "cells"]
Rows: TypeAlias = "Callable[[PlayedGame, Mapping[str, NDArray[np.float32]]], Any]"
"""Returns the rows of all decisions of a game. The mapping has the columns before this one."""


@dataclass(frozen=True)
class Column:
    """An array of samples, with one row for each decision."""

    name: str
    width: int | None
    """Numbers for each decision; None: one number, without an axis of its own."""
    rows: Rows
    symmetry: Symmetry = "none"
    """How symmetries act: labels are moved as the policy's are, cells as those of a plane."""
    first: int = 0
    """Index of the first number that symmetries move."""

    def of(self, played: PlayedGame, made: Mapping[str, NDArray[np.float32]]) -> NDArray[np.float32]:
        """Return the rows of a game. Raise a ValueError if they do not have the width of the column."""
        rows = np.asarray(self.rows(played, made), np.float32)
        count = len(played.decisions)
        wanted = (count,) if self.width is None else (count, self.width)
        if rows.size != np.prod(wanted):
            raise ValueError(f"the labels {self.name} of {played.game.id} have the shape {rows.shape}, not {wanted}")
        return rows.reshape(wanted)


def columns_of(game: Game) -> tuple[Column, ...]:
    """Return the arrays that samples of a game have besides the features."""
    labels, seats = game.policy_count, 0 if is_paired(game) else game.players
    cells = first_cell_aux(game)
    return (
        Column("policy", labels, _policies, "labels"),
        Column("result", None, _results),
        Column("search_value", None, _search_values),
        Column("moves_left", None, _moves_left),
        Column("aux", game.aux_count, _aux, "none" if cells is None else "cells", cells or 0),
        Column("hidden_labels", game.hidden_label_count, _hidden_labels),
        Column("seat_results", seats, _seat_results),
        Column("seat_values", seats, _seat_values),
        Column(SHORT_TERM, len(SHORT_TERM_PLIES) * max(1, seats), _short_term),
        Column(REPLY, labels, _replies, "labels"),
        Column(SURPRISE, None, _surprises),
        *(_column(game, target) for target in game.training_targets),
    )


def first_cell_aux(game: Game) -> int | None:
    """Return the index of the first auxiliary value that belongs to a cell; None if none do."""
    _, height, width = game.shape
    numbers = game.aux_count - height * width
    if game.cell_aux not in (None, numbers):
        raise ValueError(
            f"{game.id}: cell_aux is {game.cell_aux}; {height * width} cells leave {numbers} of {game.aux_count} "
            "auxiliary values before theirs"
        )
    return numbers if game.cell_aux is not None or numbers == 0 < game.aux_count else None


def _column(game: Game, target: TrainingTarget) -> Column:
    _, height, width = game.shape
    size = target.size * height * width if target.kind == "cells" else target.size
    symmetries: dict[str, Symmetry] = {"policy": "labels", "cells": "cells"}
    return Column(
        target.name,
        size,
        lambda played, _made: [np.ravel(target.row(played, i)) for i in range(len(played.decisions))],
        symmetries.get(target.kind, "none"),
    )


def is_paired(game: Game) -> bool:
    """Return whether the second player's result is known from the first one's."""
    return game.players == 2 and game.zero_sum


def _shares(game: Game, payoffs: Any) -> NDArray[np.float64]:
    """Return payoffs in full wins."""
    return (np.asarray(payoffs, np.float64) / game.payoff_scale).clip(-MAX_SHARE, MAX_SHARE)


def _policies(played: PlayedGame, _made: object) -> list[NDArray[np.float32]]:
    return [_policy(played.game, played.states[each.ply].position, each) for each in played.decisions]


def _policy(game: Game, position: Any, decision: PlayedDecision) -> NDArray[np.float32]:
    """Return a policy by label. Actions without a label are left out, and the others make up for them."""
    target = np.zeros(game.policy_count, np.float32)
    if not decision.is_full:
        return target
    labels = {action: game.policy_index(position, action) for action in decision.policy}
    known = {label: decision.policy[action] for action, label in labels.items() if label >= 0}
    target[list(known)] = list(known.values())
    total = target.sum()
    return target / total if len(known) < len(labels) and total > 0 else target


def _results(played: PlayedGame, _made: object) -> Any:
    return _shares(played.game, played.payoffs)[_viewers(played)]


def _search_values(played: PlayedGame, _made: object) -> Any:
    return _shares(played.game, [each.values[each.player] for each in played.decisions])


def _viewers(played: PlayedGame) -> NDArray[np.int64]:
    return np.array([each.player for each in played.decisions], np.int64)


def _moves_left(played: PlayedGame, _made: object) -> list[int]:
    end = len(played.states) - 1
    return [end - each.ply if played.is_finished else -1 for each in played.decisions]


def _aux(played: PlayedGame, _made: object) -> Any:
    game, count = played.game, len(played.decisions)
    if not (played.is_finished and game.aux_count):
        return np.full((count, game.aux_count), np.nan)
    signs = np.where(_viewers(played) == 1, -1, 1) if is_paired(game) else np.ones(count)
    return signs[:, None] * np.asarray(played.states[-1].final_aux)


def _hidden_labels(played: PlayedGame, _made: object) -> list[Any]:
    game = played.game
    return [game.hidden_labels(played.states[each.ply].position, each.player) for each in played.decisions]


def _seats(played: PlayedGame) -> NDArray[np.int64]:
    """[decisions, players]: the viewer, then those who follow; no players if the viewer's number is enough."""
    game = played.game
    players = np.arange(0 if is_paired(game) else game.players)
    return (_viewers(played)[:, None] + players) % game.players


def _seat_results(played: PlayedGame, _made: object) -> Any:
    return _shares(played.game, played.payoffs)[_seats(played)]


def _seat_values(played: PlayedGame, _made: object) -> Any:
    values = _shares(played.game, [each.values for each in played.decisions])
    return np.take_along_axis(values, _seats(played), axis=1)


def _short_term(played: PlayedGame, _made: object) -> Any:
    """Return exponential averages of the later searches' values, which end in the result, by horizon and seat."""
    values = _shares(played.game, [each.values for each in played.decisions]).tolist()
    seats = _viewers(played)[:, None] if is_paired(played.game) else _seats(played)
    columns = []
    for decisions in SHORT_TERM_PLIES:
        share = 1 / decisions
        average = _shares(played.game, played.payoffs).tolist()
        averages = []
        for now in reversed(values):
            averages.append(average)
            average = [share * new + (1 - share) * old for new, old in zip(now, average, strict=True)]
        columns.append(np.take_along_axis(np.array(averages[::-1]), seats, axis=1))
    return np.concatenate(columns, axis=1)


def _replies(played: PlayedGame, made: Mapping[str, NDArray[np.float32]]) -> Any:
    """Return the policy of the next decision by another player; 0 if there is none."""
    policies = made["policy"]
    replies = np.zeros_like(policies)
    for i, decision in enumerate(played.decisions):
        for j in range(i + 1, len(policies)):
            later = played.decisions[j]
            if later.player != decision.player and later.ply > decision.ply:
                replies[i] = policies[j]
                break
    return replies


def _surprises(played: PlayedGame, _made: object) -> list[float]:
    return [np.nan if each.surprise is None else each.surprise for each in played.decisions]


def move_cells(features: NDArray[np.int32], cells: int) -> NDArray[np.int64]:
    """[symmetries, cells]: a plane's cells go where the first plane's do, whichever plane they land in."""
    return (features[:, :cells] % cells).astype(np.int64)
