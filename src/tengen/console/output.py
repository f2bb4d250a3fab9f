"""Output of commands: results go to stdout, everything else to stderr; errors become one line and an exit code."""

from __future__ import annotations

import functools
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import typer

from tengen._text import UNPRINTABLE, printable

# Every command imports this module, and an engine must respond to its first line quickly. Rich and the packages with
# error classes are imported when there is something to print.
if TYPE_CHECKING:
    from rich.console import Console

    from tengen.cluster import WorkerError

__all__ = [
    "FailedError",
    "UsageError",
    "colors",
    "draw",
    "error_console",
    "guarded",
    "one_line",
    "output_console",
    "print_json",
    "tell",
    "usage_errors",
    "warn",
]

P = ParamSpec("P")
R = TypeVar("R")

_WIDTH_OF_FILES = 200
_COLOR_CODE = re.compile("(\x1b\\[[0-9;]*m)")
_TRACEBACK = "TENGEN_TRACEBACK"
"""Environment variable that shows the whole traceback of a fault in a user's game."""


class UsageError(Exception):
    """The command line is wrong; the message is one line for the user."""


class FailedError(Exception):
    """The command line is right, but the command did not succeed; the message is one line."""


def output_console() -> Console:
    return _console(stderr=False)


def error_console() -> Console:
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    from tengen.console.safe_console import SafeConsole

    console = SafeConsole(stderr=stderr, highlight=False)
    # Do not wrap lines in files: wrapped lines are hard to search.
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDTH_OF_FILES
    return console


def colors(console: Console) -> bool:
    return console.color_system is not None and not console.no_color


def draw(console: Console, drawing: str) -> None:
    """Print a board; its ANSI color codes become styles, and other control characters are shown."""
    from rich.text import Text

    parts = _COLOR_CODE.split(drawing)
    console.print(
        Text.from_ansi("".join([printable(parts[0]), *map(_colored, parts[1::2], parts[2::2])])), soft_wrap=True
    )


def _colored(code: str, text: str) -> str:
    return code + printable(text)


def tell(text: str) -> None:
    """Print a line of the result without interpreting markup."""
    output_console().print(text, soft_wrap=True, markup=False)


def warn(text: str) -> None:
    from rich.text import Text

    error_console().print(Text(f"tengen: {text}", style="yellow"), soft_wrap=True)


def print_json(answer: dict[str, Any]) -> None:
    text = json.dumps(_without_nan(answer), ensure_ascii=False, allow_nan=False)
    # Unprintable characters occur inside strings only, where JSON allows an escape for each.
    sys.stdout.write(UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def one_line(error: BaseException) -> str:
    """Return the first line of an error's message; games add a drawing of the position below it."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].rstrip(" :")


@contextmanager
def usage_errors(prefix: str = "", passing: type[Exception] | tuple[type[Exception], ...] = ()) -> Iterator[None]:
    """Turn errors inside this context, which parses the user's input, into UsageError. Those `passing` stay as they
    are."""
    try:
        yield
    except passing:
        raise
    except (ValueError, IndexError, OSError) as error:
        from tengen.games import GameError, describe_fault

        is_ours = isinstance(error, GameError)
        raise UsageError(prefix + ((None if is_ours else describe_fault(error)) or one_line(error))) from error


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Wrap a command so that expected errors become one line on stderr and an exit code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except UsageError as error:
            _report_error(str(error))
            raise typer.Exit(2) from error
        except (typer.Exit, typer.Abort):
            raise
        except KeyboardInterrupt as interrupt:
            raise typer.Exit(130) from interrupt
        except Exception as error:
            text = _failure_text(error)
            if text is None:
                raise
            _report_error(text)
            raise typer.Exit(1) from error

    return run


def _failure_text(error: Exception) -> str | None:
    """Return one line about an expected error, or None if the traceback should be shown."""
    from tengen.cluster import WorkerError
    from tengen.games import GameError, describe_fault
    from tengen.nets.errors import NetworkError
    from tengen.runs import RunError

    # A search may find that a game is incomplete, or that a network is damaged.
    if isinstance(error, GameError | NetworkError | RunError | FailedError):
        return one_line(error)
    if isinstance(error, WorkerError):
        return _worker_text(error)
    fault = describe_fault(error)
    if fault is None or os.environ.get(_TRACEBACK):
        return None
    return f"{fault} ({_TRACEBACK}=1 shows how it came there)"


def _report_error(text: str) -> None:
    from rich.text import Text

    error_console().print(Text.assemble(("tengen: ", "bold red"), text), soft_wrap=True)


def _worker_text(error: WorkerError) -> str:
    """Return one line about a failed task: errors of games and runs as they are, all others with their place."""
    from tengen.games import GameError
    from tengen.runs import RunError

    for name, text in reversed(re.findall(r"^(tengen(?:\.\w+)+): (.+)$", error.traceback, re.MULTILINE)):
        module, _, kind = name.rpartition(".")
        found = getattr(sys.modules.get(module), kind, None)
        if isinstance(found, type) and issubclass(found, GameError | RunError):
            return str(text).rstrip(" :")
    last = error.traceback.strip().splitlines()[-1:]
    places = re.findall(r'File "(.+?)", line (\d+), in ', error.traceback)[-1:]
    return ": ".join([one_line(error), *(f"{file}:{line}" for file, line in places), *last])
