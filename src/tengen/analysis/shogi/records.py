"""Games of shogi from KIF, KI2, CSA and USI files, as a review asks about them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tengen.analysis.adapters import GamePosition
from tengen.analysis.query import Move
from tengen.analysis.review.played_game import PlayedGame, ReviewError, Segment
from tengen.analysis.review.record_format import RecordFormat, TreeMove
from tengen.analysis.shogi.lines import write_line
from tengen.analysis.shogi.texts import words_in
from tengen.games import game as make_game
from tengen.games.errors import GameError
from tengen.games.shogi import Shogi
from tengen.games.shogi.records import Record, format_records, load_record, parse_records
from tengen.games.shogi.records.headers import KEYS
from tengen.games.translation import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tengen.analysis.answers import MoveInfo
    from tengen.analysis.review.review import Review
    from tengen.games import State
    from tengen.games.shogi.records import Node
    from tengen.games.translation import Translation

__all__ = ["KifFormat", "ShogiGame", "read_shogi"]


@dataclass(frozen=True)
class ShogiGame(PlayedGame):
    """The main line of a record."""

    record: Record | None = None
    nodes: tuple[Node, ...] = ()
    """The node of each turn whose position is analyzed."""
    sfens: tuple[str, ...] = ()
    """Position of each turn."""
    texts: tuple[str, ...] = ()
    """The moves in Japanese."""

    @property
    def player_names(self) -> tuple[str, ...]:
        header = {} if self.record is None else self.record.header
        return header.get("black", "Black"), header.get("white", "White")

    def write_line(self, turn: int, moves: Sequence[str]) -> list[str]:
        """Return a variation from a turn in Japanese."""
        return write_line(self.sfens[turn], moves, self.moves[turn - 1][1] if turn else "")

    def move_text(self, turn: int, info: MoveInfo, lang: str = ENGLISH) -> str:
        if lang == ENGLISH:
            return info.title
        written = self.write_line(turn, [info.move])
        if not written:
            return words_in(lang)("declaration of a win")
        # Readers of Japanese need no USI after a move.
        return written[0] if lang == "ja" else f"{written[0]} ({info.move})"


class KifFormat(RecordFormat):
    suffix = ".kif"
    # In UTF-8: comments are in any language.
    tree_suffix = ".kifu"
    languages = (ENGLISH, "ko", "ja")
    suffixes = (".kif", ".kifu", ".ki2", ".ki2u", ".csa", ".usi", ".sfen", ".sfenx")

    def load(self, path: Path, number: int = 1, *, rules: str | None = None, komi: float | None = None) -> ShogiGame:
        if rules is not None or komi is not None:
            raise ReviewError("shogi has one set of rules and no komi")
        return read_shogi(load_record(path, number))

    def played(self, record: Record) -> ShogiGame:
        return read_shogi(record)

    def format_page(self, review: Review, lang: str = ENGLISH) -> str:
        from tengen.analysis.shogi.review_page import format_page

        return format_page(review, lang)

    def format_record(self, review: Review, lang: str = ENGLISH) -> bytes:
        from tengen.analysis.shogi.review_kif import format_review

        return format_review(review, lang, self.suffix_in(lang))

    def words_in(self, lang: str) -> Translation:
        return words_in(lang)

    def suffix_in(self, lang: str) -> str:
        # CP932, in which .kif files are, has no Korean letters.
        return self.suffix if lang in (ENGLISH, "ja") else self.tree_suffix

    def read_tree(self, played: PlayedGame) -> list[TreeMove]:
        assert isinstance(played, ShogiGame)
        rows = [TreeMove(turn - 1, node.move or "", node.comment) for turn, node in enumerate(played.nodes)]
        waiting = [(child, turn) for turn, node in enumerate(played.nodes) for child in node.children[1:]]
        waiting.reverse()
        while waiting:
            node, parent = waiting.pop()
            if node.move is not None:
                rows.append(TreeMove(parent, node.move, node.comment))
                waiting += [(child, len(rows) - 1) for child in reversed(node.children)]
        return rows

    def add_tree(self, data: bytes, tree: Sequence[TreeMove], about: Mapping[str, Any]) -> bytes:
        record = parse_records(data)[0]
        own = ("impasse_rule", "max_moves")
        for name in ("black", "white"):
            record.header.pop(name, None)
        record.header |= {name: str(value) for name, value in about.items() if name in KEYS and name not in own}
        nodes = [record.root]
        for row in tree:
            if row.parent >= 0:
                at = nodes[row.parent]
                nodes.append(at.add(end="declaration") if row.name == "win" else at.add(move=row.name))
            nodes[-1].comment = row.comment
        return format_records(record, self.tree_suffix)


def read_shogi(record: Record) -> ShogiGame:
    """The main line. A last move that lost because it was illegal is left out. Raises ReviewError."""
    game = make_game("shogi")
    assert isinstance(game, Shogi)
    nodes = [node for node in record.root.main_line() if node.move is not None]
    states = _states(game, record, [node.move or "" for node in nodes])
    nodes = nodes[: len(states) - 1]
    names = [node.move or "" for node in nodes]
    moves = [(game.side(state), name) for state, name in zip(states, names, strict=False)]
    position = GamePosition({"sfen": record.start}, tuple(Move(None, name, name) for name in names))
    about = {**record.header, "start": record.start} | ({} if record.end is None else {"end": record.end})
    winner = record.winner
    if winner is not None or record.is_draw:
        about["result"] = "draw" if winner is None else ("black", "white")[winner]
    return ShogiGame(
        "shogi",
        tuple(moves),
        (Segment(0, position),),
        ("b", "w"),
        tuple(turn for turn, state in enumerate(states) if not state.is_over),
        about,
        record,
        (record.root, *nodes),
        tuple(map(game.sfen, states)),
        tuple(text[1:] for text in write_line(record.start, names)),
    )


def _states(game: Shogi, record: Record, moves: list[str]) -> list[State]:
    try:
        states = [game.start(sfen=record.start)]
    except GameError as error:
        raise ReviewError(f"{record.source or 'the record'} starts where no game can: {error}") from error
    for number, move in enumerate(moves, start=1):
        try:
            states.append(game.replay(states[-1], [move]))
        except GameError as error:
            if number == len(moves) and record.end in ("illegal_win", "illegal_loss"):
                break
            first = str(error).partition("\n")[0]
            raise ReviewError(f"move {number}, {move}, is not possible: {first}") from error
    return states
