"""Points for handicap stones: those that GTP fixes, and free ones."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tengen.evaluators import CoreEvaluator
from tengen.games.go.notation import format_vertex, parse_vertex
from tengen.protocols.gtp.options import AnalyzeOptions
from tengen.protocols.gtp.queries import make_query
from tengen.protocols.gtp.wire import GtpError

if TYPE_CHECKING:
    from tengen.protocols.gtp.session import GtpSession

__all__ = ["fixed_handicap", "free_handicap", "max_free_handicap", "max_handicap", "spread_handicap"]


def max_handicap(width: int, height: int) -> int:
    """Return the largest number of stones that have fixed points on a board."""
    if min(width, height) < 7:
        return 0
    return 9 if width % 2 == height % 2 == 1 and min(width, height) > 7 else 4


def max_free_handicap(width: int, height: int) -> int:
    """Return the largest number of free handicap stones: a quarter of the board but at most 30, as in KataGo."""
    return max(2, min(30, width * height // 4))


def fixed_handicap(width: int, height: int, count: int) -> list[str]:
    """Return the points that GTP fixes for `count` handicap stones."""
    maximum = max_handicap(width, height)
    if not 2 <= count <= maximum:
        raise GtpError(f"invalid number of stones: expected 2 to {maximum}" if maximum else "the board is too small")
    left, right, middle = _lines(width)
    bottom, top, center = _lines(height)
    corners = [(left, bottom), (right, top), (left, top), (right, bottom)]
    sides = [(left, center), (right, center), (middle, bottom), (middle, top)]
    points = corners[: min(count, 4)]
    if count >= 6:
        points += sides[:2]
    if count >= 8:
        points += sides[2:]
    if count in (5, 7, 9):
        points.append((middle, center))
    return [format_vertex((height - 1 - y) * width + x, width, height) for x, y in points]


def free_handicap(session: GtpSession, count: int) -> list[str]:
    """Return `count` points on the session's empty board, or as many as there may be.

    A network chooses them, one after the other. Evaluators without a policy get the fixed points, then points far from
    all others.
    """
    position = session.position
    count = min(count, max_free_handicap(position.width, position.height))
    if isinstance(session.engine.evaluator, CoreEvaluator):
        return spread_handicap(position.width, position.height, count)
    board = position.empty_copy()
    points: list[str] = []
    for _ in range(count):
        board.set_up([("black", point) for point in points], "black")
        query = make_query(session, AnalyzeOptions("black"), for_analysis=False, position=board, max_visits=1)
        policy = session.client.ask(replace(query, include_policy=True)).policy
        assert policy is not None
        points.append(board.game.name(max(range(board.area), key=policy.__getitem__)))
    return points


def spread_handicap(width: int, height: int, count: int) -> list[str]:
    """Return the fixed points, then points that are as far as possible from the stones so far."""
    fixed = min(count, max_handicap(width, height))
    names = fixed_handicap(width, height, fixed) if fixed >= 2 else []
    taken = [divmod(parse_vertex(name, width, height), width) for name in names]
    rows, columns = (
        range(margin, side - margin) for side, margin in ((height, _margin(height)), (width, _margin(width)))
    )
    free = [(y, x) for y in rows for x in columns if (y, x) not in taken]
    middle = ((height - 1) / 2, (width - 1) / 2)
    while len(taken) < count:
        best = max(free, key=lambda point: (_nearest(point, taken), -_distance(point, middle)))
        free.remove(best)
        taken.append(best)
    return [format_vertex(y * width + x, width, height) for y, x in taken]


def _nearest(point: tuple[int, int], others: list[tuple[int, int]]) -> float:
    return min((_distance(point, other) for other in others), default=0.0)


def _distance(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Return the square of the distance between two points."""
    return (one[0] - other[0]) ** 2 + (one[1] - other[1]) ** 2


def _margin(side: int) -> int:
    """Return how many lines at the edge are left free."""
    return min(2, (side - 1) // 4)


def _lines(side: int) -> tuple[int, int, int]:
    """Return the near line, the far line and the middle, counted from the left or the bottom."""
    edge = 3 if side >= 13 else 2
    return edge, side - 1 - edge, side // 2
