"""Encodings of records: from bytes to text and back."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, Final

from tengen._time_limit import check_time
from tengen.games.shogi.records.errors import RecordError

__all__ = ["decode_record", "encode_record", "lines_of", "numbered_lines"]

if TYPE_CHECKING:
    from collections.abc import Iterator

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED: Final = re.compile(rb"'\s*CSA encoding\s*=\s*([\w-]+)|#.*encoding\s*=\s*([\w-]+)", re.IGNORECASE)
_CODECS: Final = {
    **dict.fromkeys(("utf-8", "utf8"), "utf-8"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "cp932"), "cp932"),
    **dict.fromkeys(("euc-jp", "euc_jp", "eucjp"), "euc_jp"),
    **dict.fromkeys(("iso-2022-jp", "iso_2022_jp"), "iso2022_jp"),
}
_LIKE: Final = {"〜": "～", "−": "－", "—": "―", "‖": "∥", "¢": "￠", "£": "￡", "¬": "￢"}
"""Letters that CP932 has by another number only."""
JAPANESE: Final = "cp932"
"""Shift_JIS as programs write it."""


_OTHER_JAPANESE: Final = ("euc_jp", "euc_jis_2004")
"""EUC-JP, and its superset with the circled digits and Roman numerals of other systems."""
_ESCAPE: Final = b"\x1b$"
"""Start of Japanese text in ISO-2022-JP, whose other bytes are ASCII."""
_FIRST_RARE_KANJI: Final = b"\xd0"
"""First byte of EUC-JP's second level of kanji, which few texts use."""
_KATAKANA: Final = re.compile("(?:[ｳｶ-ﾄﾊ-ﾎ]ﾞ|[ﾊ-ﾎ]ﾟ|[ｦｧ-ｯｰｱ-ﾝ])+")
_MOST_RARE: Final = 0.2
"""Largest share of rare kanji in a text that is taken for EUC-JP."""


def decode_record(data: bytes, source: str = "") -> str:
    """Decode by the byte order mark or by the encoding that the first line of a CSA or KIF file declares, otherwise as
    ISO-2022-JP, UTF-8, CP932 or EUC-JP, whichever fits.

    Raises RecordError if none of them fits, with the first line that can't be read.
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
    if _ESCAPE in data and data.isascii():
        return _decode(data, "iso2022_jp_ext", source)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _decode_euc(data) or _decode(data, JAPANESE, source)


def _decode_euc(data: bytes) -> str | None:
    """Decode EUC-JP; None if the bytes are not EUC-JP, or are more likely CP932.

    Many texts are valid in both encodings: kanji and kana in EUC-JP are half-width katakana in CP932. Real half-width
    katakana have voiced sounds where they are possible, and many rare kanji if they are read as EUC-JP.
    """
    for codec in _OTHER_JAPANESE:
        try:
            text = data.decode(codec)
        except UnicodeDecodeError:
            continue
        wide = [letter.encode(codec) for letter in text if not letter.isascii()]
        has_rare = sum(letter >= _FIRST_RARE_KANJI for letter in wide) > _MOST_RARE * len(wide)
        return None if _is_katakana(data, allow_unvoiced=has_rare) else text
    return None


def _is_katakana(data: bytes, *, allow_unvoiced: bool) -> bool:
    """Return True if the bytes are CP932 and its Japanese letters are half-width katakana in a possible order."""
    try:
        letters = "".join(letter for letter in data.decode(JAPANESE) if not letter.isascii())
    except UnicodeDecodeError:
        return False
    return _KATAKANA.fullmatch(letters) is not None and (allow_unvoiced or "ﾞ" in letters or "ﾟ" in letters)


def _decode(data: bytes, codec: str, source: str) -> str:
    try:
        return data.decode(codec)
    except UnicodeDecodeError as error:
        line = data[: error.start].decode(codec, "replace").count("\n") + 1
        others = " nor EUC-JP" if codec == JAPANESE else ""
        raise RecordError(f"its bytes are neither UTF-8 nor {codec}{others}", line, source) from error


def lines_of(text: str) -> list[str]:
    """Whatever ends them: LF, CRLF, or CR alone, as old programs wrote. Without a byte order mark."""
    if not isinstance(text, str):
        raise TypeError(f"expected the text of a record, got {type(text).__name__}: parse_records reads bytes")
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")


def numbered_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines of a record with their numbers, from 1 on. Raises TimeLimitError after the time limit."""
    for number, line in enumerate(lines_of(text), start=1):
        check_time()
        yield number, line


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
