"""Where text goes, and what becomes of errors. stdout carries the answer; everything else goes to stderr."""

from __future__ import annotations

import functools
import json
import math
import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, ParamSpec, TypeVar

import typer
from rich.console import Console
from rich.text import Text

from tengen.cluster import WorkerError
from tengen.games import GameError, describe_fault
from tengen.runs import RunError

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
_TRACEBACK = "TENGEN_TRACEBACK"
"""Set in the environment: faults of a game of one's own are shown whole."""


class UsageError(Exception):
    """What was asked for does not fit; the text is one line for the person who asked."""


class FailedError(Exception):
    """What was asked for was right and did not succeed; the text is one line."""


def output_console() -> Console:
    return _console(stderr=False)


def error_console() -> Console:
    return _console(stderr=True)


def _console(*, stderr: bool) -> Console:
    console = Console(stderr=stderr, highlight=False)
    # A file has no width to fit into, and lines broken for one are hard to search.
    if not console.is_terminal and "COLUMNS" not in os.environ:
        console.width = _WIDTH_OF_FILES
    return console


def colors(console: Console) -> bool:
    return console.color_system is not None and not console.no_color


def draw(console: Console, drawing: str) -> None:
    """Prints a board, whose colors are terminal codes."""
    console.print(Text.from_ansi(drawing), soft_wrap=True)


def tell(text: str) -> None:
    """A line of the answer, as it stands."""
    output_console().print(text, soft_wrap=True, markup=False)


def warn(text: str) -> None:
    error_console().print(Text(f"tengen: {text}", style="yellow"), soft_wrap=True)


def print_json(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(_without_nan(answer), ensure_ascii=False, allow_nan=False) + "\n")


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def one_line(error: BaseException) -> str:
    """The first line of an error's text: games add a drawing of the position below."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].rstrip(" :")


@contextmanager
def usage_errors(prefix: str = "") -> Iterator[None]:
    """Around the reading of what a person typed: what does not fit is the person's to change, not a fault of ours."""
    try:
        yield
    except (ValueError, IndexError, OSError) as error:
        is_ours = isinstance(error, GameError)
        raise UsageError(prefix + ((None if is_ours else describe_fault(error)) or one_line(error))) from error


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turns errors of usage into one line and an exit code."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except UsageError as error:
            _complain(str(error))
            raise typer.Exit(2) from error
        except (GameError, RunError, FailedError) as error:  # GameError: a game found incomplete once it is searched
            _complain(one_line(error))
            raise typer.Exit(1) from error
        except WorkerError as error:
            _complain(_worker_text(error))
            raise typer.Exit(1) from error
        except KeyboardInterrupt as interrupt:
            raise typer.Exit(130) from interrupt
        except Exception as error:
            fault = describe_fault(error)
            if fault is None or os.environ.get(_TRACEBACK):
                raise
            _complain(f"{fault} ({_TRACEBACK}=1 shows how it came there)")
            raise typer.Exit(1) from error

    return run


def _complain(text: str) -> None:
    error_console().print(Text.assemble(("tengen: ", "bold red"), text), soft_wrap=True)


def _worker_text(error: WorkerError) -> str:
    """What a worker's traceback ends with is what happened, and where."""
    last = error.traceback.strip().splitlines()[-1:]
    places = re.findall(r'File "(.+?)", line (\d+), in ', error.traceback)[-1:]
    return ": ".join([one_line(error), *(f"{file}:{line}" for file, line in places), *last])
