"""The reader's language: texts in English are the keys of the other languages' tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ENGLISH", "Translation"]

ENGLISH = "en"


class Translation:
    """Says texts in one language; what its table lacks stays English."""

    def __init__(self, lang: str = ENGLISH, table: Mapping[str, str] | None = None) -> None:
        self.lang = lang
        self._table = table or {}

    def __call__(self, text: str, /, **values: Any) -> str:
        """The text with the values in its braces, which are those of str.format()."""
        return self._table.get(text, text).format(**values)
