"""Results of searches."""

from __future__ import annotations

import html
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tengen import _core
    from tengen.games import Game, State


@dataclass(frozen=True)
class Move:
    """One action at the root. Values are in the game's unit."""

    action: int
    name: str
    player: int
    visits: int
    value: float
    """For `player`."""
    values: tuple[float, ...]
    """For each player."""
    prior: float
    """The evaluator's policy, before noise and temperature."""
    weight: float
    """The visits that the search would have made of its own accord; what moves are ordered by."""
    policy: float
    """Share in the policy that the search stands for."""
    included: bool
    """Its visits were guaranteed."""
    proven: bool
    pv: tuple[str, ...]
    """The principal variation, this action first, as far as players decide one at a time."""
    pv_actions: tuple[int, ...]
    pv_visits: tuple[int, ...]
    aux: NDArray[np.float32] | None = None
    """The game's auxiliary values averaged over the visits, if asked for."""
    deviations: NDArray[np.float32] | None = None
    """Their standard deviations, if asked for."""
    spread: float | None = None
    """The standard deviation of the evaluations under this move, if asked for; of flat Monte Carlo always."""
    free: Free | None = None
    """Statistics of the visits that the weight counts, if guaranteed visits are not among them."""
    replies: tuple[Reply, ...] = ()
    """If two players act simultaneously: results against each choice of the opponent, most visited first."""

    @property
    def error(self) -> float | None:
        """The standard error of the value; None where the spread was not asked for, or nothing is left to chance."""
        return None if self.spread is None or self.proven or self.visits < 1 else self.spread / math.sqrt(self.visits)


@dataclass(frozen=True)
class Reply:
    """A simultaneous choice of the opponent."""

    action: int
    visits: int
    """Visits of both choices together."""
    value: float
    """For the player of the move that it replies to."""


@dataclass(frozen=True)
class Free:
    """Statistics of the free visits of a move; the fields are those of Move."""

    value: float
    aux: NDArray[np.float32] | None
    deviations: NDArray[np.float32] | None


