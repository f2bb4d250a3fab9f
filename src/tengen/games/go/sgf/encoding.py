"""Which characters the bytes of an SGF file stand for.

Files from East Asia come in encodings whose second bytes may be a backslash or a bracket, so a file is decoded as a
whole before its grammar is read.
"""

from __future__ import annotations

import codecs
import re
from typing import Final

__all__ = ["decode_sgf"]

_CHARSET: Final = re.compile(rb"CA\s*\[\s*([A-Za-z0-9_.: -]{1,40}?)\s*\]")
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# Programs write more characters than the name that they give allows.
_WIDER: Final = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "cp950",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "ascii": "utf-8",
    "iso8859-1": "cp1252",
}
_ALLOWED: Final = re.compile(r"utf-8|ascii|iso8859-\d+|cp\d+|gb\w+|big5\w*|shift_jis\w*|euc_\w+|koi8-\w|johab")


def decode_sgf(data: bytes) -> str:
    """Never fails: by the byte order mark, the CA property, UTF-8, then a guess, and Latin-1 as SGF itself assumes."""
    for mark, codec in _MARKS:
        if data.startswith(mark):
            return data[len(mark) :].decode(codec, "replace")
    declared = _declared_codec(data)
    for candidate in [declared or "utf-8", "utf-8"]:
        if (text := _decode(data, candidate)) is not None:
            return text
    guessed = _guess(data)
    if guessed is None and declared is not None:
        return data.decode(declared, "replace")
    return data.decode(guessed or "latin-1")


def _declared_codec(data: bytes) -> str | None:
    found = _CHARSET.search(data)
    if found is None:
        return None
    try:
        name = codecs.lookup(found[1].decode("ascii").strip()).name
    except (LookupError, ValueError):
        return None
    if not _ALLOWED.fullmatch(name):
        return None
    # Latin-1 is what programs write that never thought about it; UTF-8 inside is then what was meant.
    if name in ("ascii", "iso8859-1") and _decode(data, "utf-8") is not None:
        return "utf-8"
    wider = _WIDER.get(name, name)
    return wider if "(;[]\\".encode(wider) == b"(;[]\\" else None


def _decode(data: bytes, codec: str) -> str | None:
    try:
        return data.decode(codec)
    except UnicodeDecodeError:
        return None


def _guess(data: bytes) -> str | None:
    """A codec that fits bytes of which nothing is known but that they are not UTF-8."""
    if not re.search(rb"[\x80-\xff]{2}", data):
        return None  # single letters among ASCII: a European name
    if (text := _decode(data, "gb2312")) is not None:
        kana = len(re.findall("[\u3041-\u30fa]", text))
        if kana and _decode(data, "euc_jp") is not None:
            return "euc_jp"
        korean = _decode(data, "euc_kr")
        if korean is not None:
            wide = [letter for letter in korean if letter > "\u2e7f"]
            hangul = [letter for letter in wide if "\uac00" <= letter <= "\ud7a3"]
            if len(hangul) > 0.9 * len(wide):
                return "cp949"
        return "gb18030"
    return next((codec for codec in ("euc_kr", "big5", "cp932", "gb18030") if _decode(data, codec) is not None), None)
