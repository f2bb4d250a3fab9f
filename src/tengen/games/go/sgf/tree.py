"""The tree of an SGF file: nodes with properties, whatever they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sgfmill import sgf_grammar

from tengen._time_limit import check_time
from tengen.games.go.sgf.errors import SgfError

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Node", "parse_trees", "serialize_tree"]


class Node:
    """A move, a setup of stones, or only remarks; its first child continues the main line.

    Values are kept as in the file, escapes included, so that unknown properties are written back unchanged.
    """

    __slots__ = ("children", "parent", "raw")

    def __init__(self, parent: Node | None = None) -> None:
        self.parent = parent
        self.children: list[Node] = []
        self.raw: dict[str, list[bytes]] = {}
        """UTF-8; every property has at least one value."""

    def __contains__(self, name: str) -> bool:
        return name in self.raw

    def texts(self, name: str) -> list[str]:
        """The values of a property without escapes; none if the node does not have it."""
        return [sgf_grammar.text_value(value).decode("utf-8") for value in self.raw.get(name, ())]

    def text(self, name: str) -> str:
        """The first value; empty if there is none."""
        return next(iter(self.texts(name)), "")

    def set_texts(self, name: str, *values: str) -> None:
        """Without values the property is taken away."""
        if not sgf_grammar.is_valid_property_identifier(name):
            raise SgfError(f"{name!r} is no name of an SGF property: expected capital letters such as LB")
        if values:
            self.raw[name] = [sgf_grammar.escape_text(value.encode("utf-8", "replace")) for value in values]
        else:
            self.raw.pop(name, None)

    @property
    def comment(self) -> str:
        return self.text("C")

    @comment.setter
    def comment(self, text: str) -> None:
        self.set_texts("C", *([text] if text else []))

    def add_comment(self, text: str) -> None:
        """Append text to the comment, after an empty line."""
        self.comment = f"{self.comment}\n\n{text}" if self.comment else text

    def new_child(self) -> Node:
        child = Node(self)
        self.children.append(child)
        return child

    def path(self) -> list[Node]:
        """From the root to this node."""
        nodes = [self]
        while (parent := nodes[-1].parent) is not None:
            nodes.append(parent)
        return nodes[::-1]

    def main_line(self) -> list[Node]:
        """This node and the first child of each."""
        nodes = [self]
        while nodes[-1].children:
            nodes.append(nodes[-1].children[0])
        return nodes

    def walk(self) -> Iterator[Node]:
        """This node and everything below it, parents first."""
        waiting = [self]
        while waiting:
            node = waiting.pop()
            yield node
            waiting.extend(reversed(node.children))


def parse_trees(text: str, source: str) -> list[Node]:
    """The roots of all games in a file."""
    data = text.encode("utf-8", "replace")
    try:
        games = sgf_grammar.parse_sgf_collection(data)
    except ValueError as error:
        raise SgfError(f"{source}: {error}{_place(data)}") from error
    return [_grow(game) for game in games]


def serialize_tree(root: Node) -> bytes:
    tree = sgf_grammar.make_coarse_game_tree(root, lambda node: node.children, lambda node: node.raw)
    data: bytes = sgf_grammar.serialise_game_tree(tree)
    return data


def _grow(game: sgf_grammar.Coarse_game_tree) -> Node:
    root = Node()
    # The first of the nodes to be filled is already there.
    waiting = [(root, game)]
    while waiting:
        check_time()
        node, tree = waiting.pop()
        for number, raw in enumerate(tree.sequence):
            node = node.new_child() if number else node
            node.raw = _known(raw)
        waiting.extend((node.new_child(), child) for child in tree.children)
    return root


def _known(raw: dict[str, list[bytes]]) -> dict[str, list[bytes]]:
    # A name in small letters alone is none: the oldest files spell AddBlack, of which the capitals count.
    raw.pop("", None)
    return raw


def _place(data: bytes) -> str:
    """Describe the position of a syntax error: the end of the last game that was read in part."""
    end = 0
    while True:
        tokens, after = sgf_grammar.tokenise(data, end)
        if not tokens:
            return ": expected a game such as (;GM[1]SZ[19];B[pd])" if end == 0 else ""
        if sum((token == b"(") - (token == b")") for kind, token in tokens if kind == "D") != 0:
            line = data.count(b"\n", 0, after) + 1
            rest = data[after : after + 20].decode("utf-8", "replace")
            return f" (line {line}: {rest!r} can't be read)" if rest.strip() else f" (line {line}: a ')' is missing)"
        end = after
