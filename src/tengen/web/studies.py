"""Studies: records with their variations, requests to the engine, and its results."""

from __future__ import annotations

import contextlib
import itertools
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from tengen.analysis.review.run import default_include_visits
from tengen.analysis.review.verdicts import find_loss
from tengen.games import GameError
from tengen.web.messages import Analysis
from tengen.web.study_tree import Node, StudyError, StudyTree
from tengen.web.views import in_language

if TYPE_CHECKING:
    from collections.abc import Mapping

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
    # Requests to the engine, and its results.

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
        """Split the main line where another base begins. Each part ends with the first node of the next one."""
        line = self.main_line()
        parts = [list(part) for _, part in itertools.groupby(line, key=lambda node: id(node.base))]
        return [[*part, *following[:1]] for part, following in zip(parts, [*parts[1:], []], strict=True)]

    def review_request(self, nodes: list[Node], visits: int) -> dict[str, Any]:
        """Return the engine's request for a part of the main line.

        If all players choose at the same time, the first side is judged, or the side that recorded the log.
        """
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
            "includeMovesMinVisits": default_include_visits(visits),
            # All numbers are in the view of the first player.
            "overrideSettings": {"reportAnalysisWinratesAs": "BLACK"},
        }

    def _judged_seat(self, node: Node) -> int | None:
        actor = node.state.actor
        return self.chooser(node, None) if actor == "all" else actor if isinstance(actor, int) else None

    def judge(self, nodes: list[Node], answers: Mapping[int, Answer], number: int) -> dict[int, dict[str, Any]]:
        """Judge position `number`, the move that led there and the next move, after its analysis has arrived.

        `answers` holds all analyses of the review so far, by index in `nodes`. The result, for note_judged(), is by
        node. The moves are those of `nodes`, even if the tree has changed since.
        """
        root = answers[number].root_info
        if root is None or self._judged_seat(nodes[number]) is None:
            return {}
        found: dict[str, Any] = {}
        if root.winrate is not None:
            found["winrate"] = _round(root.winrate)
        if root.lead is not None:
            found["score"] = _round(root.lead)
        if root.winrate is None:
            found["value"] = _round(root.utility)
        judged = {nodes[number].id: found}
        for place in (number - 1, number):
            if place in answers and place + 1 < len(nodes):
                told = self._judge_move(nodes[place], nodes[place + 1], answers[place], answers.get(place + 1))
                if told:
                    judged.setdefault(nodes[place + 1].id, {}).update(told)
        return judged

    def _judge_move(self, node: Node, following: Node, answer: Answer, after: Answer | None) -> dict[str, Any]:
        seat = self._judged_seat(node)
        if seat is None or answer.root_info is None:
            return {}
        own = _answer_of(node, answer, seat)
        # In a hidden game the next search has another player's knowledge.
        after = None if node.state.game.hidden else after
        sign = 1 if seat == 0 else -1
        full_win = node.state.game.payoff_scale
        with contextlib.suppress(KeyError):
            played = own[_own_name(node, following.name, seat)]
            loss = find_loss(own, played, after, sign, seat=seat, full_win=full_win)
            if loss is not None:
                by_payoff = 2 * full_win * loss.winrate if played.values is not None else loss.winrate
                lost = by_payoff if loss.points is None else loss.points
                return {"loss": _round(lost), "verdict": loss.verdict}
        return {}

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
        own = _answer_of(node, answer, seat)
        for info in own.move_infos:
            is_pinned = bool(info.is_included)
            if len(rows) >= _SHOWN_MOVES and not is_pinned:
                continue
            with contextlib.suppress(GameError):
                action = game.parse(info.move, state, seat)
                row = self._move_row(state, seat, action, info, own, is_pinned or action in pins)
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
        self, state: State, seat: int, action: int, info: MoveInfo, own: Answer, is_pinned: bool
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
        if own.best is not None:
            row["loss"] = _round(max(0.0, _worth(own.best, seat) - _worth(info, seat)))
        # Numbers are in the view of the player who is to move.
        loss = find_loss(own, info, None, 1, seat=seat, full_win=game.payoff_scale)
        if loss is not None:
            row["verdict"] = loss.verdict
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
        """Return (name, touches) of each move of a variation."""
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
        """Return the ownership of points in the first player's view."""
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
    """Return the numbers in the view of the player to move, in the game's unit if it has one."""
    found: dict[str, float | None] = {"winrate": info.winrate, "score": info.lead}
    if info.values is not None:
        found = {"value": info.values[seat]}
    elif info.winrate is None:
        found["value"] = info.utility
    return {name: _round(value) for name, value in found.items() if value is not None}


def _own_name(node: Node, played: str, seat: int) -> str:
    """Return the part of a joint move that belongs to the seat, or an empty text."""
    names = played.split("|")
    return names[seat] if node.state.actor == "all" and len(names) > 1 else names[0]


def _worth(info: MoveInfo, seat: int) -> float:
    """Return the value of a move in the game's unit, or else in points, or else as a win rate."""
    values = (None if info.values is None else info.values[seat], info.lead, info.winrate)
    return float(next((value for value in values if value is not None), info.utility))


def _answer_of(node: Node, answer: Answer, seat: int) -> Answer:
    """Return the part of an answer that is about the moves of a seat, if all players choose at the same time."""
    if node.state.actor != "all":
        return answer
    return replace(answer, move_infos=tuple(info for info in answer.move_infos if info.player in (None, seat)))


def _round(value: float) -> float:
    return round(float(value), 4) if math.isfinite(value) else 0.0
