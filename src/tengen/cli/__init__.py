"""The command line: `tengen <verb> <game>`."""

from tengen.cli.app import main

__all__ = ["main"]
