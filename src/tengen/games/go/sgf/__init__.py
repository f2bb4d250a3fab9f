"""Records of Go in SGF: read from any of the world's encodings, written in UTF-8 with everything that was in them."""

from tengen.games.go.sgf.errors import SgfError
from tengen.games.go.sgf.record import Info, Line, Record, load_collection, load_sgf, new_record, save_collection
from tengen.games.go.sgf.tree import Node

__all__ = [
    "Info",
    "Line",
    "Node",
    "Record",
    "SgfError",
    "load_collection",
    "load_sgf",
    "new_record",
    "save_collection",
]
