"""Runs `tengen …` inside the test's own process."""

from __future__ import annotations

import io
import math
import sys
from pathlib import Path
from typing import NamedTuple

from tengen.cli.app import app

TOYS = Path(__file__).parent / "toy_games.py"


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def runner(monkeypatch, capsys):
    """A function that takes a command's words and, as `typed`, what a person types."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    # On a busy machine a short command may take long enough to report progress.
    monkeypatch.setattr("tengen.console.progress._FIRST_LINE_S", math.inf)

    def run(*words, typed=""):
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        capsys.readouterr()
        code = 0
        try:
            app([str(word) for word in words], prog_name="tengen")
        except SystemExit as end:
            code = end.code or 0
        return Ran(code, *capsys.readouterr())

    return run
