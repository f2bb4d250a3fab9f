"""Files of records: which format they are of, read and written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tengen.games.shogi.records.bod import format_bod, parse_bod
from tengen.games.shogi.records.csa_reader import parse_csa
from tengen.games.shogi.records.csa_writer import format_csa_games
from tengen.games.shogi.records.encoding import decode_record, encode_record, lines_of
from tengen.games.shogi.records.errors import NO_GAME, RecordError
from tengen.games.shogi.records.kakinoki_reader import parse_kif
from tengen.games.shogi.records.kakinoki_writer import format_ki2, format_kif
from tengen.games.shogi.records.sfenx import format_sfenx, parse_sfenx
from tengen.games.shogi.records.tree import Record
from tengen.games.shogi.records.usi_lines import format_usi_games, parse_usi

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "SUFFIXES",
    "detect_format",
    "format_records",
    "load_record",
    "load_records",
    "parse_records",
    "save_records",
]

_FORMATS: Final = {
    ".kif": "kif",
    ".kifu": "kif",
    ".ki2": "ki2",
    ".ki2u": "ki2",
    ".csa": "csa",
    ".usi": "usi",
    ".sfen": "usi",
    ".sfenx": "sfenx",
    ".bod": "bod",
}
SUFFIXES: Final = tuple(_FORMATS)
_CSA_LINE: Final = re.compile(
    r"V\d(\.\d+)?|N[+-].*|P[I1-9+-].*|[+-](\d{4}[A-Z]{2}.*)?|'CSA .*|\$[A-Z_]+[+-]?:.*|%[A-Z_]+"
)
# Rows of a board without slashes, so that a line is matched in one pass, however long it is.
_USI_LINE: Final = re.compile(r"(position\s+)?(startpos|sfen\s+[^\s/]+/[^\s/]+/|[^\s/]+/[^\s/]+/\S+\s+[bw](\s|$)).*")
_SFENX_LINE: Final = re.compile(r"[^,/]+/[^,]+,\d+,[^,]+,\w+")

_PARSERS: Final[dict[str, Callable[[str, str], list[Record]]]] = {
    "kif": lambda text, source: [parse_kif(text, source)],
    "ki2": lambda text, source: [parse_kif(text, source)],
    "csa": parse_csa,
    "usi": parse_usi,
    "sfenx": parse_sfenx,
    "bod": lambda text, source: [Record(parse_bod(text, source), source=source)],
}


def detect_format(text: str) -> str:
    """Return the format of the first line that has one: csa, usi, sfenx or kif; KI2 and drawings are read as kif."""
    for line in lines_of(text):
        plain = line.strip()
        for name, pattern in (("sfenx", _SFENX_LINE), ("usi", _USI_LINE), ("csa", _CSA_LINE)):
            if pattern.fullmatch(plain):
                return name
        if plain and plain[0] not in "#'*&":
            break
    return "kif"


def parse_records(data: Any, source: str = "") -> list[Record]:
    """Return the games in a file's bytes or text, whatever its name.

    Raises RecordError if it holds none, and TypeError if `data` is neither bytes nor text.
    """
    if not isinstance(data, str | bytes | bytearray | memoryview):
        kind = type(data).__name__
        raise TypeError(f"expected the bytes or the text of a record, got {kind}: load_records reads a path")
    text = data if isinstance(data, str) else decode_record(bytes(data), source)
    records = _PARSERS[detect_format(text)](text, source)
    if not records:
        raise RecordError(NO_GAME, None, source)
    return records


def load_records(path: str | Path) -> list[Record]:
    path = Path(path)
    return parse_records(path.read_bytes(), str(path))


def load_record(path: str | Path, number: int = 1) -> Record:
    """One of a file's games."""
    records = load_records(path)
    if not 1 <= number <= len(records):
        raise RecordError(f"it has {len(records)} games, none is number {number}", None, str(path))
    return records[number - 1]


def format_records(records: Record | Sequence[Record], suffix: str) -> bytes:
    """The bytes of a file with such a name. Raises RecordError where a format holds one game only."""
    games = [records] if isinstance(records, Record) else list(records)
    kind = _FORMATS.get(suffix.lower())
    if kind is None:
        raise RecordError(f"{suffix!r} is no record of shogi: expected {', '.join(SUFFIXES)}")
    if kind in ("kif", "ki2", "bod"):
        if len(games) != 1:
            raise RecordError(f"a {suffix} file holds one game, not {len(games)}")
        record = games[0]
        text = format_bod(record.start) if kind == "bod" else (format_kif if kind == "kif" else format_ki2)(record)
        if suffix.lower() == ".kifu":
            text = f"#KIF version=2.0 encoding=UTF-8\n{text}"
    else:
        text = {"csa": format_csa_games, "usi": format_usi_games, "sfenx": format_sfenx}[kind](games)
    return encode_record(text, suffix)


def save_records(records: Record | Sequence[Record], path: str | Path) -> None:
    """By the file's suffix."""
    path = Path(path)
    path.write_bytes(format_records(records, path.suffix))
