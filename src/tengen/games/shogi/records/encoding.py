"""Which characters the bytes of a record stand for, and which bytes a file gets."""

from __future__ import annotations

import codecs
import re
from typing import Final

from tengen.games.shogi.records.errors import RecordError

__all__ = ["decode_record", "encode_record", "lines_of"]

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED: Final = re.compile(rb"'\s*CSA encoding\s*=\s*([\w-]+)|#.*encoding\s*=\s*([\w-]+)", re.IGNORECASE)
_CODECS: Final = {"utf-8": "utf-8", "utf8": "utf-8", "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932"}
_LIKE: Final = {"〜": "～", "−": "－", "—": "―", "‖": "∥", "¢": "￠", "£": "￡", "¬": "￢"}
"""Letters that CP932 has by another number only."""
JAPANESE: Final = "cp932"
"""Shift_JIS as programs write it."""


def decode_record(data: bytes, source: str = "") -> str:
    """By the byte order mark, by what the first line says of CSA and KIF files, UTF-8 if it is valid, else CP932.

    Raises RecordError where it is neither, with the first line that can't be read.
    """
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return _decode(data[len(mark) :], codec, source)
    declared = _DECLARED.match(data)
    if declared is not None:
        name = (declared[1] or declared[2]).decode("ascii", "replace").lower()
        for codec in dict.fromkeys([_CODECS.get(name, "utf-8"), "utf-8", JAPANESE]):
            try:
                return data.decode(codec)
            except UnicodeDecodeError:
                continue
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _decode(data, JAPANESE, source)


def _decode(data: bytes, codec: str, source: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        line = data[: error.start].decode(codec, "replace").count("\n") + 1
        raise RecordError(f"its bytes are neither UTF-8 nor {codec}", line, source) from error


def lines_of(text: str) -> list[str]:
    """Whatever ends them: LF, CRLF, or CR alone, as old programs wrote. Without a byte order mark."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def encode_record(text: str, suffix: str) -> bytes:
    """Files that end with `u`, such as .kifu, .ki2u, are UTF-8, and so are .csa, .usi, .sfen and .sfenx; .kif and .ki2
    are CP932 with CRLF. What CP932 has no character for becomes a `〓`, as Japanese programs show it."""
    if suffix.lower() not in (".kif", ".ki2", ".bod"):
        return text.encode("utf-8")
    return text.replace("\n", "\r\n").encode(JAPANESE, "tengen-geta")


def _geta(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return "".join(_LIKE.get(letter, "〓") for letter in error.object[error.start : error.end]), error.end


codecs.register_error("tengen-geta", _geta)
