"""Lines from a person, with tab completion, or from a file."""

from __future__ import annotations

import contextlib
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["Prompt"]


class Prompt:
    """Asks for lines. `words` answers what a line may be, whenever the person presses the tab key."""

    def __init__(self, words: Callable[[], Sequence[str]]) -> None:
        self._words = words
        self._is_terminal = sys.stdin.isatty()
        if self._is_terminal:
            with contextlib.suppress(ImportError):  # not on every system
                _set_up_readline(self._complete)

    def ask(self, text: str) -> str:
        """The next line, stripped; EOFError at the end."""
        if self._is_terminal:
            return input(text).strip()
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        # A transcript shows what was typed where.
        print(f"{text}{line.strip()}")
        return line.strip()

    def _complete(self, text: str, index: int) -> str | None:
        start = text.casefold()
        found = [word for word in self._words() if word.casefold().startswith(start)]
        return found[index] if index < len(found) else None


def _set_up_readline(complete: Callable[[str, int], str | None]) -> None:
    import readline

    readline.set_completer(complete)
    # Names of moves may contain spaces: a line is completed as a whole.
    readline.set_completer_delims("\n")
    is_libedit = "libedit" in (readline.__doc__ or "")
    readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
