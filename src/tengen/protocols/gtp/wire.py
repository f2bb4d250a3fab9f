"""Parsing of GTP commands and formatting of replies."""

from __future__ import annotations

import re
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tengen.analysis import MAX_LINE_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Command", "GtpError", "Reply", "format_reply", "parse_line"]

_COMMAND: Final = re.compile(r"(?:(\d{1,20})(?:\s+|$))?(\S*)\s*(.*)", re.ASCII)
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_LONGEST_ERROR: Final = 500


class GtpError(ValueError):
    """A command that fails; the text is its answer."""


@dataclass(frozen=True, slots=True)
class Command:
    id: str
    """Digits, or empty."""
    name: str
    rest: str
    """Text after the name, unchanged."""

    @property
    def words(self) -> list[str]:
        return self.rest.split()


def parse_line(line: bytes) -> Command | None:
    """None where a line holds no command: it is empty or a remark."""
    if len(line) > MAX_LINE_BYTES:
        raise GtpError(f"the line is too long: at most {MAX_LINE_BYTES} bytes")
    text = line.decode("utf-8", "replace").replace("\t", " ")
    text = _CONTROL.sub("", text).partition("#")[0].strip()
    if not text:
        return None
    found = _COMMAND.fullmatch(text)
    assert found is not None
    return Command(found[1] or "", found[2], found[3])


def format_reply(command_id: str, text: str = "", *, is_error: bool = False) -> str:
    """An answer without its last newline. It holds no empty line but that at its end.

    A text that begins with a newline stands below the sign.
    """
    sign = "?" if is_error else "="
    if is_error:
        text = " ".join(text.split())[:_LONGEST_ERROR]
    body = "\n".join(line.rstrip() for line in text.splitlines() if line.strip())
    joint = "\n" if text.startswith("\n") else " "
    return f"{sign}{command_id}{joint}{body}".rstrip() + "\n"


class Reply:
    """An answer that stays open while lines are added to it, from any thread."""

    def __init__(self, command_id: str, write: Callable[[str], None]) -> None:
        self._write = write
        self._lock = threading.Lock()
        self._is_open = True
        write(f"={command_id}")

    def add(self, line: str) -> None:
        """Write a line, unless it is empty: an empty line would end the reply."""
        with self._lock:
            if self._is_open and line:
                self._write(line)

    def finish(self, line: str = "") -> None:
        """Ends it, with a last line if one is given; who comes second does nothing."""
        with self._lock:
            if self._is_open:
                self._is_open = False
                self._write(f"{line}\n" if line else "")
