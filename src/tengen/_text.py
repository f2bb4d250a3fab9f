"""Text from outside, made safe to show on a terminal."""

from __future__ import annotations

import logging
import re

__all__ = ["UNPRINTABLE", "PrintableFormatter", "printable"]

# Control characters other than tab and newline (with ESC and the C1 set they move the cursor, set titles and more),
# marks that reverse the direction of text, separators that some terminals treat as newlines, and lone surrogates, which
# cannot be encoded.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def printable(text: str) -> str:
    """Return the text with each character that could control a terminal replaced by U+FFFD.

    Tabs and newlines are kept; a carriage return before a newline is dropped.
    """
    return UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


class PrintableFormatter(logging.Formatter):
    """A formatter for log messages, which may quote text from servers, files and other people."""

    def format(self, record: logging.LogRecord) -> str:
        return printable(super().format(record))