@dataclass(frozen=True, repr=False)
class SearchResult:
    """The result of a search of one position."""

    state: State
    player: int | None
    """The player that the search is for, who is to act. None if all act and see everything and no viewer was named."""
    visits: int
    """All visits of the root."""
    guaranteed_visits: int
    """Guaranteed visits of included moves; only the others count against the budget."""
    values: tuple[float, ...]
    """Value of the position for each player, by the free visits."""
    raw_values: tuple[float, ...]
    """The evaluator's own values of the position."""
    moves: tuple[Move, ...]
    """Every visited or included move, best first; where all act, player by player."""
    is_done: bool
    is_full: bool
    """False for a fast search of a randomized playout cap."""
    proven: bool
    nodes: int
    bytes: int
    is_flat: bool = False
    """It is flat Monte Carlo's: no tree was grown."""
    aux: NDArray[np.float32] | None = None
    """The game's auxiliary values averaged over the visits that its values are of, if asked for."""
    deviations: NDArray[np.float32] | None = None
    """Their standard deviations, if asked for."""
    raw_aux: NDArray[np.float32] | None = None
    """Auxiliary values of the position's own evaluation, if requested."""
    priors: dict[int, float] = field(default_factory=dict)
    """The evaluator's policy by legal action, if the spread was asked for."""
    warnings: tuple[str, ...] = ()
    is_out_of_memory: bool = False
    """True if the analysis ended the search early because trees reached their memory limit."""
    elapsed_s: float = field(default=0.0, compare=False)

    @property
    def is_joint(self) -> bool:
        """True if all players act simultaneously: policies are mixed, and `moves` has those of every player."""
        return self.state.actor == "all"

    @property
    def value(self) -> float:
        """For the player who asked."""
        if self.player is None:
            raise ValueError("all players act here: look at values")
        return self.values[self.player]

    @property
    def best(self) -> Move:
        """The move to play. ValueError where all act, and where `moves` is empty: no move was visited, or allowed."""
        for move in self.moves:
            if move.player == self.player:
                return move
        if self.player is None:
            raise ValueError("all players act here: look at strategy()")
        raise ValueError("no move was visited, so none is best: look at moves")

    @property
    def policy(self) -> NDArray[np.float64]:
        """[actions]: the policy that the search stands for, for the player who asked."""
        policy = np.zeros(self.state.game.action_count)
        for move in self.moves:
            if move.player == self.player:
                policy[move.action] = move.policy
        return policy

    def strategy(self, player: int) -> dict[int, float]:
        """A player's policy by action: where all act, the average strategy."""
        return {move.action: move.policy for move in self.moves if move.player == player}

    def __getitem__(self, action: int | str) -> Move:
        """The move with this id or name."""
        wanted = self.state.game.parse(action, self.state) if isinstance(action, str) else action
        for move in self.moves:
            if move.action == wanted and self.player in (None, move.player):
                return move
        raise KeyError(f"{action!r} was not visited")

    def table(self, limit: int = 20) -> list[list[str]]:
        """Rows of text, a heading first."""
        several = self.state.actor == "all"
        numbers = ["visits", "value", "±"] if self.is_flat else ["visits", "value", "prior", "policy", "line"]
        rows = [[*(["player"] if several else []), "move", *numbers]]
        for move in self.moves[:limit]:
            name = move.name + (" *" if move.included else "") + (" !" if move.proven else "")
            between = ", " if any(" " in step for step in move.pv) else " "
            line = between.join(move.pv[:8]) + (" …" if len(move.pv) > 8 else "")
            cells = {
                "visits": str(move.visits),
                "value": f"{move.value:+.3f}",
                "±": "" if move.error is None else f"{move.error:.3f}",
                "prior": f"{move.prior:.3f}",
                "policy": f"{move.policy:.3f}",
                "line": line,
            }
            rows.append([*([str(move.player)] if several else []), name, *(cells[name] for name in numbers)])
        return rows

    def summary(self) -> str:
        worth = (
            f"value {self.value:+.3f} for player {self.player}" if self.player is not None else f"values {self.values}"
        )
        extra = f", {self.guaranteed_visits} of them guaranteed" if self.guaranteed_visits else ""
        return f"{self.visits} visits{extra}, {worth}{', proven' if self.proven else ''}"

    def __repr__(self) -> str:
        rows = self.table()
        widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
        notes = [f"({len(self.moves) - 20} more moves)"] if len(self.moves) > 20 else []
        return "\n".join([f"<SearchResult: {self.summary()}>", *lines, *notes, *self.warnings])

    def _repr_html_(self) -> str:
        heading, *rows = self.table()
        cells = "".join(f"<th style='text-align:left'>{html.escape(cell)}</th>" for cell in heading)
        body = "".join(
            "<tr>" + "".join(f"<td style='text-align:left'>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        notes = "".join(f"<p>{html.escape(warning)}</p>" for warning in self.warnings)
        return (
            "<div style='display:flex;gap:1em;align-items:flex-start'>"
            f"<div>{self.state.svg(self.player)}</div>"
            f"<div><p>{html.escape(self.summary())}</p><table><tr>{cells}</tr>{body}</table>{notes}</div></div>"
        )


def read_report(
    state: State,
    player: int | None,
    report: _core.RootReport,
    warnings: tuple[str, ...],
    elapsed_s: float,
    *,
    is_flat: bool = False,
) -> SearchResult:
    """A SearchResult from the core's report."""
    return SearchResult(
        state=state,
        player=player,
        visits=report.visits,
        guaranteed_visits=report.guaranteed_visits,
        values=tuple(report.values),
        raw_values=tuple(report.raw_values),
        moves=tuple(_read_move(state.game, move) for move in report.moves),
        is_done=report.is_done,
        is_full=report.is_full,
        proven=report.proven,
        nodes=report.nodes,
        bytes=report.bytes,
        is_flat=is_flat,
        aux=_array(report.aux),
        deviations=_array(report.deviations),
        raw_aux=_array(report.raw_aux),
        priors=dict(zip(report.actions, report.priors, strict=True)),
        warnings=warnings,
        elapsed_s=elapsed_s,
    )


def _read_move(game: Game, move: _core.MoveReport) -> Move:
    return Move(
        action=move.action,
        name=game.name(move.action),
        player=move.player,
        visits=move.visits,
        value=move.values[move.player],
        values=tuple(move.values),
        prior=move.prior,
        weight=move.weight,
        policy=move.policy,
        included=move.included,
        proven=move.proven,
        pv=tuple(map(game.name, move.line)),
        pv_actions=tuple(move.line),
        pv_visits=tuple(move.line_visits),
        aux=_array(move.aux),
        deviations=_array(move.deviations),
        spread=move.spread[move.player] if move.spread else None,
        free=_read_free(move) if move.free_values else None,
        replies=tuple(Reply(*reply) for reply in move.replies),
    )


def _read_free(move: _core.MoveReport) -> Free:
    return Free(move.free_values[move.player], _array(move.free_aux), _array(move.free_deviations))


def _array(numbers: Any) -> NDArray[np.float32] | None:
    return np.asarray(numbers, np.float32) if len(numbers) else None
