"""A review of a game of Go as comments, marks and variations in its own record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tengen.analysis.go.records import GoGame
from tengen.analysis.review.played_game import ReviewError
from tengen.games.go import format_result
from tengen.games.go.sgf import Node, Record

if TYPE_CHECKING:
    from tengen.analysis.answers import MoveInfo
    from tengen.analysis.review.review import Review, TurnReview

__all__ = ["format_sgf", "own_comment"]

MARKER: Final = "[Tengen]"
"""Begins what a review says in a comment; a later review replaces what comes after it."""
_NAMES: Final = ("Black", "White")
_LABELS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MARKS: Final = ("TR", "SQ", "CR", "MA", "SL")
_MAX_VARIATIONS: Final = 3
_LONGEST_LINE: Final = 10


def own_comment(node: Node) -> str:
    """What people said at a node, without what a review added."""
    return node.comment.partition(MARKER)[0].strip()


def format_sgf(review: Review) -> bytes:
    """The record with the review in it; everything else that was in it stays, and the record itself is not changed."""
    game = review.played
    if not isinstance(game, GoGame) or game.record is None:
        raise ReviewError(f"only games of Go are written as SGF, not those of {game.game}")
    copies = _copy(game.record.root)
    record = Record(copies[game.record.root], game.record.source)
    by_turn = {turn.turn: turn for turn in review.turns}
    for number, node in enumerate(game.nodes):
        own = copies[node]
        last, here = by_turn.get(number - 1), by_turn.get(number)
        lines = [*_tell_last(last), *([] if here is None else _tell_here(here))]
        _comment(own, lines)
        if here is not None:
            _mark(record, own, here)
            if here.move is not None:  # a variation after the last move would become the main line
                _add_variations(record, own, here)
    return record.to_bytes()


def _copy(root: Node) -> dict[Node, Node]:
    """A tree of its own: the copies by what they are copies of."""
    copies: dict[Node, Node] = {}
    for node in root.walk():
        copy = Node() if node is root or node.parent is None else copies[node.parent].new_child()
        copy.raw = {name: list(values) for name, values in node.raw.items()}
        copies[node] = copy
    return copies


def _comment(node: Node, lines: list[str]) -> None:
    said = own_comment(node)
    added = "\n".join([MARKER, *lines]) if lines else ""
    node.comment = "\n\n".join(text for text in (said, added) if text)


def _tell_last(turn: TurnReview | None) -> list[str]:
    if turn is None or turn.move is None or turn.loss is None or turn.best is None:
        return []
    text = f"Move {turn.turn + 1}, {_NAMES[turn.player]} {turn.move}: {turn.verdict}"
    if turn.is_first_choice:
        return [f"{text}, the engine's first choice."]
    lost = f"lost {turn.loss.points or 0.0:.1f} points and {100 * turn.loss.winrate:.1f} % win rate"
    return [f"{text}, {lost}.", f"Better was {' '.join(turn.best.pv[:_LONGEST_LINE])}."]


def _tell_here(turn: TurnReview) -> list[str]:
    root = turn.answer.root_info
    assert root is not None
    lines = [f"Black wins {_percent(root.winrate)}, {_lead(root.lead)}, {root.visits} visits."]
    if turn.best is not None:
        lines.append(f"Best for {_NAMES[turn.player]}: {' '.join(turn.best.pv[:_LONGEST_LINE])}.")
    return lines


def _candidates(turn: TurnReview) -> list[MoveInfo]:
    return [info for info in turn.answer.move_infos if info.is_symmetry_of is None][:_MAX_VARIATIONS]


def _mark(record: Record, node: Node, turn: TurnReview) -> None:
    """Letters on the candidates, a triangle on what was played; marks that are there already stay."""
    labels = dict(text.partition(":")[::2] for text in node.texts("LB"))
    free = [letter for letter in _LABELS if letter not in labels.values()]
    added = {}
    for info, letter in zip(_candidates(turn), free, strict=False):
        if info.move != "pass" and record.point(info.move) not in labels:
            added[info.move] = letter
    if added:
        kept = node.raw.get("LB", [])
        record.set_labels(node, added)
        node.raw["LB"] = [*kept, *node.raw["LB"]]
    if turn.move is None or turn.move == "pass":
        return
    point = record.point(turn.move)
    if not any(point in text.split(":") for name in _MARKS for text in node.texts(name)):
        node.set_texts("TR", *node.texts("TR"), point)


def _add_variations(record: Record, node: Node, turn: TurnReview) -> None:
    for info in _candidates(turn):
        if info.move == turn.move:
            continue
        at = node
        for depth, vertex in enumerate(info.pv[:_LONGEST_LINE]):
            color = _NAMES[(turn.player + depth) % 2]
            at = record.add_move(at, color, vertex)
            if depth == 0:
                wins = info.winrate if turn.player == 0 else 1 - (info.winrate or 0.0)
                value = f"{color} wins {_percent(wins)}, {_lead(info.lead)}, {info.visits} visits."
                _comment(at, [value])


def _percent(share: float | None) -> str:
    return "?" if share is None else f"{100 * share:.1f} %"


def _lead(lead: float | None) -> str:
    return "?" if lead is None else "even" if round(lead, 1) == 0 else format_result(round(lead, 1))
