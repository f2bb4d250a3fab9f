"""Records of shogi: KIF, KI2, CSA, BOD, USI lines and .sfenx, read and written as one kind of tree."""

from tengen.games.shogi.records.board import START_SFEN, Board
from tengen.games.shogi.records.bod import format_bod, parse_bod
from tengen.games.shogi.records.csa_reader import parse_csa, parse_csa_move
from tengen.games.shogi.records.csa_writer import format_csa, format_csa_games, format_csa_move
from tengen.games.shogi.records.ends import ENDS
from tengen.games.shogi.records.errors import RecordError
from tengen.games.shogi.records.files import (
    SUFFIXES,
    detect_format,
    format_records,
    load_record,
    load_records,
    parse_records,
    save_records,
)
from tengen.games.shogi.records.handicaps import HANDICAPS
from tengen.games.shogi.records.japanese_moves import japanese_move
from tengen.games.shogi.records.kakinoki_reader import parse_kif
from tengen.games.shogi.records.kakinoki_writer import format_ki2, format_kif
from tengen.games.shogi.records.legality import legal_moves
from tengen.games.shogi.records.sfenx import format_sfenx, parse_sfenx
from tengen.games.shogi.records.tree import Node, Record, new_record
from tengen.games.shogi.records.usi_lines import format_usi, format_usi_games, parse_usi

__all__ = [
    "ENDS",
    "HANDICAPS",
    "START_SFEN",
    "SUFFIXES",
    "Board",
    "Node",
    "Record",
    "RecordError",
    "detect_format",
    "format_bod",
    "format_csa",
    "format_csa_games",
    "format_csa_move",
    "format_ki2",
    "format_kif",
    "format_records",
    "format_sfenx",
    "format_usi",
    "format_usi_games",
    "japanese_move",
    "legal_moves",
    "load_record",
    "load_records",
    "new_record",
    "parse_bod",
    "parse_csa",
    "parse_csa_move",
    "parse_kif",
    "parse_records",
    "parse_sfenx",
    "parse_usi",
    "save_records",
]
