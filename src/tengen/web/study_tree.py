"""The positions of a study: a record's main line, its variations, and those that are tried."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tengen._time_limit import check_time
from tengen.analysis.review.record_format import TreeMove
from tengen.games import GameError, SavedGame
from tengen.web.messages import Board, Tree
from tengen.web.record_reading import MAX_PLIES, format_study
from tengen.web.refusals import Refusal, move_refused
from tengen.web.views import changes, describe_last, in_language, take_view

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tengen.analysis import GameAdapter
    from tengen.games import Game, Played, State
    from tengen.web.record_reading import Base, Moves, ReadRecord
    from tengen.web.views import View

__all__ = ["MAX_NODES", "Node", "StudyError", "StudyTree"]

MAX_NODES = MAX_PLIES


class StudyError(Refusal):
    """A request that a study refuses."""


@dataclass
class Node:
    id: int
    parent: int | None
    name: str
    """The name of the move that led here."""
    base: Base
    moves: Moves
    state: State
    ply: int
    comment: str = ""
    children: list[int] = field(default_factory=list)
    judged: dict[str, Any] = field(default_factory=dict)
    """The results of a review: winrate and score, or value, in the first player's view; the loss of the move that led
    here, and its verdict. They stay with this position wherever it stands in the tree."""
    version: int = 0
    """The version of the study in which this node changed last."""


class StudyTree:
    def __init__(self, study_id: str, record: ReadRecord) -> None:
        self.id = study_id
        self.adapter: GameAdapter = record.adapter
        self.title = record.title
        self.left_out = 0
        """Variations of the record that can't be played."""
        self.repaired: StudyError | None = None
        """A notice for people who open the study, if its file was damaged."""
        self._about = record.about
        self._nodes: dict[int, Node] = {}
        self._names: dict[tuple[int, str], str] = {}
        # Caches: reports come ten times a second, and most of their lines are the same.
        self._lines: dict[tuple[int, str, tuple[str, ...]], tuple[tuple[str, tuple[str, ...]], ...]] = {}
        self._points: dict[tuple[str, int], list[str]] = {}
        self._next = 0
        self.version = 0
        """The number of changes so far."""
        self._deleted: list[tuple[int, int]] = []
        """The version and number of each deleted node, in order."""
        parent = None
        for step in record.steps:
            parent = self._add(parent, step.name, step.base, step.moves, step.state).id
        self._grow(record.tree)

    def _grow(self, tree: Sequence[TreeMove]) -> None:
        """Add the comments and variations of a record to its main line."""
        main = len(self._nodes)
        grown: list[int | None] = list(range(main))
        for number, row in enumerate(tree):
            check_time()
            if number >= main:
                grown.append(self._grow_one(grown[row.parent], row))
            node = grown[number]
            if node is not None:
                self._nodes[node].comment = row.comment

    def _grow_one(self, parent: int | None, row: TreeMove) -> int | None:
        if parent is None or len(self._nodes) >= MAX_NODES:
            self.left_out += parent is not None
            return None
        actor = self._nodes[parent].state.actor
        with contextlib.suppress(StudyError):
            if row.player is None or row.player == actor:
                return self.play(parent, None, row.name).id
        self.left_out += 1
        return None

    @property
    def game(self) -> Game:
        return self.adapter.game

    @property
    def count(self) -> int:
        """The number of positions."""
        return len(self._nodes)

    def node(self, number: int) -> Node:
        if number not in self._nodes:
            raise StudyError("the study has no node {number}", number=number)
        return self._nodes[number]

    def main_line(self, number: int = 0) -> list[Node]:
        """Return the main line from a node on."""
        found = [self.node(number)]
        while found[-1].children:
            found.append(self._nodes[found[-1].children[0]])
        return found

    def play(
        self,
        number: int,
        action: int | None,
        text: str | None = None,
        joint: Sequence[int] = (),
        lang: str = "en",
        new_id: int | None = None,
    ) -> Node:
        """Return the node after a move, or after a choice of all players: an existing one, or a new variation.

        Typed moves and errors are in the language `lang`, if the game has it. `new_id` is the number of a new node, by
        default the next free one.
        """
        node = self.node(number)
        if "log" in node.base.fields:
            raise StudyError("nothing can be tried in a log: what the other side holds is not known")
        state = node.state
        spoken = in_language(state, lang)
        try:
            played = _read_played(spoken, action, text, joint)
            after = state.play(played)
        except GameError as error:
            told = move_refused(spoken.game, text or "", error, is_spoken=spoken.game.lang == lang)
            raise StudyError("{reason}", reason=told) from error
        for child in node.children:
            if self._nodes[child].state.last == after.last:
                return self._nodes[child]
        if len(self._nodes) >= MAX_NODES:
            raise StudyError("a study has at most {most} positions", most=MAX_NODES)
        assert after.last is not None
        name = _name_of(state, after.last)
        move = [self.adapter.player_name(state.actor), name] if isinstance(state.actor, int) else name
        self._next = max(self._next, new_id or 0)
        return self._add(number, name, node.base, node.moves.then(move), after)

    def edit(self, number: int, what: str, text: str) -> int:
        """Edit a node and return the node to show."""
        node = self.node(number)
        if what == "comment":
            node.comment = text
            self._note_change(node)
            return number
        if node.parent is None:
            raise StudyError("the start stays where it is")
        parent = self._nodes[node.parent]
        if what == "promote":
            parent.children.remove(number)
            parent.children.insert(0, number)
            self._note_change(parent)
            return number
        if what == "delete":
            parent.children.remove(number)
            self._note_change(parent)
            left = [number]
            while left:
                deleted = self._nodes.pop(left.pop())
                self._deleted.append((self.version, deleted.id))
                left += deleted.children
            return node.parent
        raise StudyError("a study is edited by promote, delete or comment")

    def note_judged(self, judged: Mapping[int, Mapping[str, Any]]) -> None:
        """Store the results of a review by node. Nodes that were deleted since are skipped."""
        for number, found in judged.items():
            if number in self._nodes:
                self._nodes[number].judged |= found
                self._note_change(self._nodes[number])

    def _note_change(self, node: Node) -> None:
        self.version += 1
        node.version = self.version

    def _add(self, parent: int | None, name: str, base: Base, moves: Moves, state: State) -> Node:
        ply = 0 if parent is None else self._nodes[parent].ply + 1
        node = self._nodes[self._next] = Node(self._next, parent, name, base, moves, state, ply)
        self._next += 1
        self._note_change(node)
        if parent is not None:
            self._nodes[parent].children.append(node.id)
            self._note_change(self._nodes[parent])
        return node

    # Record files.

    def save(self) -> tuple[str, bytes]:
        """Return a file name, and the study in the game's record format, with variations and comments."""
        line = self.main_line()
        if any(node.base is not line[0].base for node in self._nodes.values()) or "log" in line[0].base.fields:
            raise StudyError("it can't be written as one game: it is a log, or pieces are set up in its midst")
        game = line[0].state.game
        start = dict(line[0].base.fields.get("start", {}))
        saved = SavedGame(tuple(node.state for node in line), None, None, start.pop("seed", None), start)
        try:
            suffix, data = format_study(self.adapter, game, saved, self._rows(), self._about)
        except GameError as error:
            raise StudyError("{reason}", reason=error) from error
        return f"study{suffix}", data

    def _rows(self) -> list[TreeMove]:
        """Return the moves of the tree, the main line first."""
        rows: list[TreeMove] = []
        waiting = [(0, -1)]
        while waiting:
            start, parent = waiting.pop()
            for node in self.main_line(start):
                before = None if node.parent is None else self._nodes[node.parent].state.actor
                rows.append(TreeMove(parent, node.name, node.comment, before if isinstance(before, int) else None))
                parent = len(rows) - 1
                waiting += [(child, parent) for child in reversed(node.children[1:])]
        return rows

    # Messages about the study.

    def tree(self, shown: int, lang: str = "en", since: int | None = None) -> Tree:
        """Return the nodes that changed since a version, or all of them."""
        rows = [self._row(node, lang) for node in self._nodes.values() if since is None or node.version > since]
        gone = None if since is None else tuple(number for version, number in self._deleted if version > since)
        game = self.game.in_language(lang) if lang in self.game.languages else self.game
        title = game.words(game.title) if self.title == self.game.title else self.title
        return Tree(self.id, tuple(rows), gone, shown, title, self.game.players)

    def _row(self, node: Node, lang: str) -> dict[str, Any]:
        row: dict[str, Any] = {
            "id": node.id,
            "name": self._shown_name(node, lang),
            "ply": node.ply,
            "children": node.children,
        }
        if node.parent is not None:
            row["parent"] = node.parent
        if node.comment:
            row["comment"] = node.comment
        return row | node.judged

    def _shown_name(self, node: Node, lang: str) -> str:
        key = node.id, lang
        if key not in self._names:
            self._names[key] = self._describe(node, lang)
        return self._names[key]

    def _describe(self, node: Node, lang: str) -> str:
        if node.parent is None:
            return ""
        before = in_language(self._nodes[node.parent].state, lang)
        game, actor = before.game, before.actor
        with contextlib.suppress(GameError):
            played = node.state.history[-1] if len(node.state.history) > len(before.history) else None
            if isinstance(played, tuple):
                parts = [game.describe_action(before.position, seat, choice) for seat, choice in enumerate(played)]
                return " | ".join(parts)
            # A log contains the choices of one side.
            seat = node.base.viewer if actor == "all" else actor
            if isinstance(seat, int):
                action = game.parse(node.name, before, seat) if played is None else played
                return game.describe_action(before.position, seat, action)
        return node.name

    def viewer(self, node: Node, seat: int | None = None) -> int | None:
        """Return the seat whose view of a hidden game is shown: the player to move, or `seat` if all choose."""
        if not node.state.game.hidden or node.state.is_over:
            return None
        actor = node.state.actor
        return actor if isinstance(actor, int) else self.chooser(node, seat)

    def chooser(self, node: Node, seat: int | None) -> int:
        """Return the seat whose choices are shown if all players choose at the same time."""
        if node.base.viewer is not None and "log" in node.base.fields:
            return node.base.viewer
        if seat is not None and 0 <= seat < node.state.game.players:
            return seat
        return node.base.viewer or 0

    def view(self, number: int, seat: int | None = None, lang: str = "en") -> View:
        node = self.node(number)
        actor = node.state.actor
        chooser = self.chooser(node, seat) if actor == "all" else actor
        return take_view(in_language(node.state, lang), self.viewer(node, seat), chooser)

    def board(
        self,
        number: int,
        before: View | None,
        seat: int | None = None,
        lang: str = "en",
        *,
        is_ahead: bool = False,
    ) -> tuple[Board, View]:
        """Return the changes since another view, and the new view."""
        node = self.node(number)
        view = self.view(number, seat, lang)
        last: tuple[str, ...] = ()
        viewer = self.viewer(node, seat)
        if node.parent is not None and node.state.history:
            with contextlib.suppress(GameError, TypeError, IndexError):
                states = (self._nodes[node.parent].state, node.state)
                last, _ = describe_last([in_language(state, lang) for state in states], viewer)
        state = node.state
        result = {"payoffs": state.payoffs, "how": "", "who": None, "unit": ""} if state.is_over else None
        board = Board(
            ply=node.ply,
            actor=state.actor,
            study=self.id,
            node=number,
            seat=self.chooser(node, seat) if state.actor == "all" else viewer,
            is_turn=not state.is_over and "log" not in node.base.fields,
            last=last,
            last_text=self._shown_name(node, lang),
            result=result,
            is_ahead=is_ahead,
            **changes(before, view),
        )
        return board, view


def _read_played(state: State, action: int | None, text: str | None, joint: Sequence[int]) -> Played:
    game, actor = state.game, state.actor
    if actor == "all":
        if text is not None and action is None and not joint:
            words = text.split("|")
            joint = [game.parse(word.strip(), state, seat) for seat, word in enumerate(words[: game.players])]
        if len(joint) != game.players:
            raise StudyError("all choose at once here: a choice of each is needed, such as a | b")
        is_legal = all(choice in state.legal(seat) for seat, choice in enumerate(joint))
        played: Played = tuple(joint)
    elif actor is None:
        raise StudyError("the game is over here")
    else:
        if action is None and text is not None:
            action = game.parse_outcome(text, state.position) if actor == "chance" else game.parse(text, state)
        is_legal = action is not None and action in state.legal()
        played = -1 if action is None else action
    if not is_legal:
        raise StudyError("that is not possible now")
    return played


def _name_of(state: State, played: Played) -> str:
    game = state.game
    if isinstance(played, tuple):
        return "|".join(map(game.name, played))
    return game.format_outcome(played) if state.actor == "chance" else game.name(played)
