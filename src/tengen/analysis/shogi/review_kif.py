"""A review of a game of shogi as comments and variations in its own record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tengen.analysis.review.played_game import ReviewError
from tengen.analysis.shogi.records import ShogiGame
from tengen.analysis.shogi.scores import format_cp
from tengen.analysis.shogi.texts import words_in
from tengen.games.shogi.records import format_records
from tengen.games.translation import ENGLISH

if TYPE_CHECKING:
    from tengen.analysis.answers import MoveInfo
    from tengen.analysis.review.review import Review, TurnReview
    from tengen.games.shogi.records import Node
    from tengen.games.translation import Translation

__all__ = ["format_review", "own_comment"]

MARKER: Final = "[Tengen]"
"""First line of what a review adds to a comment; a later review replaces everything after it."""
_NAMES: Final = ("Black", "White")
_MAX_VARIATIONS: Final = 3
_LONGEST_LINE: Final = 10


def own_comment(node: Node) -> str:
    """Return the comment of people at a node, without what a review added."""
    return node.comment.partition(MARKER)[0].rstrip("\n")


def format_review(review: Review, lang: str = ENGLISH, suffix: str = ".kif") -> bytes:
    """Return the record with the review in it, in a language, as a file with such a suffix. Everything else that was in
    the record stays, and the record itself is not changed."""
    say = words_in(lang)
    game = review.played
    if not isinstance(game, ShogiGame) or game.record is None:
        raise ReviewError(f"only games of shogi are written as KIF, not those of {game.game}")
    record, copies = game.record.copy()
    by_turn = {turn.turn: turn for turn in review.turns}
    for number, original in enumerate(game.nodes):
        node = copies[original]
        last, here = by_turn.get(number - 1), by_turn.get(number)
        lines = [*_tell_last(game, last, say), *([] if here is None else _tell_here(game, here, say))]
        _comment(node, lines)
        if here is not None and here.move is not None:  # a variation after the last move would become the main line
            _add_variations(node, here, say)
    return format_records(record, suffix)


def _comment(node: Node, lines: list[str]) -> None:
    said = own_comment(node)
    added = "\n".join([MARKER, *lines]) if lines else ""
    node.comment = "\n".join(text for text in (said, added) if text)


def _tell_last(game: ShogiGame, turn: TurnReview | None, say: Translation) -> list[str]:
    if turn is None or turn.move is None or turn.loss is None or turn.best is None:
        return []
    about = {
        "number": turn.turn + 1,
        "move": f"{'▲△'[turn.player]}{game.texts[turn.turn]}",
        "verdict": say(turn.verdict or ""),
    }
    if turn.is_first_choice:
        return [say("Move {number}, {move}: {verdict}, the engine's first choice.", **about)]
    text = "Move {number}, {move}: {verdict}, lost {percent} win rate."
    return [
        say(text, **about, percent=_percent(turn.loss.winrate)),
        say("Better was {line}.", line=_line(game, turn, say)),
    ]


def _tell_here(game: ShogiGame, turn: TurnReview, say: Translation) -> list[str]:
    root = turn.answer.root_info
    assert root is not None
    mate = getattr(root, "mate", None)
    if mate is None:
        score = format_cp(root.winrate)
    else:
        score = say("{side} mates in {plies} plies", side=say(_NAMES[mate < 0]), plies=abs(mate))
    lines = [_wins(say, 0, root.winrate, score, root.visits)]
    if turn.best is not None:
        lines.append(say("Best for {side}: {line}.", side=say(_NAMES[turn.player]), line=_line(game, turn, say)))
    return lines


def _line(game: ShogiGame, turn: TurnReview, say: Translation) -> str:
    """The line of the engine's first choice, which may be a declaration."""
    assert turn.best is not None
    moves = game.write_line(turn.turn, turn.best.pv[:_LONGEST_LINE])
    return " ".join(moves) or say("declaration of a win")


def _wins(say: Translation, player: int, wins: float | None, score: str, visits: int) -> str:
    text = "{side} wins {percent} ({score}), {visits} visits."
    return say(text, side=say(_NAMES[player]), percent=_percent(wins), score=score, visits=visits)


def _add_variations(node: Node, turn: TurnReview, say: Translation) -> None:
    for info in turn.answer.move_infos[:_MAX_VARIATIONS]:
        if info.move in (turn.move, "win"):
            continue
        at = node
        for depth, move in enumerate(info.pv[:_LONGEST_LINE]):
            if move == "win":
                break
            at = at.add(move=move)
            if depth == 0:
                _comment(at, [_candidate(turn, info, say)])


def _candidate(turn: TurnReview, info: MoveInfo, say: Translation) -> str:
    wins = info.winrate if turn.player == 0 or info.winrate is None else 1 - info.winrate
    return _wins(say, turn.player, wins, format_cp(wins), info.visits)


def _percent(share: float | None) -> str:
    return "?" if share is None else f"{100 * share:.1f} %"
