"""Studies: records with their variations, and what the engine says of them."""

from __future__ import annotations

import contextlib
import itertools
import math
from typing import TYPE_CHECKING, Any

from tengen.analysis.review.verdicts import MIN_VISITS, Loss
from tengen.games import GameError
from tengen.web.messages import Analysis
from tengen.web.study_tree import Node, StudyError, StudyTree
from tengen.web.views import in_language

if TYPE_CHECKING:
    from tengen.analysis import Answer, MoveInfo, RootInfo
    from tengen.games import State
    from tengen.web.messages import Ask

__all__ = ["MAX_SECONDS", "MAX_VISITS", "Node", "Study", "StudyError"]

MAX_VISITS = 100_000
MAX_SECONDS = 60
_SHOWN_MOVES = 24
_SHOWN_LINES = 12
_LINE = 8
_KNOWN_LINES = 1000


class Study(StudyTree):
    # What the engine is asked, and says.

    def request(self, ask: Ask, report_every_s: float) -> dict[str, Any]:
        node = self.node(ask.node)
        game, state = node.state.game, node.state
        if state.is_over or state.actor == "chance":
            raise StudyError("there is nothing to analyze here: nobody is to move")
        player = state.actor if isinstance(state.actor, int) else self.chooser(node, ask.seat)

        def names(actions: tuple[int, ...]) -> list[str]:
            return [game.name(action) for action in actions if 0 <= action < game.action_count]

        request = self._base_request(node, player) | {
            "maxVisits": max(2, min(ask.visits or 2, MAX_VISITS)),
            "overrideSettings": {"maxTime": MAX_SECONDS},
            "reportDuringSearchEvery": report_every_s,
            "firstReportDuringSearchAfter": 0.05,
        }
        if ask.pins:
            seat = self.adapter.player_name(player)
            request["includeMoves"] = [{"turnNumber": len(node.moves), "player": seat, "moves": names(ask.pins)}]
            request["includeMovesMinVisits"] = max(1, min(ask.pin_visits, MAX_VISITS))
        for name, actions in (("allowMoves", ask.allow), ("avoidMoves", ask.avoid)):
            if actions and name not in request and not (name == "avoidMoves" and ask.allow):
                seat = self.adapter.player_name(player)
                depth = max(1, min(ask.depth, 60))
                request[name] = [{"player": seat, "moves": names(actions), "untilDepth": depth}]
        return request

    def review_parts(self) -> list[list[Node]]:
        """The main line, cut where another base begins; each part ends with the node after it, if there is one."""
        line = self.main_line()
        parts = [list(part) for _, part in itertools.groupby(line, key=lambda node: id(node.base))]
        return [[*part, *following[:1]] for part, following in zip(parts, [*parts[1:], []], strict=True)]

    def review_request(self, nodes: list[Node], visits: int) -> dict[str, Any]:
        """Of a part of the main line. Where all choose at once, the first side is judged, or the one that the record is
        of."""
        own = [node for node in nodes if node.base is nodes[0].base]
        asked = [(node, seat) for node in own if (seat := self._judged_seat(node)) is not None]
        names = {node.id: following.name for node, following in itertools.pairwise(nodes)}
        played = [
            {"turnNumber": len(node.moves), "player": self.adapter.player_name(seat), "moves": [name]}
            for node, seat in asked
            if (name := _own_name(node, names.get(node.id, ""), seat))
            and (node.state.actor != "all" or node.state.game.hidden)
        ]
        return self._base_request(own[-1], self.chooser(nodes[0], None)) | {
            "analyzeTurns": [len(node.moves) for node, _ in asked],
            "maxVisits": visits,
            "includeMoves": played,
            "includeMovesMinVisits": max(10, visits // 4),
        }

    def _judged_seat(self, node: Node) -> int | None:
        actor = node.state.actor
        return self.chooser(node, None) if actor == "all" else actor if isinstance(actor, int) else None

    def judge(self, nodes: list[Node], answer: Answer) -> dict[int, dict[str, Any]]:
        """What a review says of one of the positions that it asked about, and of the move played there: by node, as
        note_judged() takes it. What was played is what the review asked about, whatever became of the tree since."""
        number = answer.turn_number - len(nodes[0].moves)
        root = answer.root_info
        seat = self._judged_seat(nodes[number]) if 0 <= number < len(nodes) else None
        if root is None or seat is None:
            return {}
        node = nodes[number]
        # In the first player's view.
        is_first = seat == 0
        found: dict[str, Any] = {}
        if root.winrate is not None:
            found["winrate"] = _round(root.winrate if is_first else 1 - root.winrate)
        if root.lead is not None:
            found["score"] = _round(root.lead if is_first else -root.lead)
        if root.winrate is None:
            found["value"] = _round(root.utility if is_first else -root.utility)
        judged = {node.id: found}
        following = nodes[number + 1] if number + 1 < len(nodes) else None
        if following is not None and answer.best is not None:
            with contextlib.suppress(KeyError):
                played = answer[_own_name(node, following.name, seat)]
                loss = _round(max(0.0, _worth(answer.best, seat) - _worth(played, seat)))
                judged[following.id] = {"loss": loss, "verdict": _verdict(answer.best, played)}
        return judged

    def _base_request(self, node: Node, seat: int | None = None) -> dict[str, Any]:
        request: dict[str, Any] = {"id": "page", **node.base.fields, "analyzeTurns": [len(node.moves)]}
        if seat is not None and "viewer" in self.adapter.fields and "log" not in request:
            request["viewer"] = seat
        if node.moves or "log" not in node.base.fields:
            request["moves"] = list(node.moves)
        if "includeOwnership" in self.adapter.flags:
            request["includeOwnership"] = True
        return request

    def analysis(
        self, number: int, answer: Answer, pins: tuple[int, ...], seat: int | None = None, lang: str = "en"
    ) -> Analysis:
        node = self.node(number)
        state = in_language(node.state, lang)
        game = state.game
        rows: list[dict[str, Any]] = []
        seat = state.actor if isinstance(state.actor, int) else self.chooser(node, seat)
        infos = [info for info in answer.move_infos if state.actor != "all" or info.player in (None, seat)]
        best = answer.best if isinstance(state.actor, int) else next(iter(infos), None)
        for info in infos:
            is_pinned = bool(info.is_included)
            if len(rows) >= _SHOWN_MOVES and not is_pinned:
                continue
            with contextlib.suppress(GameError):
                action = game.parse(info.move, state, seat)
                row = self._move_row(state, seat, action, info, best, is_pinned or action in pins)
                is_shown = len(rows) < _SHOWN_LINES or row["pinned"]
                row["line"] = self._known_line(number, lang, state, info.pv) if is_shown else ()
                rows.append(row)
        root = answer.root_info
        found: dict[str, Any] = {"visits": 0} if root is None else {"visits": root.visits} | _numbers(root, seat)
        return Analysis(
            node=number,
            ply=node.ply,
            root=found,
            seat=seat if state.actor == "all" else None,
            moves=tuple(rows),
            heat=self._heat(state, answer),
            is_done=not answer.is_during_search,
            unit=game.words(game.payoff_unit) if game.payoff_unit else "",
        )

    def _move_row(
        self, state: State, seat: int, action: int, info: MoveInfo, best: MoveInfo | None, is_pinned: bool
    ) -> dict[str, Any]:
        game = state.game
        row: dict[str, Any] = {
            "action": action,
            "name": game.describe_action(state.position, seat, action),
            "touches": tuple(game.touches(action, state.position)),
            "visits": info.visits,
            "pinned": is_pinned,
        }
        row |= _numbers(info, seat)
        if best is not None:
            row["loss"] = _round(max(0.0, _worth(best, seat) - _worth(info, seat)))
        return row

    def _known_line(
        self, number: int, lang: str, state: State, names: tuple[str, ...]
    ) -> tuple[tuple[str, tuple[str, ...]], ...]:
        key = (number, lang, tuple(names[:_LINE]))
        if key not in self._lines:
            if len(self._lines) >= _KNOWN_LINES:
                self._lines.clear()
            self._lines[key] = self._line(state, names)
        return self._lines[key]

    def _line(self, state: State, names: tuple[str, ...]) -> tuple[tuple[str, tuple[str, ...]], ...]:
        """(name, touches) of each move of a variation."""
        found = []
        with contextlib.suppress(GameError, ValueError):
            for name in names[:_LINE]:
                if not isinstance(state.actor, int):
                    break
                action = state.game.parse(name, state)
                shown = state.game.describe_action(state.position, state.actor, action)
                found.append((shown, tuple(state.game.touches(action, state.position))))
                state = state.play(action)
        return tuple(found)

    def _heat(self, state: State, answer: Answer) -> dict[str, float] | None:
        """Owners of points, of the first player's side."""
        owners = getattr(answer, "ownership", None)
        if owners is None:
            return None
        game = state.game
        sign = 1 if state.actor in (0, None) else -1
        spots = {spot.id for spot in game.spots(state.position)}
        key = (game.lang, len(owners))
        if key not in self._points:
            self._points[key] = [game.name(action) for action in range(len(owners))]
        return {
            name: round(sign * float(owner), 2)
            for name, owner in zip(self._points[key], owners, strict=True)
            if abs(owner) > 0.08 and name in spots
        }


def _numbers(info: MoveInfo | RootInfo, seat: int) -> dict[str, float]:
    """In the view of who is to move: in the game's unit, where it has one."""
    found: dict[str, float | None] = {"winrate": info.winrate, "score": info.lead}
    if info.values is not None:
        found = {"value": info.values[seat]}
    elif info.winrate is None:
        found["value"] = info.utility
    return {name: _round(value) for name, value in found.items() if value is not None}


def _own_name(node: Node, played: str, seat: int) -> str:
    """What the seat did, of what was played there; empty: nothing."""
    names = played.split("|")
    return names[seat] if node.state.actor == "all" and len(names) > 1 else names[0]


def _worth(info: MoveInfo, seat: int) -> float:
    """In the game's unit, else in points, else in win rate."""
    values = (None if info.values is None else info.values[seat], info.lead, info.winrate)
    return float(next((value for value in values if value is not None), info.utility))


def _verdict(best: MoveInfo, played: MoveInfo) -> str:
    """As a review calls it; nothing in games without win rates, and where either has too few visits to tell."""
    if best.winrate is None or played.winrate is None:
        return ""
    if played is not best and min(played.visits, best.visits) < MIN_VISITS:
        return ""
    points = None if best.lead is None or played.lead is None else max(0.0, best.lead - played.lead)
    return Loss(max(0.0, best.winrate - played.winrate), points).verdict


def _round(value: float) -> float:
    return round(float(value), 4) if math.isfinite(value) else 0.0
