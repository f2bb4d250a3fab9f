"""Text for people: numbers in words, and text from outside that is made safe to show on a terminal."""

from __future__ import annotations

import logging
import re

__all__ = ["UNPRINTABLE", "PrintableFormatter", "printable", "rate_text", "time_text"]

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


def rate_text(count: float, seconds: float, unit: str) -> str:
    rate = count / max(seconds, 1e-9)
    if rate >= 10_000:
        return f"{rate / 1000:,.0f} k {unit}/s"
    return f"{rate:,.0f} {unit}/s" if rate >= 100 else f"{rate:.1f} {unit}/s"


def time_text(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {rest:02} s"
