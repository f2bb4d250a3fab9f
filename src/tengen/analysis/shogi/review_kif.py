"""A review of a game of shogi as comments and variations in its own record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tengen.analysis.review.played_game import ReviewError
from tengen.analysis.shogi.lines import write_line
from tengen.analysis.shogi.records import ShogiGame
from tengen.analysis.shogi.scores import format_cp
from tengen.games.shogi.records import format_records

if TYPE_CHECKING:
    from tengen.analysis.answers import MoveInfo
    from tengen.analysis.review.review import Review, TurnReview
    from tengen.games.shogi.records import Node

__all__ = ["format_review", "own_comment"]

MARKER: Final = "[Tengen]"
"""Begins what a review says in a comment; a later review replaces what comes after it."""
_NAMES: Final = ("Black", "White")
_MAX_VARIATIONS: Final = 3
_LONGEST_LINE: Final = 10


def own_comment(node: Node) -> str:
    """What people said at a node, without what a review added."""
    return node.comment.partition(MARKER)[0].rstrip("\n")


def format_review(review: Review) -> bytes:
    """The record with the review in it; everything else that was in it stays, and the record itself is not changed."""
    game = review.played
    if not isinstance(game, ShogiGame) or game.record is None:
        raise ReviewError(f"only games of shogi are written as KIF, not those of {game.game}")
    record, copies = game.record.copy()
    by_turn = {turn.turn: turn for turn in review.turns}
    for number, original in enumerate(game.nodes):
        node = copies[original]
        last, here = by_turn.get(number - 1), by_turn.get(number)
        lines = [*_tell_last(game, last), *([] if here is None else _tell_here(game, here))]
        _comment(node, lines)
        if here is not None and here.move is not None:  # a variation after the last move would become the main line
            _add_variations(node, here)
    return format_records(record, ".kif")


def _comment(node: Node, lines: list[str]) -> None:
    said = own_comment(node)
    added = "\n".join([MARKER, *lines]) if lines else ""
    node.comment = "\n".join(text for text in (said, added) if text)


def _tell_last(game: ShogiGame, turn: TurnReview | None) -> list[str]:
    if turn is None or turn.move is None or turn.loss is None or turn.best is None:
        return []
    text = f"Move {turn.turn + 1}, {'▲△'[turn.player]}{game.texts[turn.turn]}: {turn.verdict}"
    if turn.is_first_choice:
        return [f"{text}, the engine's first choice."]
    better = " ".join(write_line(game.sfens[turn.turn], turn.best.pv[:_LONGEST_LINE]))
    return [f"{text}, lost {100 * turn.loss.winrate:.1f} % win rate.", f"Better was {better}."]


def _tell_here(game: ShogiGame, turn: TurnReview) -> list[str]:
    root = turn.answer.root_info
    assert root is not None
    mate = getattr(root, "mate", None)
    score = format_cp(root.winrate) if mate is None else f"{_NAMES[mate < 0]} mates in {abs(mate)} plies"
    lines = [f"Black wins {_percent(root.winrate)} ({score}), {root.visits} visits."]
    if turn.best is not None:
        line = " ".join(write_line(game.sfens[turn.turn], turn.best.pv[:_LONGEST_LINE]))
        lines.append(f"Best for {_NAMES[turn.player]}: {line}.")
    return lines


def _add_variations(node: Node, turn: TurnReview) -> None:
    for info in turn.answer.move_infos[:_MAX_VARIATIONS]:
        if info.move in (turn.move, "win"):
            continue
        at = node
        for depth, move in enumerate(info.pv[:_LONGEST_LINE]):
            if move == "win":
                break
            at = at.add(move=move)
            if depth == 0:
                _comment(at, [_candidate(turn, info)])


def _candidate(turn: TurnReview, info: MoveInfo) -> str:
    wins = info.winrate if turn.player == 0 or info.winrate is None else 1 - info.winrate
    return f"{_NAMES[turn.player]} wins {_percent(wins)} ({format_cp(wins)}), {info.visits} visits."


def _percent(share: float | None) -> str:
    return "?" if share is None else f"{100 * share:.1f} %"
